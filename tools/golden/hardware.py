"""docs/hardware.md: the simulator's counters against the GPU's.

Place in the flow. Enters: tests/golden/course_*.csv and foreign.csv, measured on a GPU by course.py and foreign.py, and the built program in
LAB_PROGRAM. Leaves:
    hardware.py write    the tables of docs/hardware.md, between their markers
    hardware.py check    exit code 1 when the simulator counts anything but what is in the table of differences, or
                         when the page is not what the data say. Needs no GPU.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
PAGE = ROOT / "docs" / "hardware.md"
PROGRAM = os.environ.get("LAB_PROGRAM", str(ROOT / "build/common/cli/lab"))
TYPES = {"u8": "unsigned char", "u16": "unsigned short", "u32": "unsigned int", "u64": "unsigned long long", "u128": "uint4"}
KINDS = {"tests/mutants/course": "mutants", "tests/mutants/right": "all types"}
COLUMNS = {  # column of the profiler's table: where the simulator has it
    "global_load_requests": ("global_load", "requests"), "global_load_sectors": ("global_load", "sectors"),
    "global_store_requests": ("global_store", "requests"), "global_store_sectors": ("global_store", "sectors"),
    "shared_load_requests": ("shared_load", "requests"), "shared_load_wavefronts_sass": ("shared_load", "wavefronts"),
    "shared_store_requests": ("shared_store", "requests"), "shared_store_wavefronts_sass": ("shared_store", "wavefronts"),
}


def rows(name):
    with (GOLDEN / name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def simulated(row):
    """The counters of one launch; entries with pitches get a wrapper whose pitches are the sizes."""
    file, entry = ROOT / row["file"], row["entry"]
    elem_bytes = str(int(entry.split("_u")[1]) // 8) if "_u" in entry else "4"
    with tempfile.TemporaryDirectory() as folder:
        if "09_sheared_tiles" in row["file"] and entry != "transpose":
            kind, wrapper = TYPES[entry.split("_")[1]], Path(folder) / "wrapper.cu"
            wrapper.write_text(f'#include "{row["file"]}"\nLAUNCH_SHAPE_OF(plain) = kShape<{kind}>;\n'
                               f'extern "C" __global__ void plain({kind}* out, const {kind}* in, int rows, int cols) '
                               "{ turn_any(out, in, rows, cols, rows, cols); }\n")
            file, entry = wrapper, "plain"
        done = subprocess.run([PROGRAM, "profile", str(file), "--entry", entry, "--rows", row["rows"], "--cols", row["cols"],
                               "--elem-bytes", elem_bytes, "--json"],
                              capture_output=True, text=True, cwd=ROOT, timeout=300)
    try:
        profile = json.loads(done.stdout)
        counters = profile["counters"]
    except (json.JSONDecodeError, KeyError):
        sys.exit(f"{row['file']} {entry}: {(done.stdout + done.stderr).strip()}")
    if profile["faults"]:
        return profile["faults"][0]["kind"]
    # The profiler keeps what cp.async writes apart from op_st.
    apart = {"shared_store": counters["shared_async"]}
    return {column: str(counters[kind][what] - apart.get(kind, {}).get(what, 0)) for column, (kind, what) in COLUMNS.items()}


def compare():
    launches = rows("course_counters.csv")
    with ThreadPoolExecutor(2) as pool:
        counted = list(pool.map(simulated, launches))
    return launches, [ours if isinstance(ours, str) else {c: (row[c], ours[c]) for c in COLUMNS if row[c] != ours[c]}
                      for row, ours in zip(launches, counted)]


def counters_table(launches, different):
    groups, stopped, unequal = {}, [], []
    for row, found in zip(launches, different):
        kind = KINDS.get(row["file"].rsplit("/", 1)[0]) or row["file"].split("/")[0]
        name = re.sub(r"/transpose\.cu$|\.cu$", "", row["file"]).replace("tests/mutants/course/", "")
        groups.setdefault((kind, f"{row['rows']} × {row['cols']}"), []).append(found)
        if isinstance(found, str):
            stopped.append(f"`{name}` ({found})")
        else:
            unequal += [f"`{name}` `{row['entry']}` {row['rows']} × {row['cols']}: {c.replace('_', ' ').replace(' sass', '')}, GPU {gpu}, simulator {ours}"
                        for c, (gpu, ours) in found.items()]
    lines = ["| kernels | matrix | launches | stopped by a fault | counters compared | equal |", "|---|---|---:|---:|---:|---:|"]
    for (kind, shape), found in sorted(groups.items()):
        ran = [f for f in found if not isinstance(f, str)]
        total = len(ran) * len(COLUMNS)
        lines.append(f"| {kind} | {shape} | {len(found)} | {len(found) - len(ran)} | {total} | {total - sum(map(len, ran))} |")
    return "\n".join([*lines, "", "Different: " + ("; ".join(unequal) or "none") + ".", "",
                      "Stopped by the simulator, where the GPU goes on: " + ", ".join(stopped) + "."])


def foreign_table():
    programs = rows("foreign.csv")
    lines = [f"{len({r['program'] for r in programs})} programs of {len({r['program'].split('/')[0] for r in programs})} repositories.", "",
             "| kernels | launches | all six equal |", "|---|---:|---:|"]
    for title, prints in (("that do not print", "0"), ("that call `printf`", "1")):
        chosen = [r for r in programs if r["prints"] == prints]
        launches, equal = (sum(int(r[column]) for r in chosen) for column in ("launches", "equal"))
        lines.append(f"| {title} | {launches} | {equal} ({100 * equal / launches:.1f} %) |")
    different = dict.fromkeys(f"`{r['kernel']}` of {r['program'].rsplit('/', 1)[1]}" for r in programs if r["prints"] == "0" and r["equal"] != r["launches"])
    return "\n".join([*lines, "", f"Different: {', '.join(different)}."])


def page(launches, different):
    text = PAGE.read_text(encoding="utf-8")
    for name, table in (("counters", counters_table(launches, different)), ("foreign", foreign_table())):
        text, n = re.subn(rf"(<!-- {name}: begin -->\n).*?(<!-- {name}: end -->)", lambda m: m[1] + table + "\n" + m[2], text, flags=re.S)
        if n != 1:
            sys.exit(f"docs/hardware.md has no place for the table `{name}`: put <!-- {name}: begin --> and <!-- {name}: end --> there.")
    return text


def main():
    if sys.argv[1:] not in (["write"], ["check"]):
        sys.exit(__doc__)
    made = page(*compare())
    if sys.argv[1] == "write":
        PAGE.write_text(made, encoding="utf-8")
    elif made != PAGE.read_text(encoding="utf-8"):
        for ours, theirs in zip(made.splitlines(), PAGE.read_text(encoding="utf-8").splitlines()):
            if ours != theirs:
                sys.exit(f"docs/hardware.md says   {theirs}\nthe data say           {ours}\nRun: python3 tools/golden/hardware.py write, and explain what is new.")
        sys.exit("docs/hardware.md has more or fewer lines than the data. Run: python3 tools/golden/hardware.py write")


if __name__ == "__main__":
    main()

"""Programs from elsewhere: what the simulator counts and predicts of their launches, beside two GPUs (tests/golden/foreign.csv).

Place in the flow. Enters: FOLDER with programs.txt, a line OWNER+NAME/FILE for each program with a tab before each of its arguments, and FOLDER/built/N, the program of line N, which you
built yourself against the shared CUDA runtime (none is part of this project). Leaves, in this order:
    foreign.py count FOLDER               FOLDER/counted/N.json: `lab run` of each, the first launches, 40 s at most
    foreign.py measure FOLDER FILE        on a machine with a GPU: the same programs under Nsight Compute (FILE: rows behind a line `@@ N PROGRAM`)
    foreign.py write FOLDER H100 H200     tests/golden/foreign.csv, one row for each kernel and shape of a program; `later`: those that H200 has none of
    foreign.py write FOLDER H100          the same rows as a set `blind`, behind those that are there: programs that were not opened while the model was built
    foreign.py recount FOLDER             after `count`: only what the model of time reads of these rows (time_model.WORK); what was measured stays
They test counters (docs/hardware.md) and the model of time (docs/limits.md); none of them calibrates it.
"""
import csv
import json
import os
import re
import signal
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import ncu  # noqa: E402

import time_model  # noqa: E402

PROGRAM = os.environ.get("LAB_PROGRAM", str(ROOT / "build/common/cli/lab"))
GOLDEN = ROOT / "tests/golden/foreign.csv"
LAUNCHES = 12
WAVEFRONTS = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
COUNTERS = {"load_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global_load", "requests"),
            "store_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global_store", "requests"),
            "load_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global_load", "sectors"),
            "store_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global_store", "sectors"),
            "shared_load_wavefronts": (WAVEFRONTS + "ld.sum", "shared_load", "wavefronts"),
            "shared_store_wavefronts": (WAVEFRONTS + "st.sum", "shared_store", "wavefronts")}
DURATION = "gpu__time_duration.sum"


def programs(folder):
    """(number, file, arguments) of each program."""
    lines = (folder / "programs.txt").read_text(encoding="utf-8").splitlines()
    return [(n, line.split("\t")[0], line.split("\t")[1:]) for n, line in enumerate(lines, 1)]


def count(folder):
    (folder / "counted").mkdir(exist_ok=True)
    for n, name, arguments in programs(folder):
        if not (folder / f"built/{n}").exists():
            continue
        counts = subprocess.Popen([PROGRAM, "run", "--time", "--as-ptxas", "--gpu", "h100", "--launches", str(LAUNCHES), "--quiet", "--json",
                                   folder / f"counted/{n}.json", folder / f"built/{n}", "--", *arguments], cwd=(folder / name).parent, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            counts.wait(timeout=40)
        except subprocess.TimeoutExpired:
            os.killpg(counts.pid, signal.SIGKILL)  # the program too, which `lab run` started: it would go on counting
            counts.wait()
            (folder / f"counted/{n}.json").unlink(missing_ok=True)


def measure(folder, out, metrics=None, limit=25):
    metrics = metrics or [DURATION, *(metric for metric, _, _ in COUNTERS.values())]
    with out.open("w", encoding="utf-8") as file:
        for n, name, arguments in programs(folder):
            if not (folder / f"counted/{n}.json").exists():
                continue
            done = subprocess.run(["timeout", str(limit), *ncu.COMMAND, *ncu.CACHES_AS_LEFT, "--metrics", ",".join(metrics), "--launch-count", str(LAUNCHES),
                                   str(folder / f"built/{n}"), *arguments], cwd=(folder / name).parent,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
            file.write(f"@@ {n} {name}\n" + "".join(line + "\n" for line in done.stdout.splitlines() if line.startswith('"')))
            file.flush()


def profiled(path):
    """Number of a program → its launches, each the profiler's columns."""
    found: dict[int, list[dict[str, str]]] = {}
    head: list[str] = []
    launches: list[dict[str, str]] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("@@ "):
            head, launches = [], found.setdefault(int(line.split(" ", 2)[1]), [])
            continue
        row = next(csv.reader([line]))
        if row and row[0] == "ID":
            head = row
        elif head and row and row[0]:
            launches.append(dict(zip(head, row)))
    return found


def number(row, metric):
    return round(float(row[metric].replace(",", "")))


def groups_of(launches, h100, h200):
    """(kernel, grid, block) → the launches of a program that have these."""
    groups: dict[tuple[str, str, str], list[tuple[dict, dict, dict]]] = {}
    for mine, a, b in zip(launches, h100, h200):
        if mine["stopped"]:
            break
        name = re.sub(r"^void ", "", re.split(r"[(<]", mine["kernel"])[0])
        groups.setdefault((name, "x".join(map(str, mine["grid"])), "x".join(map(str, mine["block"]))), []).append((mine, a, b))
    return groups


def write(folder, h100, h200=None):
    on = {"h100": profiled(h100), "h200": profiled(h200) if h200 else {}}
    with GOLDEN.open("w" if h200 else "a", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        if h200:
            out.writerow(["set", "program", "kernel", "grid", "block", "launches", "equal", "prints", "managed", "h100_ns", "h200_ns", *COUNTERS,
                          *(f"h100_{name}" for name in COUNTERS), *time_model.WORK])
        for n, name, _ in programs(folder):
            if n not in on["h100"]:
                continue
            later = n not in on["h200"]  # profiled on the H100 alone, once the model was done
            text = (folder / name).read_text(encoding="utf-8", errors="replace")
            launches = json.loads((folder / f"counted/{n}.json").read_text(encoding="utf-8"))
            for key, seen in groups_of(launches, on["h100"][n], on["h100" if later else "h200"][n]).items():
                ours = [[mine["as_ptxas"]["counters"][space][unit] for _, space, unit in COUNTERS.values()] for mine, _, _ in seen]
                theirs = [[number(a, metric) for metric, _, _ in COUNTERS.values()] for _, a, _ in seen]
                differs = next((k for k in range(len(seen)) if ours[k] != theirs[k]), 0)
                work = time_model.features(seen[0][0]["modelled"], seen[0][0]["modelled"])
                prints = ours[differs] != theirs[differs] and bool(re.search(r"\bprintf\s*\(", text)) and theirs[differs][1] > ours[differs][1]
                nanoseconds = [round(statistics.median(number(row[k], DURATION) for row in seen)) for k in (1, 2)]
                out.writerow([("later" if later else "first") if h200 else "blind", name, *key, len(seen), sum(a == b for a, b in zip(ours, theirs)), int(prints),
                              int("cudaMallocManaged" in text), nanoseconds[0], "" if later else nanoseconds[1],
                              *ours[differs], *theirs[differs], *(work[w] for w in time_model.WORK)])


def recount(folder):
    work = {}
    for n, name, _ in programs(folder):
        path = folder / f"counted/{n}.json"
        launches = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        for key, seen in groups_of(launches, launches, launches).items():
            work[name, *key] = time_model.features(seen[0][0]["modelled"], seen[0][0]["modelled"])
    with GOLDEN.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    measured = [column for column in rows[0] if column not in time_model.WORK]
    missing = [row for row in rows if (row["program"], row["kernel"], row["grid"], row["block"]) not in work]
    print(f"{len(missing)} rows keep what was counted before:", *sorted({row["program"] for row in missing}))
    with GOLDEN.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*measured, *time_model.WORK])
        for row in rows:
            now = work.get((row["program"], row["kernel"], row["grid"], row["block"]), {})
            out.writerow([*(row[column] for column in measured), *(now.get(w, row.get(w, 0)) for w in time_model.WORK)])


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("count", "measure", "write", "recount"):
        sys.exit(__doc__)
    folder, *files = (Path(arg).resolve() for arg in sys.argv[2:])
    if sys.argv[1] == "count":
        count(folder)
    elif sys.argv[1] == "measure":
        measure(folder, *files)
    elif sys.argv[1] == "recount":
        recount(folder)
    else:
        write(folder, *files)


if __name__ == "__main__":
    main()

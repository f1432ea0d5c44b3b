"""The bound model of `lab limits`: its rates, calibrated, and its error, as docs/limits.md prints them.

Place in the flow. Enters: the built program (LAB_PROGRAM), whose `limits --json` holds the model, and the times of
tests/golden/course_times.csv. Leaves:
    limits.py --calibrate   [measured] of data/gpus/h200.toml: what each part does in a second, from the one kernel it bounds
    limits.py --write       the tables of docs/limits.md, after a build with these rates
    limits.py --check       exit code 1 when the rates or the page are not what the data say
"""
import csv
import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("LAB_PROGRAM", str(ROOT / "build/common/cli/lab"))
PAGE, GPU = ROOT / "docs" / "limits.md", ROOT / "data" / "gpus" / "h200.toml"
PARTS = {"dram": "DRAM bytes", "l2": "sectors written to L2", "shared": "shared wavefronts", "issue": "instructions of warps"}
KEYS = {"dram": "dram_bytes", "l2": "store_sectors", "shared": "shared_wavefronts", "issue": "warp_instructions"}
KEPT = "tests/mutants/right/09_sheared_tiles.cu"  # no solution, but measured
CALIBRATED = {"dram": "copy", "l2": "01_naive", "shared": "04_shared_tile", "issue": "06_xor_swizzle"}


@cache
def model(name, side):
    """What the program says of a solution, or of the kernel that is kept: the work, the bound, the prediction."""
    which = [str(ROOT / KEPT)] if name == Path(KEPT).stem else [name, "--solution"]
    done = subprocess.run([PROGRAM, "limits", "--compiler", "nvcc", *which, "--size", str(side), "--json"],
                          capture_output=True, text=True, cwd=ROOT, timeout=600)
    if done.returncode != 0:
        sys.exit(f"limits: {name} was not counted.\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def name_of(file):
    return file.parent.name if file.name == "transpose.cu" else file.stem


def times():
    with (ROOT / "tests/golden/course_times.csv").open(encoding="utf-8") as file:
        return {(name_of(Path(r["file"])), int(r["rows"])): float(r["milliseconds"]) / 1000 for r in csv.DictReader(file)
                if r["element_bytes"] == "4" and r["rows"] == r["cols"] and r["entry"] in ("transpose", "")}


def rates():
    """Units of each part a second, each from one kernel that this part bounds, on 8192 x 8192 floats."""
    measured, found = times(), {}
    for part, name in CALIBRATED.items():
        kernel = model("08_vectorized_swizzle" if name == "copy" else name, 8192)
        found[part] = round(kernel["work"][part] / (measured[name, 8192] - kernel["launch_seconds"]))
    return found


def described(found):
    """data/gpus/h200.toml with these rates."""
    section = ("[measured]                             # by tools/limits.py --calibrate, on an NVIDIA H200: docs/limits.md\n" +
               "".join(f"{KEYS[part]}_per_second = {rate:_}\n" for part, rate in found.items()))
    return re.sub(r"\[measured\].*?\n(?=\n\[|\Z)", lambda _: section, GPU.read_text(encoding="utf-8"), flags=re.S)


def tables():
    used = tomllib.loads(GPU.read_text(encoding="utf-8"))["measured"]
    measured = times()
    lines = ["| part | calibrated on | rate |", "|---|---|---:|"]
    for part, name in CALIBRATED.items():
        rate = used[f"{KEYS[part]}_per_second"]
        lines.append(f"| {PARTS[part]} | {name} | {f'{rate / 1e12:.2f} TB/s' if part == 'dram' else f'{rate / 1e9:.0f} G/s'} |")
    lines += ["", "| kernel | matrix | bound by | predicted | measured | error | |", "|---|---|---|---:|---:|---:|---|"]
    errors = []
    for name in sorted({name for name, side in measured if side == 8192} - {"copy"}):
        for side in (8192, 16384):
            says = model(name, side)
            error, fitted = says["seconds"] / measured[name, side] - 1, name in CALIBRATED.values()
            errors += [] if fitted else [abs(error)]
            lines.append(f"| {name} | {side} × {side} | {PARTS[says['bound']]} | {says['seconds'] * 1e6:.0f} µs | "
                         f"{measured[name, side] * 1e6:.0f} µs | {100 * error:+.0f} % | {'calibration' if fitted else 'held out'} |")
    mean, worst = 100 * sum(errors) / len(errors), 100 * max(errors)
    lines += ["", f"Error on the {len(errors)} times that the model was not fitted to: {mean:.0f} % in the mean, {worst:.0f} % at worst."]
    return "\n".join(lines)


def page():
    text, n = re.subn(r"(<!-- limits: begin -->\n).*?(<!-- limits: end -->)", lambda m: m[1] + tables() + "\n" + m[2],
                      PAGE.read_text(encoding="utf-8"), flags=re.S)
    return text if n == 1 else sys.exit("docs/limits.md has no place for the tables: put <!-- limits: begin --> and <!-- limits: end --> there.")


def main():
    if sys.argv[1:] == ["--calibrate"]:
        GPU.write_text(described(rates()), encoding="utf-8")
    elif sys.argv[1:] == ["--write"]:
        PAGE.write_text(page(), encoding="utf-8")
    elif sys.argv[1:] == ["--check"]:
        if described(rates()) != GPU.read_text(encoding="utf-8"):
            sys.exit("data/gpus/h200.toml is not what the data say. Run: python3 tools/limits.py --calibrate, build, then --write")
        if page() != PAGE.read_text(encoding="utf-8"):
            sys.exit("docs/limits.md is not what the data say. Run: python3 tools/limits.py --write")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

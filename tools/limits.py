"""What limits this kernel: a bound model on the simulator's counters.

Place in the flow. Enters: the counters of `lab profile --json` (LAB_PROGRAM), data/gpus/*.toml, and for the page the
times of tests/golden/course_times.csv. Leaves:
    limits.py KERNEL.cu ROWS COLS [--gpu h200] [--entry transpose] [--json]    which part of the GPU bounds the kernel
    limits.py --write     the tables of docs/limits.md: the model's constants and its error
    limits.py --check     exit code 1 when the page is not what the data say
A kernel takes as long as the slowest of four parts, each at the best rate that was measured, plus a launch.
"""
import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("LAB_PROGRAM", str(ROOT / "build/common/cli/lab"))
PAGE = ROOT / "docs" / "limits.md"
PARTS = {"dram": "DRAM bytes", "l2": "sectors written to L2", "shared": "shared wavefronts", "issue": "instructions"}
CALIBRATED = {"dram": "copy", "l2": "01_naive", "shared": "04_shared_tile", "issue": "06_xor_swizzle"}
LAUNCH = 2e-6  # seconds; an assumption, far below every time here
GPUS = ("h200", "a100", "rtx3090", "t4")


def work(kernel, rows, cols, entry="transpose", elem_bytes=4, scale=1):
    """What a launch asks of each part. `scale`: the matrix is so many times what is simulated."""
    done = subprocess.run([PROGRAM, "profile", str(kernel), "--rows", str(rows), "--cols", str(cols), "--entry", entry, "--elem-bytes", str(elem_bytes),
                           "--json"], capture_output=True, text=True, cwd=ROOT, timeout=600)
    try:
        profile = json.loads(done.stdout)
        counters = profile["counters"]
    except (json.JSONDecodeError, KeyError):
        sys.exit(f"limits: {kernel} was not counted.\n{(done.stdout + done.stderr).strip()}")
    if profile["faults"]:
        sys.exit(f"limits: {kernel} goes wrong, so it has no time: {profile['faults'][0]['message']}")
    return {"dram": 2 * rows * cols * elem_bytes * scale, "l2": counters["global_store"]["sectors"] * scale,
            "shared": (counters["shared_load"]["wavefronts"] + counters["shared_store"]["wavefronts"]) * scale,
            "issue": profile["simulated"]["lane_instructions"] / 32 * scale}


def times():
    with (ROOT / "tests/golden/course_times.csv").open(encoding="utf-8") as file:
        return {(Path(r["file"]).parent.name or "copy", int(r["rows"])): float(r["milliseconds"]) / 1000 for r in csv.DictReader(file)
                if r["element_bytes"] == "4" and r["rows"] == r["cols"] and r["entry"] in ("transpose", "")}


def h200_rates():
    """Units of each part a second, each from one kernel that this part bounds, on 8192 x 8192 floats."""
    measured, rates = times(), {}
    for part, name in CALIBRATED.items():
        kernel = ROOT / "solutions" / ("08_vectorized_swizzle" if name == "copy" else name) / "transpose.cu"
        rates[part] = work(kernel, 1024, 1024, scale=64)[part] / (measured[name, 8192] - LAUNCH)
    return rates


def rates_of(gpu):
    """Other GPUs, from their data sheets: DRAM by bandwidth, the rest by multiprocessors times clock. Not measured."""
    sheet = {name: tomllib.loads((ROOT / f"data/gpus/{name}.toml").read_text(encoding="utf-8")) for name in ("h200", gpu)}
    width = [s["multiprocessors"] * s["clock_mhz"] for s in (sheet[gpu], sheet["h200"])]
    memory = [s["memory_bandwidth_bytes_per_second"] for s in (sheet[gpu], sheet["h200"])]
    return {p: r * (memory[0] / memory[1] if p == "dram" else width[0] / width[1]) for p, r in h200_rates().items()}


def predict(asked, rates):
    seconds = {part: asked[part] / rates[part] for part in PARTS}
    bound = max(seconds, key=seconds.get)
    return bound, seconds[bound] + LAUNCH, seconds


def tables():
    rates, measured = h200_rates(), times()
    lines = ["| part | calibrated on | rate |", "|---|---|---:|"]
    for part, name in CALIBRATED.items():
        rate = f"{rates[part] / 1e12:.2f} TB/s" if part == "dram" else f"{rates[part] / 1e9:.0f} G/s"
        lines.append(f"| {PARTS[part]} | {name} | {rate} |")
    lines += ["", "| kernel | matrix | bound by | predicted | measured | error | |", "|---|---|---|---:|---:|---:|---|"]
    errors = []
    for path in sorted((ROOT / "solutions").iterdir()):
        asked = work(path / "transpose.cu", 1024, 1024)
        for side in (8192, 16384):
            bound, seconds, _ = predict({k: v * (side // 1024) ** 2 for k, v in asked.items()}, rates)
            error, fitted = seconds / measured[path.name, side] - 1, path.name in CALIBRATED.values()
            errors += [] if fitted else [abs(error)]
            lines.append(f"| {path.name} | {side} × {side} | {PARTS[bound]} | {seconds * 1e6:.0f} µs | {measured[path.name, side] * 1e6:.0f} µs | "
                         f"{100 * error:+.0f} % | {'calibration' if fitted else 'held out'} |")
    lines += ["", f"Error on the {len(errors)} times that the model was not fitted to: {100 * sum(errors) / len(errors):.0f} % in the mean, {100 * max(errors):.0f} % at worst."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="What limits this kernel, by a bound model (docs/limits.md).")
    parser.add_argument("kernel", nargs="?")
    parser.add_argument("rows", nargs="?", type=int)
    parser.add_argument("cols", nargs="?", type=int)
    parser.add_argument("--gpu", choices=GPUS, default="h200")
    parser.add_argument("--entry", default="transpose")
    parser.add_argument("--elem-bytes", type=int, choices=(1, 2, 4, 8, 16), default=4)
    for flag in ("--json", "--write", "--check"):
        parser.add_argument(flag, action="store_true")
    args = parser.parse_args()
    if args.write or args.check:
        text = PAGE.read_text(encoding="utf-8")
        made = re.sub(r"(<!-- limits: begin -->\n).*?(<!-- limits: end -->)", lambda m: m[1] + tables() + "\n" + m[2], text, flags=re.S)
        if args.write:
            PAGE.write_text(made, encoding="utf-8")
        elif made != text or "<!-- limits: begin -->" not in text:
            sys.exit("docs/limits.md is not what the data say. Run: python3 tools/limits.py --write")
        return
    if args.cols is None or args.rows < 1 or args.cols < 1:
        parser.error("name a kernel file and the matrix, such as: limits.py solutions/08_vectorized_swizzle/transpose.cu 1024 1024")
    bound, seconds, parts = predict(work(args.kernel, args.rows, args.cols, args.entry, args.elem_bytes), rates_of(args.gpu))
    basis = "measured" if args.gpu == "h200" else "data sheet"
    if args.json:
        print(json.dumps({"gpu": args.gpu, "rates": basis, "bound": bound, "seconds": seconds, "parts": parts}))
        return
    print(f"{args.kernel}   {args.rows} × {args.cols} on {args.gpu} (rates: {basis})")
    for part, took in sorted(parts.items(), key=lambda p: -p[1]):
        print(f"  {PARTS[part]:22} {took * 1e6:9.1f} µs{'   <- the bound' if part == bound else ''}")
    print(f"  predicted              {seconds * 1e6:9.1f} µs; docs/limits.md says how far off this is")


if __name__ == "__main__":
    main()

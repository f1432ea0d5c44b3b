"""The model of time for any kernel (common/model): its rates, calibrated, and its error, as docs/limits.md prints them.

Place in the flow. Enters: the built program (LAB_PROGRAM), what an H200 and an H100 measured (tests/golden/kinds.csv, kinds_h100.csv). Leaves:
    time_model.py --count       tests/golden/kinds_work.csv: what the simulator counts of these launches (minutes, nvcc)
    time_model.py --calibrate   [time] of data/gpus/h200.toml and h100.toml, from the rows marked `fit` alone
    time_model.py --write       the tables of docs/limits.md, after a build with these rates; the solutions of the course are asked of `lab limits`
    time_model.py --check       exit code 1 when rates, page or program are not what the data say; counts the smallest size of each kernel anew
"""
import csv
import functools
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = os.environ.get("LAB_PROGRAM", str(ROOT / "build/common/cli/lab"))
GOLDEN = ROOT / "tests" / "golden"
PAGES = [ROOT / "docs" / "limits.md"]
MEASURED = {"h200": "kinds.csv", "h100": "kinds_h100.csv"}  # both have 132 multiprocessors and 50 MiB of L2: what is counted is the same
WORK = ["blocks", "warps_per_block", "resident_blocks", "instructions", "wavefronts", "lines", "l2_read_sectors", "l2_write_sectors", "l2_partial_sectors",
        "l2_atomic_sectors", "busiest_slice", "dram_read", "dram_write", "scattered_bytes", "near_rounds", "l2_rounds", "dram_rounds", "barriers"]
FIRST = ["first_l2_sectors", "first_dram_read", "first_dram_write"]
# Measured by itself: how fast empty blocks start (tools/golden/block_starts.cu).
STARTS = "block_start_seconds"
# Where a search begins, and which rates it may change.
BEGIN = {"launch_seconds": 4.9e-6, "begin_seconds": 1e-6, "dram_bytes_per_second": 0.875, "scattered_penalty": 0.6, "l2_sectors_per_second": 170e9,
         "partial_penalty": 1.5, "atomic_seconds": 1.2e-9, "l1_passes_per_second": 210e9, "warp_instructions_per_second": 920e9, "block_seconds": 150e-9,
         "near_wait_seconds": 20e-9, "l2_wait_seconds": 180e-9, "dram_wait_seconds": 400e-9, "barrier_seconds": 20e-9, "instruction_wait_seconds": 2e-9,
         "sharpness": 4.0}
# What a rate can be: the data sheet's memory bandwidth; a pass, and four instructions of PTX (a fifth more of SASS), a clock and SM; L2's own width.
RANGES = {"dram_bytes_per_second": (0.75, 1.0), "scattered_penalty": (0.0, 2.0), "l2_sectors_per_second": (100e9, 260e9), "partial_penalty": (0.0, 10.0),
          "l1_passes_per_second": (130e9, 261e9), "warp_instructions_per_second": (500e9, 1300e9), "begin_seconds": (0.5e-6, 3e-6),
          "block_seconds": (50e-9, 400e-9), "sharpness": (2.0, 6.0)}
# What is waited for is at least what one thread alone waits (tools/golden/latencies.cu), and at most half as long again, in queues.
QUEUE = 1.5
WAITS = {"near_wait_seconds": ("load from shared memory", "load from L1"), "l2_wait_seconds": ("load from L2",),
         "dram_wait_seconds": ("load from DRAM",), "barrier_seconds": ("barrier of 256 threads", "barrier of 1024 threads")}
PARTS = {"dram": "bytes of DRAM", "l2": "sectors of L2", "atomics": "atomics on few places", "l1": "passes of shared memory and L1",
         "issue": "instructions of warps", "starts": "blocks that start one after the other", "waits": "waiting: too little on its way",
         "launch": "the launch itself"}
MULTIPROCESSORS = 132


def sheet(gpu):
    return ROOT / "data" / "gpus" / f"{gpu}.toml"


def grouped(number):
    return f"{number:,}".replace(",", " ")


def measured(gpu="h200"):
    with (GOLDEN / MEASURED[gpu]).open(encoding="utf-8") as file:
        return {(r["kernel"], int(r["n"])): r for r in csv.DictReader(file)}


def counted():
    with (GOLDEN / "kinds_work.csv").open(encoding="utf-8") as file:
        return {(r["kernel"], int(r["n"])): {k: int(r[k]) for k in WORK + FIRST} for r in csv.DictReader(file)}


def simulate(which, most):
    """What `lab run --time` says of the launches of kinds.cu, each twice: the second finds what fits into the cache."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "launches.json"
        done = subprocess.run([PROGRAM, "run", "--time", "--no-check", "--quiet", "--json", target, ROOT / "tools/golden/kinds.cu", "--", "twice", which,
                               str(most)], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"time_model: tools/golden/kinds.cu did not run.\n{done.stderr.strip()}")
        launches = json.loads(target.read_text())
    names = [key for key, row in measured().items() if row["set"] == which and key[1] <= most]
    if len(launches) != 2 * len(names):
        sys.exit(f"time_model: {len(launches)} launches of {which}, expected {2 * len(names)}: kinds.cu and kinds.csv do not agree.")
    return {key: (launches[2 * k]["modelled"], launches[2 * k + 1]["modelled"]) for k, key in enumerate(names)}


def features(first, second):
    work = dict(second["work"]) | {"dram_read": second["dram_read"], "dram_write": second["dram_write"]}
    work["near_rounds"], work["l2_rounds"], work["dram_rounds"] = work.pop("rounds")
    return {k: work[k] for k in WORK} | {"first_" + k: first[k] for k in ("l2_sectors", "dram_read", "dram_write")}


def write_counted():
    """The launches that the file has. With all 88, mostly large ones more, other people's kernels within 40 % fall from 96 to 89 % on an H200."""
    rows: dict[tuple[str, int], dict[str, float]] = {}
    for which in ("fit", "test"):
        rows |= {key: features(*pair) for key, pair in simulate(which, 1 << 26).items() if key in counted()}
    with (GOLDEN / "kinds_work.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kernel", "n", *WORK, *FIRST])
        for (kernel, n), work in rows.items():
            writer.writerow([kernel, n, *work.values()])


def predict(w, rate):
    """Seconds and what binds, as common/model/prediction.cpp works them out; --check compares the two."""
    uneven = math.ceil(w["blocks"] / MULTIPROCESSORS) * MULTIPROCESSORS / w["blocks"]
    waves = max(1.0, w["blocks"] / (MULTIPROCESSORS * w["resident_blocks"]))
    of_blocks = (w["near_rounds"] * rate["near_wait_seconds"] + w["l2_rounds"] * rate["l2_wait_seconds"] + w["dram_rounds"] * rate["dram_wait_seconds"] +
                 w["barriers"] * rate["barrier_seconds"])
    parts = {
        "dram": (w["dram_read"] + w["dram_write"] + rate["scattered_penalty"] * w["scattered_bytes"]) / rate["dram_bytes_per_second"],
        "l2": (w["l2_read_sectors"] + w["l2_write_sectors"] + rate["partial_penalty"] * w["l2_partial_sectors"]) / rate["l2_sectors_per_second"],
        "atomics": w["busiest_slice"] * rate["atomic_seconds"],
        "l1": (w["wavefronts"] + w["lines"]) * uneven / rate["l1_passes_per_second"],
        "issue": w["instructions"] * uneven / rate["warp_instructions_per_second"],
        "starts": w["blocks"] * rate[STARTS],
        "waits": waves * (rate["block_seconds"] + of_blocks / w["blocks"] +
                          w["instructions"] / (w["blocks"] * w["warps_per_block"]) * rate["instruction_wait_seconds"])}
    running = rate["begin_seconds"] + sum(t ** rate["sharpness"] for t in parts.values()) ** (1 / rate["sharpness"])
    return max(rate["launch_seconds"], running), max(parts, key=lambda part: parts[part]) if running > rate["launch_seconds"] else "launch", parts


def rows_of(which, gpu="h200"):
    seen, work = measured(gpu), counted()
    return [(key, work[key], float(seen[key]["microseconds"]) * 1e-6) for key in seen if seen[key]["set"] == which and key in work]


def foreign(gpu, which="first"):
    """Other people's kernels (golden/foreign.py) that last 5 µs at least: none of them calibrates. Managed memory moves while they run; what is printed
    is no access of the kernel."""
    with (GOLDEN / "foreign.csv").open(encoding="utf-8") as file:
        return [((r["program"], r["kernel"]), {k: int(r[k]) for k in WORK}, int(r[f"{gpu}_ns"]) * 1e-9) for r in csv.DictReader(file)
                if r["set"] == which and r["prints"] == r["managed"] == "0" and int(r[f"{gpu}_ns"]) >= 5000]


def started(gpu):
    """Seconds from one block's start to the next one's: between 2^18 and 2^20 empty blocks of 32 threads."""
    with (GOLDEN / "block_starts.csv").open(encoding="utf-8") as file:
        times = {int(r["blocks"]): float(r["microseconds"]) for r in csv.DictReader(file)
                 if (r["gpu"], r["kernel"], r["threads"], r["shared_bytes"]) == (gpu, "empty", "32", "0")}
    return float(f"{(times[1 << 20] - times[1 << 18]) / ((1 << 20) - (1 << 18)) * 1e-6:.3e}")


@functools.cache
def latencies(gpu):
    with (GOLDEN / "latencies.csv").open(encoding="utf-8") as file:
        return {r["what"]: float(r["nanoseconds"]) * 1e-9 for r in csv.DictReader(file) if r["gpu"] == gpu}


def range_of(name, gpu):
    if name == "instruction_wait_seconds":  # not every instruction needs the one before
        return 0.5 * latencies(gpu)["multiply and add"], QUEUE * latencies(gpu)["multiply and add"]
    if name in WAITS:
        return latencies(gpu)[WAITS[name][0]], QUEUE * latencies(gpu)[WAITS[name][-1]]
    return RANGES.get(name, (0.0, math.inf))


def allowed(name, value, gpu):
    low, high = range_of(name, gpu)
    if name == "dram_bytes_per_second":  # of the data sheet's
        low, high = (part * tomllib.loads(sheet(gpu).read_text(encoding="utf-8"))["memory_bandwidth_bytes_per_second"] for part in (low, high))
    return low <= value <= high


def loss(rows, rate):
    return sum(math.log(predict(work, rate)[0] / seconds) ** 2 for _, work, seconds in rows)


def calibrated(gpu):
    """Each rate a little up or down while that helps, in ever smaller steps: the same on every machine to the digits that are written."""
    rows, rate, step = rows_of("fit", gpu), BEGIN | {STARTS: started(gpu)}, 1.3
    rate["dram_bytes_per_second"] *= tomllib.loads(sheet(gpu).read_text(encoding="utf-8"))["memory_bandwidth_bytes_per_second"]
    best = loss(rows, rate)
    while step > 1.002:
        better = False
        for name in BEGIN:
            for factor in (step, 1 / step):
                tried = rate | {name: rate[name] * factor}
                if not allowed(name, tried[name], gpu):
                    continue
                found = loss(rows, tried)
                if found < best - 1e-9:
                    rate, best, better = tried, found, True
        if not better:
            step = math.sqrt(step)
    return {name: float(f"{rate[name]:.3e}") for name in [*BEGIN, STARTS]}


def used(gpu="h200"):
    return tomllib.loads(sheet(gpu).read_text(encoding="utf-8"))["time"]


def described(gpu, rate):
    section = (f"[time]                                 # by tools/time_model.py --calibrate, on an NVIDIA {gpu.upper()}: docs/limits.md\n" +
               "".join(f"{name} = {value:.3e}\n" for name, value in rate.items()))
    return re.sub(r"\[time\].*?\n(?=\n\[|\Z)", lambda _: section, sheet(gpu).read_text(encoding="utf-8"), flags=re.S)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, math.ceil(share * len(values)) - 1)]


def summed(title, errors):
    sizes = [abs(e) for e in errors]
    return (f"| {title} | {len(sizes)} | {100 * percentile(sizes, 0.5):.0f} % | {100 * percentile(sizes, 0.9):.0f} % | {100 * max(sizes):.0f} % | "
            f"{100 * sum(e <= 0.4 for e in sizes) / len(sizes):.0f} % |")


def tables():
    lines = ["| kernel | n | bounded by | predicted | H200 | error | H100: predicted | measured | error |", "|---|---:|---|---:|---:|---:|---:|---:|---:|"]
    summary: list[str] = []
    said: dict[tuple[str, int], list[str]] = {}
    for gpu, (which, title) in itertools.product(MEASURED, (("test", "tested on"), ("fit", "calibrated on"))):
        rate, errors = used(gpu), []
        for key, work, seconds in rows_of(which, gpu):
            predicted, bound, _ = predict(work, rate)
            errors.append(predicted / seconds - 1)
            if which == "test":
                said.setdefault(key, [PARTS[bound]]).append(f"{predicted * 1e6:.1f} µs | {seconds * 1e6:.1f} µs | {100 * errors[-1]:+.0f} %")
        summary.append(summed(f"{gpu.upper()}, {title}", errors))
    for gpu in MEASURED:
        summary.append(summed(f"{gpu.upper()}, other people's", [predict(work, used(gpu))[0] / seconds - 1 for _, work, seconds in foreign(gpu)]))
    later = [predict(work, used("h100"))[0] / seconds - 1 for _, work, seconds in foreign("h100", "later")]
    summary.append(summed("H100, other people's, run later", later))
    lines += [f"| {kernel} | {grouped(n)} | {' | '.join(words)} |" for (kernel, n), words in said.items()]
    seen, work = measured(), counted()
    counters = []
    for name, mine, theirs, least in (("`l2_sectors`", "first_l2_sectors", "l2_sectors_of_l1", 1),
                                      ("`dram_read`", "first_dram_read", "dram_read_bytes", 1 << 20),
                                      ("`dram_write`", "first_dram_write", "dram_write_bytes", 1 << 24)):
        errors = [abs(work[k][mine] / float(seen[k][theirs]) - 1) for k in seen if k in work and seen[k]["set"] == "test" and float(seen[k][theirs]) >= least]
        counters.append(f"| {name} | {len(errors)} | {100 * percentile(errors, 0.5):.0f} % | {100 * percentile(errors, 0.9):.0f} % |")
    return "\n".join(["| launches | number | median error | 90 % are within | worst | within 40 % |", "|---|---:|---:|---:|---:|---:|", *summary, "",
                      "| counter, on the launches tested on | number | median error | 90 % are within |", "|---|---:|---:|---:|", *counters, "", *lines])


def waits_table():
    """Nanoseconds: alone (tools/golden/latencies.cu), and as calibrated."""
    lines = ["| | " + " | ".join(f"{gpu.upper()}, one thread alone | the model" for gpu in MEASURED) + " |", "|---|" + 2 * len(MEASURED) * "---:|"]
    for title, name, whats in (("a load from shared memory or L1", "near_wait_seconds", WAITS["near_wait_seconds"]),
                               ("a load from L2", "l2_wait_seconds", WAITS["l2_wait_seconds"]),
                               ("a load from DRAM", "dram_wait_seconds", WAITS["dram_wait_seconds"]),
                               ("a barrier, of 256 threads and of 1024", "barrier_seconds", WAITS["barrier_seconds"]),
                               ("an instruction, the next needs it", "instruction_wait_seconds", ("multiply and add",))):
        cells = (f"{', '.join(f'{latencies(gpu)[what] * 1e9:.1f}' for what in whats)} ns | {used(gpu)[name] * 1e9:.1f} ns" for gpu in MEASURED)
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def course_times():
    """Seconds of the course's kernels, on matrices that take turns: nothing of them is in the cache."""
    with (GOLDEN / "course_times.csv").open(encoding="utf-8") as file:
        return {(r["file"], int(r["rows"])): float(r["milliseconds"]) / 1000 for r in csv.DictReader(file)
                if r["element_bytes"] == "4" and r["rows"] == r["cols"] and r["entry"] == "transpose"}


def limits_of(kernel, side):
    done = subprocess.run([PROGRAM, "limits", "--compiler", "nvcc", str(ROOT / kernel), "--size", str(side), "--json"],
                          capture_output=True, text=True, cwd=ROOT)
    return json.loads(done.stdout) if done.returncode == 0 else sys.exit(f"time_model: {kernel} was not counted.\n{done.stderr.strip()}")


def course_table():
    lines, errors = ["| kernel | matrix | bounded by | predicted | measured | error |", "|---|---|---|---:|---:|---:|"], []
    for (kernel, side), seconds in sorted(course_times().items()):
        says = limits_of(kernel, side)
        errors.append(says["seconds"] / seconds - 1)
        name = Path(kernel).parent.name if kernel.startswith("solutions/") else Path(kernel).stem
        lines.append(f"| {name} | {side} × {side} | {PARTS[says['bound']]} | {says['seconds'] * 1e6:.0f} µs | {seconds * 1e6:.0f} µs | "
                     f"{100 * errors[-1]:+.0f} % |")
    sizes = [abs(e) for e in errors]
    return "\n".join([*lines, "", f"Error on these {len(sizes)} times, none of which the rates were fitted to: "
                      f"{100 * sum(sizes) / len(sizes):.0f} % in the mean, "
                      f"{100 * percentile(sizes, 0.5):.0f} % median, {100 * max(sizes):.0f} % at worst."])


def page(path):
    text = path.read_text(encoding="utf-8")
    for name, written in (("time", tables()), ("limits", course_table()), ("waits", waits_table())):
        text, n = re.subn(rf"(?<=<!-- {name}: begin -->\n).*?(?=<!-- {name}: end -->)", (written + "\n").replace("\\", r"\\"), text, flags=re.S)
        if n != 1:
            sys.exit(f"{path.name} has no place for the tables: put <!-- {name}: begin --> and <!-- {name}: end --> there.")
    return text


def check():
    for gpu, name, factor in itertools.product(MEASURED, BEGIN, (1.03, 1 / 1.03)):
        rate, rows = used(gpu), rows_of("fit", gpu)
        tried = rate | {name: rate[name] * factor}
        if allowed(name, tried[name], gpu) and loss(rows, tried) < loss(rows, rate) - 1e-3:
            sys.exit(f"{name} in data/gpus/{gpu}.toml is not what the data say. Run: python3 tools/time_model.py --calibrate, build, then --write")
    for gpu in MEASURED:
        if used(gpu)[STARTS] != started(gpu):
            sys.exit(f"{STARTS} in data/gpus/{gpu}.toml is not what was measured. Run: python3 tools/time_model.py --calibrate, build, then --write")
    if any(page(path) != path.read_text(encoding="utf-8") for path in PAGES):
        sys.exit("docs/limits.md is not what the data say. Run: python3 tools/time_model.py --write")
    known, rate = counted(), used()
    for which in ("fit", "test"):
        for key, pair in simulate(which, 1 << 17).items():
            now = {k: v for k, v in features(*pair).items() if k in WORK}  # the first launch finds what others left
            if any(now[k] != known[key][k] for k in now):
                wrong = [f"{k} {now[k]:,} and not {known[key][k]:,}" for k in now if now[k] != known[key][k]]
                sys.exit(f"the simulator counts otherwise: {key}: {', '.join(wrong)}. If that is meant: python3 tools/time_model.py --count, then --calibrate")
            seconds, bound, _ = predict(now, rate)
            if abs(pair[1]["seconds"] / seconds - 1) > 1e-6 or pair[1]["bound"] != bound:
                sys.exit(f"{key}: common/model/prediction.cpp says {pair[1]['seconds']} s, {pair[1]['bound']}; this script {seconds} s, {bound}")


def main():
    if sys.argv[1:] == ["--count"]:
        write_counted()
    elif sys.argv[1:] == ["--calibrate"]:
        for gpu in MEASURED:
            sheet(gpu).write_text(described(gpu, calibrated(gpu)), encoding="utf-8")
    elif sys.argv[1:] == ["--write"]:
        for path in PAGES:
            path.write_text(page(path), encoding="utf-8")
    elif sys.argv[1:] == ["--check"]:
        check()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

"""The model of time for any kernel (common/gpu/model): its rates, calibrated, and its error, as docs/limits.md prints them.

Place in the flow. Enters: the built programs (LAB_PROGRAM; LAB_PREDICTIONS, which has the formulas), what an H200 and an H100 measured
(tests/golden/kinds.csv, kinds_h100.csv). Leaves:
    time_model.py --count       tests/golden/kinds_work.csv: what the simulator counts of these launches (minutes, nvcc)
    time_model.py --calibrate   [time] of data/gpus/h200.toml and h100.toml, from the rows marked `fit` and drawn kernels' half `seen`
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
import statistics
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools/golden"))
PROGRAM = os.environ.get("LAB_PROGRAM", str(ROOT / "build/common/cli/lab"))
PREDICTIONS = os.environ.get("LAB_PREDICTIONS", str(ROOT / "build/tools/predictions/predictions"))
GOLDEN = ROOT / "tests" / "golden"
PAGES = [ROOT / "docs" / "limits.md"]
MEASURED = {"h200": "kinds.csv", "h100": "kinds_h100.csv"}  # both have 132 multiprocessors and 50 MiB of L2: what is counted is the same
WORK = ["blocks", "warps_per_block", "resident_blocks", "instructions", "of_whole", "of_sums", "of_floats", "of_doubles", "of_functions", "wavefronts", "lines",
        "l2_requests", "l2_read_sectors", "l2_write_sectors", "l2_partial_sectors", "l2_atomic_sectors", "busiest_slice", "busiest_float_sector", "dram_read",
        "dram_write", "scattered_bytes", "near_rounds", "l2_rounds", "dram_rounds", "barriers", "skipped", "empty_passes", "near_written_out",
        "l2_written_out", "dram_written_out", "updates", "updating_blocks", "hops", "near_longest", "l2_longest", "dram_longest", "longest_instructions"]
FIRST = ["first_l2_sectors", "first_dram_read", "first_dram_write"]
# Where a search begins, and which rates it may change: the same for both GPUs, whose chips differ in their memory alone.
BEGIN = {"launch_seconds": 5e-6, "begin_seconds": 2.7e-6, "dram_bytes_per_second": 0.9, "scattered_penalty": 0.3, "l2_sectors_per_second": 250e9,
         "l2_packets_per_second": 197e9, "partial_penalty": 0.3, "l1_passes_per_second": 230e9, "warp_instructions_per_second": 900e9,
         "instruction_wait_seconds": 1.6e-9, "sharpness": 3.0}
# What a rate can be: of the data sheet's memory bandwidth; a pass, and four instructions of the machine, a clock and SM (1.6 to 1.98 GHz); into L2 what
# blind.csv and limiters.csv say, packets over the share of the time that the way in is busy: 197 G a second; not every instruction needs the one before.
RANGES = {"dram_bytes_per_second": (0.75, 0.95), "scattered_penalty": (0.0, 2.0), "l2_sectors_per_second": (200e9, 320e9),
          "l2_packets_per_second": (195e9, 200e9), "partial_penalty": (0.0, 1.0),
          "l1_passes_per_second": (130e9, 261e9), "warp_instructions_per_second": (850e9, 1045e9), "begin_seconds": (0.5e-6, 3e-6),
          "instruction_wait_seconds": (1.1e-9, 3.3e-9), "sharpness": (1.5, 6.0)}
PARTS = {"dram": "bytes of DRAM", "l2": "sectors of L2", "atomics": "atomics on few places", "l1": "passes of shared memory and L1",
         "issue": "instructions of warps", "starts": "blocks that start one after the other", "waits": "waiting: too little on its way",
         "launch": "the launch itself"}
LAST_CALIBRATING = 5  # call of blind.csv; later ones judge the rates
SETS = {"first": "", "later": ", run later", "blind": ", blind"}  # of other people's kernels, as their rows are titled
MULTIPROCESSORS = 132
LISTS = {name: [f"{reach}_{name}" for reach in ("near", "l2", "dram")] for name in ("rounds", "written_out", "longest")}  # of the program's numbers


def sheet(gpu):
    return ROOT / "data" / "gpus" / f"{gpu}.toml"


def measured(gpu="h200"):
    with (GOLDEN / MEASURED[gpu]).open(encoding="utf-8") as file:
        return {(r["kernel"], int(r["n"])): r for r in csv.DictReader(file)}


def counted():
    with (GOLDEN / "kinds_work.csv").open(encoding="utf-8") as file:
        return {(r["kernel"], int(r["n"])): {k: int(r.get(k) or 0) for k in WORK + FIRST} for r in csv.DictReader(file)}


def simulate(which, most, *kernel):
    """What `lab run --time` says of the launches of kinds.cu, each twice: the second finds what fits into the cache."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "launches.json"
        done = subprocess.run([PROGRAM, "run", "--time", "--no-check", "--quiet", "--json", target, ROOT / "tools/golden/kinds.cu", "--", "twice", which,
                               str(most), *kernel], cwd=ROOT, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"time_model: tools/golden/kinds.cu did not run.\n{done.stderr.strip()}")
        launches = json.loads(target.read_text())
    names = [key for key, row in measured().items() if row["set"] == which and key[1] <= most and (not kernel or key[0] == kernel[0])]
    if len(launches) != 2 * len(names):
        sys.exit(f"time_model: {len(launches)} launches of {which}, expected {2 * len(names)}: kinds.cu and kinds.csv do not agree.")
    return {key: (launches[2 * k]["modelled"], launches[2 * k + 1]["modelled"]) for k, key in enumerate(names)}


def features(first, second):
    work = dict(second["work"]) | {"dram_read": second["dram_read"], "dram_write": second["dram_write"]}
    for name, columns in LISTS.items():
        work |= zip(columns, work[name])
    return {k: work[k] for k in WORK} | {"first_" + k: first[k] for k in ("l2_sectors", "dram_read", "dram_write")}


def write_counted():
    """The launches that the file has. With all 88, mostly large ones more, other people's kernels within 40 % fall from 96 to 89 % on an H200."""
    rows: dict[tuple[str, int], dict[str, float]] = {}
    for (kernel, n), row in measured().items():
        if (kernel, n) in counted() and (kernel, 8 * n) not in counted() and (kernel, 4 * n) not in counted():  # its largest
            rows |= {key: features(*pair) for key, pair in simulate(row["set"], n, kernel).items()}
    with (GOLDEN / "kinds_work.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kernel", "n", *WORK, *FIRST])
        for (kernel, n), work in rows.items():
            writer.writerow([kernel, n, *work.values()])


@functools.cache
def predictions():
    return subprocess.Popen([PREDICTIONS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def launch(w):
    """What `features` took apart."""
    lists = {name: [w[column] for column in columns] for name, columns in LISTS.items()}
    return {"dram_read": w["dram_read"], "dram_write": w["dram_write"], "work": w | lists}


def predict(works, gpu, rate=None):
    """Seconds until the next launch, seconds of the kernel alone as a profiler counts it, and what binds, for each launch."""
    process = predictions()
    process.stdin.write(json.dumps({"gpu": gpu, "rates": rate or used(gpu), "launches": [launch(w) for w in works]}) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


@functools.cache
def rows_of(which, gpu="h200"):
    seen, work = measured(gpu), counted()
    return [(key, work[key], float(seen[key]["microseconds"]) * 1e-6) for key in seen if seen[key]["set"] == which and key in work]


def foreign(gpu, which="first"):
    """Other people's kernels (golden/foreign.py) that last 5 µs at least: none of them calibrates. Managed memory moves while they run; what is printed
    is no access of the kernel."""
    with (GOLDEN / "foreign.csv").open(encoding="utf-8") as file:
        return [((r["program"], r["kernel"], f"{r['grid']} {r['block']}"), {k: int(r.get(k) or 0) for k in WORK}, int(r[f"{gpu}_ns"]) * 1e-9)
                for r in csv.DictReader(file)
                if r["set"] == which and r["prints"] == r["managed"] == "0" and int(r[f"{gpu}_ns"]) >= 5000]


def drawn(gpu):
    """Kernels that a seed drew (golden/blind.py) and that last 5 µs or more: the row, what the simulator counts, seconds."""
    return [(r, {k: int(r.get(k) or 0) for k in WORK}, int(r["ns"]) * 1e-9) for r in golden("blind.csv", ("gpu", gpu)) if int(r["ns"]) >= 5000]


def is_named(row, name):
    """The part with the highest percentage of its peak; where none has 60, what the launch waits for. None: not measured."""
    busy = {part: float(row[part]) for part in ("dram", "l2", "atomics", "l1", "issue") if row[part]}
    if not busy:
        return None
    most = max(busy, key=busy.__getitem__)
    return name == most if busy[most] >= 60 else name in ("waits", "starts", "launch")


def shares(errors, names):
    sizes, known = [abs(e) for e in errors], [name for name in names if name is not None]
    return (f"{100 * percentile(sizes, 0.5):.0f} % | {sum(e <= 0.4 for e in sizes)} ({100 * sum(e <= 0.4 for e in sizes) / len(sizes):.0f} %) | " +
            (f"{sum(known)} of {len(known)} ({100 * sum(known) / len(known):.0f} %)" if known else "–"))


def drawn_table():
    """What had been said before anything of a call was seen, by the model of then; and what today's says, of the half not looked at too."""
    lines = ["| drawn kernels | number | said then: median error | within 40 % | named right | today: median error | within 40 % | named right | "
             "half not looked at |", "|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    groups = [(gpu, drawn(gpu), "") for gpu in MEASURED]
    groups += [(gpu, later, ", behind the last calibration") for gpu, rows, _ in groups if (later := [r for r in rows if int(r[0]["call"]) > LAST_CALIBRATING])]
    for gpu, rows, which in groups:
        calls = len({row["call"] for row, _, _ in rows})
        says = predict([work for _, work, _ in rows], gpu)
        said = shares([int(r["said_ns"]) * 1e-9 / seconds - 1 for r, _, seconds in rows], [is_named(r, r["said"]) for r, _, _ in rows])
        errors = [kernel / seconds - 1 for (_, kernel, _), (_, _, seconds) in zip(says, rows)]
        now = shares(errors, [is_named(r, name) for (_, _, name), (r, _, _) in zip(says, rows)])
        kept = [abs(error) <= 0.4 for error, (r, _, _) in zip(errors, rows) if r["half"] == "kept"]
        lines.append(f"| {gpu.upper()}, {calls} call{'s' if calls > 1 else ''}{which} | {len(rows)} | {said} | {now} | {sum(kept)} of {len(kept)} |")
    return lines


def golden(name, *where):
    with (GOLDEN / name).open(encoding="utf-8") as file:
        return [r for r in csv.DictReader(file) if all(r[column] == value for column, value in where)]


@functools.cache
def started(gpu, threads=32):
    """Seconds from one block's start to the next one's: between 2^18 and 2^20 empty blocks."""
    rows = golden("block_starts.csv", ("gpu", gpu), ("kernel", "empty"), ("threads", str(threads)), ("shared_bytes", "0"))
    times = {int(r["blocks"]): float(r["microseconds"]) for r in rows}
    return (times[1 << 20] - times[1 << 18]) / ((1 << 20) - (1 << 18)) * 1e-6


@functools.cache
def latencies(gpu):
    return {r["what"]: float(r["nanoseconds"]) * 1e-9 for r in golden("latencies.csv", ("gpu", gpu))}


def atomics(kind):
    """Seconds of one of many that add to the same word; measured on the H100, whose second level an H200 has too."""
    row, = golden("atomics.csv", ("type", kind), ("old", "0"), ("places", "one word"))
    return float(row["microseconds"]) * 1e-6 / int(row["lanes"])


@functools.cache
def alone(gpu):
    """Rates that were measured by themselves. Two empty blocks of 24 warps, or of 32, fill a multiprocessor: there the next one waits until one ends."""
    at, lives = latencies(gpu), [(threads // 32, started(gpu, threads) * MULTIPROCESSORS * (2048 // threads)) for threads in (768, 1024)]
    (warp, block), (barrier_warp, barrier) = (statistics.linear_regression(*zip(*points)) for points in (
        lives, [(8, at["barrier of 256 threads"]), (32, at["barrier of 1024 threads"])]))
    found = {"atomic_seconds": atomics("u32"), "float_atomic_seconds": atomics("f32"), "block_start_seconds": started(gpu), "block_seconds": block,
             "warp_seconds": warp, "near_wait_seconds": at["load from shared memory"], "l2_wait_seconds": at["load from L2"],
             "dram_wait_seconds": at["load from DRAM"], "barrier_seconds": barrier, "barrier_warp_seconds": barrier_warp}
    return {name: float(f"{seconds:.3e}") for name, seconds in found.items()}


@functools.cache
def bandwidth(gpu):
    return tomllib.loads(sheet(gpu).read_text(encoding="utf-8"))["memory_bandwidth_bytes_per_second"]


def rates(gpu, searched):
    return searched | {"dram_bytes_per_second": searched["dram_bytes_per_second"] * bandwidth(gpu)} | alone(gpu)


@functools.cache
def calibrating(gpu):
    """What rates are fitted to: rows marked `fit`, until the next launch (0), and the half of the drawn kernels that may be looked at, alone (1)."""
    return ([(work, seconds, 0) for _, work, seconds in rows_of("fit", gpu)] +
            [(work, seconds, 1) for row, work, seconds in drawn(gpu)
             if row["half"] == "seen" and int(row["call"]) <= LAST_CALIBRATING])


def cost(ratio, bend=0.3, most=1.0):
    """Squared for small errors; no launch that the model lacks a cause for (docs/limits.md, "What is far off") decides a rate."""
    error = min(abs(math.log(ratio)), most)
    return error ** 2 if error < bend else bend * (2 * error - bend)


def loss(searched):
    total = 0.0
    for gpu in MEASURED:
        rows = calibrating(gpu)
        says = predict([work for work, _, _ in rows], gpu, rates(gpu, searched))
        total += sum(cost(said[which] / seconds) for said, (_, seconds, which) in zip(says, rows))
    return total


def tried(searched, name, factor):
    low, high = RANGES.get(name, (0.0, math.inf))
    return searched | {name: searched[name] * factor} if low <= searched[name] * factor <= high else searched


def calibrated():
    """Each rate a little up or down while that helps, in ever smaller steps: the same on every machine to the digits written."""
    now, step, best = BEGIN, 1.3, loss(BEGIN)
    while step > 1.002:
        better = False
        for name, factor in itertools.product(BEGIN, (step, 1 / step)):
            if (found := loss(other := tried(now, name, factor))) < best - 1e-9:
                now, best, better = other, found, True
        if not better:
            step = math.sqrt(step)
    return now


@functools.cache
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
    summary: list[str] = []
    for gpu, (which, title) in itertools.product(MEASURED, (("test", "tested on"), ("fit", "calibrated on"))):
        errors, rows = [], rows_of(which, gpu)
        for (_, _, seconds), (predicted, _, _) in zip(rows, predict([work for _, work, _ in rows], gpu)):
            errors.append(predicted / seconds - 1)
        summary.append(summed(f"{gpu.upper()}, {title}", errors))
    for gpu, which in (("h200", "first"), ("h100", "first"), ("h100", "later"), ("h100", "blind")):
        others = foreign(gpu, which)
        errors = [kernel / seconds - 1 for (_, kernel, _), (_, _, seconds) in zip(predict([work for _, work, _ in others], gpu), others)]
        summary.append(summed(f"{gpu.upper()}, other people's{SETS[which]}", errors))
    seen, work = measured(), counted()
    counters = []
    for name, mine, theirs, least in (("`l2_sectors`", "first_l2_sectors", "l2_sectors_of_l1", 1),
                                      ("`dram_read`", "first_dram_read", "dram_read_bytes", 1 << 20),
                                      ("`dram_write`", "first_dram_write", "dram_write_bytes", 1 << 24)):
        errors = [abs(work[k][mine] / float(seen[k][theirs]) - 1) for k in seen if k in work and seen[k]["set"] == "test" and float(seen[k][theirs]) >= least]
        counters.append(f"| {name} | {len(errors)} | {100 * percentile(errors, 0.5):.0f} % | {100 * percentile(errors, 0.9):.0f} % |")
    return "\n".join(["| launches | number | median error | 90 % are within | worst | within 40 % |", "|---|---:|---:|---:|---:|---:|", *summary, "",
                      *drawn_table(), "",
                      "| counter, on the launches tested on | number | median error | 90 % are within |", "|---|---:|---:|---:|", *counters])


def course_times():
    """Seconds of the course's kernels, on matrices that take turns: nothing of them is in the cache."""
    with (GOLDEN / "course_times.csv").open(encoding="utf-8") as file:
        return {(r["file"], int(r["rows"])): float(r["milliseconds"]) / 1000 for r in csv.DictReader(file)
                if r["element_bytes"] == "4" and r["rows"] == r["cols"] and r["entry"] == "transpose"}


@functools.cache
def limits_of(kernel, size, gpu="h200"):
    done = subprocess.run([PROGRAM, "limits", "--compiler", "nvcc", str(ROOT / kernel), "--size", size, "--gpu", gpu, "--json"],
                          capture_output=True, text=True, cwd=ROOT)
    return json.loads(done.stdout) if done.returncode == 0 else sys.exit(f"time_model: {kernel} was not counted.\n{done.stderr.strip()}")


def course_table():
    lines, errors = ["| kernel | matrix | bounded by | predicted | measured | error |", "|---|---|---|---:|---:|---:|"], []
    for (kernel, side), seconds in sorted(course_times().items()):
        says = limits_of(kernel, f"{side}x{side}")
        errors.append(says["seconds"] / seconds - 1)
        if side != 8192:
            continue
        name = Path(kernel).parent.name if kernel.startswith("solutions/") else Path(kernel).stem
        lines.append(f"| {name} | {side} × {side} | {PARTS[says['bound']]} | {says['seconds'] * 1e6:.0f} µs | {seconds * 1e6:.0f} µs | "
                     f"{100 * errors[-1]:+.0f} % |")
    sizes = [abs(e) for e in errors]
    return "\n".join([*lines, "", f"Error on these and on 16384 × 16384, {len(sizes)} times, none of which the rates were fitted to: "
                      f"{100 * sum(sizes) / len(sizes):.0f} % in the mean, "
                      f"{100 * percentile(sizes, 0.5):.0f} % median, {100 * max(sizes):.0f} % at worst."])


def ragged_table():
    lines, shapes = ["| kernel | matrix | predicted | measured | error |", "|---|---|---:|---:|---:|"], ("4097x4095", "8191x8193", "1000x7777")
    for row in golden("course_ragged.csv"):
        size = f"{row['rows']}x{row['cols']}"
        if size in shapes:
            says, took = limits_of(row["kernel"], size)["seconds"] * 1e6, float(row["microseconds"])
            name, matrix = Path(row["kernel"]).parent.name, size.replace("x", " × ")
            lines.append(f"| {name} | {matrix} | {says:.1f} µs | {took:.1f} µs | {100 * (says / took - 1):+.0f} % |")
    return "\n".join(lines)


def page(path):
    text = path.read_text(encoding="utf-8")
    import limiters  # it reads what is said here
    for name, written in (("time", tables()), ("limits", course_table()), ("ragged", ragged_table()), ("names", limiters.names_table())):
        text, n = re.subn(rf"(?<=<!-- {name}: begin -->\n).*?(?=<!-- {name}: end -->)", (written + "\n").replace("\\", r"\\"), text, flags=re.S)
        if n != 1:
            sys.exit(f"{path.name} has no place for the tables: put <!-- {name}: begin --> and <!-- {name}: end --> there.")
    return text


def check():
    searched = {name: used()[name] for name in BEGIN}
    searched["dram_bytes_per_second"] /= bandwidth("h200")
    best = loss(searched)
    worse = [name for name, factor in itertools.product(BEGIN, (1.03, 1 / 1.03)) if loss(tried(searched, name, factor)) < best - 1e-3]
    wrong = worse + [f"{name} of {gpu}" for gpu in MEASURED for name, value in rates(gpu, searched).items() if abs(used(gpu)[name] / value - 1) > 1e-3]
    if wrong:
        sys.exit(f"{wrong[0]} in data/gpus is not what the data say. Run: python3 tools/time_model.py --calibrate, build, then --write")
    if any(page(path) != path.read_text(encoding="utf-8") for path in PAGES):
        sys.exit("docs/limits.md is not what the data say. Run: python3 tools/time_model.py --write")
    known = counted()
    for which in ("fit", "test"):
        for key, pair in simulate(which, 1 << 17).items():
            now = {k: v for k, v in features(*pair).items() if k in WORK}  # the first launch finds what others left
            if any(now[k] != known[key][k] for k in now):
                wrong = [f"{k} {now[k]:,} and not {known[key][k]:,}" for k in now if now[k] != known[key][k]]
                sys.exit(f"the simulator counts otherwise: {key}: {', '.join(wrong)}. If that is meant: python3 tools/time_model.py --count, then --calibrate")
            (seconds, _, bound), = predict([now], "h200")
            if abs(pair[1]["seconds"] / seconds - 1) > 1e-6 or pair[1]["bound"] != bound:
                sys.exit(f"{key}: {PROGRAM} says {pair[1]['seconds']} s, {pair[1]['bound']}; by data/gpus it is {seconds} s, {bound}. Build it.")


def main():
    if sys.argv[1:] == ["--count"]:
        write_counted()
    elif sys.argv[1:] == ["--calibrate"]:
        found = calibrated()
        for gpu in MEASURED:
            sheet(gpu).write_text(described(gpu, rates(gpu, found)), encoding="utf-8")
    elif sys.argv[1:] == ["--write"]:
        for path in PAGES:
            path.write_text(page(path), encoding="utf-8")
    elif sys.argv[1:] == ["--check"]:
        check()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

"""How busy each part of a GPU is while a kernel runs, by Nsight Compute: what the name that the model of time gives (common/gpu/model) is tested on.

Place in the flow. Enters: kinds.cu; the kernels of course_limits.csv; other people's programs (foreign.py). Leaves:
    limiters.py measure OUT [FOLDER]      needs a GPU, nvcc, ncu. OUT/kinds.csv, course.txt, of the programs in FOLDER foreign.txt (raw), and atomics.csv
    limiters.py write OUT FOLDER GPU      tests/golden/limiters.csv from these: a row a launch; of other people's kernels the first launch of each shape
tools/time_model.py puts names_table() into docs/limits.md, which says what a right name is. That was decided before anything was measured.
"""
import csv
import math
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
import course  # noqa: E402
import foreign  # noqa: E402
import ncu  # noqa: E402

import time_model  # noqa: E402

GOLDEN = ROOT / "tests/golden"
BUSY = ".pct_of_peak_sustained_elapsed"
# Each part is as busy as the busiest of what the hardware counts in it, in percent of what it can do.
PARTS = {
    "dram": ["dram__throughput.avg"],
    "l2": ["lts__t_sectors.avg", "lts__t_tag_requests.avg", "lts__d_sectors.avg", "lts__lts2xbar_cycles_active.avg", "lts__xbar2lts_cycles_active.avg",
           "l1tex__m_xbar2l1tex_read_sectors.avg", "l1tex__m_l1tex2xbar_req_cycles_active.avg"],
    "atomics": ["lts__d_atomic_input_cycles_active.max"],
    "l1": ["l1tex__data_pipe_lsu_wavefronts.avg", "l1tex__data_bank_reads.avg", "l1tex__data_bank_writes.avg", "l1tex__lsu_writeback_active.avg",
           "l1tex__lsuin_requests.avg", "l1tex__f_wavefronts.avg", "sm__inst_executed_pipe_lsu.avg"],
    "issue": ["smsp__issue_active.avg", "sm__pipe_alu_cycles_active.avg", "sm__pipe_fma_cycles_active.avg", "sm__pipe_fp64_cycles_active.avg",
              "sm__inst_executed_pipe_xu.avg"],
}
STALLS = ["long_scoreboard", "short_scoreboard", "lg_throttle", "mio_throttle", "barrier", "drain", "membar", "wait", "math_pipe_throttle", "branch_resolving",
          "no_instruction", "not_selected"]
PLAIN = {"nanoseconds": "gpu__time_duration.sum", "sm_hertz": "smsp__cycles_elapsed.avg.per_second", "l2_hertz": "lts__cycles_elapsed.avg.per_second",
         "dram_hertz": "dram__cycles_elapsed.avg.per_second", "warps_percent": "sm__warps_active.avg.pct_of_peak_sustained_active",
         "instructions": "smsp__inst_executed.sum", "registers": "launch__registers_per_thread",
         "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "load_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
         "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum", "l2_write_sectors": "lts__t_sectors_srcunit_tex_op_write.sum",
         "l2_atom_sectors": "lts__t_sectors_op_atom.sum", "l2_red_sectors": "lts__t_sectors_op_red.sum",
         "l2_busiest_slice": "lts__t_sectors.max" + BUSY, "l2_throughput": "lts__throughput.avg" + BUSY, "l1_throughput": "l1tex__throughput.avg" + BUSY,
         "sm_throughput": "sm__throughput.avg" + BUSY, "dram_read_bytes": "dram__bytes_read.sum", "dram_write_bytes": "dram__bytes_write.sum"}
METRICS = [*PLAIN.values(), *(unit + BUSY for units in PARTS.values() for unit in units),
           *(f"smsp__average_warps_issue_stalled_{why}_per_issue_active.ratio" for why in STALLS)]
# A part is busy from so many percent on; names within so many points are equally right. A launch that takes so much longer or shorter under the
# profiler than by events found another cache there: it is not compared.
BUSY_FROM, OTHERWISE = 60, 1.2
PROFILER = [*ncu.COMMAND, *ncu.CACHES_AS_LEFT, "--metrics"]


def profiled(command, limit=300):
    text = subprocess.run([*PROFILER, ",".join(METRICS), *command], capture_output=True, text=True, errors="replace", timeout=limit).stdout
    return "".join(line + "\n" for line in text.splitlines() if line.startswith('"'))


def launches(text):
    """The rows of the profiler's table, behind the last line `@@ …` before them; its line of units is left out."""
    head: list[str] = []
    title = ""
    for line in text.splitlines():
        if line.startswith("@@ "):
            head, title = [], line[3:]
        elif (row := next(csv.reader([line]))) and row[0] == "ID":
            head = row
        elif head and row[0]:
            yield title, dict(zip(head, row))


def measured_course():
    with (GOLDEN / "course_limits.csv").open(encoding="utf-8") as file:
        wanted = [(r["kernel"], r["rows"], r["cols"]) for r in csv.DictReader(file) if r["entry"] == "transpose" and r["kernel"].endswith(".cu")]
    runner, cubins = course.build(ROOT, sorted({kernel for kernel, _, _ in wanted}))
    for kernel, rows, cols in wanted:
        yield f"@@ {kernel} {rows} {cols}\n" + profiled([runner, rows, cols, cubins[ROOT / kernel], "transpose"])


def measured_atomics():
    """How busy the units for atomics of the busiest slice are while atomics.cu does nothing else: the last column of atomics.csv."""
    program = "/tmp/golden_atomics"
    subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=native", "-o", program, HERE / "atomics.cu"], check=True)
    timed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    busy = [row[PARTS["atomics"][0] + BUSY] for _, row in launches(profiled([program, "once"]))]
    return "".join(f"{line},{value}\n" for line, value in zip(timed, ["busy_percent", *busy]))


def measure(out, folder):
    program = "/tmp/golden_kinds"
    subprocess.run(["nvcc", "-arch=sm_90", "-O2", "-std=c++20", "-w", "-o", program, HERE / "kinds.cu"], check=True)
    (out / "atomics.csv").write_text(measured_atomics(), encoding="utf-8")
    (out / "kinds.csv").write_text(profiled([program, "once"]), encoding="utf-8")
    (out / "course.txt").write_text("".join(measured_course()), encoding="utf-8")
    if folder:
        foreign.measure(folder, out / "foreign.txt", METRICS, limit=20)


def rows_of(out, folder):
    """Set, what was launched, its shape, and the profiler's columns."""
    with (GOLDEN / "kinds.csv").open(encoding="utf-8") as file:
        kinds = [(r["kernel"], r["n"]) for r in csv.DictReader(file)]
    for (kernel, n), (_, row) in zip(kinds, launches((out / "kinds.csv").read_text(encoding="utf-8")), strict=True):
        yield "kinds", kernel, kernel, n, row
    for title, row in launches((out / "course.txt").read_text(encoding="utf-8")):
        path, rows, cols = title.split()
        yield "course", path, "transpose", f"{rows}x{cols}", row
    programs, seen = {n: name for n, name, _ in foreign.programs(folder)}, set()
    for title, row in launches((out / "foreign.txt").read_text(encoding="utf-8", errors="replace")):
        name = re.sub(r"^void ", "", re.split(r"[(<]", row["Kernel Name"])[0])
        shape = " ".join("x".join(re.findall(r"\d+", row[size])) for size in ("Grid Size", "Block Size"))
        key = "foreign", programs[int(title.split(" ", 1)[0])], name, shape
        if key not in seen:
            seen.add(key)
            yield *key, row


def write(out, folder, gpu):
    units = [unit for of_part in PARTS.values() for unit in of_part]
    with (GOLDEN / "limiters.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["gpu", "set", "program", "kernel", "shape", *PLAIN, *units, *(f"stall_{why}" for why in STALLS)])
        for *key, row in rows_of(out, folder):
            writer.writerow([gpu, *key, *(f"{float(row[metric].replace(',', '')):.6g}" if row.get(metric) else "" for metric in METRICS)])


def right_names(busy):
    """What may be said of a launch by how busy its units were: the busiest, or where none is that busy what the launch waits for."""
    most = max(busy, key=busy.__getitem__)
    return {most} if busy[most] >= BUSY_FROM else {"waits", "starts", "launch"}


def busy_parts(row):
    return {part: max(float(row[unit] or 0) for unit in units) for part, units in PARTS.items()}


def measured_on_course():
    """GPU, kernel, size and how busy the parts were, of the course's kernels."""
    with (GOLDEN / "course_limits.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["entry"] == "transpose" and row["kernel"].endswith(".cu"):
                busy = {part: float(row[f"{column}_percent"]) for part, column in (("dram", "dram"), ("l2", "l2"), ("l1", "l1_data"), ("issue", "issue"))}
                yield "h200", row["kernel"], f"{row['rows']}x{row['cols']}", busy
    with (GOLDEN / "limiters.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["set"] == "course":
                yield row["gpu"], row["program"], row["shape"], busy_parts(row)


def named_course(wanted):
    """As `named`, by what `lab limits` says."""
    for gpu, kernel, size, busy in measured_on_course():
        if gpu == wanted:
            says = time_model.limits_of(kernel, size, gpu)
            yield says["bound"], right_names(busy)


def known(which):
    """By what limiters.csv calls a launch on the H100: what the simulator counts of it, and seconds."""
    if which == "foreign":
        return {key: (work, seconds) for when in ("first", "later") for key, work, seconds in time_model.foreign("h100", when)}
    return {(kernel, kernel, str(n)): (work, seconds) for part in ("fit", "test") for (kernel, n), work, seconds in time_model.rows_of(part, "h100")}


def named(which):
    """Each launch on the H100: the name that the model gives, and the right ones; None: another launch."""
    least = time_model.used("h100")["launch_seconds"]
    launched = known(which)
    with (GOLDEN / "limiters.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["program"], row["kernel"], row["shape"]
            if row["set"] != which or key not in launched:
                continue
            work, seconds = launched[key]
            short = seconds <= 1.2 * least
            if not short and abs(math.log(float(row["nanoseconds"]) * 1e-9 / seconds)) > math.log(OTHERWISE):
                yield None, set()
            else:
                yield time_model.predict([work], "h100")[0][2], right_names(busy_parts(row))


def names_table():
    summary = ["| launches | compared | named right | another cache under the profiler |", "|---|---:|---:|---:|"]
    for title, rows in (("H100, kernels of `kinds.cu`", list(named("kinds"))), ("H100, other people's, 5 µs and more", list(named("foreign"))),
                        ("H100, the course's kernels", list(named_course("h100"))), ("H200, the course's kernels", list(named_course("h200")))):
        compared = [row for row in rows if row[0]]
        right = sum(name in names for name, names in compared)
        summary.append(f"| {title} | {len(compared)} | {right} ({100 * right / len(compared):.0f} %) | {len(rows) - len(compared)} |")
    return "\n".join(summary)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"] and len(sys.argv) in (3, 4):
        measure(Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve() if len(sys.argv) == 4 else None)
    elif sys.argv[1:2] == ["write"] and len(sys.argv) == 5:
        write(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(__doc__)

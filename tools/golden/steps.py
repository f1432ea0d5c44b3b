"""The steps of chapter 15 and the solutions before it, on a GPU: times against a copy in the same run, and what Nsight Compute counts.

Place in the flow. Enters: kernel files, steps.cu. Leaves: tests/golden/steps.csv, a row per GPU, kernel and matrix; rows of other GPUs stay.
    python3 tools/golden/steps.py . tests/golden/steps.csv        needs a GPU, nvcc and ncu
"""
import csv
import io
import subprocess
import sys
from pathlib import Path

import ncu

HERE, BUILD = Path(__file__).resolve().parent, Path("/tmp/golden_steps")
STEPS = ["solutions/15_speed_of_light/skeleton.cu", "tests/mutants/course/15_loads_first.cu", "tests/mutants/course/15_order_of_in.cu",
         "tests/mutants/course/15_splits_sectors.cu", "solutions/15_speed_of_light/transpose.cu"]
BEFORE = [f"solutions/{name}/transpose.cu" for name in ("01_naive", "02_coalescing", "03_float4", "04_shared_tile", "05_padding", "06_xor_swizzle",
                                                        "07_swizzle_formula", "08_vectorized_swizzle", "09_any_matrix")]
MATRICES = [(8192, 8192), (16384, 16384), (8188, 8196), (8196, 8188)]
PROFILED = [(8192, 8192), (8196, 8188)]
COUNTERS = {"instructions": "smsp__inst_executed.sum", "issue_percent": "smsp__issue_active.avg.pct_of_peak_sustained_active",
            "warps_percent": "sm__warps_active.avg.pct_of_peak_sustained_active", "dram_percent": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
            "l2_percent": "lts__throughput.avg.pct_of_peak_sustained_elapsed", "l2_read_sectors": "lts__t_sectors_op_read.sum",
            "l2_write_sectors": "lts__t_sectors_op_write.sum", "dram_read_bytes": "dram__bytes_read.sum", "dram_write_bytes": "dram__bytes_write.sum",
            "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
            "stall_long_scoreboard": "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
            "stall_barrier": "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"}
TIMES = ["gpu", "kernel", "rows", "cols", "right", "microseconds", "least", "registers", "resident_blocks"]


def compiled(root, path):
    target = BUILD / path.replace("/", "-").replace(".cu", ".cubin")
    subprocess.run(["nvcc", "-cubin", "-arch=sm_90", "-std=c++20", "-I", root, "-o", target, root / path], check=True)
    return str(target)


def profiled(program, rows, cols, cubins):
    table = ncu.launches([program, "once", rows, cols, *cubins], COUNTERS.values(), len(cubins))
    return [{name: row.get(metric, "").replace(",", "") for name, metric in COUNTERS.items()} for row in table]


def main(root, target):
    BUILD.mkdir(exist_ok=True)
    program = BUILD / "steps"
    subprocess.run(["nvcc", "-O2", "-std=c++20", "-o", program, HERE / "steps.cu", "-lcuda"], check=True)
    cubins = {path: compiled(root, path) for path in STEPS + BEFORE}
    names = {cubin: path for path, cubin in cubins.items()} | {"copy": "copy"}
    rows_out = []
    kept = [row for row in csv.DictReader(target.open())] if target.exists() else []

    def write():
        others = [row for row in kept if row["gpu"] != rows_out[0]["gpu"]]
        with target.open("w", newline="") as file:
            writer = csv.DictWriter(file, [*TIMES, *COUNTERS], lineterminator="\n", restval="")
            writer.writeheader()
            writer.writerows(others + rows_out)

    for rows, cols in MATRICES:
        paths = list(cubins) if rows == cols else STEPS + BEFORE[4:]
        run = subprocess.run([program, "time", str(rows), str(cols), *[cubins[p] for p in paths]], capture_output=True, text=True, check=True).stdout
        times = list(csv.DictReader(io.StringIO(run), fieldnames=TIMES))
        for row in times:
            row["kernel"] = names[row["kernel"]]
            rows_out.append(row)
            print(row["gpu"], row["kernel"], row["rows"], row["cols"], "right" if row["right"] == "1" else "WRONG", row["microseconds"], row["registers"],
                  row["resident_blocks"], flush=True)
        write()
    for rows, cols in PROFILED:
        counters = dict(zip(STEPS, profiled(program, rows, cols, [cubins[p] for p in STEPS])))
        for row in rows_out:
            if (row["rows"], row["cols"]) == (str(rows), str(cols)):
                row.update(counters.get(row["kernel"], {}))
        write()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

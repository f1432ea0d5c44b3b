"""Times and traffic of kernels of many kinds on a GPU: tests/golden/kinds.csv, for a model of time and of the memory behind the first level.

Place in the flow. Enters: kinds.cu. Leaves: one row per kernel and size: times by events (medians of 11), and what Nsight Compute counts in one launch.
    python3 tools/golden/kinds.py tests/golden/kinds.csv          needs a GPU, nvcc and ncu
    python3 tools/golden/kinds.py join TIMES PROFILE TARGET       joins what was written before
"""
import csv
import io
import subprocess
import sys
from pathlib import Path

import ncu

HERE = Path(__file__).resolve().parent
COUNTERS = {"profiled_ns": "gpu__time_duration.sum", "l2_read_sectors": "lts__t_sectors_op_read.sum", "l2_write_sectors": "lts__t_sectors_op_write.sum",
            "l2_sectors_of_l1": "lts__t_sectors_srcunit_tex.sum", "dram_read_bytes": "dram__bytes_read.sum", "dram_write_bytes": "dram__bytes_write.sum",
            "load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
            "instructions": "smsp__inst_executed.sum", "registers": "launch__registers_per_thread",
            "warps_active_percent": "sm__warps_active.avg.pct_of_peak_sustained_active"}


def join(times, rows, target):
    timed = list(csv.DictReader(io.StringIO(times)))
    if [row["Kernel Name"] for row in rows] != [row["kernel"] for row in timed]:
        sys.exit("the two runs launched different kernels")
    with target.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*timed[0], *COUNTERS])
        for time, row in zip(timed, rows):
            writer.writerow([*time.values(), *(row[metric].replace(",", "") for metric in COUNTERS.values())])


def measure(target):
    program = Path("/tmp/golden_kinds")
    subprocess.run(["nvcc", "-arch=sm_90", "-O2", "-std=c++20", "-w", "-o", program, HERE / "kinds.cu"], check=True)
    times = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    join(times, ncu.launches([program, "once"], COUNTERS.values()), target)


if __name__ == "__main__":
    if sys.argv[1] == "join":
        join(Path(sys.argv[2]).read_text(), ncu.table(Path(sys.argv[3]).read_text()), Path(sys.argv[4]))
    else:
        measure(Path(sys.argv[1]))

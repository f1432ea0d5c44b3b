"""Chapters 09 to 15, 17 and 18 on a GPU: are their solutions right on every shape there, and what does the profiler count?

Place in the flow. Enters: a `lab` program, the project's folder. Leaves: course_launches.csv, one row per kernel of a solution: what both
devices came to together and on how many shapes of its chapter, and the counters of one launch of 1024 × 1024 elements under Nsight Compute.
    course_launches.py LAB ROOT OUT
Needs a GPU from Hopper on, nvcc and ncu; nothing here changes a clock. tests/hardware/test_launches.py compares the counters with the
simulator's.
"""
import csv
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ncu

CHAPTERS = ["09", "10", "11", "12", "13", "14", "15", "17", "18"]
MOST_LAUNCHES = {"17": 20, "18": 20}  # that are profiled; each kernel's first one counts
METRICS = ["l1tex__t_requests_pipe_lsu_mem_global_op_ld", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld",
           "l1tex__t_requests_pipe_lsu_mem_global_op_st", "l1tex__t_sectors_pipe_lsu_mem_global_op_st",
           "smsp__sass_inst_executed_op_shared_ld", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld",
           "smsp__sass_inst_executed_op_shared_st", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st",
           "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts", "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts",
           "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_access", "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_access",
           "l1tex__t_requests_pipe_lsu_mem_global_op_ldgsts_cache_bypass", "l1tex__t_sectors_pipe_lsu_mem_global_op_ldgsts_cache_bypass",
           "lts__t_sectors_op_read", "lts__t_sectors_op_write",
           "l1tex__tmain_requests", "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld",
           "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st", "smsp__inst_executed_op_ldsm",
           "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm", "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_st",
           "smsp__thread_inst_executed"]


def both_devices(lab, chapter, env):
    done = subprocess.run([lab, "check", chapter, "--solution", "--device", "auto", "--json"], capture_output=True, text=True, env=env)
    found = json.loads(done.stdout)
    wrong = [reason["code"] for case in found["cases"] for reason in case["reasons"]]
    return wrong[0] if wrong else "right", found["gpu"]["shapes"]


def profiled(lab, chapter, env):
    """By kernel, the counters of its first launch."""
    launches = ncu.launches([lab, "check", chapter, "--solution", "--device", "gpu", "--rows", "1024", "--cols", "1024"],
                            [f"{metric}.sum" for metric in METRICS], env=env, timeout=120,
                            options=["--target-processes", "all", "--launch-count", str(MOST_LAUNCHES.get(chapter, 1))])
    found = {}
    for launch in launches:
        if None not in launch.values():  # what the program prints behind the table
            # A metric that this profiler does not know is left out by it.
            found.setdefault(launch["Kernel Name"].split("(")[0], [launch.get(f"{metric}.sum", "").replace(",", "") for metric in METRICS])
    return found


def main():
    lab, root, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
    env = os.environ | {"LAB_ROOT": str(root)}
    with ThreadPoolExecutor(5) as pool, (out / "course_launches.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "kernel", "both", "gpu_shapes", *METRICS])
        verdicts = pool.map(lambda chapter: both_devices(lab, chapter, env), CHAPTERS)
        for chapter, verdict in zip(CHAPTERS, list(verdicts)):
            path = next(root.glob(f"solutions/{chapter}_*/transpose.cu")).relative_to(root)
            for kernel, counted in profiled(lab, chapter, env).items():
                writer.writerow([path, kernel, *verdict, *counted])
                print(path, kernel, *verdict, *counted, flush=True)
            file.flush()


if __name__ == "__main__":
    main()

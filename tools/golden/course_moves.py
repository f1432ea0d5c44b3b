"""Chapters 12 to 14 on a GPU: are their solutions right on every shape there, and what does the profiler count?

Place in the flow. Enters: a `lab` program, the project's folder. Leaves: course_moves.csv, one row a solution: shapes on which both
devices came to the same, and the counters of one launch of 1024 × 1024 elements under Nsight Compute.
    course_moves.py LAB ROOT OUT
Needs a GPU from Hopper on, nvcc and ncu; nothing here changes a clock.
"""
import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

CHAPTERS = ["12_tma_swizzle", "13_matrix_moves", "14_clusters"]
METRICS = ["l1tex__tmain_requests", "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld",
           "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st", "l1tex__t_requests_pipe_lsu_mem_global_op_ld",
           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld", "l1tex__t_requests_pipe_lsu_mem_global_op_st",
           "l1tex__t_sectors_pipe_lsu_mem_global_op_st", "smsp__inst_executed_op_ldsm",
           "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld",
           "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st", "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_st",
           "smsp__thread_inst_executed"]


def both_devices(lab, chapter, env):
    done = subprocess.run([lab, "check", chapter, "--solution", "--device", "auto", "--json"], capture_output=True, text=True, env=env)
    found = json.loads(done.stdout)
    right = all(case["passed"] for case in found["cases"] if case["kind"] == "holds")
    return "right" if right else "wrong", found["gpu"]["shapes"]


def profiled(lab, chapter, env):
    """The counters of the first launch: the measured shape."""
    command = ["ncu", "--target-processes", "all", "--clock-control", "none", "--csv", "--page", "raw", "--launch-count", "1", "--metrics",
               ",".join(f"{metric}.sum" for metric in METRICS),
               lab, "check", chapter, "--solution", "--device", "gpu", "--rows", "1024", "--cols", "1024"]
    text = subprocess.run(command, capture_output=True, text=True, env=env, timeout=120).stdout
    names, _, *launches = csv.reader(io.StringIO(text[text.index('"ID"'):]))
    return [launches[0][names.index(f"{metric}.sum")].replace(",", "") for metric in METRICS]


def main():
    lab, root, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])
    env = os.environ | {"LAB_ROOT": str(root)}
    with (out / "course_moves.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "both", "gpu_shapes", *METRICS])
        for chapter in CHAPTERS:
            row = [*both_devices(lab, chapter, env), *profiled(lab, chapter, env)]
            writer.writerow([f"solutions/{chapter}/transpose.cu", *row])
            file.flush()


if __name__ == "__main__":
    main()

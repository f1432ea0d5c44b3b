"""Builds the whole programs of tests/cudart against the shared CUDA runtime, and writes down what they do on a GPU.

Place in the flow: `build` needs nvcc, `run` a GPU and the CUDA runtime library, `counters` Nsight Compute too. Enters:
tests/cudart. Leaves: binaries; tests/golden/programs.json, output and exit status of each program; and
programs_counters.csv, what a profiler counted in the launches of a few. `lab run` of the same binaries must print and count the same.

    python3 tools/golden/programs.py build FOLDER
    python3 tools/golden/programs.py run FOLDER tests/golden/programs.json
    python3 tools/golden/programs.py counters FOLDER tests/golden/programs_counters.csv
    python3 tools/golden/programs.py moves FOLDER tests/golden/programs_moves.csv.gz
"""
import csv
import gzip
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "cudart"))
import ncu  # noqa: E402
import whole_programs  # noqa: E402

LIMIT_SECONDS = 60
COUNTED = ["transpose_ladder", "transpose_swizzle", "shared_square", "barrier_phases", "pipeline_stages", "transpose_block_order"]
SHARED = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"
METRICS = {  # each the sum of these
    "global_load_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    "global_store_sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
    "shared_load_wavefronts": [SHARED + "ld.sum"],
    "shared_store_wavefronts": [SHARED + "st.sum", SHARED + "ldgsts_cache_access.sum"],  # asynchronous copies store too
}

# What Hopper moves by other ways: programs, and for each column one metric.
MOVERS = ["cluster_moves", "matrix_moves", "tensor_copies"]
DSHARED = "l1tex__t_{}_pipe_lsu_mem_dshared_op_{}.sum"
MOVES = {
    "global_bulk_load_sectors": ["l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum"],
    "global_bulk_store_sectors": ["l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum"],
    "global_bulk_reduce_sectors": ["l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red.sum"],
    "shared_matrix_load_wavefronts": [SHARED + "ldsm.sum"],
    "shared_matrix_store_wavefronts": [SHARED + "stsm.sum"],
    "cluster_load_requests": [DSHARED.format("requests", "ld")],
    "cluster_load_wavefronts": [DSHARED.format("output_wavefronts", "ld")],
    "cluster_store_requests": [DSHARED.format("requests", "st")],
    "cluster_store_wavefronts": [DSHARED.format("output_wavefronts", "st")],
    "cluster_atomic_requests": [DSHARED.format("requests", "atom")],
}


def all_programs():
    return [p for folder in ("programs", "faulty") for p in whole_programs.collect(folder) if p.golden]


def build(folder):
    folder.mkdir(parents=True, exist_ok=True)

    def one(program):
        gpu = [] if "-gencode" in program.flags else ["-arch=sm_90"]
        command = ["nvcc", *gpu, "-lineinfo", "-cudart", "shared", "-w", *program.flags,
                   *map(str, program.files), "-o", str(folder / program.name)]
        done = subprocess.run(command, capture_output=True, text=True)
        return "" if done.returncode == 0 else f"{program.name}: {done.stdout}{done.stderr}"

    with ThreadPoolExecutor(2) as pool:
        wrong = [text for text in pool.map(one, all_programs()) if text]
    print("\n".join(wrong) or f"{len(all_programs())} programs in {folder}")
    return 1 if wrong else 0


def run(folder, target):
    golden = {}
    for program in all_programs():
        try:
            done = subprocess.run([str(folder / program.name), *program.args], capture_output=True, text=True,
                                  timeout=LIMIT_SECONDS, env={**os.environ, "CUDA_MODULE_LOADING": "EAGER"})
            golden[program.name] = {"exit": done.returncode, "stdout": program.masked(done.stdout).splitlines()}
            if done.stderr:
                print(f"{program.name}: {done.stderr}")
        except subprocess.TimeoutExpired:
            golden[program.name] = {"exit": "no end", "stdout": []}
        if golden[program.name]["exit"] != program.exit:
            print(program.name, golden[program.name])
    lines = (f"{json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in golden.items())
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(golden)} programs in {target}")
    return 0


def counters(folder, target, names, metrics):
    with (gzip.open if target.suffix == ".gz" else open)(target, "wt") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["program", "kernel", "grid", "block", *metrics])
        for name in names:
            for row in ncu.launches([folder / name], sum(metrics.values(), []), options=["--print-kernel-base", "demangled"], check=True):
                writer.writerow([name, row["Kernel Name"], row["Grid Size"].replace(" ", ""), row["Block Size"].replace(" ", ""),
                                 *(sum(ncu.number(row, metric) for metric in parts) for parts in metrics.values())])
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "build":
        sys.exit(build(Path(sys.argv[2])))
    if len(sys.argv) == 4 and sys.argv[1] == "run":
        sys.exit(run(Path(sys.argv[2]), Path(sys.argv[3])))
    if len(sys.argv) == 4 and sys.argv[1] == "counters":
        sys.exit(counters(Path(sys.argv[2]), Path(sys.argv[3]), COUNTED, METRICS))
    if len(sys.argv) == 4 and sys.argv[1] == "moves":
        sys.exit(counters(Path(sys.argv[2]), Path(sys.argv[3]), MOVERS, MOVES))
    sys.exit(__doc__)

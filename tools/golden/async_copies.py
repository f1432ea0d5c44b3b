"""Counters of asynchronous copies (cp.async): one warp, one copy a launch, profiled with Nsight Compute.

Place in the flow: needs a GPU, nvcc and ncu. Enters: nothing but the tables below. Leaves: a CSV, one row per launch: the form,
the two patterns (global>shared), the counters, the byte offset of every lane in each memory (-1: the lane is predicated off).
Run: async_copies.py CSV
"""
import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import ncu

# name, bytes of a lane, PTX: `s` the address in shared, `g` in global memory, `p` the lane takes part, `n` source bytes
FORMS = [
    ("cp.async.ca.4", 4, "@p cp.async.ca.shared.global [s], [g], 4;"),
    ("cp.async.ca.8", 8, "@p cp.async.ca.shared.global [s], [g], 8;"),
    ("cp.async.ca.16", 16, "@p cp.async.ca.shared.global [s], [g], 16;"),
    ("cp.async.cg.16", 16, "@p cp.async.cg.shared.global [s], [g], 16;"),
    ("cp.async.cg.16:half", 16, "@p cp.async.cg.shared.global [s], [g], 16, 8;"),
    ("cp.async.ca.4:none", 4, "@p cp.async.ca.shared.global [s], [g], 4, 0;"),
    ("cp.async.cg.16:none", 16, "@p cp.async.cg.shared.global [s], [g], 16, 0;"),
]


def patterns(width):
    """Named offsets of 32 lanes: any may stand on either side of a copy."""
    w, rng = width, random.Random(width)
    some = lambda f: [f(i) for i in range(32)]
    return {
        "stride1": some(lambda i: i * w), "same": some(lambda i: 0), "stride2": some(lambda i: 2 * i * w),
        "stride4": some(lambda i: 4 * i * w), "column32": some(lambda i: i * 128),
        "column33": some(lambda i: i * 132 // w * w), "reversed": some(lambda i: (31 - i) * w),
        "offset-by-one": some(lambda i: (i + 1) * w), "pairs": some(lambda i: i // 2 * w),
        "xor": some(lambda i: i * 128 + (i * w) % 128), "random": some(lambda i: rng.randrange(64) * max(w, 4)),
        "permuted": rng.sample(some(lambda i: i * w), 32), "halves": some(lambda i: i // 16 * 128 + i % 16 * w),
    }


MASKS = {"all": lambda i: True, "first8": lambda i: i < 8, "even": lambda i: i % 2 == 0, "none": lambda i: False,
         "one": lambda i: i == 17}


def launches():
    """(index of the form, label, global offsets, shared offsets). Two lanes never copy to one place."""
    for index, (name, width, _) in enumerate(FORMS):
        lanes = patterns(width)
        pairs = [("stride1", shared) for shared in ("stride1", "stride2", "stride4", "column32", "column33", "reversed", "xor",
                                                    "permuted", "offset-by-one", "halves")]
        pairs += [(where, "stride1") for where in ("same", "stride2", "stride4", "column32", "column33", "reversed", "offset-by-one",
                                                   "pairs", "random", "permuted")]
        pairs += [("column32", "column32"), ("random", "xor"), ("pairs", "column33")]
        for where, shared in pairs if ":" not in name else pairs[:4]:
            yield index, f"{where}>{shared}", lanes[where], lanes[shared]
        for mask, active in MASKS.items():
            if mask != "all":
                keep = lambda offsets: [o if active(i) else -1 for i, o in enumerate(offsets)]
                yield index, f"stride1>stride1 {mask}", keep(lanes["stride1"]), keep(lanes["stride1"])


def source():
    out = ["#include <cstdio>", "#include <cuda_runtime.h>", "struct Lanes { int global[32], shared[32]; };"]
    for index, (_, _, body) in enumerate(FORMS):
        text = ("{.reg .pred p; .reg .b32 s; .reg .b64 g, o; setp.ge.s32 p, %2, 0; add.u32 s, %1, %3; cvt.s64.s32 o, %2; "
                f"add.s64 g, %0, o; {body} cp.async.wait_all; }}")
        out.append(f"__global__ void k{index}(char* buffer, const __grid_constant__ Lanes lanes) {{ extern __shared__ __align__(128) char tile[]; "
                   f'asm volatile("{text}" :: "l"(buffer), "r"((unsigned)__cvta_generic_to_shared(tile)), '
                   '"r"(lanes.global[threadIdx.x]), "r"(lanes.shared[threadIdx.x]) : "memory"); }')
    out.append("int main() { char* buffer; cudaMalloc(&buffer, 1 << 16); cudaMemset(buffer, 0, 1 << 16);")
    for index, _, where, shared in launches():
        row = lambda offsets: "{" + ",".join(map(str, offsets)) + "}"
        out.append(f"k{index}<<<1, 32, 16384>>>(buffer, Lanes{{{row(where)}, {row(shared)}}});")
    out.append("auto e = cudaDeviceSynchronize(); std::puts(cudaGetErrorName(e)); return e != cudaSuccess; }")
    return "\n".join(out) + "\n"


COPIES = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum"
PIPE = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
AT_REST = 4  # wavefronts of PIPE in each launch whose copy has an active lane, also where nothing is stored
COUNTERS = {"requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
            "ideal_sectors": "memory_l2_theoretical_sectors_global_ideal",
            "bank_conflicts": "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum"}


def condense(form, row):
    """One row of the CSV. `.cg` copies go past the pipe, what they fill with zeros does not: only PIPE distinguishes the two."""
    count = {name: ncu.number(row, metric) for name, metric in COUNTERS.items()}
    piped = ncu.number(row, PIPE) - AT_REST
    wavefronts = max(piped, 0) if ".cg" in form else ncu.number(row, COPIES)
    return [count["requests"], count["sectors"], count["ideal_sectors"], wavefronts, count["bank_conflicts"]]


def write(path, table):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["form", "pattern", "requests", "sectors", "ideal_sectors", "wavefronts", "bank_conflicts",
                         "global_byte_offsets", "shared_byte_offsets"])
        for (index, label, where, shared), row in zip(launches(), table):
            name = FORMS[index][0]
            writer.writerow([name, label, *condense(name, row), " ".join(map(str, where)), " ".join(map(str, shared))])


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder, "copies"))
        Path(program + ".cu").write_text(source())
        subprocess.run(["nvcc", "-arch=sm_90", "-std=c++20", "-o", program, program + ".cu"], check=True)
        write(sys.argv[1], ncu.launches([program], [*COUNTERS.values(), COPIES, PIPE], len(list(launches()))))


if __name__ == "__main__":
    main()

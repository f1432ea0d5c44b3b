"""Counters of bulk copies (cp.async.bulk, one dimension): one warp, one kernel a launch, profiled with Nsight Compute.

Place in the flow: needs a GPU of compute capability 9.0 or higher, nvcc and ncu. Enters: nothing but the tables below. Leaves: a
CSV, one row per launch: direction, pattern, counters, then of every copy its bytes and its byte offset in each memory.
Run: bulk_copies.py CSV
"""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import ncu

SIZES = [16, 32, 48, 64, 80, 112, 128, 144, 160, 256, 272, 512, 1024, 1040, 4096, 16384]
OFFSETS = [(0, 0), (16, 0), (0, 16), (16, 16), (48, 0), (112, 0), (112, 112), (32, 96)]


def launches():
    """(direction, label, copies): a copy is (bytes, offset in global memory, offset in shared memory); each has its own lane."""
    for direction in ("load", "store"):
        yield direction, "none", []
        for size in SIZES:
            yield direction, f"{size} bytes", [(size, 0, 0)]
        for where, shared in OFFSETS[1:]:
            for size in (16, 48, 128, 272):
                yield direction, f"{size} bytes {where}>{shared}", [(size, where, shared)]
        for lanes, size, step, label in ((32, 16, 16, "row"), (32, 16, 128, "column"), (8, 128, 128, "rows"), (8, 128, 144, "padded rows"),
                                         (32, 128, 128, "tile"), (32, 128, 4096, "tile of a matrix"), (2, 16, 16, "halves of a sector"),
                                         (4, 48, 48, "ragged rows")):
            yield direction, f"{lanes} x {size} {label}", [(size, i * step, i * (size if step > 1024 else step)) for i in range(lanes)]


COPY = {"load": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
        "store": "cp.async.bulk.global.shared::cta.bulk_group [%1], [%0], %2;"}


def kernel(direction):
    return f'''__global__ void {direction}(char* buffer, const __grid_constant__ Lanes lanes) {{
  extern __shared__ __align__(128) char tile[];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned b = __cvta_generic_to_shared(&barrier), s = __cvta_generic_to_shared(tile), lane = threadIdx.x;
  if (lane == 0) {{
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(b) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" :: "r"(b), "r"({"lanes.total" if direction == "load" else "0"}) : "memory");
  }}
  __syncwarp();
  if (lanes.bytes[lane] > 0)
    asm volatile("{COPY[direction]}" :: "r"(s + lanes.shared[lane]), "l"(buffer + lanes.global[lane]), "r"(lanes.bytes[lane]), "r"(b) : "memory");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  asm volatile("{{.reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }}" :: "r"(b) : "memory");
}}'''


def source():
    out = ["#include <cstdio>", "#include <cuda_runtime.h>", "struct Lanes { int bytes[32], global[32], shared[32]; int total; };",
           kernel("load"), kernel("store"), "int main() { char* buffer; cudaMalloc(&buffer, 1 << 20); cudaMemset(buffer, 1, 1 << 20);"]
    for direction, _, copies in launches():
        rows = ["{" + ",".join(str(copy[k]) for copy in copies) + "}" for k in range(3)]
        out.append(f"{direction}<<<1, 32, 20480>>>(buffer, Lanes{{{', '.join(rows)}, {sum(copy[0] for copy in copies)}}});")
    out.append("auto e = cudaDeviceSynchronize(); std::puts(cudaGetErrorName(e)); return e != cudaSuccess; }")
    return "\n".join(out).replace("again", "again%=") + "\n"


AT_REST = 4  # reads of banks in each launch, by the barrier
COUNTERS = {"load": {"requests": "smsp__inst_executed_op_tma_ld.sum", "sectors": "l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum",
                     "bank_words": "l1tex__data_bank_writes.sum"},
            "store": {"requests": "smsp__inst_executed_op_tma_st.sum", "sectors": "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum",
                      "bank_words": "l1tex__data_bank_reads.sum"}}


def condense(direction, row):
    count = {name: ncu.number(row, metric) for name, metric in COUNTERS[direction].items()}
    return [count["requests"], count["sectors"], count["bank_words"] - (AT_REST if direction == "store" else 0)]


def write(path, table):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["direction", "pattern", "requests", "sectors", "bank_words", "bytes", "global_byte_offsets", "shared_byte_offsets"])
        for (direction, label, copies), row in zip(launches(), table):
            cells = [" ".join(str(copy[k]) for copy in copies) for k in range(3)]
            writer.writerow([direction, label, *condense(direction, row), *cells])


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder, "copies"))
        Path(program + ".cu").write_text(source())
        subprocess.run(["nvcc", "-arch=sm_90a", "-std=c++20", "-o", program, program + ".cu"], check=True)
        metrics = [metric for names in COUNTERS.values() for metric in names.values()]
        write(sys.argv[1], ncu.launches([program], metrics, len(list(launches()))))


if __name__ == "__main__":
    main()

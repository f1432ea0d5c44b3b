"""What one access of a warp to another block's shared memory costs: requests and wavefronts, under Nsight Compute.

Needs: a GPU with clusters, nvcc, ncu. Leaves: a CSV, a row per launch: the instruction, the lanes that go to the other block
(the rest go to their own, -1 acts not at all), the byte offset of every lane, and what the profiler counted.
Usage: cluster_accesses.py CSV"""
import csv
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import ncu

METRICS = {
    "remote_requests": "l1tex__t_requests_pipe_lsu_mem_dshared_op_{}.sum",
    "remote_wavefronts": "l1tex__t_output_wavefronts_pipe_lsu_mem_dshared_op_{}.sum",
    "shared_wavefronts": "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum",
}
FORMS = {"ld": "ld", "st": "st", "add": "atom"}  # and the profiler's word for it
SOURCE = r"""
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
struct Lanes { int offset[32]; unsigned remote; };
template <class T> __device__ T value(unsigned v);
template <> __device__ unsigned value<unsigned>(unsigned v) { return v; }
template <> __device__ uint2 value<uint2>(unsigned v) { return make_uint2(v, v + 1); }
template <> __device__ uint4 value<uint4>(unsigned v) { return make_uint4(v, v + 1, v + 2, v + 3); }
__device__ unsigned sum(unsigned v) { return v; }
__device__ unsigned sum(uint2 v) { return v.x ^ v.y; }
__device__ unsigned sum(uint4 v) { return v.x ^ v.y ^ v.z ^ v.w; }
extern __shared__ __align__(128) char tile[];
template <class T, char kind> __global__ void __cluster_dims__(2, 1, 1) access(Lanes lanes, unsigned* out) {
  cg::cluster_group cluster = cg::this_cluster();
  const int lane = threadIdx.x, offset = lanes.offset[lane];
  const unsigned rank = cluster.block_rank();
  const unsigned owner = (lanes.remote >> lane) & 1 ? 1 - rank : rank;
  T* at = reinterpret_cast<T*>(cluster.map_shared_rank(tile, owner) + (offset < 0 ? 0 : offset));
  unsigned found = 0;
  cluster.sync();
  if (rank == 0 && offset >= 0) {
    if constexpr (kind == 'l') found = sum(*at);
    if constexpr (kind == 's') *at = value<T>(lane);
    if constexpr (kind == 'a') found = atomicAdd(reinterpret_cast<unsigned*>(at), 1u);
  }
  cluster.sync();
  if (found == 0x12345678u) *out = found;
}
template <class T, char kind> void launch(const Lanes& lanes) {
  cudaFuncSetAttribute(access<T, kind>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  access<T, kind><<<2, 32, 65536>>>(lanes, nullptr);
  if (cudaError_t e = cudaDeviceSynchronize(); e != cudaSuccess) std::printf("%s\n", cudaGetErrorString(e));
}
int main() {
  char form; int width; Lanes lanes;
  while (std::scanf(" %c %d %u", &form, &width, &lanes.remote) == 3) {
    for (int& o : lanes.offset) if (std::scanf("%d", &o) != 1) return 2;
    if (form == 'a') launch<unsigned, 'a'>(lanes);
    else if (form == 'l') width == 4 ? launch<unsigned, 'l'>(lanes) : width == 8 ? launch<uint2, 'l'>(lanes) : launch<uint4, 'l'>(lanes);
    else width == 4 ? launch<unsigned, 's'>(lanes) : width == 8 ? launch<uint2, 's'>(lanes) : launch<uint4, 's'>(lanes);
  }
}
"""


def patterns(width):
    """(name, lanes that go to the other block, element of each lane; -1: does nothing)"""
    lanes = range(32)
    everybody = 0xFFFFFFFF
    for step in (1, 2, 3, 4, 8, 16, 32, 33):
        yield f"step_{step}", everybody, [lane * step for lane in lanes]
    yield "same", everybody, [0] * 32
    yield "pairs", everybody, [lane // 2 for lane in lanes]
    yield "eights", everybody, [lane // 8 for lane in lanes]
    yield "reversed", everybody, [31 - lane for lane in lanes]
    yield "shifted", everybody, [lane + 1 for lane in lanes]
    for rows in (2, 4, 8):
        yield f"rows_{rows}", everybody, [lane % (32 // rows) + lane // (32 // rows) * 256 // width for lane in lanes]
    yield "first_half", everybody, [lane if lane < 16 else -1 for lane in lanes]
    yield "odd_lanes", everybody, [lane if lane % 2 else -1 for lane in lanes]
    yield "one_lane", everybody, [lane if lane == 5 else -1 for lane in lanes]
    yield "four_lanes_far", everybody, [lane * 32 if lane % 8 == 0 else -1 for lane in lanes]
    yield "half_remote", 0xFFFF0000, list(lanes)
    yield "half_remote_step_32", 0xFFFF0000, [lane * 32 for lane in lanes]
    yield "eights_remote", 0xFF00FF00, list(lanes)
    # Chapter 14: lanes 8 to 15 and 24 to 31 go to the other block, rows 512 bytes apart, packs permuted.
    yield "tile_rows", 0xFF00FF00, [(4 * (lane % 8) * 32 + ((lane // 16) ^ (lane % 8))) * 16 // width for lane in lanes]
    draw = random.Random(5 * width)
    for k in range(6):
        yield f"random_{k}", everybody, [draw.randrange(16384 // width if k % 2 else 2048 // width) for _ in lanes]


def rows():
    for form in FORMS:
        for width in (4, 8, 16) if form != "add" else (4,):
            for name, remote, elements in patterns(width):
                yield form, width, name, remote, [e if e < 0 else e * width for e in elements]


def measured(form, chosen, folder):
    (folder / "input").write_text("".join(f"{form[0]} {w} {remote} {' '.join(map(str, offsets))}\n" for _, w, _, remote, offsets in chosen))
    names = {key: metric.format(FORMS[form]) for key, metric in METRICS.items()}
    with (folder / "input").open() as given:
        found = ncu.launches([folder / "program"], names.values(), len(chosen), options=(), stdin=given)
    return [{key: ncu.number(row, metric) for key, metric in names.items()} for row in found]


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        (folder / "program.cu").write_text(SOURCE)
        subprocess.run(["nvcc", "-std=c++17", "-arch=sm_90", "-o", str(folder / "program"), str(folder / "program.cu")], check=True)
        with open(sys.argv[1], "w", newline="", encoding="utf-8") as out:
            table = csv.writer(out, lineterminator="\n")
            table.writerow(["form", "width_bytes", "pattern", "remote_lanes", *METRICS, "lane_byte_offsets"])
            for form in FORMS:
                chosen = [row for row in rows() if row[0] == form]
                for (_, width, name, remote, offsets), counts in zip(chosen, measured(form, chosen, folder)):
                    table.writerow([form, width, name, f"{remote:08x}", *counts.values(), " ".join(map(str, offsets))])


if __name__ == "__main__":
    main()

// Right: a concept chooses how a row is read, groups of sixteen lanes take a row each
// judged by: 09_any_matrix
#include <cooperative_groups.h>

#include "common/kernel/lab.cuh"

namespace cg = cooperative_groups;

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 5, .global_store_sectors_per_request = 4};

template <class M>
concept Wide = requires(M m) { m.four(0u, 0u); };

struct Rows {
  char* first;
  size_t pitch_bytes;
  unsigned height, width;
  __device__ bool has(size_t r, size_t c) const { return r < height && c < width; }
  __device__ float& operator()(size_t r, size_t c) const { return reinterpret_cast<float*>(first + r * pitch_bytes)[c]; }
};
struct RowsOfFour : Rows {
  __device__ float4& four(size_t r, size_t c) const { return *reinterpret_cast<float4*>(&(*this)(r, c)); }
};

// 16 lanes for 16 packs of a row.
template <class Group, Wide M>
__device__ void turn(const Group& group, unsigned g, float* room, M out, M in, size_t r0, size_t c0) {
  float4* tile = reinterpret_cast<float4*>(room);
  const unsigned x = group.thread_rank();
  if (in.has(r0 + 4 * g, c0 + 4 * x)) {
    float4 v[4];
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) v[k] = in.four(r0 + 4 * g + k, c0 + 4 * x);
    const unsigned p = g ^ x;
    tile[(4 * x + 0) * 16 + p] = {v[0].x, v[1].x, v[2].x, v[3].x};
    tile[(4 * x + 1) * 16 + p] = {v[0].y, v[1].y, v[2].y, v[3].y};
    tile[(4 * x + 2) * 16 + p] = {v[0].z, v[1].z, v[2].z, v[3].z};
    tile[(4 * x + 3) * 16 + p] = {v[0].w, v[1].w, v[2].w, v[3].w};
  }
  __syncthreads();
#pragma unroll
  for (unsigned r = g; r < 64; r += 16)
    if (out.has(c0 + r, r0 + 4 * x)) out.four(c0 + r, r0 + 4 * x) = tile[r * 16 + (x ^ r / 4)];
}

// 32 lanes for 32 elements.
template <class Group, class M>
__device__ void turn(const Group& group, unsigned g, float* tile, M out, M in, size_t r0, size_t c0) {
  for (unsigned y = g; y < 64; y += 8)
    for (unsigned x = group.thread_rank(); x < 64; x += group.size())
      if (in.has(r0 + y, c0 + x)) tile[y * 65 + x] = in(r0 + y, c0 + x);
  __syncthreads();
  for (unsigned y = g; y < 64; y += 8)
    for (unsigned x = group.thread_rank(); x < 64; x += group.size())
      if (out.has(c0 + y, r0 + x)) out(c0 + y, r0 + x) = tile[x * 65 + y];
}

__device__ void any(float* out, const float* in, unsigned rows, unsigned cols, size_t out_pitch, size_t in_pitch) {
  __shared__ alignas(16) float room[64 * 65];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto half = cg::tiled_partition<16>(warp);
  const size_t z = blockIdx.z, r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 64;
  const Rows from{reinterpret_cast<char*>(const_cast<float*>(in) + z * rows * in_pitch), in_pitch * 4, rows, cols};
  const Rows to{reinterpret_cast<char*>(out + z * cols * out_pitch), out_pitch * 4, cols, rows};
  const auto bits = reinterpret_cast<unsigned long long>(from.first) | reinterpret_cast<unsigned long long>(to.first) |
                    from.pitch_bytes | to.pitch_bytes | size_t(rows | cols) * 4;
  if ((bits & 15) == 0)
    turn(half, 2 * warp.meta_group_rank() + half.meta_group_rank(), room, RowsOfFour{to}, RowsOfFour{from}, r0, c0);
  else
    turn(warp, warp.meta_group_rank(), room, to, from, r0, c0);
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { any(out, in, rows, cols, rows, cols); }
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  any(out, in, rows, cols, out_pitch, in_pitch);
}

// Right: pointers to both tiles in a table, own and other's alike; a struct says where a float4 lies
// judged by: 14_clusters
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {2, 1}};
PREDICTIONS = {.shared_load_wavefronts = 32768, .shared_store_wavefronts = 16384};

struct Half {
  float4 pack[32][32];  // rows of `out` that one block writes
  static __device__ int where(int row, int pack) { return pack ^ (row / 4); }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Half half;
  const int me = lab::rank_in_cluster();
  Half* const of[2] = {lab::in_block(&half, 0), lab::in_block(&half, 1)};
  const size_t top = size_t(blockIdx.x) * 64, left = size_t(blockIdx.y) * 64;
  float4 v[4] = {};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const size_t row = top + 4 * threadIdx.y + k, col = left + 4 * threadIdx.x;
    if (row < rows && col < cols) v[k] = reinterpret_cast<const float4*>(in + row * cols)[col / 4];
  }
  lab::sync_cluster();  // the other has begun
  const int first = 4 * threadIdx.x % 32, pack = 16 * me + threadIdx.y;
  Half* const to = threadIdx.x < 8 ? of[0] : of[1];
  to->pack[first + 0][Half::where(first, pack)] = {v[0].x, v[1].x, v[2].x, v[3].x};
  to->pack[first + 1][Half::where(first, pack)] = {v[0].y, v[1].y, v[2].y, v[3].y};
  to->pack[first + 2][Half::where(first, pack)] = {v[0].z, v[1].z, v[2].z, v[3].z};
  to->pack[first + 3][Half::where(first, pack)] = {v[0].w, v[1].w, v[2].w, v[3].w};
  lab::sync_cluster();  // all is there; and what is read from now on is one's own
  const int t = 16 * threadIdx.y + threadIdx.x, lane = t % 32;
  const size_t col = size_t(blockIdx.x) / 2 * 128 + 4 * lane;
  for (int r = t / 32; r < 32; r += 8) {
    const size_t row = left + 32 * me + r;
    if (row < cols && col < rows) reinterpret_cast<float4*>(out + row * rows)[col / 4] = half.pack[r][Half::where(r, lane)];
  }
}

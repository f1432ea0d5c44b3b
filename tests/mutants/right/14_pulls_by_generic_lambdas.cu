// Right: each block keeps what it read, the writer loads from the other
// judged by: 14_clusters
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {2, 1}};
PREDICTIONS = {.shared_load_wavefronts = 16384, .shared_store_wavefronts = 32768};
template <class F>
__device__ __forceinline__ void four(F f) {
  f(0);
  f(1);
  f(2);
  f(3);
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 mine[64][16];
  const int me = lab::rank_in_cluster(), t = threadIdx.x, bx = t & 15, by = t >> 4;
  const size_t r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 64, left = r0 - 64 * me;
  float4 v[4];
  four([&](int k) {
    const size_t r = r0 + 4 * by + k, c = c0 + 4 * bx;
    v[k] = make_float4(0, 0, 0, 0);
    if (r < rows && c < cols) v[k] = *(const float4*)(in + r * cols + c);
  });
  float4 w[4] = {{v[0].x, v[1].x, v[2].x, v[3].x},
                 {v[0].y, v[1].y, v[2].y, v[3].y},
                 {v[0].z, v[1].z, v[2].z, v[3].z},
                 {v[0].w, v[1].w, v[2].w, v[3].w}};
  four([&](int k) { mine[4 * bx + k][by ^ (bx & 7)] = w[k]; });
  lab::sync_cluster();
  // 32 rows of out, 32 packs each: a warp takes a row; lanes 0-15 from block 0, 16-31 from block 1.
  const int lane = t & 31, from = lane >> 4, pack = lane & 15;
  for (int y = t >> 5; y < 32; y += 8) {
    const int c = 32 * me + y;
    const float4 got = *lab::in_block(&mine[c][pack ^ (c / 4 & 7)], from);
    if (c0 + c < cols && left + 4 * lane < rows) *(float4*)(out + (c0 + c) * rows + left + 4 * lane) = got;
  }
  lab::sync_cluster();
}

// Right: mapa and st.shared::cluster in PTX, a relaxed first barrier
// judged by: 14_clusters
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 32}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {2, 1}};
PREDICTIONS = {.shared_load_wavefronts = 32768, .shared_store_wavefronts = 16384};
__device__ void far_store(unsigned at, float4 v) {
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(at), "f"(v.x), "f"(v.y), "f"(v.z),
               "f"(v.w)
               : "memory");
}
__device__ unsigned far(unsigned at, unsigned rank) {
  unsigned r;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(rank));
  return r;
}
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  alignas(16) __shared__ float4 t[1024];
  const unsigned me = lab::rank_in_cluster(), id = threadIdx.y * 8 + threadIdx.x, x = id % 16, y = id / 16;
  const size_t r0 = blockIdx.x * 64ull, c0 = blockIdx.y * 64ull;
  float4 q[4] = {};
  if (c0 + 4 * x < cols)
    for (int k = 0; k < 4; ++k)
      if (r0 + 4 * y + k < rows) q[k] = *(const float4*)&in[(r0 + 4 * y + k) * cols + c0 + 4 * x];
  asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  const unsigned to = x / 8, base = (unsigned)__cvta_generic_to_shared(t);
  for (int k = 0; k < 4; ++k) {
    const float* f = &q[0].x + k;
    const unsigned row = 4 * (x % 8) + k, pack = 16 * me + y;
    far_store(far(base + 16 * (row * 32 + (pack ^ (x & 7))), to), {f[0], f[4], f[8], f[12]});
  }
  lab::sync_cluster();
  for (unsigned i = id; i < 1024; i += 256) {
    const unsigned row = i / 32, pack = i % 32;
    const size_t c = c0 + 32 * me + row, r = r0 - 64 * me + 4 * pack;
    if (c < cols && r < rows) *(float4*)&out[c * rows + r] = t[row * 32 + (pack ^ (row / 4 & 7))];
  }
}

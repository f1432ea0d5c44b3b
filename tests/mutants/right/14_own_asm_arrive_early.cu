// Right: the barrier of the cluster in two halves: arrive before the loads, wait behind them; stores by st.shared::cluster
// judged by: 14_clusters
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {2, 1}};

#define ARRIVE() asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory")
#define WAIT() asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory")

__device__ __forceinline__ void put(unsigned to, float a, float b, float c, float d) {
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(a), "f"(b), "f"(c), "f"(d) : "memory");
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[32 * 32];
  unsigned rank, base;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  ARRIVE();
  const unsigned x = threadIdx.x, y = threadIdx.y;
  const size_t row0 = size_t(blockIdx.x) * 64, col0 = size_t(blockIdx.y) * 64;
  const float4 zero = {0, 0, 0, 0};
  const float* p = in + (row0 + 4 * y) * cols + col0 + 4 * x;
  const bool there = row0 + 4 * y < rows && col0 + 4 * x < cols;
  const float4 a = there ? *(const float4*)p : zero, b = there ? *(const float4*)(p + cols) : zero;
  const float4 c = there ? *(const float4*)(p + 2 * size_t(cols)) : zero, d = there ? *(const float4*)(p + 3 * size_t(cols)) : zero;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(base) : "r"((unsigned)__cvta_generic_to_shared(tile)), "r"(x >> 3));
  const unsigned r = 4 * (x & 7), pack = 16 * rank + y, at = base + 512 * r + 16 * (pack ^ (x & 7));
  WAIT();
  put(at, a.x, b.x, c.x, d.x);
  put(at + 512, a.y, b.y, c.y, d.y);
  put(at + 1024, a.z, b.z, c.z, d.z);
  put(at + 1536, a.w, b.w, c.w, d.w);
  ARRIVE();
  const unsigned t = 16 * y + x, lane = t & 31;
  const size_t row = row0 - 64 * rank + 4 * lane;
  WAIT();
#pragma unroll
  for (unsigned q = t >> 5; q < 32; q += 8)
    if (col0 + 32 * rank + q < cols && row < rows)
      *(float4*)(out + (col0 + 32 * rank + q) * rows + row) = tile[32 * q + (lane ^ (q >> 2 & 7))];
}

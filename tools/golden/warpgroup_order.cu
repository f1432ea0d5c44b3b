// Whether the four warps of a warpgroup wait for each other at wgmma: one of them comes late, and the others say when they went on.
//
// Enters: nothing. Leaves: tests/golden/warpgroup_order_h100.txt, as it prints it. Behind the wait a warp that was not late writes zeros over
// both tiles: a sum other than 512 would say that the late warp had still to read them.
//   nvcc -gencode arch=compute_90a,code=sm_90a tools/golden/warpgroup_order.cu -o warpgroup_order
#include <cuda_fp16.h>
#include <cstdio>
#include <vector>
constexpr int kN = 64, kTile = 64 * 64;
__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ unsigned long long descriptor(const void* tile, int step) {
  return ((shared_address(tile) + 32 * step) >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
__device__ void multiply(float (&d)[32], unsigned long long a, unsigned long long b, int adds) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
      "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, "
      "0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(adds));
}
__device__ long long spin(long long clocks) { const long long t = clock64(); while (clock64() - t < clocks) {} return clock64(); }
// late: which warp, how: 1 before the wgmma, 2 between wgmma and commit, 3 between commit and wait.
__global__ void kernel(int late, int how, long long* times, float* sums) {
  alignas(1024) __shared__ __half a[kTile];
  alignas(1024) __shared__ __half b[kTile];
  for (int i = threadIdx.x; i < kTile; i += 128) a[i] = b[i] = __float2half(1.0f);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const int warp = threadIdx.x / 32;
  float d[32] = {};
  const long long t0 = clock64();
  if (warp == late && how == 1) spin(200000);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  multiply(d, descriptor(a, 0), descriptor(b, 0), 0);
  const long long t1 = clock64();
  if (warp == late && how == 2) spin(200000);
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  if (warp == late && how == 3) spin(200000);
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const long long t2 = clock64();
  if (warp != late) for (int i = threadIdx.x % 32; i < kTile; i += 32) { a[i] = b[i] = __float2half(0.0f); }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (threadIdx.x % 32 == 0) { times[3 * warp] = t1 - t0; times[3 * warp + 1] = t2 - t0; }
  float sum = 0;
  for (float x : d) sum += x;
  sums[threadIdx.x] = sum;
}
// One warp of the four never comes.
__global__ void three(long long* times) {
  alignas(1024) __shared__ __half a[kTile];
  alignas(1024) __shared__ __half b[kTile];
  for (int i = threadIdx.x; i < kTile; i += 128) a[i] = b[i] = __float2half(1.0f);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const int warp = threadIdx.x / 32;
  float d[32] = {};
  if (warp == 3) return;
  const long long t0 = clock64();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  multiply(d, descriptor(a, 0), descriptor(b, 0), 0);
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  if (threadIdx.x % 32 == 0) times[warp] = clock64() - t0 + (long long)(d[0] * 1000000000ll);
}
int main() {
  long long* times; float* sums;
  cudaMallocManaged(&times, 12 * sizeof(long long)); cudaMallocManaged(&sums, 128 * sizeof(float));
  for (int how = 1; how <= 3; ++how)
    for (int late : {0, 3}) {
      kernel<<<1, 128>>>(late, how, times, sums);
      const cudaError_t code = cudaDeviceSynchronize();
      printf("how %d late warp %d: %s\n", how, late, cudaGetErrorString(code));
      for (int w = 0; w < 4; ++w) printf("  warp %d: wgmma issued after %lld, waited after %lld clocks, sum %g\n", w, times[3 * w], times[3 * w + 1], sums[32 * w]);
    }
  for (int i = 0; i < 12; ++i) times[i] = -1;
  three<<<1, 128>>>(times);
  const cudaError_t code = cudaDeviceSynchronize();
  printf("three warps: %s, %lld %lld %lld\n", cudaGetErrorString(code), times[0], times[1], times[2]);
}

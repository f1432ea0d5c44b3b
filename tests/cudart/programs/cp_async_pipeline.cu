// Copies from global to shared memory in the background: a double-buffered stage with the pipeline primitives.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;
constexpr int kBlock = 128, kStages = 2;

// y[i] = sum of a chunk's elements before and with i, chunk after chunk per block.
__global__ void staged(const int4 *in, int *sums, int chunks) {
  __shared__ int4 buffer[kStages][kBlock];
  auto fetch = [&](int chunk) {
    if (chunk < chunks) {
      size_t at = ((size_t)blockIdx.x * chunks + chunk) * kBlock + threadIdx.x;
      __pipeline_memcpy_async(&buffer[chunk % kStages][threadIdx.x], &in[at], sizeof(int4));
    }
    __pipeline_commit();
  };
  fetch(0);
  int sum = 0;
  for (int c = 0; c < chunks; ++c) {
    fetch(c + 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    int4 v = buffer[c % kStages][(threadIdx.x + 1) % kBlock];  // a neighbour's element
    sum += v.x + 10 * v.y + 100 * v.z + 1000 * v.w;
    __syncthreads();
  }
  sums[blockIdx.x * kBlock + threadIdx.x] = sum;
}

__global__ void grouped(const int *in, int *out, int n) {
  extern __shared__ int s[];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in + blockIdx.x * n, sizeof(int) * n);
  cg::wait(block);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = s[n - 1 - i];
}

int main() {
  const int blocks = 6, chunks = 5, total = blocks * chunks * kBlock;
  std::vector<int4> h(total);
  for (int i = 0; i < total; ++i) h[i] = make_int4(i % 7, i % 5, i % 3, i % 2);
  int4 *d;
  int *sums;
  cudaMalloc(&d, total * sizeof(int4));
  cudaMalloc(&sums, total * sizeof(int4));
  cudaMemcpy(d, h.data(), total * sizeof(int4), cudaMemcpyHostToDevice);
  staged<<<blocks, kBlock>>>(d, sums, chunks);
  std::vector<int> got(blocks * kBlock), turned(4 * total);
  cudaError_t e = cudaMemcpy(got.data(), sums, got.size() * 4, cudaMemcpyDeviceToHost);
  printf("%s\n", cudaGetErrorString(e));
  int wrong = 0;
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < kBlock; ++t) {
      int want = 0;
      for (int c = 0; c < chunks; ++c) {
        int4 v = h[(b * chunks + c) * kBlock + (t + 1) % kBlock];
        want += v.x + 10 * v.y + 100 * v.z + 1000 * v.w;
      }
      wrong += got[b * kBlock + t] != want;
    }
  printf("staged: first %d, last %d, %d wrong\n", got[0], got.back(), wrong);
  const int n = 4 * total / 16;
  grouped<<<16, 96, n * sizeof(int)>>>((const int *)d, sums, n);
  e = cudaMemcpy(turned.data(), sums, turned.size() * 4, cudaMemcpyDeviceToHost);
  const int *flat = &h[0].x;
  for (int b = 0; b < 16; ++b)
    for (int i = 0; i < n; ++i) wrong += turned[b * n + i] != flat[b * n + n - 1 - i];
  printf("grouped: %s, %d wrong\n", cudaGetErrorString(e), wrong);
  cudaFree(d);
  cudaFree(sums);
  return wrong != 0;
}

// How fast a GPU starts blocks: kernels that do nothing, and one that hardly does anything, in many shapes,
// by events.
//
// Enters: a GPU. Leaves, on standard output: rows of tests/golden/block_starts.csv without the first column,
// `gpu`.
//     nvcc -O3 -std=c++17 -arch=native -o block_starts tools/golden/block_starts.cu && ./block_starts
#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

__global__ void empty(float* out, int n) {
  extern __shared__ float room[];
  if (n == 12345) out[blockIdx.x] = room[threadIdx.x];  // never
}

__global__ void touch(float* out, int n) {
  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;
  if (i % 4096 == static_cast<size_t>(n)) out[i / 4096] = 1;
}

using Kernel = void (*)(float*, int);

void time(const char* name, Kernel kernel, float* out, int blocks, int threads, int shared_bytes) {
  static cudaEvent_t begin, end;
  if (!begin) cudaEventCreate(&begin), cudaEventCreate(&end);
  constexpr int kLaunches = 4, kSamples = 15;
  for (int i = 0; i < 20; ++i) kernel<<<blocks, threads, shared_bytes>>>(out, 0);
  std::vector<float> us;
  for (int s = 0; s < kSamples; ++s) {
    cudaEventRecord(begin);
    for (int i = 0; i < kLaunches; ++i) kernel<<<blocks, threads, shared_bytes>>>(out, 0);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    us.push_back(ms * 1e3F / kLaunches);
  }
  std::sort(us.begin(), us.end());
  std::printf("%s,%d,%d,%d,%.3f\n", name, blocks, threads, shared_bytes, us[kSamples / 2]);
}

}  // namespace

int main() {
  float* out = nullptr;
  if (cudaMalloc(&out, 1 << 26) != cudaSuccess) return 3;
  cudaFuncSetAttribute(empty, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10);
  std::printf("kernel,blocks,threads,shared_bytes,microseconds\n");
  for (const int threads : {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024})
    for (const int blocks : {1 << 14, 1 << 16, 1 << 18, 1 << 20}) {
      time("empty", empty, out, blocks, threads, 0);
      time("touch", touch, out, blocks, threads, 0);
    }
  for (const int shared_bytes : {1 << 10, 8 << 10, 32 << 10, 96 << 10})
    for (const int threads : {32, 256, 1024}) time("empty", empty, out, 1 << 18, threads, shared_bytes);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

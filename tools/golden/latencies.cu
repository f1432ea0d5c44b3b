// What one thread waits for: loads that need each other from every level, instructions that need each other,
// barriers.
//
// Enters: a GPU. Leaves, on standard output: rows of tests/golden/latencies.csv without the first column,
// `gpu`.
//     nvcc -O3 -std=c++17 -arch=native -o latencies tools/golden/latencies.cu && ./latencies
#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr int kHops = 4096;

// Follows a list through memory: each load gives the place of the next. It goes on where the last launch
// ended.
__global__ void chase(const unsigned* list, unsigned* out, int hops) {
  unsigned at = *out;
  for (int k = 0; k < hops; ++k) at = list[at];
  *out = at;
}

__global__ void chase_past_l1(const unsigned* list, unsigned* out, int hops) {
  unsigned at = *out;
  for (int k = 0; k < hops; ++k) at = __ldcg(&list[at]);
  *out = at;
}

// The same, and before each load a store to its sector: is it still in the first level?
__global__ void chase_stored(const unsigned* list, unsigned* out, int hops) {
  unsigned at = *out;
  for (int k = 0; k < hops; ++k) {
    asm volatile("st.global.u32 [%0], %1;" ::"l"(list + (at ^ 1)), "r"(k) : "memory");
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(at) : "l"(list + at) : "memory");
  }
  *out = at;
}

__global__ void chase_shared(const unsigned*, unsigned* out, int hops) {
  __shared__ unsigned list[256];
  for (int i = 0; i < 256; ++i) list[i] = (i + 33) % 256;
  unsigned at = *out % 256;
  for (int k = 0; k < hops; ++k) at = list[at];
  *out = at;
}

// A chain of floats: nothing that a compiler may put together.
__global__ void multiply_add(const unsigned*, unsigned* out, int hops) {
  float x = static_cast<float>(*out);
  const float a = 1 + 1e-6F * x, b = x;
#pragma unroll 16
  for (int k = 0; k < hops; ++k) x = fmaf(x, a, b);
  *out = x > 3e38F;
}

__global__ void barriers(const unsigned*, unsigned* out, int hops) {
  for (int k = 0; k < hops; ++k) __syncthreads();
  if (threadIdx.x == 0) *out = 0;
}

using Kernel = void (*)(const unsigned*, unsigned*, int);

// Nanoseconds for each of kHops: twice as many take that much longer.
double each(Kernel kernel, const unsigned* list, unsigned* out, int threads) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  const auto once = [&](int hops) {
    cudaEventRecord(begin);
    kernel<<<1, threads>>>(list, out, hops);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin, end);
    return ms * 1e6;
  };
  std::vector<double> ns;
  for (int s = 0; s < 21; ++s) {
    const double less = once(kHops);
    ns.push_back((once(2 * kHops) - less) / kHops);
  }
  std::sort(ns.begin(), ns.end());
  return ns[ns.size() / 2];
}

}  // namespace

int main() {
  constexpr size_t kWords = size_t{1} << 30;  // 4 GiB
  unsigned *list = nullptr, *out = nullptr;
  if (cudaMalloc(&list, kWords * sizeof(unsigned)) != cudaSuccess || cudaMalloc(&out, 4) != cudaSuccess)
    return 3;
  std::printf("what,nanoseconds\n");
  // A list through `bytes` of memory, in steps of so many bytes and one sector.
  const auto follow = [&](const char* what, Kernel kernel, size_t bytes, size_t step) {
    std::vector<unsigned> next(bytes / sizeof(unsigned), 0);
    for (size_t i = 0; i < next.size(); ++i)
      next[i] = static_cast<unsigned>((i + step / sizeof(unsigned)) % next.size());
    cudaMemcpy(list, next.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof(unsigned));
    std::printf("%s,%.2f\n", what, each(kernel, list, out, 1));
  };
  follow("load from L1", chase, 16 << 10, 132);
  follow("load behind a store to its sector", chase_stored, 16 << 10, 136);
  follow("load from L2", chase_past_l1, 4 << 20, 4132);
  follow("load from DRAM", chase_past_l1, size_t{4} << 30, 8228);  // in 21 samples no sector comes twice
  cudaMemset(out, 0, sizeof(unsigned));
  std::printf("load from shared memory,%.2f\n", each(chase_shared, list, out, 1));
  std::printf("multiply and add,%.2f\n", each(multiply_add, list, out, 1));
  std::printf("barrier of 256 threads,%.2f\n", each(barriers, list, out, 256));
  std::printf("barrier of 1024 threads,%.2f\n", each(barriers, list, out, 1024));
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

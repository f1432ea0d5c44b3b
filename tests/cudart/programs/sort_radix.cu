// Least significant digit first, four bits a pass: counts per block, a scan of the counts, a stable scatter.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <vector>

namespace {
constexpr int kBits = 4, kDigits = 1 << kBits, kBlock = 256;

struct CudaError {
  cudaError_t code;
};
void must(cudaError_t code) {
  if (code != cudaSuccess) throw CudaError{code};
}
template <class T>
struct DeviceDelete {
  void operator()(T* p) const { cudaFree(p); }
};
template <class T>
using Device = std::unique_ptr<T[], DeviceDelete<T>>;
template <class T>
Device<T> allocate(size_t n) {
  T* p = nullptr;
  must(cudaMalloc(&p, n * sizeof(T)));
  return Device<T>(p);
}

__device__ int digit_of(uint32_t key, int shift) { return key >> shift & (kDigits - 1); }

__global__ void count(const uint32_t* keys, int n, int shift, int* counts) {
  __shared__ int bins[kDigits];
  if (threadIdx.x < kDigits) bins[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) atomicAdd(&bins[digit_of(keys[i], shift)], 1);
  __syncthreads();
  // Digit-major: all blocks' zeros first, then all ones, as the output stands.
  if (threadIdx.x < kDigits) counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

__global__ void exclusive_scan_one_block(int* data, int n) {
  __shared__ int carry;
  __shared__ int warp_sums[32];
  if (threadIdx.x == 0) carry = 0;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int base = 0; base < n; base += blockDim.x) {
    __syncthreads();
    int i = base + threadIdx.x, v = i < n ? data[i] : 0, s = v;
    for (int d = 1; d < 32; d <<= 1) {
      int o = __shfl_up_sync(0xffffffffu, s, d);
      if (lane >= d) s += o;
    }
    if (lane == 31) warp_sums[warp] = s;
    __syncthreads();
    if (warp == 0) {
      int w = lane < blockDim.x / 32 ? warp_sums[lane] : 0;
      for (int d = 1; d < 32; d <<= 1) {
        int o = __shfl_up_sync(0xffffffffu, w, d);
        if (lane >= d) w += o;
      }
      warp_sums[lane] = w;
    }
    __syncthreads();
    int before = carry + (warp ? warp_sums[warp - 1] : 0);
    if (i < n) data[i] = before + s - v;
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) carry = before + s;
  }
}

__global__ void scatter(const uint32_t* in, uint32_t* out, int n, int shift, const int* offsets) {
  __shared__ int warp_counts[kBlock / 32][kDigits];
  for (int k = threadIdx.x; k < kBlock / 32 * kDigits; k += kBlock) (&warp_counts[0][0])[k] = 0;
  __syncthreads();
  const int i = blockIdx.x * kBlock + threadIdx.x, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const bool in_range = i < n;
  const uint32_t key = in_range ? in[i] : 0;
  const int digit = in_range ? digit_of(key, shift) : kDigits;
  // Lanes with my digit; those before me keep their order.
  const unsigned peers = __match_any_sync(0xffffffffu, digit);
  const int rank = __popc(peers & ((1u << lane) - 1));
  if (in_range && rank == 0) warp_counts[warp][digit] = __popc(peers);
  __syncthreads();
  if (!in_range) return;
  int place = offsets[digit * gridDim.x + blockIdx.x] + rank;
  for (int w = 0; w < warp; ++w) place += warp_counts[w][digit];
  out[place] = key;
}
}  // namespace

int main() try {
  const int n = 20011, blocks = (n + kBlock - 1) / kBlock;
  std::vector<uint32_t> keys(n);
  uint32_t x = 2463534242u;
  for (auto& k : keys) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    k = x;
  }
  auto a = allocate<uint32_t>(n), b = allocate<uint32_t>(n);
  auto counts = allocate<int>(kDigits * blocks);
  must(cudaMemcpy(a.get(), keys.data(), n * 4, cudaMemcpyHostToDevice));
  for (int shift = 0; shift < 32; shift += kBits) {
    count<<<blocks, kBlock>>>(a.get(), n, shift, counts.get());
    exclusive_scan_one_block<<<1, 512>>>(counts.get(), kDigits * blocks);
    scatter<<<blocks, kBlock>>>(a.get(), b.get(), n, shift, counts.get());
    must(cudaGetLastError());
    a.swap(b);
  }
  std::vector<uint32_t> sorted(n);
  must(cudaMemcpy(sorted.data(), a.get(), n * 4, cudaMemcpyDeviceToHost));
  std::sort(keys.begin(), keys.end());
  std::printf("first %u, middle %u, last %u\n", sorted[0], sorted[n / 2], sorted[n - 1]);
  const bool same = sorted == keys;
  std::printf("%d keys %s\n", n, same ? "sorted" : "NOT SORTED");
  return same ? 0 : 1;
} catch (const CudaError& e) {
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(e.code));
  return 2;
}

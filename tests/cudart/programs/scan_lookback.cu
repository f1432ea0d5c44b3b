// Scan in one pass: each block publishes its sum, then looks back at its predecessors until one knows its whole prefix.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kThreads = 128, kPerThread = 4, kPart = kThreads * kPerThread;
enum : uint64_t { kEmpty = 0, kSum = 1ull << 32, kPrefix = 2ull << 32, kFlags = 3ull << 32 };

__device__ unsigned int next_part;

__device__ uint64_t load_state(const uint64_t* p) {
  return *reinterpret_cast<const volatile uint64_t*>(p);
}

__global__ void scan_one_pass(const uint32_t* in, uint32_t* out, uint64_t* state, int n) {
  __shared__ uint32_t warp_sums[kThreads / 32];
  __shared__ uint32_t part, before;
  if (threadIdx.x == 0) part = atomicAdd(&next_part, 1u);  // in the order of arrival, so that predecessors run
  __syncthreads();
  const int first = part * kPart + threadIdx.x * kPerThread;
  uint32_t v[kPerThread], sum = 0;
#pragma unroll
  for (int k = 0; k < kPerThread; ++k) sum += v[k] = first + k < n ? in[first + k] : 0;
  uint32_t scanned = sum;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int d = 1; d < 32; d *= 2) {
    uint32_t other = __shfl_up_sync(~0u, scanned, d);
    if (lane >= d) scanned += other;
  }
  if (lane == 31) warp_sums[warp] = scanned;
  __syncthreads();
  uint32_t total = 0, mine = scanned - sum;
  for (int w = 0; w < kThreads / 32; ++w) {
    if (w < warp) mine += warp_sums[w];
    total += warp_sums[w];
  }
  if (threadIdx.x == 0) {
    if (part == 0) {
      atomicExch((unsigned long long*)&state[0], kPrefix | total);
      before = 0;
    } else {
      atomicExch((unsigned long long*)&state[part], kSum | total);
      uint32_t prefix = 0;
      for (int look = part - 1;;) {
        uint64_t s = load_state(&state[look]);
        if ((s & kFlags) == kEmpty) continue;  // not there yet: spin
        prefix += (uint32_t)s;
        if ((s & kFlags) == kPrefix) break;
        --look;
      }
      atomicExch((unsigned long long*)&state[part], kPrefix | (uint64_t)(uint32_t)(prefix + total));
      before = prefix;
    }
    __threadfence();
  }
  __syncthreads();
  mine += before;
#pragma unroll
  for (int k = 0; k < kPerThread; ++k) {
    if (first + k < n) out[first + k] = mine;
    mine += v[k];
  }
}

int main() {
  const int n = 100003, parts = (n + kPart - 1) / kPart;
  std::vector<uint32_t> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 2654435761u) >> 28;
  uint32_t *d_in, *d_out;
  uint64_t* d_state;
  cudaMalloc(&d_in, n * 4);
  cudaMalloc(&d_out, n * 4);
  cudaMalloc(&d_state, parts * 8);
  cudaMemset(d_state, 0, parts * 8);
  cudaMemcpy(d_in, in.data(), n * 4, cudaMemcpyHostToDevice);
  unsigned zero = 0;
  cudaMemcpyToSymbol(next_part, &zero, sizeof zero);
  scan_one_pass<<<parts, kThreads>>>(d_in, d_out, d_state, n);
  cudaError_t err = cudaMemcpy(out.data(), d_out, n * 4, cudaMemcpyDeviceToHost);
  if (err != cudaSuccess) {
    printf("%s\n", cudaGetErrorString(err));
    return 1;
  }
  uint32_t sum = 0;
  for (int i = 0; i < n; ++i) {
    if (out[i] != sum) {
      printf("wrong at %d: %u, not %u\n", i, out[i], sum);
      return 1;
    }
    sum += in[i];
  }
  printf("%d values in %d parts, sum %u: right\n", n, parts, sum);
  cudaFree(d_in), cudaFree(d_out), cudaFree(d_state);
  return 0;
}

// Sum, minimum and maximum of a vector with warp shuffles: each warp folds its own values, warp 0 folds the warps.
#include <climits>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

#define FULL_MASK 0xffffffffu

inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) {
  if (code == cudaSuccess) return;
  fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
  if (abort) exit(code);
}
#define gpuErrchk(ans) gpuAssert((ans), __FILE__, __LINE__)

__inline__ __device__ int warpReduceSum(int val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down_sync(FULL_MASK, val, offset);
  return val;
}

__inline__ __device__ int warpAllMax(int val) {
  for (int mask = warpSize / 2; mask > 0; mask /= 2) val = max(val, __shfl_xor_sync(FULL_MASK, val, mask));
  return val;
}

__inline__ __device__ int blockReduceSum(int val) {
  static __shared__ int shared[32];
  int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  val = warpReduceSum(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0;
  if (wid == 0) val = warpReduceSum(val);
  return val;
}

__global__ void deviceReduceKernel(const int *in, int *out, int N) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) sum += in[i];
  sum = blockReduceSum(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__global__ void deviceReduceWarpAtomic(const int *in, int *out, int N) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) sum += in[i];
  sum = warpReduceSum(sum);
  if ((threadIdx.x & (warpSize - 1)) == 0) atomicAdd(out, sum);
}

__global__ void deviceReduceVector4(const int *in, int *out, int N) {
  int sum = 0, idx = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = idx; i < N / 4; i += blockDim.x * gridDim.x) {
    int4 val = reinterpret_cast<const int4 *>(in)[i];
    sum += (val.x + val.y) + (val.z + val.w);
  }
  int i = idx + N / 4 * 4;
  if (i < N) sum += in[i];
  sum = blockReduceSum(sum);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

__global__ void minAndMax(const int *in, int *out, int N) {
  int lo = INT_MAX, hi = INT_MIN;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += blockDim.x * gridDim.x) {
    lo = min(lo, in[i]);
    hi = max(hi, in[i]);
  }
  hi = warpAllMax(hi);
  lo = __reduce_min_sync(FULL_MASK, lo);  // one instruction since compute capability 8.0
  if (threadIdx.x % 32 == 0) {
    atomicMin(&out[0], lo);
    atomicMax(&out[1], hi);
  }
}

int main() {
  const int N = 300007;  // no multiple of anything
  std::vector<int> h(N);
  unsigned state = 12345u;
  int expected = 0, lo = INT_MAX, hi = INT_MIN;
  for (int &v : h) {
    state = state * 1664525u + 1013904223u;
    v = (int)(state >> 20) - 2048;
    expected += v;
    lo = v < lo ? v : lo;
    hi = v > hi ? v : hi;
  }
  int *in, *out, threads = 512, blocks = min((N + threads - 1) / threads, 64);
  gpuErrchk(cudaMalloc(&in, N * sizeof(int)));
  gpuErrchk(cudaMalloc(&out, blocks * sizeof(int)));
  gpuErrchk(cudaMemcpy(in, h.data(), N * sizeof(int), cudaMemcpyHostToDevice));
  int result[4];
  deviceReduceKernel<<<blocks, threads>>>(in, out, N);
  deviceReduceKernel<<<1, 1024>>>(out, out, blocks);
  gpuErrchk(cudaMemcpy(&result[0], out, sizeof(int), cudaMemcpyDeviceToHost));
  gpuErrchk(cudaMemset(out, 0, sizeof(int)));
  deviceReduceWarpAtomic<<<blocks, threads>>>(in, out, N);
  gpuErrchk(cudaMemcpy(&result[1], out, sizeof(int), cudaMemcpyDeviceToHost));
  gpuErrchk(cudaMemset(out, 0, sizeof(int)));
  deviceReduceVector4<<<blocks, threads>>>(in, out, N);
  gpuErrchk(cudaMemcpy(&result[2], out, sizeof(int), cudaMemcpyDeviceToHost));
  int limits[2] = {INT_MAX, INT_MIN};
  gpuErrchk(cudaMemcpy(out, limits, sizeof limits, cudaMemcpyHostToDevice));
  minAndMax<<<blocks, threads>>>(in, out, N);
  gpuErrchk(cudaPeekAtLastError());
  gpuErrchk(cudaDeviceSynchronize());
  gpuErrchk(cudaMemcpy(limits, out, sizeof limits, cudaMemcpyDeviceToHost));
  printf("expected %d: two passes %d, warp atomics %d, int4 %d\n", expected, result[0], result[1], result[2]);
  printf("min %d (%d), max %d (%d)\n", limits[0], lo, limits[1], hi);
  cudaFree(in);
  cudaFree(out);
  bool ok = limits[0] == lo && limits[1] == hi;
  for (int i = 0; i < 3; ++i) ok = ok && result[i] == expected;
  printf(ok ? "PASSED\n" : "FAILED\n");
  return ok ? 0 : 1;
}

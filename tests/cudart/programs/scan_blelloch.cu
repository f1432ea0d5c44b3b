// Work-efficient exclusive scan of any length: up-sweep and down-sweep with padded indices, block sums scanned in turn.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
#define ELEMS 512  // a block scans twice its threads

#define cudaSafe(call) { cudaError_t e = (call); if (e != cudaSuccess) { \
  fprintf(stderr, "%s(%i): %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); abort(); } }

template <bool Padded>
__device__ __forceinline__ int place(int i) { return Padded ? i + CONFLICT_FREE_OFFSET(i) : i; }

template <bool Padded>
__global__ void prescan(int *out, const int *in, int *sums, int n) {
  __shared__ int temp[ELEMS + CONFLICT_FREE_OFFSET(ELEMS)];
  const int thid = threadIdx.x, base = blockIdx.x * ELEMS;
  const int ai = thid, bi = thid + ELEMS / 2;
  temp[place<Padded>(ai)] = base + ai < n ? in[base + ai] : 0;
  temp[place<Padded>(bi)] = base + bi < n ? in[base + bi] : 0;
  int offset = 1;
  for (int d = ELEMS >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int a = place<Padded>(offset * (2 * thid + 1) - 1), b = place<Padded>(offset * (2 * thid + 2) - 1);
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (thid == 0) {
    int last = place<Padded>(ELEMS - 1);
    if (sums) sums[blockIdx.x] = temp[last];
    temp[last] = 0;
  }
  for (int d = 1; d < ELEMS; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int a = place<Padded>(offset * (2 * thid + 1) - 1), b = place<Padded>(offset * (2 * thid + 2) - 1);
      int t = temp[a];
      temp[a] = temp[b];
      temp[b] += t;
    }
  }
  __syncthreads();
  if (base + ai < n) out[base + ai] = temp[place<Padded>(ai)];
  if (base + bi < n) out[base + bi] = temp[place<Padded>(bi)];
}

__global__ void uniformAdd(int *data, const int *sums, int n) {
  __shared__ int add;
  if (threadIdx.x == 0) add = sums[blockIdx.x];
  __syncthreads();
  for (int k = 0; k < 2; ++k) {
    int i = blockIdx.x * ELEMS + threadIdx.x + k * blockDim.x;
    if (i < n) data[i] += add;
  }
}

template <bool Padded>
void scanRecursive(int *d_out, const int *d_in, int n) {
  int blocks = (n + ELEMS - 1) / ELEMS;
  int *d_sums = nullptr;
  if (blocks > 1) cudaSafe(cudaMalloc(&d_sums, blocks * sizeof(int)));
  prescan<Padded><<<blocks, ELEMS / 2>>>(d_out, d_in, d_sums, n);
  cudaSafe(cudaGetLastError());
  if (blocks == 1) return;
  scanRecursive<Padded>(d_sums, d_sums, blocks);
  uniformAdd<<<blocks, ELEMS / 2>>>(d_out, d_sums, n);
  cudaSafe(cudaFree(d_sums));
}

template <bool Padded>
int run(int n) {
  std::vector<int> in(n), out(n), ref(n);
  for (int i = 0; i < n; ++i) in[i] = (i * 7919) % 13 - 3;
  std::exclusive_scan(in.begin(), in.end(), ref.begin(), 0);
  int *d_in, *d_out;
  cudaSafe(cudaMalloc(&d_in, n * sizeof(int)));
  cudaSafe(cudaMalloc(&d_out, n * sizeof(int)));
  cudaSafe(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  scanRecursive<Padded>(d_out, d_in, n);
  cudaSafe(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
  cudaSafe(cudaFree(d_in));
  cudaSafe(cudaFree(d_out));
  printf("%-10s n=%7d last=%7d %s\n", Padded ? "padded" : "conflicts", n, out.back(), out == ref ? "ok" : "WRONG");
  return out == ref ? 0 : 1;
}

int main() {
  int bad = 0;
  for (int n : {1, 511, 512, 513, 100000, 300001}) bad += run<false>(n) + run<true>(n);
  assert(bad == 0);
  return bad;
}

// Warp votes, match, ballot-based compaction, masks of active lanes, byte permutation and bit tricks.
#include <cstdio>
#include <vector>

#define CHECK_LAST() do { cudaError_t e = cudaDeviceSynchronize(); if (e) { printf("line %d %s\n", __LINE__, cudaGetErrorString(e)); return 1; } } while (0)

__global__ void votes(const int *in, unsigned *out) {
  int v = in[threadIdx.x];
  unsigned even = __ballot_sync(0xffffffff, v % 2 == 0);
  unsigned same = __match_any_sync(0xffffffff, v % 5);
  int agree;
  unsigned all = __match_all_sync(0xffffffff, v / 100, &agree);
  out[threadIdx.x] = same;
  if (threadIdx.x == 0) {
    out[32] = even;
    out[33] = __popc(even);
    out[34] = all;
    out[35] = agree;
  }
  int any = __any_sync(0xffffffff, v == 31), every = __all_sync(0xffffffff, v < 31);
  if (threadIdx.x == 5) {
    out[36] = any;
    out[37] = every;
    out[38] = __activemask() == (1u << 5);
    out[39] = __ffs(even) * 100 + __clz(even >> 4);
    out[40] = __brev(0x80000001u) ^ __byte_perm(0x01020304, 0xa0b0c0d0, 0x7250);
  }
  // Half a warp votes on its own.
  if (threadIdx.x < 16) {
    unsigned third = __ballot_sync(0x0000ffff, v % 3 == 0);
    if (threadIdx.x == 0) out[41] = third;
  }
}

__global__ void compact(const int *in, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  bool keep = i < n && in[i] % 3 == 1;
  unsigned mask = __ballot_sync(~0u, keep);
  int base = 0;
  if (lane == 0 && mask) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = in[i];
}

__global__ void rotate(int *data) {
  int v = data[threadIdx.x];
  v = __shfl_sync(~0u, v, (threadIdx.x + 1) % 8, 8);
  v += __shfl_xor_sync(~0u, v, 3);
  data[threadIdx.x] = __reduce_add_sync(~0u, v) + __shfl_up_sync(~0u, v, 2, 16);
}

int main() {
  const int n = 4000;
  std::vector<int> h(n), kept(n);
  for (int i = 0; i < n; ++i) h[i] = i;
  int *in, *out, *count, zero = 0, expected = 0;
  unsigned *words, w[42];
  cudaMalloc(&in, n * 4);
  cudaMalloc(&out, n * 4);
  cudaMalloc(&count, 4);
  cudaMalloc(&words, sizeof w);
  cudaMemcpy(in, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(count, &zero, 4, cudaMemcpyHostToDevice);
  votes<<<1, 32>>>(in, words);
  CHECK_LAST();
  cudaMemcpy(w, words, sizeof w, cudaMemcpyDeviceToHost);
  printf("even %08x (%u), same as lane 0 %08x, lane 31 %08x\n", w[32], w[33], w[0], w[31]);
  printf("all %08x %u, any %u, every %u, alone %u, bits %u %08x, half %08x\n", w[34], w[35], w[36], w[37], w[38], w[39], w[40], w[41]);
  compact<<<(n + 255) / 256, 256>>>(in, out, count, n);
  CHECK_LAST();
  int got;
  cudaMemcpy(&got, count, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(kept.data(), out, n * 4, cudaMemcpyDeviceToHost);
  long long sum = 0, want = 0;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 1) expected++, want += i;
  for (int i = 0; i < got; ++i) sum += kept[i];
  printf("kept %d of %d, sum %lld\n", got, n, sum);
  rotate<<<1, 32>>>(in);
  CHECK_LAST();
  int r[32], v[32], u[32];
  cudaMemcpy(r, in, sizeof r, cudaMemcpyDeviceToHost);
  int total = 0, bad = 0;
  for (int t = 0; t < 32; ++t) v[t] = t / 8 * 8 + (t + 1) % 8;
  for (int t = 0; t < 32; ++t) total += u[t] = v[t] + v[t ^ 3];
  for (int t = 0; t < 32; ++t) bad += r[t] != total + (t % 16 >= 2 ? u[t - 2] : u[t]);
  printf("shuffles: %d wrong\n", bad);
  return bad || got != expected || sum != want || w[32] != 0x55555555 || w[33] != 16 || w[34] != ~0u || w[36] != 1 || w[37] != 0;
}

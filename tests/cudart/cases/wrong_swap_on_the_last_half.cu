// A swap of 4 bytes around the last half of a buffer of an odd number of halves.
// finding: out-of-bounds
#include <cstdio>
#include <cuda_fp16.h>
__device__ void add16(unsigned short* a, unsigned short v) {
  unsigned* w = reinterpret_cast<unsigned*>(reinterpret_cast<size_t>(a) & ~size_t(2));
  unsigned old = *w, seen;
  bool hi = reinterpret_cast<size_t>(a) & 2;
  do {
    seen = old;
    unsigned short h = hi ? seen >> 16 : seen & 0xffff;
    h += v;
    unsigned want = hi ? (seen & 0xffff) | (unsigned(h) << 16) : (seen & 0xffff0000u) | h;
    old = atomicCAS(w, seen, want);
  } while (old != seen);
}
__global__ void k(unsigned short* p, int n) {
  if (threadIdx.x < n) add16(p + n - 1, 1);
}
int main() {
  unsigned short* p; cudaMalloc(&p, 30); cudaMemset(p, 0, 30);
  k<<<1, 32>>>(p, 15); printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize())); cudaFree(p);
}

// The host reads mapped memory right behind the launch: a fence alone announces nothing.
// finding: host-race: the host touches
#include <cstdio>
__global__ void f(int* a, int n) { int i = threadIdx.x; if (i < n) { a[i] *= -1; __threadfence_system(); } }
int main() {
  int *h, *d; cudaHostAlloc(&h, 32, cudaHostAllocMapped); cudaHostGetDevicePointer(&d, h, 0);
  for (int i = 0; i < 8; i++) h[i] = i;
  f<<<1, 8>>>(d, 8);
  int s = 0; for (int i = 0; i < 8; i++) s += h[i];
  printf("%d\n", s); cudaDeviceSynchronize(); cudaFreeHost(h);
}

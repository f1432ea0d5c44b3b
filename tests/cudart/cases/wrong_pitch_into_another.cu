// An index that lands in another buffer, by a pitch of 64 and of 32 bits.
// finding: out-of-bounds in rows\(.*out-of-bounds in rowsi
#include <cstdio>
__global__ void rows(float *p, size_t pitch, int h) { int y = blockIdx.x; if (y <= h) p[y * pitch + threadIdx.x] = y; }
__global__ void rowsi(float *p, int pitch, int h) { int y = blockIdx.x; if (y <= h) p[y * pitch + threadIdx.x] = y; }
int main(int c, char **) { float *p, *q; cudaMalloc(&p, 64 * 64 * 4); cudaMalloc(&q, 64 * 64 * 4); cudaMemset(q, 0, 16384); size_t d = q - p; printf("distance %zu\n", d);
  rows<<<2, 64>>>(p, d, 1); printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  rowsi<<<2, 64>>>(p, (int)d, 1); printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize())); cudaFree(p); cudaFree(q); return 0; }

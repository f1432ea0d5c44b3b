// Errors that a program can live with: bad configurations, bad arguments, and how the last error is kept and cleared.
// reports: invalid-launch
#include <cstdio>
#include <cstring>

__global__ void touch(int *p) { p[threadIdx.x] = threadIdx.x; }

static int step = 0;
void report(const char *what, cudaError_t e) {
  std::printf("%2d. %-34s %-32s %s\n", ++step, what, cudaGetErrorName(e), cudaGetErrorString(e));
}

int main() {
  int *d = nullptr, h[32] = {0};
  report("malloc", cudaMalloc(&d, 32 * sizeof(int)));
  touch<<<1, 2048>>>(d);
  report("2048 threads, peek", cudaPeekAtLastError());
  report("still there", cudaGetLastError());
  report("gone", cudaGetLastError());
  touch<<<0, 32>>>(d);
  report("no blocks", cudaGetLastError());
  touch<<<dim3(1, 70000), 32>>>(d);
  report("70000 blocks in y", cudaGetLastError());
  touch<<<1, dim3(1, 1, 65)>>>(d);
  report("65 threads in z", cudaGetLastError());
  touch<<<1, 32, 300 << 10>>>(d);
  report("300 KiB of shared memory", cudaGetLastError());
  report("copy with a wrong direction", cudaMemcpy(h, d, sizeof h, (cudaMemcpyKind)17));
  cudaGetLastError();
  report("a device that is not there", cudaSetDevice(77));
  cudaGetLastError();
  report("malloc without a place", cudaMalloc((void **)nullptr, 4));
  cudaGetLastError();
  void *much = nullptr;
  report("malloc of a petabyte", cudaMalloc(&much, (size_t)1 << 50));
  cudaGetLastError();
  report("free of nothing", cudaFree(nullptr));
  report("pitch too small", cudaMemcpy2D(h, 4, d, 16, 16, 2, cudaMemcpyDeviceToHost));
  cudaGetLastError();
  // After all that the device still works.
  touch<<<1, 32>>>(d);
  report("a good launch", cudaGetLastError());
  report("synchronise", cudaDeviceSynchronize());
  report("copy back", cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
  report("free", cudaFree(d));
  std::printf("h[31] = %d, unknown code: %s / %s\n", h[31], cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345));
  return h[31] == 31 ? 0 : 1;
}

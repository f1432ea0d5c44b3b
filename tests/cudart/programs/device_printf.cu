// printf from threads: order inside a warp, formats, many arguments; the buffer is flushed by a synchronisation.
// A GPU does not know a star in a precision and prints the letters; the simulator prints the number.
// mask: (%\.\*f|0\.667)$
#include <cstdio>

struct Point { double x, y; };

__global__ void helloFromGPU() {
  if (threadIdx.x == 5) printf("Hello World from GPU thread %d!\n", threadIdx.x);
}

__global__ void formats(Point p, const char *word) {
  unsigned long long big = 0x123456789abcdefULL;
  printf("%d %i %u %x %X %o %c %s %%\n", -5, 6, 7u, 255, 255, 8, 'z', "text");
  printf("[%8d] [%-8d] [%08d] [%+d] [%#x]\n", 42, 42, 42, 42, 42);
  printf("%f %.2f %10.3e %g\n", p.x, p.y, 12345.678, 0.0001);
  printf("%llx %lld %hd %ld\n", big, -1LL, (short)-3, 1L << 40);
  printf("%*d|%-*s|%.*f\n", 6, 12, 8, word, 3, 2.0 / 3);
}

__device__ char deviceWord[] = "device";

__global__ void lanes() {
  printf("block %d thread (%d,%d)\n", blockIdx.x, threadIdx.x, threadIdx.y);
}

int main() {
  printf("Hello World from CPU!\n");
  helloFromGPU<<<1, 10>>>();
  cudaDeviceSynchronize();
  char *word;
  cudaGetSymbolAddress((void **)&word, deviceWord);
  formats<<<1, 1>>>(Point{1.5, -2.25}, word);
  cudaDeviceSynchronize();
  for (int b = 0; b < 2; ++b) {
    lanes<<<1, dim3(3, 2)>>>();
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  }
  size_t size = 0;
  cudaDeviceGetLimit(&size, cudaLimitPrintfFifoSize);
  printf("the buffer holds something: %s\n", size > 0 ? "yes" : "no");
  cudaDeviceReset();
  return 0;
}

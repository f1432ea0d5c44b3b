// The kind of helper that lies beside many samples.
#ifndef HELPER_TIMER_H_
#define HELPER_TIMER_H_
#include <cstdio>
#include <cstdlib>
#include <cstring>

template <typename T>
void checkResult(T result, char const *const func, const char *const file, int const line) {
  if (result) {
    fprintf(stderr, "%s:%d code=%d(%s) \"%s\"\n", file, line, static_cast<unsigned int>(result), cudaGetErrorName(result), func);
    exit(EXIT_FAILURE);
  }
}
#define checkCudaErrors(val) checkResult((val), #val, __FILE__, __LINE__)
#define getLastCudaError(msg)                                                                            \
  do {                                                                                                   \
    cudaError_t err = cudaGetLastError();                                                                \
    if (err != cudaSuccess) {                                                                            \
      fprintf(stderr, "%s(%i): %s: (%d) %s.\n", __FILE__, __LINE__, msg, (int)err, cudaGetErrorString(err)); \
      exit(EXIT_FAILURE);                                                                                \
    }                                                                                                    \
  } while (0)

struct GpuTimer {
  cudaEvent_t start, stop;
  GpuTimer() {
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
  }
  ~GpuTimer() {
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
  }
  void Start() { cudaEventRecord(start, 0); }
  void Stop() { cudaEventRecord(stop, 0); }
  float Elapsed() {
    float elapsed;
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&elapsed, start, stop);
    return elapsed;
  }
};

inline int findDevice(int argc, const char **argv) {
  int count = 0;
  checkCudaErrors(cudaGetDeviceCount(&count));
  if (count == 0) {
    fprintf(stderr, "no devices supporting CUDA.\n");
    exit(EXIT_FAILURE);
  }
  int dev = argc > 1 && strncmp(argv[1], "device=", 7) == 0 ? atoi(argv[1] + 7) : 0;
  cudaDeviceProp prop;
  checkCudaErrors(cudaGetDeviceProperties(&prop, dev));
  checkCudaErrors(cudaSetDevice(dev));
  printf("Using device %d of capability at least 7.0: %s\n", dev, prop.major >= 7 ? "yes" : "no");
  return dev;
}
#endif

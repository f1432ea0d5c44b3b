// After a fault: what each call of the runtime answers. Its argument is a kind of fault; misaligned and failed
// assertions answer alike on a GPU, each with its own code.
// reports: out-of-bounds
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fine(int *p) { p[threadIdx.x] = 7; }
__global__ void fault(int *p, int kind) {
  extern __shared__ int s[];
  if (kind == 0) p[threadIdx.x + (1ull << 40)] = 1;
  if (kind == 1) *(int *)((char *)p + 1) = 1;
  if (kind == 2) assert(p == nullptr);
  if (kind == 3) __trap();
  if (kind == 4) s[threadIdx.x + 100000] = 1;
  if (kind == 5) *(volatile int *)nullptr = 1;
}
static const char *name(cudaError_t e) { return cudaGetErrorName(e); }
static void hello(void *) { printf("host function called\n"); }

int main(int c, char **v) {
  int kind = c > 1 ? atoi(v[1]) : 0, *d, *pinned, *more = nullptr, h[32] = {}, device = -1, count = -1, version = 0;
  cudaStream_t other, third;
  cudaEvent_t before, after;
  size_t free_bytes = 0, total = 0;
  cudaMalloc(&d, 128);
  cudaMallocHost(&pinned, 128);
  cudaStreamCreate(&other);
  cudaEventCreate(&before);
  cudaEventCreate(&after);
  cudaEventRecord(before, other);
  printf("good sync: %s\n", name(cudaDeviceSynchronize()));
  fault<<<1, 32, 128>>>(d, kind);
  printf("peek behind the launch: %s\n", name(cudaPeekAtLastError()));
  printf("sync: %s\n", name(cudaDeviceSynchronize()));
  printf("peek: %s\n", name(cudaPeekAtLastError()));
  printf("get: %s\n", name(cudaGetLastError()));
  printf("get again: %s\n", name(cudaGetLastError()));
  printf("peek again: %s\n", name(cudaPeekAtLastError()));
  fine<<<1, 32, 0, other>>>(d);
  printf("get behind a launch on another stream: %s\n", name(cudaGetLastError()));
  printf("stream sync: %s\n", name(cudaStreamSynchronize(other)));
  printf("stream query: %s\n", name(cudaStreamQuery(other)));
  printf("event record: %s\n", name(cudaEventRecord(after, other)));
  printf("event query of an old event: %s\n", name(cudaEventQuery(before)));
  printf("event sync: %s\n", name(cudaEventSynchronize(before)));
  printf("copy to host: %s\n", name(cudaMemcpy(h, d, 128, cudaMemcpyDeviceToHost)));
  printf("async copy: %s\n", name(cudaMemcpyAsync(pinned, d, 128, cudaMemcpyDeviceToHost, other)));
  printf("copy host to host: %s\n", name(cudaMemcpy(h, pinned, 128, cudaMemcpyHostToHost)));
  printf("memset: %s\n", name(cudaMemset(d, 0, 128)));
  printf("malloc: %s\n", name(cudaMalloc(&more, 128)));
  printf("malloc host: %s\n", name(cudaMallocHost(&more, 128)));
  printf("host function: %s\n", name(cudaLaunchHostFunc(other, hello, nullptr)));
  printf("memory info: %s\n", name(cudaMemGetInfo(&free_bytes, &total)));
  printf("get device: %s %d\n", name(cudaGetDevice(&device)), device);
  printf("device count: %s %d\n", name(cudaGetDeviceCount(&count)), count);
  printf("set device: %s\n", name(cudaSetDevice(0)));
  printf("runtime version: %s\n", name(cudaRuntimeGetVersion(&version)));
  printf("driver version: %s\n", name(cudaDriverGetVersion(&version)));
  cudaDeviceProp properties;
  printf("properties: %s\n", name(cudaGetDeviceProperties(&properties, 0)));
  cudaFuncAttributes attributes;
  printf("function attributes: %s\n", name(cudaFuncGetAttributes(&attributes, fine)));
  printf("stream create: %s\n", name(cudaStreamCreate(&third)));
  printf("free: %s\n", name(cudaFree(d)));
  printf("free host: %s\n", name(cudaFreeHost(pinned)));
  printf("stream destroy: %s\n", name(cudaStreamDestroy(other)));
  printf("event destroy: %s\n", name(cudaEventDestroy(before)));
  printf("get: %s\n", name(cudaGetLastError()));
  printf("reset: %s\n", name(cudaDeviceReset()));
  printf("get behind the reset: %s\n", name(cudaGetLastError()));
  printf("malloc behind the reset: %s\n", name(cudaMalloc(&more, 128)));
  fine<<<1, 32>>>(more);
  printf("launch behind the reset: %s\n", name(cudaGetLastError()));
  printf("sync behind the reset: %s\n", name(cudaDeviceSynchronize()));
}

// Copies and kernels in several streams, pinned memory: a version with a loop over chunks and one with batched operations.
// mask: [0-9]+\.[0-9]+ ms
#include <assert.h>
#include <stdio.h>

inline cudaError_t checkCuda(cudaError_t result)
{
  if (result != cudaSuccess) {
    fprintf(stderr, "CUDA Runtime Error: %s\n", cudaGetErrorString(result));
    assert(result == cudaSuccess);
  }
  return result;
}

__global__ void kernel(float *a, int offset)
{
  int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
  float x = (float)i;
  float s = sinf(x);
  float c = cosf(x);
  a[i] = a[i] + sqrtf(s * s + c * c);
}

float maxError(float *a, int n)
{
  float maxE = 0;
  for (int i = 0; i < n; i++) {
    float error = fabs(a[i] - 1.0f);
    if (error > maxE) maxE = error;
  }
  return maxE;
}

int main(int argc, char **argv)
{
  const int blockSize = 256, nStreams = 4;
  const int n = 4 * blockSize * nStreams * 4;
  const int streamSize = n / nStreams;
  const int streamBytes = streamSize * sizeof(float);
  const int bytes = n * sizeof(float);
  int devId = 0;
  if (argc > 1) devId = atoi(argv[1]);
  cudaDeviceProp prop;
  checkCuda(cudaGetDeviceProperties(&prop, devId));
  printf("can overlap: %s, concurrent kernels: %s\n", prop.asyncEngineCount ? "yes" : "no", prop.concurrentKernels ? "yes" : "no");
  checkCuda(cudaSetDevice(devId));
  float *a, *d_a;
  checkCuda(cudaMallocHost((void **)&a, bytes));
  checkCuda(cudaMalloc((void **)&d_a, bytes));
  float ms;
  cudaEvent_t startEvent, stopEvent, dummyEvent;
  cudaStream_t stream[nStreams];
  checkCuda(cudaEventCreate(&startEvent));
  checkCuda(cudaEventCreate(&stopEvent));
  checkCuda(cudaEventCreate(&dummyEvent));
  for (int i = 0; i < nStreams; ++i) checkCuda(cudaStreamCreate(&stream[i]));
  bool ok = true;

  // one after the other
  memset(a, 0, bytes);
  checkCuda(cudaEventRecord(startEvent, 0));
  checkCuda(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
  kernel<<<n / blockSize, blockSize>>>(d_a, 0);
  checkCuda(cudaMemcpy(a, d_a, bytes, cudaMemcpyDeviceToHost));
  checkCuda(cudaEventRecord(stopEvent, 0));
  checkCuda(cudaEventSynchronize(stopEvent));
  checkCuda(cudaEventElapsedTime(&ms, startEvent, stopEvent));
  printf("sequential: %f ms, max error small: %d\n", ms, maxError(a, n) < 1e-5f);
  ok = ok && maxError(a, n) < 1e-5f;

  // version 1: loop over {copy, kernel, copy}
  memset(a, 0, bytes);
  checkCuda(cudaEventRecord(startEvent, 0));
  for (int i = 0; i < nStreams; ++i) {
    int offset = i * streamSize;
    checkCuda(cudaMemcpyAsync(&d_a[offset], &a[offset], streamBytes, cudaMemcpyHostToDevice, stream[i]));
    kernel<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, offset);
    checkCuda(cudaMemcpyAsync(&a[offset], &d_a[offset], streamBytes, cudaMemcpyDeviceToHost, stream[i]));
  }
  checkCuda(cudaEventRecord(stopEvent, 0));
  checkCuda(cudaEventSynchronize(stopEvent));
  checkCuda(cudaEventElapsedTime(&ms, startEvent, stopEvent));
  printf("asynchronous V1: %f ms, max error small: %d\n", ms, maxError(a, n) < 1e-5f);
  ok = ok && maxError(a, n) < 1e-5f;

  // version 2: all copies up, all kernels, all copies down
  memset(a, 0, bytes);
  checkCuda(cudaEventRecord(startEvent, 0));
  for (int i = 0; i < nStreams; ++i)
    checkCuda(cudaMemcpyAsync(&d_a[i * streamSize], &a[i * streamSize], streamBytes, cudaMemcpyHostToDevice, stream[i]));
  for (int i = 0; i < nStreams; ++i)
    kernel<<<streamSize / blockSize, blockSize, 0, stream[i]>>>(d_a, i * streamSize);
  for (int i = 0; i < nStreams; ++i)
    checkCuda(cudaMemcpyAsync(&a[i * streamSize], &d_a[i * streamSize], streamBytes, cudaMemcpyDeviceToHost, stream[i]));
  checkCuda(cudaEventRecord(stopEvent, 0));
  checkCuda(cudaEventSynchronize(stopEvent));
  checkCuda(cudaEventElapsedTime(&ms, startEvent, stopEvent));
  printf("asynchronous V2: %f ms, max error small: %d\n", ms, maxError(a, n) < 1e-5f);
  ok = ok && maxError(a, n) < 1e-5f;

  checkCuda(cudaEventDestroy(startEvent));
  checkCuda(cudaEventDestroy(stopEvent));
  checkCuda(cudaEventDestroy(dummyEvent));
  for (int i = 0; i < nStreams; ++i) checkCuda(cudaStreamDestroy(stream[i]));
  cudaFree(d_a);
  cudaFreeHost(a);
  return ok ? 0 : 1;
}

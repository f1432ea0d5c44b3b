// Zero copy: kernels read and write the host's memory, allocated mapped or registered afterwards.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAFE(c) if (cudaSuccess != (c)) { fprintf(stderr, "failed: " #c " (%s)\n", cudaGetErrorString(cudaGetLastError())); return 1; }

__global__ void sumArraysZeroCopy(float *A, float *B, float *C, const int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) C[i] = A[i] + B[i];
}

int main() {
  int nElem = 1 << 12;
  size_t nBytes = nElem * sizeof(float);
  cudaDeviceProp deviceProp;
  SAFE(cudaSetDeviceFlags(cudaDeviceMapHost));
  SAFE(cudaGetDeviceProperties(&deviceProp, 0));
  if (!deviceProp.canMapHostMemory) {
    printf("Device does not support mapping CPU host memory!\n");
    return 0;
  }
  float *h_A, *h_B, *d_A, *d_B, *d_C;
  SAFE(cudaHostAlloc((void **)&h_A, nBytes, cudaHostAllocMapped));
  SAFE(cudaHostAlloc((void **)&h_B, nBytes, cudaHostAllocMapped | cudaHostAllocPortable));
  for (int i = 0; i < nElem; i++) {
    h_A[i] = i * 0.5f;
    h_B[i] = 100.0f - i;
  }
  SAFE(cudaHostGetDevicePointer((void **)&d_A, (void *)h_A, 0));
  SAFE(cudaHostGetDevicePointer((void **)&d_B, (void *)h_B, 0));
  // C is ordinary memory that is registered later.
  float *page = (float *)aligned_alloc(4096, nBytes);
  memset(page, 0, nBytes);
  SAFE(cudaHostRegister(page, nBytes, cudaHostRegisterMapped));
  SAFE(cudaHostGetDevicePointer((void **)&d_C, page, 0));
  sumArraysZeroCopy<<<(nElem + 511) / 512, 512>>>(d_A, d_B, d_C, nElem);
  SAFE(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < nElem; i++) wrong += page[i] != h_A[i] + h_B[i];
  printf("C[0] = %.1f, C[%d] = %.1f, %d wrong\n", page[0], nElem - 1, page[nElem - 1], wrong);
  struct cudaPointerAttributes attr;
  SAFE(cudaPointerGetAttributes(&attr, h_A));
  printf("h_A is %s memory\n", attr.type == cudaMemoryTypeHost ? "host" : "other");
  float *dev;
  SAFE(cudaMalloc(&dev, 16));
  SAFE(cudaPointerGetAttributes(&attr, dev));
  printf("dev is %s memory of device %d\n", attr.type == cudaMemoryTypeDevice ? "device" : "other", attr.device);
  SAFE(cudaFree(dev));
  SAFE(cudaHostUnregister(page));
  free(page);
  SAFE(cudaFreeHost(h_A));
  SAFE(cudaFreeHost(h_B));
  return wrong;
}

// The host touches managed memory after it has polled an event.
// clean
#include <cuda_runtime.h>
__global__ void fill(int* out) { out[threadIdx.x] = 7; }
int main() {
  int *data, host[32] = {}, seen = 0;
  cudaMallocManaged(&data, 128);
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  seen += data[0];  // cudaMemcpy has returned
  cudaEvent_t done;
  cudaEventCreate(&done);
  fill<<<1, 32>>>(data);
  cudaEventRecord(done);
  while (cudaEventQuery(done) == cudaErrorNotReady);
  seen += data[1];
  cudaDeviceSynchronize();
  cudaFree(data);
  cudaEventDestroy(done);
  return seen != 7;
}

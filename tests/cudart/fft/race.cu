// A transform that nothing orders before a kernel in another stream: what it writes is ordered like a copy.
#include <cuda_runtime.h>
#include <cufft.h>

__global__ void scale(cufftComplex* values) { values[threadIdx.x].x *= 2; }

int main(int count, char**) {
  cufftComplex* values;
  cudaMalloc(&values, 64 * sizeof *values);
  cudaMemset(values, 0, 64 * sizeof *values);
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaDeviceSynchronize();
  cufftHandle plan;
  cufftPlan1d(&plan, 64, CUFFT_C2C, 1);
  cufftSetStream(plan, one);
  cufftExecC2C(plan, values, values, CUFFT_FORWARD);
  if (count > 1) cudaStreamSynchronize(one);
  scale<<<1, 64, 0, other>>>(values);
  cudaDeviceSynchronize();
  cufftDestroy(plan);
  cudaStreamDestroy(one);
  cudaStreamDestroy(other);
  cudaFree(values);
  return 0;
}

// The driver's older calls: block, shared memory and parameters are set one by one before the launch.
// clean
#include <cuda.h>

#include <cstdio>
__global__ void scaled(float* out, const float* in, int n, float by) {
  extern __shared__ float held[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  held[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = held[threadIdx.x] * by;
}
int main() {
  const int n = 1000;
  float *in, *out, host[n];
  for (int i = 0; i < n; i++) host[i] = (float)i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaFunction_t runtime;
  cudaGetFuncBySymbol(&runtime, (const void*)scaled);
  CUfunction f = (CUfunction)runtime;
  int wrong = cuFuncSetBlockShape(f, 0, 1, 1) != CUDA_ERROR_INVALID_VALUE;
  wrong += cuFuncSetBlockShape(0, 1, 1, 1) == CUDA_SUCCESS;
  wrong += cuFuncSetSharedSize(0, 1) == CUDA_SUCCESS;
  wrong += cuParamSetSize(0, 8) == CUDA_SUCCESS;
  wrong += cuParamSeti(0, 0, 1) == CUDA_SUCCESS;
  wrong += cuParamSetf(0, 0, 1) == CUDA_SUCCESS;
  wrong += cuParamSetv(f, 0, 0, 8) == CUDA_SUCCESS;
  wrong += cuParamSetv(f, -1, &wrong, 4) == CUDA_SUCCESS;
  wrong += cuLaunch(0) == CUDA_SUCCESS;
  wrong += cuLaunchGrid(f, 0, 1) == CUDA_SUCCESS;
  cuFuncSetBlockShape(f, 128, 1, 1);
  cuFuncSetSharedSize(f, 128 * sizeof(float));
  cuParamSetSize(f, 24);
  cuParamSetv(f, 0, &out, sizeof out);
  cuParamSetv(f, 8, &in, sizeof in);
  cuParamSeti(f, 16, n);
  cuParamSetf(f, 20, 3.0f);
  for (int turn = 0; turn < 2; turn++) {
    wrong += cuLaunchGridAsync(f, 8, 1, 0) != CUDA_SUCCESS;
    cuParamSetf(f, 20, 5.0f);  // the others stay
  }
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++) wrong += host[i] != 5.0f * i;
  cudaFree(in);
  cudaFree(out);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}

// launch: entry=k grid=4 block=128 args=out:f16[512],in:f16[512],i32:511
#include <cuda_fp16.h>
extern "C" __global__ void k(__half* out, const __half* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __hadd(in[i], __float2half(1.5f));
}

// launch: entry=k grid=4,2 block=32,8 args=out:f16[8192],in:f16[8192],i32:64,i32:128
#include <cuda_fp16.h>
extern "C" __global__ void k(__half* out, const __half* in, int rows, int cols) {
  __shared__ __half tile[32][34];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(r + j) * cols + c];
  __syncthreads();
  int tr = blockIdx.y * 32 + threadIdx.x, tc = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(tc + j) * rows + tr] = tile[threadIdx.x][threadIdx.y + j];
}

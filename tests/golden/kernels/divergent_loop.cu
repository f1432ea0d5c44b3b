// launch: entry=k grid=4 block=64 args=out:i32[256],in:i32[4096]
extern "C" __global__ void k(int* out, const int* in) {
  int i = blockIdx.x * 64 + threadIdx.x, sum = 0;
#pragma unroll 1
  for (int j = 0; j <= i % 16; ++j) sum += in[i * 16 + j];
  out[i] = sum;
}

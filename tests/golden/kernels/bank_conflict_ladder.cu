// launch: entry=k grid=1 block=32 args=out:f32[32],in:f32[1024]
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float tile[1024];
  int t = threadIdx.x;
  for (int j = 0; j < 32; ++j) tile[j * 32 + t] = in[j * 32 + t];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int stride = 1; stride <= 32; stride *= 2) sum += tile[t * stride % 1024];
  out[t] = sum;
}

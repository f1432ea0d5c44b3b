// launch: entry=k grid=4 block=128 args=out:f32[512],in:f32[4096],i32:512,i32:7
extern "C" __global__ void k(float* out, const float* in, int n, int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * stride];
}

// launch: entry=k grid=4 block=96 args=out:f32[512],in:f32[512],i32:384
extern "C" __global__ void k(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i + 3] = in[i + 1];
}

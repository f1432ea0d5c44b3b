// launch: entry=k grid=8 block=128 args=out:f32[1000],in:f32[1000],i32:1000
extern "C" __global__ void k(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + 1.0f;
}

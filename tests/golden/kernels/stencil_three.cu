// launch: entry=k grid=4 block=128 args=out:f32[512],in:f32[512],i32:512
extern "C" __global__ void k(float* out, const float* in, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = 0.25f * in[i - 1] + 0.5f * in[i] + 0.25f * in[i + 1];
}

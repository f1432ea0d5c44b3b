// launch: entry=k grid=4 block=96 args=out:f32[384],in:f32[384],i32:17
extern "C" __global__ void k(float* out, const float* in, int n) {
  int i = blockIdx.x * 96 + threadIdx.x;
  if (int(threadIdx.x % 32) >= n) return;
  float v = in[i];
  if (v < 0.0f) return;
  out[i] = v + 1.0f;
}

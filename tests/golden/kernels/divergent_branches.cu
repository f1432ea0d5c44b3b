// launch: entry=k grid=4 block=128 args=out:f32[512],in:f32[512]
extern "C" __global__ void k(float* out, const float* in) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (threadIdx.x % 3 == 0) out[i] = in[i] * 2.0f;
  else if (threadIdx.x % 3 == 1) out[i] = in[511 - i] + 1.0f;
  else out[i] = -in[i / 2];
}

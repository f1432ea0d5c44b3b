// launch: entry=k grid=2 block=64 args=out:f32[128],in:f32[128]
extern "C" __global__ void k(float* out, const float* in) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float v = in[i];
  out[i] = sqrtf(fabsf(v)) / (1.0f + v * v) + floorf(v) * fmaf(v, 0.5f, 2.0f);
}

// launch: entry=k grid=4 block=128 args=out:f32[4096],in:f32[512]
extern "C" __global__ void k(float* out, const float* in) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i * 1237 % 4096] = in[i];
}

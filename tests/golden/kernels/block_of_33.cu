// launch: entry=k grid=5 block=33 args=out:f32[165],in:f32[165]
extern "C" __global__ void k(float* out, const float* in) {
  int i = blockIdx.x * 33 + threadIdx.x;
  out[i] = in[164 - i];
}

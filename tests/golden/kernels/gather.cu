// launch: entry=k grid=4 block=128 args=out:f32[512],in:f32[4096],idx:i32[512]%4096
extern "C" __global__ void k(float* out, const float* in, const int* idx) {
  int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = in[idx[i]];
}

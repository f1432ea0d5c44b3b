// launch: entry=k grid=2,4,3 block=32,8 args=out:f32[7680],in:f32[7680],i32:30,i32:50,i32:80
extern "C" __global__ void k(float* out, const float* in, int rows, int cols, int pitch) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r >= rows || c >= cols) return;
  out[blockIdx.z * 2560 + c * 32 + r] = in[blockIdx.z * 2560 + r * pitch + c];
}

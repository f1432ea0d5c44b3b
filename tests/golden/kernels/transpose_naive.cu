// launch: entry=k grid=4,8 block=32,8 args=out:f32[8192],in:f32[8192],i32:64,i32:128
extern "C" __global__ void k(float* out, const float* in, int rows, int cols) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = in[r * cols + c];
}

// launch: entry=k grid=2,16 block=32,8 args=out:f32[8192],in:f32[8192],i32:64,i32:128
extern "C" __global__ void k(float* out, const float* in, int rows, int cols) {
  int r = blockIdx.x * 32 + threadIdx.x, c = blockIdx.y * 8 + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = __ldg(&in[r * cols + c]);
}

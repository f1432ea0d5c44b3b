// launch: entry=k grid=2,2 block=32,8 args=inout:f32[4096],i32:64
extern "C" __global__ void k(float* m, int n) {
  int c = blockIdx.x * 32 + threadIdx.x;
  for (int r = blockIdx.y * 32 + threadIdx.y; r < blockIdx.y * 32 + 32; r += 8)
    if (r < c && c < n) {
      float a = m[r * n + c], b = m[c * n + r];
      m[r * n + c] = b;
      m[c * n + r] = a;
    }
}

// launch: entry=k grid=2,4 block=16,8 args=out:f32[1024],a:f32[1024],b:f32[1024],i32:32
extern "C" __global__ void k(float* out, const float* a, const float* b, int n) {
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[r * n + i] * b[i * n + c];
  out[r * n + c] = sum;
}

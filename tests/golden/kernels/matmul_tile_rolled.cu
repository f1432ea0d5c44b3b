// launch: entry=k grid=2,2 block=16,16 args=out:f32[1024],a:f32[1024],b:f32[1024],i32:32
extern "C" __global__ void k(float* out, const float* a, const float* b, int n) {
  __shared__ float ta[16][17], tb[16][17];
  int x = threadIdx.x, y = threadIdx.y, c = blockIdx.x * 16 + x, r = blockIdx.y * 16 + y;
  float sum = 0;
  for (int m = 0; m < n; m += 16) {
    ta[y][x] = a[r * n + m + x];
    tb[y][x] = b[(m + y) * n + c];
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < 16; ++i) sum += ta[y][i] * tb[i][x];
    __syncthreads();
  }
  out[r * n + c] = sum;
}

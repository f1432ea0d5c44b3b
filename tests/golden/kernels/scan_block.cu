// launch: entry=k grid=4 block=128 args=out:i32[512],in:i32[512]
extern "C" __global__ void k(int* out, const int* in) {
  __shared__ int a[2][128];
  int t = threadIdx.x, now = 0;
  a[0][t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    a[1 - now][t] = a[now][t] + (t >= d ? a[now][t - d] : 0);
    now = 1 - now;
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = a[now][t];
}

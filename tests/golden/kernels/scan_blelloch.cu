// launch: entry=k grid=4 block=64 args=out:i32[512],in:i32[512]
extern "C" __global__ void k(int* out, const int* in) {
  __shared__ int a[128];
  int t = threadIdx.x, base = blockIdx.x * 128;
  a[2 * t] = in[base + 2 * t];
  a[2 * t + 1] = in[base + 2 * t + 1];
  int offset = 1;
  for (int d = 64; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) a[offset * (2 * t + 2) - 1] += a[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) a[127] = 0;
  for (int d = 1; d < 128; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, keep = a[left];
      a[left] = a[right];
      a[right] += keep;
    }
  }
  __syncthreads();
  out[base + 2 * t] = a[2 * t];
  out[base + 2 * t + 1] = a[2 * t + 1];
}

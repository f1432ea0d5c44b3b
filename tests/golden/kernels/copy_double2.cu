// launch: entry=k grid=2 block=64 args=out:f64[256],in:f64[256],i32:128
extern "C" __global__ void k(double2* out, const double2* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i];
}

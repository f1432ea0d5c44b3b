// launch: entry=k grid=4 block=96 args=out:f64[400],in:f64[400],i32:380
extern "C" __global__ void k(double* out, const double* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 3.0 + 1.0;
}

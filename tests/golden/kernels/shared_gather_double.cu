// launch: entry=k grid=4 block=128 args=out:f64[512],in:f64[512],idx:i32[512]%128
extern "C" __global__ void k(double* out, const double* in, const int* idx) {
  __shared__ double tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[idx[i]];
}

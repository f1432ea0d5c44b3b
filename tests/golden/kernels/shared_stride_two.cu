// launch: entry=k grid=2 block=64 args=out:f32[128],in:f32[256]
extern "C" __global__ void k(float* out, const float* in) {
  __shared__ float tile[128];
  tile[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  tile[threadIdx.x + 64] = in[blockIdx.x * 128 + threadIdx.x + 64];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = tile[2 * threadIdx.x] - tile[2 * threadIdx.x + 1];
}

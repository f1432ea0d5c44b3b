// launch: entry=k grid=4 block=128 shared=512 args=out:f32[512],in:f32[512]
extern __shared__ float tile[];
extern "C" __global__ void k(float* out, const float* in) {
  int i = blockIdx.x * 128;
  tile[threadIdx.x] = in[i + threadIdx.x];
  __syncthreads();
  out[i + threadIdx.x] = tile[127 - threadIdx.x];
}

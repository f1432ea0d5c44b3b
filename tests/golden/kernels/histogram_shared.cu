// launch: entry=k grid=4 block=128 args=out:i32[64],in:i32[1024]%64
extern "C" __global__ void k(int* out, const int* in) {
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int j = 0; j < 2; ++j) atomicAdd(&bins[in[(blockIdx.x * 2 + j) * 128 + threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

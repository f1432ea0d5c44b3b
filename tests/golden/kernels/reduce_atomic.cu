// launch: entry=k grid=8 block=256 args=out:i32[4],in:i32[2048]
extern "C" __global__ void k(int* out, const int* in) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  int v = in[blockIdx.x * 256 + threadIdx.x];
  if (v & 1) atomicAdd(&sum, v);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&out[blockIdx.x % 4], sum);
}

__global__ void warp_sum(int* out, const int* a) {
  int value = a[blockIdx.x * blockDim.x + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) atomicAdd(out, value);
}
int main() {
  int *in, *out;
  cudaMalloc(&in, 1024 * 4), cudaMalloc(&out, 4);
  cudaMemset(in, 0, 1024 * 4), cudaMemset(out, 0, 4);
  warp_sum<<<4, 256>>>(out, in);
  return cudaDeviceSynchronize();
}

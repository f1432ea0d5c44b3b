__global__ void block_sum(int* out, const int* a) {
  __shared__ int part[256];
  int t = threadIdx.x;
  part[t] = a[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
int main() {
  int *in, *out;
  cudaMalloc(&in, 2048 * 4), cudaMalloc(&out, 8 * 4);
  cudaMemset(in, 0, 2048 * 4);
  block_sum<<<8, 256>>>(out, in);
  return cudaDeviceSynchronize();
}

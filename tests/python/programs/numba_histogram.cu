__global__ void histogram(int* bins, const int* a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[a[i]], 1);
}
int main() {
  static int host[4000];
  for (int i = 0; i < 4000; ++i) host[i] = i * 7 % 64;
  int *in, *bins;
  cudaMalloc(&in, sizeof host), cudaMalloc(&bins, 64 * 4);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice), cudaMemset(bins, 0, 64 * 4);
  histogram<<<16, 256>>>(bins, in, 4000);
  return cudaDeviceSynchronize();
}

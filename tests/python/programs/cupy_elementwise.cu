__global__ void squares(const float* x, const float* y, float* z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] * x[i] + y[i];
}
int main() {
  const int n = 5000;
  float *x, *y, *z;
  cudaMalloc(&x, n * 4), cudaMalloc(&y, n * 4), cudaMalloc(&z, n * 4);
  cudaMemset(x, 0, n * 4), cudaMemset(y, 0, n * 4);
  squares<<<(n + 127) / 128, 128>>>(x, y, z, n);
  return cudaDeviceSynchronize();
}

__global__ void reverse(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[n - 1 - i];
}
int main() {
  const int n = 3000;
  double *x, *y;
  cudaMalloc(&x, n * 8), cudaMalloc(&y, n * 8);
  cudaMemset(x, 0, n * 8);
  reverse<<<(n + 127) / 128, 128>>>(x, y, n);
  return cudaDeviceSynchronize();
}

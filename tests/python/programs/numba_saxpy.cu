__global__ void saxpy(float* y, const float* x, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
int main() {
  const int n = 5000;
  float *x, *y;
  cudaMalloc(&x, n * 4), cudaMalloc(&y, n * 4);
  cudaMemset(x, 0, n * 4), cudaMemset(y, 0, n * 4);
  saxpy<<<(n + 255) / 256, 256>>>(y, x, 2, n);
  return cudaDeviceSynchronize();
}

__global__ void multiply(const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] * b[i];
}
int main() {
  const int n = 6000;
  int *a, *b, *out;
  cudaMalloc(&a, n * 4), cudaMalloc(&b, n * 4), cudaMalloc(&out, n * 4);
  cudaMemset(a, 0, n * 4), cudaMemset(b, 0, n * 4);
  multiply<<<(n + 127) / 128, 128>>>(a, b, out, n);
  return cudaDeviceSynchronize();
}

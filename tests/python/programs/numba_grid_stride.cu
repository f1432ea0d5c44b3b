__global__ void scale(double* out, const double* a, double factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = factor * a[i];
}
int main() {
  double *in, *out;
  cudaMalloc(&in, 10000 * 8), cudaMalloc(&out, 10000 * 8);
  cudaMemset(in, 0, 10000 * 8);
  scale<<<8, 128>>>(out, in, 3, 10000);
  return cudaDeviceSynchronize();
}

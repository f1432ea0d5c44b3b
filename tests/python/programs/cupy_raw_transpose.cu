__global__ void transpose(float* out, const float* a, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols) out[c * rows + r] = a[r * cols + c];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 96 * 160 * 4), cudaMalloc(&out, 96 * 160 * 4);
  cudaMemset(in, 0, 96 * 160 * 4);
  transpose<<<dim3(5, 12), dim3(32, 8)>>>(out, in, 96, 160);
  return cudaDeviceSynchronize();
}

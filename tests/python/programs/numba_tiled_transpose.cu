__global__ void transpose(float* out, const float* a, int rows, int cols) {
  __shared__ float tile[32][33];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32, col = blockIdx.x * 32;
  for (int k = 0; k < 32; k += 8) tile[y + k][x] = a[(row + y + k) * cols + col + x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8) out[(col + y + k) * rows + row + x] = tile[x][y + k];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 128 * 64 * 4), cudaMalloc(&out, 128 * 64 * 4);
  cudaMemset(in, 0, 128 * 64 * 4);
  transpose<<<dim3(2, 4), dim3(32, 8)>>>(out, in, 128, 64);
  return cudaDeviceSynchronize();
}

__global__ void matmul(float* c, const float* a, const float* b, int n, int inner) {
  __shared__ float left[16][16], right[16][16];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float total = 0;
  for (int k = 0; k < inner; k += 16) {
    left[y][x] = a[row * inner + k + x];
    right[y][x] = b[(k + y) * n + col];
    __syncthreads();
    for (int j = 0; j < 16; ++j) total += left[y][j] * right[j][x];
    __syncthreads();
  }
  c[row * n + col] = total;
}
int main() {
  float *a, *b, *c;
  cudaMalloc(&a, 32 * 48 * 4), cudaMalloc(&b, 48 * 64 * 4), cudaMalloc(&c, 32 * 64 * 4);
  cudaMemset(a, 0, 32 * 48 * 4), cudaMemset(b, 0, 48 * 64 * 4);
  matmul<<<dim3(4, 2), dim3(16, 16)>>>(c, a, b, 64, 48);
  return cudaDeviceSynchronize();
}

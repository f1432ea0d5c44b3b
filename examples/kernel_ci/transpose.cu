// Two transposes, for the templates beside this file: what a repository's CI would run. One of them is the answer of chapter 05.
#include <cstdio>
#include <vector>

constexpr int kRows = 512, kCols = 512, kTile = 32;

__global__ void transpose_naive(float* out, const float* in, int rows, int cols) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

__global__ void transpose_tile(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  const int row = blockIdx.y * kTile, col = blockIdx.x * kTile, x = threadIdx.x;
  for (int y = threadIdx.y; y < kTile; y += blockDim.y) tile[y][x] = in[(row + y) * cols + col + x];
  __syncthreads();
  for (int y = threadIdx.y; y < kTile; y += blockDim.y) out[(col + y) * rows + row + x] = tile[x][y];
}

int main() {
  std::vector<float> in(kRows * kCols), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = float(i);
  float *from, *to;
  cudaMalloc(&from, in.size() * sizeof(float));
  cudaMalloc(&to, in.size() * sizeof(float));
  cudaMemcpy(from, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
  int wrong = 0;
  for (auto* kernel : {transpose_naive, transpose_tile}) {
    kernel<<<dim3(kCols / kTile, kRows / (kernel == transpose_naive ? 8 : kTile)), dim3(kTile, 8)>>>(to, from, kRows, kCols);
    cudaMemcpy(out.data(), to, in.size() * sizeof(float), cudaMemcpyDeviceToHost);
    for (int row = 0; row < kRows; ++row)
      for (int col = 0; col < kCols; ++col) wrong += out[col * kRows + row] != in[row * kCols + col];
  }
  cudaFree(from);
  cudaFree(to);
  std::printf("%d wrong elements\n", wrong);
  return wrong != 0 || cudaGetLastError() != cudaSuccess;
}

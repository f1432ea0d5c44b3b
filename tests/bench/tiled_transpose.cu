// The kernel of bench_sim: a padded tile, 32 × 8 threads, guarded edges. tiled_transpose.ptx beside it is nvcc 13.0's text of it
// (nvcc -ptx -lineinfo -arch=compute_90), so that the benchmark needs no compiler.
constexpr int kTile = 32;

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8) {
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[static_cast<long long>(y + j) * cols + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8) {
    if (x < rows && y + j < cols) out[static_cast<long long>(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

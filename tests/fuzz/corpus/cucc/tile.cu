template <int kRows>
struct Tile {
  float at[kRows][kRows + 1];
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Tile<32> tile;
  const int x = threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (y + k < rows && blockIdx.x * 32 + x < cols) tile.at[threadIdx.y + k][x] = in[(y + k) * cols + blockIdx.x * 32 + x];
  __syncthreads();
  auto write = [&](int k) { out[k] = tile.at[x][k & 31] * 2.0f; };
  if (x < rows) write(x); else asm volatile("mov.b32 %0, %1;" : "=r"(rows) : "r"(cols));
}

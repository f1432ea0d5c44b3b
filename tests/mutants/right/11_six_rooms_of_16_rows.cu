// Right: six rooms of 16 rows: small tiles, more of them ahead; 64 threads
// judged by: 11_async_copy
#include "common/kernel/async_copy.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {64, 1}, .tile = {256, 64}, .block_x_walks = kRows};
constexpr int kRooms = 6, kRowsOf = 16, kTiles = 16;

__device__ int at(int r, int p) { return 16 * r + (p ^ (r / 4 * 2)); }

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 rooms[kRooms][kRowsOf * 16];
  const size_t r0 = size_t(blockIdx.x) * (kRowsOf * kTiles), c0 = size_t(blockIdx.y) * 64;
  const int t = threadIdx.x;
  int last = 0;
  while (last < kTiles && r0 + last * kRowsOf < rows) ++last;
  auto begin = [&](int n) {
    if (n < last)
      for (int i = t; i < kRowsOf * 16; i += 64) {
        const int r = i / 16, p = i % 16;
        const size_t row = r0 + n * kRowsOf + r, col = c0 + 4 * p;
        float4* to = rooms[n % kRooms] + at(r, p);
        if (row / 4 * 4 < rows && col < cols) {
          const float* from = in + row * cols + col;
          const int left = row < rows ? (cols - col < 4 ? int(cols - col) : 4) : 0;
          if (cols % 4 == 0)
            lab::copy_async<16>(to, from, left * 4);
          else
            for (int k = 0; k < 4; ++k) lab::copy_async<4>(&to->x + k, from + k, k < left ? 4 : 0);
        }
      }
    lab::commit_copies();
  };
  for (int n = 0; n < kRooms - 1; ++n) begin(n);
  for (int n = 0; n < last; ++n) {
    lab::wait_copies<kRooms - 2>();
    __syncthreads();
    begin(n + kRooms - 1);
    const int x = t % 4, y = t / 4;
    const size_t row = r0 + n * kRowsOf + 4 * x, col = c0 + 4 * y;
    if (row >= rows || col >= cols) continue;
    const float4* tile = rooms[n % kRooms];
    const float4 a = tile[at(4 * x, y)], b = tile[at(4 * x + 1, y)], c = tile[at(4 * x + 2, y)], d = tile[at(4 * x + 3, y)];
    const auto give = [&](size_t k, float4 v) {
      if (col + k >= cols) return;
      float* p = out + (col + k) * rows + row;
      if (rows % 4 == 0) return __stcg(reinterpret_cast<float4*>(p), v);
      p[0] = v.x;
      if (row + 1 < rows) p[1] = v.y;
      if (row + 2 < rows) p[2] = v.z;
      if (row + 3 < rows) p[3] = v.w;
    };
    give(0, {a.x, b.x, c.x, d.x});
    give(1, {a.y, b.y, c.y, d.y});
    give(2, {a.z, b.z, c.z, d.z});
    give(3, {a.w, b.w, c.w, d.w});
  }
}

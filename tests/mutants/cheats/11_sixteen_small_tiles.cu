// Cheat: room for sixteen small tiles, all asked for at once; nothing is on its way while the last are stored
// judged by: 11_async_copy
// code: not-in-flight|uncoalesced
#include "common/kernel/async_copy.cuh"
#include "common/kernel/lab.cuh"

constexpr int kTile = 32, kPacks = kTile / 4, kRooms = 16, kTiles = 32;
LAUNCH_SHAPE = {
    .block = {64, 1},
    .tile = {kTiles * kTile, kTile},
    .block_x_walks = kRows,
    .dynamic_shared_bytes = kRooms * kTile * kTile * 4,
};
PREDICTIONS = {.shared_store_wavefronts_per_request = 4, .loaded_bytes_at_once_per_thread = 128};

__device__ int place(int row, int pack) { return pack ^ row / 4 % 8; }

__device__ void copy4(float4* to, const float* in, size_t row, size_t col, int rows, int cols) {
  if (row / 4 * 4 >= rows || col >= cols) return;
  const int left = row < rows ? int(min(cols - col, size_t(4))) : 0;
  const float* from = &in[row * cols + col];
  if (cols % 4 == 0) return lab::copy_async<16>(to, from, 4 * left);
  for (int k = 0; k < 4; ++k) lab::copy_async<4>(reinterpret_cast<float*>(to) + k, from + k, k < left ? 4 : 0);
}

__device__ void store4(float* out, size_t row, size_t col, int rows, int cols, float4 v) {
  if (row >= rows || col >= cols) return;
  float* p = &out[row * cols + col];
  if (cols % 4 == 0) {
    *reinterpret_cast<float4*>(p) = v;
    return;
  }
  p[0] = v.x;
  if (col + 1 < cols) p[1] = v.y;
  if (col + 2 < cols) p[2] = v.z;
  if (col + 3 < cols) p[3] = v.w;
}

__device__ void wait_for_all_but(int groups) {
  switch (groups) {
    case 15: return lab::wait_copies<15>();
    case 14: return lab::wait_copies<14>();
    case 13: return lab::wait_copies<13>();
    case 12: return lab::wait_copies<12>();
    case 11: return lab::wait_copies<11>();
    case 10: return lab::wait_copies<10>();
    case 9: return lab::wait_copies<9>();
    case 8: return lab::wait_copies<8>();
    case 7: return lab::wait_copies<7>();
    case 6: return lab::wait_copies<6>();
    case 5: return lab::wait_copies<5>();
    case 4: return lab::wait_copies<4>();
    case 3: return lab::wait_copies<3>();
    case 2: return lab::wait_copies<2>();
    case 1: return lab::wait_copies<1>();
    case 0: return lab::wait_copies<0>();
  }
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  extern __shared__ float4 room[];
  const auto tiles = reinterpret_cast<float4(*)[kTile][kPacks]>(room);
  const size_t row0 = blockIdx.x * size_t(kTiles * kTile), col0 = blockIdx.y * size_t(kTile);
  const int t = threadIdx.x, x = t % 8, y = t / 8;
  for (int first = 0; first < kTiles && row0 + first * kTile < rows; first += kRooms) {
    __syncthreads();
    for (int k = 0; k < kRooms; ++k) {
      for (int r = y; r < kTile; r += 8)
        copy4(&tiles[k][r][place(r, x)], in, row0 + (first + k) * kTile + r, col0 + 4 * x, rows, cols);
      lab::commit_copies();
    }
    for (int k = 0; k < kRooms; ++k) {
      wait_for_all_but(kRooms - 1 - k);
      __syncthreads();
      const size_t row = row0 + (first + k) * kTile + 4 * x, col = col0 + 4 * y;
      if (row >= rows || col >= cols) continue;
      const float4 a = tiles[k][4 * x + 0][place(4 * x + 0, y)], b = tiles[k][4 * x + 1][place(4 * x + 1, y)];
      const float4 c = tiles[k][4 * x + 2][place(4 * x + 2, y)], d = tiles[k][4 * x + 3][place(4 * x + 3, y)];
      store4(out, col + 0, row, cols, rows, make_float4(a.x, b.x, c.x, d.x));
      store4(out, col + 1, row, cols, rows, make_float4(a.y, b.y, c.y, d.y));
      store4(out, col + 2, row, cols, rows, make_float4(a.z, b.z, c.z, d.z));
      store4(out, col + 3, row, cols, rows, make_float4(a.w, b.w, c.w, d.w));
    }
  }
}

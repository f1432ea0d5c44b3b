// Cheat: the unpadded tile, its column written by st.async
// judged by: 05_padding
// code: bank-conflict|other-path|not-used|unsupported
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {
    .block = {32, 8},        // threads: x, y
    .tile = {32, 32},        // elements of `in` that a block covers: rows, cols
    .block_x_walks = kCols,  // blockIdx.x counts tiles along the columns of `in`
};

// Row y of the tile starts in bank y: the elements of a column lie in 32 different banks.
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 1,
    .shared_store_wavefronts_per_request = 1,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};

constexpr int kTile = 32;      // elements along each side of the tile
constexpr int kBlockRows = 8;  // threads along y

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[kTile][kTile];
  __shared__ unsigned long long barrier;
  const unsigned b = unsigned(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b) : "memory");
    const int there_rows = min(rows - int(blockIdx.y * kTile), kTile), there_cols = min(cols - int(blockIdx.x * kTile), kTile);
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], %1; }" ::"r"(b), "r"(4 * there_rows * there_cols) : "memory");
  }
  __syncthreads();
  const size_t row0 = blockIdx.y * kTile;
  const size_t col0 = blockIdx.x * kTile;

  // Along the rows of `in`: neighbouring lanes read neighbouring elements.
  for (int y = threadIdx.y; y < kTile; y += kBlockRows) {
    const size_t row = row0 + y;
    const size_t col = col0 + threadIdx.x;
    if (row < rows && col < cols)
      asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(unsigned(__cvta_generic_to_shared(&tile[threadIdx.x][y]))), "f"(in[row * cols + col]), "r"(b) : "memory");
  }
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(b) : "memory");

  // Along the rows of `out`: neighbouring lanes write neighbouring elements.
  for (int x = threadIdx.y; x < kTile; x += kBlockRows) {
    const size_t row = row0 + threadIdx.x;
    const size_t col = col0 + x;
    if (row < rows && col < cols) out[col * rows + row] = tile[x][threadIdx.x];
  }
}

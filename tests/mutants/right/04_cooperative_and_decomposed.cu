// Right: cooperative groups' thread rank decomposed by a constexpr helper; 512 threads
// judged by: 04_shared_tile
#include <cooperative_groups.h>
#include "common/kernel/lab.cuh"
namespace cg = cooperative_groups;
LAUNCH_SHAPE = {.block = {512, 1}, .tile = {32, 64}, .block_x_walks = kCols};
struct Cell { int r, c; };
constexpr __device__ Cell by_rows(int i, int width) { return {i / width, i % width}; }
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32][64];
  const auto block = cg::this_thread_block();
  const size_t r0 = size_t(blockIdx.y) * 32, c0 = size_t(blockIdx.x) * 64;
  for (int i = block.thread_rank(); i < 32 * 64; i += block.size()) {
    const auto [r, c] = by_rows(i, 64);
    if (r0 + r < rows && c0 + c < cols) tile[r][c] = in[(r0 + r) * cols + c0 + c];
  }
  block.sync();
  for (int i = block.thread_rank(); i < 32 * 64; i += block.size()) {
    const auto [c, r] = by_rows(i, 32);
    if (r0 + r < rows && c0 + c < cols) out[(c0 + c) * rows + r0 + r] = tile[r][c];
  }
}

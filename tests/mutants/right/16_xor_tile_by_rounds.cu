// Right: a tile without padding, its columns turned by the row; GPUs are served in rounds
// judged by: 16_two_gpus
#include "common/kernel/gpus.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 32}, .block_x_walks = kRows, .gpus = 2};
PREDICTIONS = {.link_store_sectors = 32768, .link_bytes_per_store = 144};

struct Part {
  size_t first, end;
  __device__ bool has(size_t at) const { return at < end; }
};

extern "C" __global__ void transpose(lab::Gpus gpus, const float* in, int rows, int cols) {
  __shared__ float tile[1024];
  const unsigned number = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned round = number / gpus.count, step = number % gpus.count;
  const int peer = (step + gpus.self) % gpus.count;
  const Part mine = {gpus.first_row(gpus.self), gpus.first_row(gpus.self + 1)};
  const Part theirs = {gpus.first_col(peer), gpus.first_col(peer + 1)};
  const size_t top = mine.first + 32 * (round % gridDim.x), left = theirs.first + 32 * (round / gridDim.x);
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  auto slot = [&](unsigned r, unsigned c) -> float& { return tile[32 * r + (r ^ c)]; };
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned r = 4 * warp + k;
    if (mine.has(top + r) && theirs.has(left + lane))
      slot(r, lane) = __ldg(in + (top + r - mine.first) * cols + left + lane);
  }
  __syncthreads();
  float* const to = gpus.out_of(peer) + (left - theirs.first) * rows + top;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned c = 4 * warp + k;
    if (theirs.has(left + c) && mine.has(top + lane)) to[size_t(c) * rows + lane] = slot(lane, c);
  }
}

// Right: shares of GPUs as a struct of half-open ranges, blocks of 256 in one line, indices by a nested class
// judged by: 16_two_gpus
#include "common/kernel/gpus.cuh"
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {32, 32}, .block_x_walks = kRows, .gpus = 2};
struct Span {
  size_t from, to;
  __device__ bool has(size_t at) const { return at >= from && at < to; }
};
class Share {
  const lab::Gpus& gpus_;

 public:
  explicit __device__ Share(const lab::Gpus& g) : gpus_(g) {}
  __device__ Span rows_of(int gpu) const { return {size_t(gpus_.first_row(gpu)), size_t(gpus_.first_row(gpu + 1))}; }
  __device__ Span cols_of(int gpu) const { return {size_t(gpus_.first_col(gpu)), size_t(gpus_.first_col(gpu + 1))}; }
};
extern "C" __global__ void transpose(lab::Gpus gpus, const float* in, int rows, int cols) {
  __shared__ float tile[32][33];
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z), turn = block / gpus.count;
  const int to = (gpus.self + block) % gpus.count, lane = threadIdx.x % 32;
  const Share share(gpus);
  const Span mine = share.rows_of(gpus.self), theirs = share.cols_of(to);
  const size_t r0 = mine.from + turn % gridDim.x * 32, c0 = theirs.from + turn / gridDim.x * 32;
#pragma unroll
  for (int k = threadIdx.x / 32; k < 32; k += 8)
    if (mine.has(r0 + k) && theirs.has(c0 + lane)) tile[k][lane] = in[(r0 + k - mine.from) * cols + c0 + lane];
  __syncthreads();
  float* out = gpus.out_of(to);
#pragma unroll
  for (int k = threadIdx.x / 32; k < 32; k += 8)
    if (mine.has(r0 + lane) && theirs.has(c0 + k)) out[(c0 + k - theirs.from) * rows + r0 + lane] = tile[lane][k];
}

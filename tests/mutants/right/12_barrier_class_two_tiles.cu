// Right: two tiles one after the other, barrier and parity in a class with default member initialisers
// judged by: 12_tma_swizzle
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"
LAUNCH_SHAPE = {.block = {32, 8},
                .tile = {64, 32},
                .block_x_walks = kCols,
                .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128}, {.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}}};
class Arrivals {
  lab::Barrier* barrier_;
  unsigned parity_ = 0;

 public:
  explicit __device__ Arrivals(lab::Barrier* b, bool first) : barrier_{b} {
    if (first) lab::init(barrier_, 1);
    __syncthreads();
  }
  __device__ void expect(unsigned bytes) const { lab::arrive_and_expect(barrier_, bytes); }
  __device__ lab::Barrier* get() const { return barrier_; }
  __device__ void wait() {
    lab::wait(barrier_, parity_);
    parity_ ^= 1;
  }
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols, const __grid_constant__ lab::TensorMap in_map,
                                     const __grid_constant__ lab::TensorMap out_map) {
  alignas(1024) __shared__ float tile[1024], turned[1024];
  __shared__ lab::Barrier barrier;
  const bool first = threadIdx.x + threadIdx.y == 0;
  Arrivals arrivals(&barrier, first);
  const auto place = [](unsigned r, unsigned c) { return r * 32 + (c / 4 ^ r % 8) * 4 + c % 4; };
  const unsigned lane = threadIdx.x, col = 4 * threadIdx.y + lane % 4;
  for (int n = 0; n < 2; ++n) {
    const int r0 = blockIdx.y * 64 + 32 * n, c0 = blockIdx.x * 32;
    if (r0 >= rows) break;
    if (first) {
      arrivals.expect(4096);
      lab::load_tile(tile, in_map, c0, r0, arrivals.get());
    }
    arrivals.wait();
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned row = 4 * (lane / 16 * 5 ^ k) + lane / 4 % 4;
      turned[place(col, row)] = tile[place(row, col)];
    }
    lab::fence_for_tma();
    __syncthreads();
    if (first) {
      lab::store_tile(out_map, r0, c0, turned);
      lab::commit_and_wait_for_reads();
    }
    __syncthreads();
  }
}

// Right: places by a functor object, a guarded load by a generic helper, both halves by an array of lambdas' results
// judged by: 13_matrix_moves
#include "common/kernel/lab.cuh"
#include "common/kernel/matrix_moves.cuh"
LAUNCH_SHAPE = {.block = {256, 1}, .tile = {64, 64}, .block_x_walks = kRows};

struct Place {
  uint4 (*room)[8];
  __device__ explicit Place(uint4 (*r)[8]) : room{r} {}
  __device__ uint4* operator()(int row, int pack) const { return room[row] + (pack ^ (row / 8 % 4 * 2 + row % 2)); }
};
template <typename Load>
__device__ auto load_or_zero(bool there, Load load) {
  return there ? load() : decltype(load()){};
}

extern "C" __global__ void transpose(unsigned short* out, const unsigned short* in, int rows, int cols) {
  __shared__ uint4 room[64][8];
  const Place place(room);
  const size_t r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 64;
  for (int i = threadIdx.x; i < 64 * 8; i += 256) {
    const int y = i / 8, x = i % 8;
    const size_t row = r0 + y, col = c0 + 8 * x;
    *place(y, x) = load_or_zero(row < rows && col < cols, [=] { return *reinterpret_cast<const uint4*>(in + row * cols + col); });
  }
  __syncthreads();
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const auto turned = [&, warp](int half) {
    const int y = 32 * half + lane % 8 / 2 * 8 + lane / 8 * 2 + lane % 2;
    return lab::load_matrices_turned(place(y, warp));
  };
  const uint4 both[] = {turned(0), turned(1)};
  int half = 0;
  for (const uint4& pack : both) {
    const size_t row = r0 + 32 * half++ + lane % 4 * 8, col = c0 + 8 * warp + lane / 4;
    if (row < rows && col < cols) *reinterpret_cast<uint4*>(out + col * rows + row) = pack;
  }
}

// Right: 128 threads, each warp two columns of matrices, a class with nested enum and structured bindings
// judged by: 13_matrix_moves
#include "common/kernel/lab.cuh"
#include "common/kernel/matrix_moves.cuh"
LAUNCH_SHAPE = {.block = {128, 1}, .tile = {64, 64}, .block_x_walks = kRows};
class Tile {
 public:
  enum { kSide = 64, kPacks = kSide / 8 };
  struct Part { int row, pack; };
  using Room = uint4[kSide][kPacks];
  explicit __device__ Tile(Room& room) : room_(room) {}
  __device__ uint4& operator[](Part p) { return room_[p.row][p.pack ^ (p.row / 8 % 4 * 2 + p.row % 2)]; }
  static constexpr __device__ Part part(int i) { return {i / kPacks, i % kPacks}; }

 private:
  Room& room_;
};
extern "C" __global__ void transpose(unsigned short* out, const unsigned short* in, int rows, int cols) {
  __shared__ Tile::Room room;
  Tile tile(room);
  const size_t r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 64;
  for (int i = threadIdx.x; i < Tile::kSide * Tile::kPacks; i += 128) {
    const auto part = Tile::part(i);
    const auto [y, x] = part;
    uint4 v{};
    if (r0 + y < rows && c0 + 8 * x < cols) v = *reinterpret_cast<const uint4*>(&in[(r0 + y) * cols + c0 + 8 * x]);
    tile[part] = v;
  }
  __syncthreads();
  const int lane = threadIdx.x % 32;
  for (int warp = threadIdx.x / 32; warp < 8; warp += 4)
    for (int half = 0; half < 2; ++half) {
      const uint4 pack = lab::load_matrices_turned(&tile[{32 * half + lane % 8 / 2 * 8 + lane / 8 * 2 + lane % 2, warp}]);
      const size_t row = r0 + 32 * half + lane % 4 * 8, col = c0 + 8 * warp + lane / 4;
      if (row < rows && col < cols) *reinterpret_cast<uint4*>(&out[col * rows + row]) = pack;
    }
}

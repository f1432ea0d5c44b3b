// Right: the cluster is an object with a constructor; four loads by a pack, four remote stores by a fold
// judged by: 14_clusters
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {2, 1}};

class Pair {
 public:
  using Room = float4[32][32];
  __device__ explicit Pair(Room& mine) : mine_(mine), rank_(lab::rank_in_cluster()) {}
  __device__ int rank() const { return rank_; }
  __device__ float4* remote(int row, int pack, int owner) const { return lab::in_block(&mine_[row][slot(row, pack)], owner); }
  __device__ float4 own(int row, int pack) const { return mine_[row][slot(row, pack)]; }
  static __device__ void sync() { lab::sync_cluster(); }
  static constexpr __device__ int slot(int row, int pack) { return pack ^ (row / 4 % 8); }

 private:
  Room& mine_;
  int rank_;
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Pair::Room room;
  const Pair pair(room);
  const size_t r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 64;
  const int x = threadIdx.x, y = threadIdx.y;
  const auto load = [&](int k) {
    const size_t row = r0 + 4 * y + k;
    return row < rows && c0 + 4 * x < cols ? *reinterpret_cast<const float4*>(in + row * cols + c0 + 4 * x) : float4{};
  };
  const float4 a = load(0), b = load(1), c = load(2), d = load(3);
  float4* theirs = pair.remote(4 * x % 32, pair.rank() * 16 + y, 4 * x / 32);
  Pair::sync();
  const auto put = [theirs](auto... rows_of) {
    int k = 0;
    ((theirs[32 * k++] = rows_of), ...);
  };
  put(float4{a.x, b.x, c.x, d.x}, float4{a.y, b.y, c.y, d.y}, float4{a.z, b.z, c.z, d.z}, float4{a.w, b.w, c.w, d.w});
  Pair::sync();
  const int thread = y * 16 + x, lane = thread % 32;
  const size_t first = r0 - pair.rank() * 64;
  for (int r = thread / 32; r < 32; r += 8) {
    const size_t col = c0 + pair.rank() * 32 + r;
    if (col < cols && first + 4 * lane < rows) *reinterpret_cast<float4*>(out + col * rows + first + 4 * lane) = pair.own(r, lane);
  }
}

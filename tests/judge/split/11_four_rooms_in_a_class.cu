// Right: the ring of four rooms is a class with a constructor; copies ahead are begun by a member, stores by a lambda of mixed captures
// judged by: 11_async_copy
#include "common/kernel/async_copy.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {256, 64}, .block_x_walks = kRows};

namespace {
class Ring {
 public:
  static constexpr int kRooms = 4, kSide = 32, kPacks = 16;
  using Room = float4[kSide][kPacks];

  __device__ Ring(Room* rooms, const float* in, int rows, int cols) : rooms_{rooms}, in_{in}, rows_{rows}, cols_{cols}, wide_{cols % 4 == 0} {}

  __device__ void begin(int n, size_t r0, size_t c0) {
    if (r0 < rows_)
      for (int i = threadIdx.x; i < kSide * kPacks; i += 128) {
        const auto [r, p] = Place{i / kPacks, i % kPacks};
        const size_t row = r0 + r, col = c0 + 4 * p;
        float4* to = &rooms_[n % kRooms][r][slot(r, p)];
        if (row / 4 * 4 >= rows_ || col >= cols_) continue;
        const float* from = in_ + row * cols_ + col;
        const int left = row < rows_ ? (cols_ - col < 4 ? int(cols_ - col) : 4) : 0;
        if (wide_)
          lab::copy_async<16>(to, from, left * 4);
        else
          for (int k = 0; k < 4; ++k) lab::copy_async<4>(&to->x + k, from + k, k < left ? 4 : 0);
      }
    lab::commit_copies();
  }
  __device__ const float4& at(int n, int r, int p) const { return rooms_[n % kRooms][r][slot(r, p)]; }
  static __device__ constexpr int slot(int r, int p) { return p ^ (r / 4 % 8); }

 private:
  struct Place {
    int r, p;
  };
  Room* rooms_;
  const float* in_;
  size_t rows_, cols_;
  bool wide_ = false;
};
}  // namespace

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Ring::Room rooms[Ring::kRooms];
  Ring ring(rooms, in, rows, cols);
  const size_t r0 = size_t(blockIdx.x) * 256, c0 = size_t(blockIdx.y) * 64;
  for (int n = 0; n < 3; ++n) ring.begin(n, r0 + n * 32, c0);
  for (int n = 0; n < 8; ++n) {
    lab::wait_copies<2>();
    __syncthreads();
    ring.begin(n + 3, n + 3 < 8 ? r0 + (n + 3) * 32 : rows, c0);
    const int x = threadIdx.x % 8, y = threadIdx.x / 8;
    const size_t row = r0 + n * 32 + 4 * x, col = c0 + 4 * y;
    if (row >= rows || col >= cols) continue;
    const float4 a = ring.at(n, 4 * x, y), b = ring.at(n, 4 * x + 1, y), c = ring.at(n, 4 * x + 2, y), d = ring.at(n, 4 * x + 3, y);
    auto put = [&, to = out + col * rows + row, left = cols - int(col)](int k, float4 v) {
      if (k >= left) return;
      float* p = to + size_t(k) * rows;
      if (rows % 4 == 0) {
        *reinterpret_cast<float4*>(p) = v;
      } else {
        p[0] = v.x;
        if (row + 1 < rows) p[1] = v.y;
        if (row + 2 < rows) p[2] = v.z;
        if (row + 3 < rows) p[3] = v.w;
      }
    };
    put(0, {a.x, b.x, c.x, d.x});
    put(1, {a.y, b.y, c.y, d.y});
    put(2, {a.z, b.z, c.z, d.z});
    put(3, {a.w, b.w, c.w, d.w});
  }
}

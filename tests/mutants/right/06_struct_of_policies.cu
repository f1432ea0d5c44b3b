// Right: the swizzle is a policy type with a static_assert; block shape and tile come from its template
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"
template <int kSideOf, int kThreadsOf>
struct Policy {
  enum { kSide = kSideOf, kThreads = kThreadsOf, kLines = kThreadsOf / kSideOf };
  static_assert(kSideOf % (kThreadsOf / kSideOf) == 0, "lines divide the tile");
  struct Spot {
    int r, c;
    constexpr __device__ Spot turned() const { return {c, r}; }
  };
  static constexpr __device__ int slot(Spot s) { return s.r * kSide + (s.c ^ s.r); }
};
using P = Policy<32, 256>;
LAUNCH_SHAPE = {.block = {P::kSide, P::kLines}, .tile = {P::kSide, P::kSide}, .block_x_walks = kCols};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[P::kSide * P::kSide];
  const size_t r0 = size_t(blockIdx.y) * P::kSide, c0 = size_t(blockIdx.x) * P::kSide;
  for (int k = 0; k < P::kSide; k += P::kLines) {
    const P::Spot s{int(threadIdx.y) + k, int(threadIdx.x)};
    if (r0 + s.r < rows && c0 + s.c < cols) tile[P::slot(s)] = in[(r0 + s.r) * cols + c0 + s.c];
  }
  __syncthreads();
  for (int k = 0; k < P::kSide; k += P::kLines) {
    const P::Spot s{int(threadIdx.y) + k, int(threadIdx.x)};
    const auto [r, c] = s;
    if (c0 + r < cols && r0 + c < rows) out[(c0 + r) * rows + r0 + c] = tile[P::slot(s.turned())];
  }
}

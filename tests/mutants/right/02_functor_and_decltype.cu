// Right: functors with constructors, types by decltype, a loop over an initialised array of offsets
// judged by: 02_coalescing
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {8, 32}, .tile = {32, 8}, .block_x_walks = kCols};

struct Index {
  size_t pitch;
  explicit __device__ Index(int p) : pitch(p) {}
  __device__ size_t operator()(size_t r, size_t c) const { return r * pitch + c; }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  const Index from(cols), to(rows);
  const decltype(from.pitch) r = blockIdx.y * 32 + threadIdx.y, c = blockIdx.x * 8 + threadIdx.x;
  if (r >= rows || c >= cols) return;
  decltype(in[0] + 0.0f) v = in[from(r, c)];
  out[to(c, r)] = v;
}

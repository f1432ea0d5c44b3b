// Right: a swizzle object with delegating constructors and operator[] that takes a pair
// judged by: 06_xor_swizzle
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 16}, .tile = {32, 32}, .block_x_walks = kCols};
struct Spot { unsigned r, c; };
class Swizzled {
  float* room_;
  unsigned width_, mask_;

 public:
  __device__ Swizzled(float* room) : Swizzled(room, 32) {}
  __device__ Swizzled(float* room, unsigned width) : room_{room}, width_{width}, mask_{width - 1} {}
  __device__ float& operator[](Spot s) const { return room_[s.r * width_ + ((s.c ^ s.r) & mask_)]; }
};
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float room[1024];
  const Swizzled tile(room);
  const size_t r0 = size_t(blockIdx.y) * 32, c0 = size_t(blockIdx.x) * 32;
  for (unsigned y = threadIdx.y; y < 32; y += 16)
    if (r0 + y < rows && c0 + threadIdx.x < cols) tile[Spot{y, threadIdx.x}] = in[(r0 + y) * cols + c0 + threadIdx.x];
  __syncthreads();
  for (unsigned y = threadIdx.y; y < 32; y += 16)
    if (c0 + y < cols && r0 + threadIdx.x < rows) out[(c0 + y) * rows + r0 + threadIdx.x] = tile[Spot{threadIdx.x, y}];
}

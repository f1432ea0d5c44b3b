// Right: the path is an object chosen by a constexpr-if template; the batch by a loop-free offset; float2 where rows allow
// judged by: 09_any_matrix
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"
#include "common/kernel/words.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 64}, .block_x_walks = kRows};
struct Args {
  float* out; const float* in; size_t rows, cols, out_pitch, in_pitch;
  __device__ Args(float* o, const float* i, int r, int c, int op, int ip)
      : out(o + size_t(blockIdx.z) * c * op), in(i + size_t(blockIdx.z) * r * ip), rows(r), cols(c), out_pitch(op), in_pitch(ip) {}
  template <int P> __device__ bool fits() const { return (size_t(out) | size_t(in) | (out_pitch | in_pitch) * 4) % (4 * P) == 0 && (rows | cols) % P == 0; }
};
template <int P>
__device__ bool tried(const Args& a, void* room) {
  if (!a.fits<P>()) return false;
  using Pack = lab::Word<P * sizeof(float)>;
  constexpr int kPacks = 64 / P;
  const int thread = threadIdx.y * 32 + threadIdx.x, x = thread % kPacks, first = thread / kPacks;
  const size_t r0 = size_t(blockIdx.x) * 64, c0 = size_t(blockIdx.y) * 64;
  auto at = [room](int y, int p) -> Pack& { return static_cast<Pack*>(room)[y * kPacks + lab::swizzle(y / P, p, 256, sizeof(Pack), sizeof(Pack))]; };
  for (int y = first; y < kPacks; y += 256 / kPacks) {
    const size_t row = r0 + y * P, col = c0 + x * P;
    if (row >= a.rows || col >= a.cols) continue;
    Pack v[P], t[P];
    for (int k = 0; k < P; ++k) v[k] = *reinterpret_cast<const Pack*>(a.in + (row + k) * a.in_pitch + col);
    lab::transpose_in_registers<float>(v, t);
    for (int k = 0; k < P; ++k) at(x * P + k, y) = t[k];
  }
  __syncthreads();
  for (int y = first; y < 64; y += 256 / kPacks)
    if (c0 + y < a.cols && r0 + x * P < a.rows) *reinterpret_cast<Pack*>(a.out + (c0 + y) * a.out_pitch + r0 + x * P) = at(y, x);
  return true;
}
template <int... kWidths> __device__ void first_that_fits(const Args& a, void* room) { (tried<kWidths>(a, room) || ...); }
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 room[1024];
  first_that_fits<4, 1>(Args(out, in, rows, cols, rows, cols), room);
}
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  __shared__ float4 room[1024];
  first_that_fits<4, 1>(Args(out, in, rows, cols, out_pitch, in_pitch), room);
}

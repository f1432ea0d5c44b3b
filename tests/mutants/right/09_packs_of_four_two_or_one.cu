// Right: three widths: 16, 8 or 4 bytes, whichever all rows start on
// judged by: 09_any_matrix
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"
#include "common/kernel/words.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 64}, .block_x_walks = kRows};

template <unsigned P, unsigned T = 64>
__device__ __forceinline__ void tile_of(uint4* raw, float* out, const float* in, size_t rows, size_t cols, size_t op, size_t ip) {
  using W = lab::Word<4 * P>;
  constexpr unsigned N = T / P, kStep = 256 / N;
  auto* const tile = reinterpret_cast<W*>(raw);
  const unsigned t = threadIdx.y * 32 + threadIdx.x, x = t % N, y0 = t / N;
  const size_t r0 = size_t{blockIdx.x} * T, c0 = size_t{blockIdx.y} * T;
  auto slot = [&](unsigned y, unsigned p) -> W& { return tile[y * N + lab::swizzle(y / P, p, 4 * T, 4 * P, 4 * P)]; };
#pragma unroll
  for (unsigned y = y0; y < N; y += kStep) {
    const size_t r = r0 + y * P, c = c0 + x * P;
    W v[P], w[P];
    if (r < rows && c < cols) {
#pragma unroll
      for (unsigned k = 0; k < P; k++) v[k] = *reinterpret_cast<const W*>(in + (r + k) * ip + c);
      lab::transpose_in_registers<float>(v, w);
#pragma unroll
      for (unsigned k = 0; k < P; k++) slot(x * P + k, y) = w[k];
    }
  }
  __syncthreads();
#pragma unroll
  for (unsigned y = y0; y < T; y += kStep)
    if (c0 + y < cols && r0 + x * P < rows) *reinterpret_cast<W*>(out + (c0 + y) * op + r0 + x * P) = slot(y, x);
}

__device__ void dispatch(float* out, const float* in, size_t rows, size_t cols, size_t op, size_t ip) {
  __shared__ uint4 raw[64 * 16];
  out += blockIdx.z * cols * op;
  in += blockIdx.z * rows * ip;
  const unsigned low = unsigned(reinterpret_cast<size_t>(out) / 4 | reinterpret_cast<size_t>(in) / 4 | rows | cols | op | ip);
  switch (low & 3) {
    case 0: tile_of<4>(raw, out, in, rows, cols, op, ip); break;
    case 2: tile_of<2>(raw, out, in, rows, cols, op, ip); break;
    default: tile_of<1>(raw, out, in, rows, cols, op, ip);
  }
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { dispatch(out, in, rows, cols, rows, cols); }
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  dispatch(out, in, rows, cols, out_pitch, in_pitch);
}

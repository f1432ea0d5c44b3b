// Right: whole tiles without any guard, cut ones with; classes that walk down a column of blocks
// judged by: 09_any_matrix
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {32, 64}, .block_x_walks = kRows};

template <class E, int kWords>
class Walker {
 public:
  __device__ Walker(E* at, size_t step) : at_(at), step_(step) {}
  __device__ E& operator*() const { return *at_; }
  __device__ Walker& operator++() { return at_ += step_, *this; }
 private:
  E* at_;
  size_t step_;
};

template <bool kGuard>
__device__ void wide(float4 (*t)[8], float* out, const float* in, int rows, int cols, size_t op, size_t ip, int r0, int c0) {
  const int x = threadIdx.x % 16, y = threadIdx.x / 16;  // 16 packs of a row, 8 groups of four rows
  if (!kGuard || (r0 + 4 * y < rows && c0 + 4 * x < cols)) {
    Walker<const float4, 4> from(reinterpret_cast<const float4*>(in + (r0 + 4 * y) * ip + c0 + 4 * x), ip / 4);
    const float4 a = *from, b = *++from, c = *++from, d = *++from;
    const int p = y ^ (x & 7);
    t[4 * x][p] = {a.x, b.x, c.x, d.x};
    t[4 * x + 1][p] = {a.y, b.y, c.y, d.y};
    t[4 * x + 2][p] = {a.z, b.z, c.z, d.z};
    t[4 * x + 3][p] = {a.w, b.w, c.w, d.w};
  }
  __syncthreads();
  const int lane = threadIdx.x % 8;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const int r = threadIdx.x / 8 + 16 * k;
    if (!kGuard || (c0 + r < cols && r0 + 4 * lane < rows))
      *reinterpret_cast<float4*>(out + (c0 + r) * op + r0 + 4 * lane) = t[r][lane ^ (r / 4 & 7)];
  }
}

__device__ void narrow(float* t, float* out, const float* in, int rows, int cols, size_t op, size_t ip, int r0, int c0) {
  for (int i = threadIdx.x; i < 32 * 64; i += 128) {
    const int y = i / 64, x = i % 64;
    if (r0 + y < rows && c0 + x < cols) t[x * 32 + (y + x) % 32] = in[(r0 + y) * ip + c0 + x];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 64; i += 128) {
    const int y = i % 32, x = i / 32;
    if (r0 + y < rows && c0 + x < cols) out[(c0 + x) * op + r0 + y] = t[x * 32 + (y + x) % 32];
  }
}

__device__ void all(float* out, const float* in, int rows, int cols, size_t op, size_t ip) {
  __shared__ float4 t[64][8];
  in += blockIdx.z * (rows * ip), out += blockIdx.z * (cols * op);
  const int r0 = int(blockIdx.x * 32), c0 = int(blockIdx.y * 64);
  if ((rows | cols | op | ip | (size_t)in >> 2 | (size_t)out >> 2) & 3)
    narrow(&t[0][0].x, out, in, rows, cols, op, ip, r0, c0);
  else if (r0 + 32 <= rows && c0 + 64 <= cols)
    wide<false>(t, out, in, rows, cols, op, ip, r0, c0);
  else
    wide<true>(t, out, in, rows, cols, op, ip, r0, c0);
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { all(out, in, rows, cols, rows, cols); }
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  all(out, in, rows, cols, out_pitch, in_pitch);
}

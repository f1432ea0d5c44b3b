// Right: two layouts in one union: a padded tile of floats, and a tile of float4 whose packs are permuted
// judged by: 09_any_matrix
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 64}, .block_x_walks = kRows};
PREDICTIONS = {.global_load_sectors_per_request = 5, .global_store_sectors_per_request = 4};

union Room {
  float single[64][65];
  float4 packs[64][16];
};

struct Side {
  size_t rows, cols, pitch;
};

__device__ void by_floats(Room& room, float* out, const float* in, const Side& from, const Side& to, size_t r0, size_t c0) {
  const int lane = threadIdx.x;
  for (int r = threadIdx.y; r < 64 && r0 + r < from.rows; r += 8) {
    const float* row = in + (r0 + r) * from.pitch + c0;
    for (int c = lane; c < 64; c += 32)
      if (c0 + c < from.cols) room.single[r][c] = row[c];
  }
  __syncthreads();
  for (int c = threadIdx.y; c < 64 && c0 + c < to.rows; c += 8) {
    float* row = out + (c0 + c) * to.pitch + r0;
    for (int r = lane; r < 64; r += 32)
      if (r0 + r < to.cols) row[r] = room.single[r][c];
  }
}

__device__ void by_packs(Room& room, float* out, const float* in, const Side& from, const Side& to, size_t r0, size_t c0) {
  const int t = threadIdx.y * 32 + threadIdx.x, x = t & 15, y = t >> 4;
  float block[4][4];
  if (r0 + 4 * y < from.rows && c0 + 4 * x < from.cols) {
    const float* first = in + (r0 + 4 * y) * from.pitch + c0 + 4 * x;
#pragma unroll
    for (int k = 0; k < 4; ++k, first += from.pitch) {
      const float4 v = *(const float4*)first;
      block[k][0] = v.x, block[k][1] = v.y, block[k][2] = v.z, block[k][3] = v.w;
    }
#pragma unroll
    for (int k = 0; k < 4; ++k)
      room.packs[4 * x + k][y ^ (x & 7)] = make_float4(block[0][k], block[1][k], block[2][k], block[3][k]);
  }
  __syncthreads();
#pragma unroll
  for (int c = y; c < 64; c += 16)
    if (c0 + c < to.rows && r0 + 4 * x < to.cols)
      *(float4*)(out + (c0 + c) * to.pitch + r0 + 4 * x) = room.packs[c][x ^ (c >> 2 & 7)];
}

__device__ void turn(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  __shared__ Room room;
  const Side from{(size_t)rows, (size_t)cols, (size_t)in_pitch}, to{(size_t)cols, (size_t)rows, (size_t)out_pitch};
  in += blockIdx.z * from.rows * from.pitch;
  out += blockIdx.z * to.rows * to.pitch;
  const size_t r0 = 64 * (size_t)blockIdx.x, c0 = 64 * (size_t)blockIdx.y;
  const bool aligned = (((size_t)in | (size_t)out) & 15) == 0;
  const bool fours = ((rows | cols | in_pitch | out_pitch) & 3) == 0;
  if (aligned && fours)
    by_packs(room, out, in, from, to, r0, c0);
  else
    by_floats(room, out, in, from, to, r0, c0);
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) { turn(out, in, rows, cols, rows, cols); }
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  turn(out, in, rows, cols, out_pitch, in_pitch);
}

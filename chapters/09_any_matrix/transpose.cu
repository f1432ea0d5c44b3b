// 09 any matrix: any shape, pitch and batch, with the widest access that the alignment allows.
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"
#include "common/kernel/words.cuh"

constexpr int kTile = 64;  // elements along each side of the tile
constexpr int kThreads = 256;

LAUNCH_SHAPE = {
    .block = {kThreads, 1},
    .tile = {kTile, kTile},
    .block_x_walks = kRows,
};

// TODO: your answers, for 1000 × 777 floats with one element per lane.
PREDICTIONS = {
    .global_load_sectors_per_request = 0,
    .global_store_sectors_per_request = 0,
};

// Matrix blockIdx.z of a batch. A pitch counts the elements from one row to the next.
__device__ void turn_any(float* out, const float* in, size_t rows, size_t cols, size_t out_pitch, size_t in_pitch) {
  // TODO (about 30 lines): below is chapter 01, right for all matrices and fast for none. Make it chapter 08 for packs
  // of P elements: template <int P> __device__ void turn(…), with lab::Word<P * 4> for float4 and
  // lab::transpose_in_registers<float>(block, turned) for the 4 × 4 turn. Take P = 4 where every row of both matrices
  // starts on 16 bytes and none ends inside a pack, and P = 1 elsewhere: with one element per lane, neighbouring lanes
  // touch neighbouring elements. One shared array must serve both.
  out += blockIdx.z * cols * out_pitch, in += blockIdx.z * rows * in_pitch;
  for (int i = threadIdx.x; i < kTile * kTile; i += kThreads) {
    const size_t row = blockIdx.x * kTile + i / kTile;
    const size_t col = blockIdx.y * kTile + i % kTile;
    if (row < rows && col < cols) out[col * out_pitch + row] = in[row * in_pitch + col];
  }
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  turn_any(out, in, rows, cols, rows, cols);
}

// The same for 4-byte elements in rows that lie further apart than they are long.
extern "C" __global__ void transpose_u32(float* out, const float* in, int rows, int cols, int out_pitch, int in_pitch) {
  turn_any(out, in, rows, cols, out_pitch, in_pitch);
}

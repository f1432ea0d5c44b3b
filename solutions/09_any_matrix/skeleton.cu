// 09 any matrix: any shape, pitch, batch and element type, with the widest access that the alignment allows.
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"
#include "common/kernel/words.cuh"

constexpr int kThreads = 256;
// TODO: elements along each side of the tile. A row should fill all banks, and the tile fit into 48 KiB.
template <typename T> constexpr int kTile = 32;
template <typename T>
constexpr lab::LaunchShape kShape{.block = {kThreads, 1}, .tile = {kTile<T>, kTile<T>}, .block_x_walks = kRows};

// Matrix blockIdx.z of a batch. A pitch counts the elements from one row to the next.
template <typename T>
__device__ void turn_any(T* out, const T* in, size_t rows, size_t cols, size_t out_pitch, size_t in_pitch) {
  // TODO (about 30 lines): below is chapter 01, right for all matrices and fast for none. Make it chapter 08 for packs
  // of P elements: template <int P, typename T>, with lab::Word<P * sizeof(T)> for float4 and
  // lab::transpose_in_registers<T>(block, turned) for the 4 × 4 turn. Take the largest P where every row of both
  // matrices starts on a pack and none ends inside one, and P = 1 elsewhere: with one element a lane, neighbouring
  // lanes still touch neighbouring elements. One shared array must serve both.
  out += blockIdx.z * cols * out_pitch, in += blockIdx.z * rows * in_pitch;
  for (int i = threadIdx.x; i < kTile<T> * kTile<T>; i += kThreads) {
    const size_t row = blockIdx.x * kTile<T> + i / kTile<T>;
    const size_t col = blockIdx.y * kTile<T> + i % kTile<T>;
    if (row < rows && col < cols) out[col * out_pitch + row] = in[row * in_pitch + col];
  }
}

LAUNCH_SHAPE = kShape<float>;
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  turn_any(out, in, rows, cols, rows, cols);
}

#define TRANSPOSE(NAME, T)                                                                              \
  LAUNCH_SHAPE_OF(NAME) = kShape<T>;                                                                    \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols, int out_pitch, int in_pitch) { \
    turn_any(out, in, rows, cols, out_pitch, in_pitch);                                                 \
  }
TRANSPOSE(transpose_u8, unsigned char)
TRANSPOSE(transpose_u16, unsigned short)
TRANSPOSE(transpose_u32, unsigned int)
TRANSPOSE(transpose_u64, unsigned long long)
TRANSPOSE(transpose_u128, uint4)

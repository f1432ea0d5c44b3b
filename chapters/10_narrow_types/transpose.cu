// 10 narrow types: elements of 1 to 16 bytes, one element per lane.
#include "common/kernel/lab.cuh"
#include "common/kernel/swizzle.cuh"
#include "common/kernel/words.cuh"

constexpr int kThreads = 256;
template <typename T> constexpr int kSide = sizeof(T) == 1 ? 128 : sizeof(T) == 16 ? 32 : 64;  // of the tile, elements
template <typename T>
constexpr lab::LaunchShape kShape{.block = {kThreads, 1}, .tile = {kSide<T>, kSide<T>}, .block_x_walks = kRows};

// TODO: your answers, for the kernel that you will have.
PREDICTIONS = {  // of matrices of bytes
    .global_load_sectors_per_request = 0,  // 32 neighbours in a row of 777
    .shared_load_wavefronts_per_request = 0,
    .shared_store_wavefronts_per_request = 0,
};

template <typename T>
__device__ void transpose_tile(T* out, const T* in, size_t rows, size_t cols) {
  // TODO (about 40 lines): below is chapter 07 with larger tiles, one element in each access: a request for bytes moves 32
  // of them. Where every row of both matrices starts on 16 bytes, let a lane load 16 bytes of each of 4 rows, turn blocks
  // of 4 × 4 elements inside its registers, and store their rows as words (lab::Word<4 * sizeof(T)>) into a tile of rows of
  // `out`, uint4 tile[S][S * sizeof(T) / 16], from which lanes take 16 bytes along a row. Bytes and halves change places
  // with __byte_perm; elements of 8 bytes need blocks of 2 × 2, those of 16 bytes no turn at all. Elsewhere keep this way.
  constexpr int S = kSide<T>;
  __shared__ T tile[S][S];
  const size_t row0 = blockIdx.x * S, col0 = blockIdx.y * S;
  const auto at = [](int y, int x) -> T& {
    return tile[y][lab::swizzle(y, x, S * sizeof(T), sizeof(T) < 4 ? 4 : sizeof(T), sizeof(T))];
  };
  for (int i = threadIdx.x; i < S * S; i += kThreads)
    if (const size_t row = row0 + i / S, col = col0 + i % S; row < rows && col < cols)
      at(i / S, i % S) = in[row * cols + col];
  __syncthreads();
  for (int i = threadIdx.x; i < S * S; i += kThreads)
    if (const size_t row = row0 + i % S, col = col0 + i / S; row < rows && col < cols)
      out[col * rows + row] = at(i % S, i / S);
}

#define TRANSPOSE(NAME, T) LAUNCH_SHAPE_OF(NAME) = kShape<T>; \
  extern "C" __global__ void NAME(T* out, const T* in, int rows, int cols) { transpose_tile(out, in, rows, cols); }
LAUNCH_SHAPE = kShape<float>;
TRANSPOSE(transpose, float) TRANSPOSE(transpose_u8, unsigned char) TRANSPOSE(transpose_u16, unsigned short)
TRANSPOSE(transpose_u64, unsigned long long) TRANSPOSE(transpose_u128, uint4)

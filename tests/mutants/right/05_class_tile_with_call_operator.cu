// Right: class tile with call operator
// judged by: 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {
    .shared_load_wavefronts_per_request = 2,
    .shared_store_wavefronts_per_request = 4,
    .shared_load_wavefronts = 32768,   // 32 768 requests of 1
    .shared_store_wavefronts = 32768,  // 32 768 requests of 1
};
template <int N, int P> class Tile { float a_[N * (N + P)]; public: __device__ float& operator()(int r, int c) { return a_[r * (N + P) + c]; } };
enum { N = 32, R = 8 };
extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols){ __shared__ Tile<N, 1> t; const auto X = size_t(blockIdx.x) * N, Y = size_t(blockIdx.y) * N;
 for (int i = 0; i < N / R; ++i) { int y = threadIdx.y + i * R; if (Y + y >= rows || X + threadIdx.x >= cols) continue; t(y, threadIdx.x) = in[(Y + y) * cols + X + threadIdx.x]; }
 __syncthreads();
 for (int i = 0; i < N / R; ++i) { int y = threadIdx.y + i * R; if (X + y >= cols || Y + threadIdx.x >= rows) continue; out[(X + y) * rows + Y + threadIdx.x] = t(threadIdx.x, y); } }
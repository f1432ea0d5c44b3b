// Right: pointers walk in signed 64 bits, the tile is a template with an index of its own, 512 threads
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 16}, .tile = {32, 32}, .block_x_walks = kRows};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1, .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

template <int N> struct Tile { float v[N][N + 1]; __device__ float& operator()(int y, int x) { return v[y][x]; } };
extern "C" __global__ void transpose(float* __restrict__ out, const float* __restrict__ in, int rows, int cols) {
  __shared__ Tile<32> t;
  const long long r0 = 32ll * blockIdx.x, c0 = 32ll * blockIdx.y;
  const long long c = c0 + threadIdx.x;
  const float* p = in + (r0 + threadIdx.y) * cols + c;
  if (c < cols) {
    for (long long r = r0 + threadIdx.y; r < min((long long)rows, r0 + 32); r += 16, p += 16ll * cols) t(int(r - r0), threadIdx.x) = __ldg(p);
  }
  __syncthreads();
  const long long r = r0 + threadIdx.x;
  float* q = out + (c0 + threadIdx.y) * rows + r;
  if (r < rows)
    for (long long cc = c0 + threadIdx.y; cc < min((long long)cols, c0 + 32); cc += 16, q += 16ll * rows) __stcs(q, t(threadIdx.x, int(cc - c0)));
}

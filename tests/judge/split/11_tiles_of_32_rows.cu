// Right: sixteen tiles of 32 rows and 64 columns, five rooms, waits chosen by a switch at the end in place of empty groups
#include "common/kernel/async_copy.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 8}, .tile = {512, 64}, .block_x_walks = kRows};

constexpr int kRooms = 5, kAhead = kRooms - 1;

__device__ void wait_for_all_but(int groups) {
  switch (groups) {
    case 0: lab::wait_copies<0>(); break;
    case 1: lab::wait_copies<1>(); break;
    case 2: lab::wait_copies<2>(); break;
    default: lab::wait_copies<3>();
  }
}

extern "C" __global__ void transpose(float* out, const float* in, int rows_, int cols_) {
  __shared__ float4 room[kRooms * 32 * 16];
  const size_t rows = rows_, cols = cols_, row0 = blockIdx.x * size_t(512), col0 = blockIdx.y * size_t(64);
  const int x = threadIdx.x, y = threadIdx.y;
  const int tiles = rows - row0 >= 512 ? 16 : int((rows - row0 + 31) / 32);
  const bool wide = cols % 4 == 0;
  int started = 0;
  const auto start = [&] {
    float4* const to = room + started % kRooms * 512;
    for (int r = y; r < 32; r += 8) {
      const size_t row = row0 + started * 32 + r, col = col0 + 4 * x;
      float* const at = reinterpret_cast<float*>(to + r * 16 + (x ^ r / 4 % 8));
      if (row / 4 * 4 >= rows || col >= cols) continue;
      const float* const from = in + row * cols + col;
      if (wide)
        lab::copy_async<16>(at, row < rows ? from : in, row < rows ? 16 : 0);
      else
        for (int k = 0; k < 4; ++k) lab::copy_async<4>(at + k, row < rows && col + k < cols ? from + k : in, row < rows && col + k < cols ? 4 : 0);
    }
    lab::commit_copies();
    ++started;
  };
  while (started < kAhead && started < tiles) start();
  for (int t = 0; t < tiles; ++t) {
    wait_for_all_but(started - t - 1);
    __syncthreads();
    if (started < tiles) start();
    const float4* const tile = room + t % kRooms * 512;
    const int a = x % 8, b = y + 8 * (x / 8);  // rows 4a to 4a + 3, columns 4b to 4b + 3
    const size_t row = row0 + t * 32 + 4 * a, col = col0 + 4 * b;
    if (row >= rows || col >= cols) continue;
    float4 v[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) v[k] = tile[(4 * a + k) * 16 + (b ^ a)];
    const float4 turned[4] = {{v[0].x, v[1].x, v[2].x, v[3].x}, {v[0].y, v[1].y, v[2].y, v[3].y},
                              {v[0].z, v[1].z, v[2].z, v[3].z}, {v[0].w, v[1].w, v[2].w, v[3].w}};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (col + k >= cols) break;
      float* const to = out + (col + k) * rows + row;
      if (rows % 4 == 0) {
        *reinterpret_cast<float4*>(to) = turned[k];
      } else {
        to[0] = turned[k].x;
        if (row + 1 < rows) to[1] = turned[k].y;
        if (row + 2 < rows) to[2] = turned[k].z;
        if (row + 3 < rows) to[3] = turned[k].w;
      }
    }
  }
}

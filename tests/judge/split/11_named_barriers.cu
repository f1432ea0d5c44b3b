// Right: four warps copy and four turn; named barriers say that a room is full or empty, a copier waits two groups late
#include "common/kernel/async_copy.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {512, 64}, .block_x_walks = kRows};

constexpr int kRooms = 3;
__device__ void full_or_empty(bool waits, int id) {
  if (waits)
    asm volatile("bar.sync %0, 256;" ::"r"(id) : "memory");
  else
    asm volatile("bar.arrive %0, 256;" ::"r"(id) : "memory");
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 room[kRooms][64][16];
  const size_t row0 = size_t(blockIdx.x) * 512, col0 = size_t(blockIdx.y) * 64;
  const int tiles = int(min((size_t(rows) - row0 + 63) / 64, size_t(8)));
  const int t = threadIdx.x % 128, x = t % 16, y = t / 16;
  const bool wide = cols % 4 == 0;
  if (threadIdx.x < 128) {
    for (int k = 0; k < tiles + 2; ++k) {
      if (k < tiles) {
        if (k >= kRooms) full_or_empty(true, 1 + kRooms + k % kRooms);
        for (int r = y; r < 64; r += 8) {
          const size_t row = row0 + k * 64 + r, col = col0 + 4 * x;
          if (row / 4 * 4 >= rows || col >= cols) continue;
          float* const to = reinterpret_cast<float*>(&room[k % kRooms][r][x ^ (r / 4 & 7)]);
          if (wide)
            lab::copy_async<16>(to, row < rows ? in + row * cols + col : in, row < rows ? 16 : 0);
          else
            for (int c = 0; c < 4; ++c) {
              const bool there = row < rows && col + c < cols;
              lab::copy_async<4>(to + c, there ? in + row * cols + col + c : in, there ? 4 : 0);
            }
        }
      }
      lab::commit_copies();
      if (k >= 2) {
        lab::wait_copies<2>();
        full_or_empty(false, 1 + (k - 2) % kRooms);
      }
    }
    return;
  }
  for (int k = 0; k < tiles; ++k) {
    full_or_empty(true, 1 + k % kRooms);
    for (int b = y; b < 16; b += 8) {
      const size_t row = row0 + k * 64 + 4 * x, col = col0 + 4 * b;
      if (row >= rows || col >= cols) continue;
      float4 v[4];
#pragma unroll
      for (int r = 0; r < 4; ++r) v[r] = room[k % kRooms][4 * x + r][b ^ (x & 7)];
      const float4 turned[4] = {{v[0].x, v[1].x, v[2].x, v[3].x}, {v[0].y, v[1].y, v[2].y, v[3].y},
                                {v[0].z, v[1].z, v[2].z, v[3].z}, {v[0].w, v[1].w, v[2].w, v[3].w}};
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (col + c >= cols) continue;
        float* const to = out + (col + c) * rows + row;
        if (rows % 4 == 0)
          *reinterpret_cast<float4*>(to) = turned[c];
        else
          for (int r = 0; r < 4; ++r)
            if (row + r < rows) to[r] = reinterpret_cast<const float*>(&turned[c])[r];
      }
    }
    if (k + kRooms < tiles) full_or_empty(false, 1 + kRooms + k % kRooms);
  }
}

// Right: a ring of three rooms as a struct with acquire, commit and release, after libcu++'s pipeline
#include "common/kernel/async_copy.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {256, 1}, .tile = {512, 64}, .block_x_walks = kRows};

using Room = float4[64][16];

template <int kRooms>
struct Ring {
  Room* rooms;
  int head = 0, tail = 0;
  __device__ Room& acquire() { return rooms[head]; }
  __device__ void commit() {
    lab::commit_copies();
    head = head + 1 == kRooms ? 0 : head + 1;
  }
  __device__ const Room& wait() {
    lab::wait_copies<kRooms - 2>();
    __syncthreads();
    return rooms[tail];
  }
  __device__ void release() { tail = tail + 1 == kRooms ? 0 : tail + 1; }
};

struct Matrix {
  const float* first;
  size_t rows, cols;
  __device__ void copy(Room& room, size_t row0, size_t col0) const {
    const int x = threadIdx.x & 15;
    for (int y = threadIdx.x >> 4; y < 64; y += 16) {
      const size_t row = row0 + y, col = col0 + 4 * x;
      if (row >= (rows + 3) / 4 * 4 || col >= cols) continue;
      float* to = reinterpret_cast<float*>(&room[y][x ^ (y >> 2 & 7)]);
      if ((cols & 3) == 0)
        lab::copy_async<16>(to, first + (row < rows ? row : 0) * cols + col, row < rows ? 16 : 0);
      else
        for (int k = 0; k < 4; ++k) {
          const bool there = row < rows && col + k < cols;
          lab::copy_async<4>(to + k, there ? first + row * cols + col + k : first, there ? 4 : 0);
        }
    }
  }
};

__device__ void put(float* line, size_t left, bool wide, float4 v) {
  if (wide) {
    *reinterpret_cast<float4*>(line) = v;
    return;
  }
  line[0] = v.x;
  if (left > 1) line[1] = v.y;
  if (left > 2) line[2] = v.z;
  if (left > 3) line[3] = v.w;
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ Room rooms[3];
  Ring<3> ring{rooms};
  const Matrix from{in, size_t(rows), size_t(cols)};
  const size_t row0 = size_t(blockIdx.x) * 512, col0 = size_t(blockIdx.y) * 64;
  const int x = threadIdx.x & 15, y = threadIdx.x >> 4;
  size_t ahead = row0;
  const auto send = [&] {
    if (ahead < size_t(rows) && ahead < row0 + 512) from.copy(ring.acquire(), ahead, col0);
    ring.commit();
    ahead += 64;
  };
  send(), send();
  for (size_t row = row0; row < row0 + 512 && row < size_t(rows); row += 64) {
    const auto& tile = ring.wait();
    send();
    const size_t r = row + 4 * x, c = col0 + 4 * y;
    if (r < size_t(rows) && c < size_t(cols)) {
      float4 q[4];
#pragma unroll
      for (int k = 0; k < 4; ++k) q[k] = tile[4 * x + k][y ^ (x & 7)];
      const size_t left = rows - r;
      const bool wide = rows % 4 == 0;
      put(out + c * rows + r, left, wide, make_float4(q[0].x, q[1].x, q[2].x, q[3].x));
      if (c + 1 < cols) put(out + (c + 1) * rows + r, left, wide, make_float4(q[0].y, q[1].y, q[2].y, q[3].y));
      if (c + 2 < cols) put(out + (c + 2) * rows + r, left, wide, make_float4(q[0].z, q[1].z, q[2].z, q[3].z));
      if (c + 3 < cols) put(out + (c + 3) * rows + r, left, wide, make_float4(q[0].w, q[1].w, q[2].w, q[3].w));
    }
    ring.release();
  }
}

// Right: a block turns four tiles below each other; two rooms each way, an object keeps the phases of both barriers as bits
// judged by: 12_tma_swizzle
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"

LAUNCH_SHAPE = {
    .block = {32, 4},
    .tile = {128, 32},
    .block_x_walks = kCols,
    .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128}, {.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}},
};

struct Room {
  float words[1024];
  __device__ float& at(unsigned row, unsigned col) { return words[row * 32 + ((col >> 2 ^ (row & 7)) << 2 | (col & 3))]; }
};

struct Phases {
  unsigned bits = 0;  // of each room
  __device__ void wait(lab::Barrier* barriers, int room) {
    lab::wait(&barriers[room], bits >> room & 1);
    bits ^= 1u << room;
  }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols,
                                     const __grid_constant__ lab::TensorMap in_map,
                                     const __grid_constant__ lab::TensorMap out_map) {
  alignas(1024) __shared__ Room from[2];
  alignas(1024) __shared__ Room to[2];
  __shared__ lab::Barrier barrier[2];
  const int row0 = blockIdx.y * 128, col0 = blockIdx.x * 32, tiles = min(4, (rows - row0 + 31) / 32);
  const bool leads = threadIdx.y == 0 && threadIdx.x == 0;
  const auto ask = [&](int t) {
    lab::arrive_and_expect(&barrier[t & 1], sizeof(Room));
    lab::load_tile(&from[t & 1], in_map, col0, row0 + 32 * t, &barrier[t & 1]);
  };
  if (leads) {
    lab::init(&barrier[0], 1), lab::init(&barrier[1], 1);
    ask(0);
    if (tiles > 1) ask(1);
  }
  __syncthreads();
  Phases phases;
  for (int t = 0; t < tiles; ++t) {
    const int room = t & 1;
    phases.wait(barrier, room);
    if (t >= 2) {
      if (leads) asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
      __syncthreads();
    }
    const unsigned lane = threadIdx.x;
    for (unsigned part = threadIdx.y; part < 8; part += 4)
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned col = 4 * part + lane % 4, row = 4 * (lane / 16 * 5 ^ k) + lane / 4 % 4;
        to[room].at(col, row) = from[room].at(row, col);
      }
    lab::fence_for_tma();
    __syncthreads();
    if (leads) {
      lab::store_tile(out_map, row0 + 32 * t, col0, &to[room]);
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      if (t + 2 < tiles) ask(t + 2);
    }
  }
  if (leads) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Right: tiles are a struct in shared memory, a class of references sends and receives; the turn goes over an array of places
// judged by: 12_tma_swizzle
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"
LAUNCH_SHAPE = {.block = {256, 1},
                .tile = {32, 32},
                .block_x_walks = kCols,
                .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128}, {.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}}};

struct alignas(1024) Room {
  float in[32 * 32];
  float out[32 * 32];
  static __device__ unsigned place(unsigned r, unsigned c) { return r * 32 + (c / 4 ^ r % 8) * 4 + c % 4; }
};
class Sender {
  Room& room_;
  lab::Barrier& done_;

 public:
  __device__ Sender(Room& room, lab::Barrier& done) : room_(room), done_(done) {}
  __device__ void fetch(const lab::TensorMap& map, int r0, int c0) const {
    lab::init(&done_, 1);
    lab::arrive_and_expect(&done_, sizeof room_.in);
    lab::load_tile(room_.in, map, c0, r0, &done_);
  }
  __device__ void send(const lab::TensorMap& map, int r0, int c0) const {
    lab::store_tile(map, r0, c0, room_.out);
    lab::commit_and_wait_for_reads();
  }
};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols, const __grid_constant__ lab::TensorMap in_map,
                                     const __grid_constant__ lab::TensorMap out_map) {
  __shared__ Room room;
  __shared__ lab::Barrier done;
  const Sender sender(room, done);
  const int r0 = blockIdx.y * 32, c0 = blockIdx.x * 32;
  if (threadIdx.x == 0) sender.fetch(in_map, r0, c0);
  __syncthreads();
  lab::wait(&done, 0);
  const unsigned lane = threadIdx.x % 32, col = 4 * (threadIdx.x / 32) + lane % 4;
  constexpr unsigned kParts[] = {0, 1, 2, 3};
  for (const unsigned k : kParts) {
    const unsigned row = 4 * (lane / 16 * 5 ^ k) + lane / 4 % 4;
    room.out[Room::place(col, row)] = room.in[Room::place(row, col)];
  }
  lab::fence_for_tma();
  __syncthreads();
  if (threadIdx.x == 0) sender.send(out_map, r0, c0);
}

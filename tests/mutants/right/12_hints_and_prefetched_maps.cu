// Right: maps fetched ahead, an evict-first policy for both copies, a barrier class with a phase bit
// judged by: 12_tma_swizzle
#include "common/kernel/lab.cuh"
#include "common/kernel/tensor.cuh"

LAUNCH_SHAPE = {.block = {128, 1}, .tile = {32, 32}, .block_x_walks = kCols,
                .maps = {{.of = kIn, .box = {32, 32}, .swizzle = kSwizzle128}, {.of = kOut, .box = {32, 32}, .swizzle = kSwizzle128}}};
PREDICTIONS = {.global_load_sectors_per_request = 128, .shared_load_wavefronts_per_request = 4};

struct Transaction {
  unsigned address, phase = 0;
  __device__ explicit Transaction(unsigned long long* word) : address(unsigned(__cvta_generic_to_shared(word))) {}
  __device__ void init() const {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(address) : "memory");
  }
  __device__ void expect(unsigned bytes) const {
    asm volatile("{\n\t.reg .b64 state;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n\t}" ::"r"(address), "r"(bytes) : "memory");
  }
  __device__ void wait() {
    asm volatile(
        "{\n\t.reg .pred done;\nagain:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t@!done bra again;\n\t}" ::"r"(address),
        "r"(phase)
        : "memory");
    phase ^= 1;
  }
};


__device__ unsigned place(unsigned row, unsigned col) { return row * 32 + ((col >> 2 ^ (row & 7)) << 2 | (col & 3)); }

extern "C" __global__ void __launch_bounds__(128) transpose(float* out, const float* in, int rows, int cols,
                                                            const __grid_constant__ lab::TensorMap in_map,
                                                            const __grid_constant__ lab::TensorMap out_map) {
  struct alignas(1024) Room {
    float from[1024], to[1024];
  };
  __shared__ Room room;
  __shared__ unsigned long long word;
  Transaction copies(&word);
  const int row0 = blockIdx.y << 5, col0 = blockIdx.x << 5;
  unsigned long long first_out;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first_out));
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&in_map) : "memory");
    asm volatile("prefetch.tensormap [%0];" ::"l"(&out_map) : "memory");
    copies.init();
    copies.expect(4096);
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(
            lab::shared_address(room.from)),
        "l"(&in_map), "r"(col0), "r"(row0), "r"(copies.address), "l"(first_out)
        : "memory");
  }
  __syncthreads();
  copies.wait();
  const unsigned lane = threadIdx.x & 31;
  for (unsigned chunk = threadIdx.x >> 5; chunk < 8; chunk += 4) {
    const unsigned col = 4 * chunk + (lane & 3);
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const unsigned row = 4 * (lane / 16 * 5 ^ k) + lane / 4 % 4;
      room.to[place(col, row)] = room.from[place(row, col)];
    }
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group.L2::cache_hint [%0, {%1, %2}], [%3], %4;" ::"l"(&out_map), "r"(row0),
                 "r"(col0), "r"(lab::shared_address(room.to)), "l"(first_out)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

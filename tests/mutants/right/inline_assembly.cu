// Right: every access and the barrier are inline assembly
// judged by: 04_shared_tile, 05_padding
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {32, 8}, .tile = {32, 32}, .block_x_walks = kCols};
PREDICTIONS = {.shared_load_wavefronts_per_request = 1, .shared_store_wavefronts_per_request = 1,
               .shared_load_wavefronts = 32768, .shared_store_wavefronts = 32768};

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[32 * 33];
  const unsigned base = unsigned(__cvta_generic_to_shared(tile));
  const size_t row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  const unsigned lane = threadIdx.x;
  for (unsigned y = threadIdx.y; y < 32; y += 8) {
    if (row0 + y >= rows || col0 + lane >= cols) continue;
    float v;
    asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(in + (row0 + y) * cols + col0 + lane));
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(base + 4 * (33 * y + lane)), "f"(v) : "memory");
  }
  asm volatile("barrier.sync.aligned 0;" ::: "memory");
  for (unsigned x = threadIdx.y; x < 32; x += 8) {
    if (row0 + lane >= rows || col0 + x >= cols) continue;
    float v;
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(base + 4 * (33 * lane + x)) : "memory");
    asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(out + (col0 + x) * rows + row0 + lane), "f"(v) : "memory");
  }
}

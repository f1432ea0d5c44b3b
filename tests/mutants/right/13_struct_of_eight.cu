// Right: a struct of eight elements is copied whole, with assembly of its own on the way out
// judged by: 13_matrix_moves
#include "common/kernel/lab.cuh"
LAUNCH_SHAPE = {.block = {32, 8}, .tile = {64, 64}, .block_x_walks = kCols};
struct alignas(16) Eight { unsigned short e[8]; };
extern "C" __global__ void transpose(unsigned short* out, const unsigned short* in, int rows, int cols) {
  __shared__ Eight tile[64 * 8];
  const long long r0 = 64ll * blockIdx.y, c0 = 64ll * blockIdx.x;
  const int id = threadIdx.y * 32 + threadIdx.x;
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    const int y = s * 32 + id / 8, x = id % 8;
    Eight v{};
    if (r0 + y < rows && c0 + 8 * x < cols) v = *reinterpret_cast<const Eight*>(in + (r0 + y) * cols + c0 + 8 * x);
    tile[y * 8 + (x ^ ((y / 8 % 4) * 2 + (y & 1)))] = v;
  }
  __syncthreads();
  const int lane = threadIdx.x, w = threadIdx.y;
  for (int h = 0; h < 64; h += 32) {
    const int y = h + (lane & 7) / 2 * 8 + lane / 8 * 2 + (lane & 1);
    const unsigned from = (unsigned)__cvta_generic_to_shared(&tile[y * 8 + (w ^ ((y / 8 % 4) * 2 + (y & 1)))]);
    unsigned m[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(m[0]), "=r"(m[1]), "=r"(m[2]), "=r"(m[3]) : "r"(from) : "memory");
    const long long r = r0 + h + (lane & 3) * 8, c = c0 + 8 * w + lane / 4;
    if (r < rows && c < cols) asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(out + c * rows + r), "r"(m[0]), "r"(m[1]), "r"(m[2]), "r"(m[3]) : "memory");
  }
}

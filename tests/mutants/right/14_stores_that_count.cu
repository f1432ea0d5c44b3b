// Right: st.async into the neighbour, whose mbarrier counts the bytes
// judged by: 14_clusters
#include "common/kernel/cluster.cuh"
#include "common/kernel/lab.cuh"

LAUNCH_SHAPE = {.block = {16, 16}, .tile = {64, 64}, .block_x_walks = kRows, .cluster = {2, 1}};
PREDICTIONS = {.shared_load_wavefronts = 32768, .shared_store_wavefronts = 0};

__device__ unsigned shared(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ unsigned of_block(unsigned address, unsigned rank) {
  unsigned theirs;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(address), "r"(rank));
  return theirs;
}
__device__ void send(unsigned to, float4 v, unsigned barrier) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to), "r"(__float_as_uint(v.x)),
               "r"(__float_as_uint(v.y)), "r"(__float_as_uint(v.z)), "r"(__float_as_uint(v.w)), "r"(barrier)
               : "memory");
}

extern "C" __global__ void transpose(float* out, const float* in, int rows, int cols) {
  __shared__ float4 tile[32][32];
  __shared__ unsigned long long landed;
  const unsigned rank = lab::rank_in_cluster(), x = threadIdx.x, y = threadIdx.y, thread = y * 16 + x;
  if (thread == 0)
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;\n\tmbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" ::"r"(
            shared(&landed))
        : "memory");
  const size_t row0 = size_t(blockIdx.x) * 64, col0 = size_t(blockIdx.y) * 64;
  float4 v[4];
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const size_t row = row0 + 4 * y + k;
    v[k] = row < rows && col0 + 4 * x < cols ? *reinterpret_cast<const float4*>(in + row * cols + col0 + 4 * x) : float4{};
  }
  lab::sync_cluster();  // both barriers are there
  const unsigned owner = x / 8, r = 4 * x % 32, pack = rank * 16 + y;
  const unsigned to = of_block(shared(&tile[r][pack ^ (r / 4 & 7)]), owner), barrier = of_block(shared(&landed), owner);
  send(to, {v[0].x, v[1].x, v[2].x, v[3].x}, barrier);
  send(to + 512, {v[0].y, v[1].y, v[2].y, v[3].y}, barrier);
  send(to + 1024, {v[0].z, v[1].z, v[2].z, v[3].z}, barrier);
  send(to + 1536, {v[0].w, v[1].w, v[2].w, v[3].w}, barrier);
  for (unsigned done = 0; done == 0;)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(shared(&landed))
                 : "memory");
  const size_t first = row0 - rank * 64;
  for (unsigned k = thread / 32; k < 32; k += 8) {
    const size_t col = col0 + rank * 32 + k, row = first + 4 * (thread % 32);
    if (col < cols && row < rows) *reinterpret_cast<float4*>(out + col * rows + row) = tile[k][thread % 32 ^ (k / 4 & 7)];
  }
}

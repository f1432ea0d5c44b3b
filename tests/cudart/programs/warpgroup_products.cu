// nvcc: -gencode arch=compute_90a,code=[compute_90a,sm_90a]
// Products of a warpgroup (wgmma): a 64 × 64 tile of D in four steps of K from tiles that threads laid in a swizzle of
// 128 bytes, and from tiles that the TMA unit laid there, two of them in turns.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int kSide = 64, kTileBytes = kSide * kSide * 2, kSteps = kSide / 16;

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int open>
__device__ void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(open) : "memory"); }
// Lines of 128 bytes, eight of them 1,024 bytes behind the eight before.
__device__ unsigned long long descriptor(const void* tile, int step) {
  return ((shared_address(tile) + 32 * step) >> 4 & 0x3fff) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
// 64 × 64 of D: 32 floats a thread.
__device__ void multiply(float (&d)[32], unsigned long long a, unsigned long long b, int adds) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, "
      "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, p, 1, 1, 0, "
      "0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b), "r"(adds));
}
__device__ void store(float* out, const float (&d)[32]) {
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  for (int k = 0; k < 32; ++k)
    out[(row + k / 2 % 2 * 8) * kSide + k / 4 * 8 + 2 * (threadIdx.x % 4) + k % 2] = d[k];
}

// A is 64 × 64, B's transpose is 64 × 64: D = A × B.
__global__ void laid_by_threads(float* out, const half* a, const half* b) {
  alignas(1024) __shared__ half tiles[2][kSide * kSide];
  for (int i = threadIdx.x; i < kSide * kSide; i += blockDim.x) {
    const int row = i / kSide, col = i % kSide, at = row * kSide + (col / 8 ^ row % 8) * 8 + col % 8;
    tiles[0][at] = a[i];
    tiles[1][at] = b[i];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[32];
  fence();
  for (int step = 0; step < kSteps; ++step) multiply(d, descriptor(tiles[0], step), descriptor(tiles[1], step), step);
  commit();
  wait<0>();
  store(out, d);
}

__device__ void wait_for(unsigned barrier, int parity) {
  asm volatile("{\n.reg .pred p;\nLOOP:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra LOOP;\n}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

// `count` tiles along K; two stages, filled by the first thread while the other stage is multiplied.
__global__ void laid_by_the_unit(float* out, const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                 int count) {
  alignas(1024) __shared__ half tiles[2][2][kSide * kSide];
  __shared__ alignas(8) unsigned long long full[2];
  const auto load = [&](int tile) {
    const unsigned barrier = shared_address(&full[tile % 2]);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(2 * kTileBytes) : "memory");
    for (int side = 0; side < 2; ++side)
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
                       "r"(shared_address(tiles[tile % 2][side])),
                   "l"(side == 0 ? &a : &b), "r"(tile * kSide), "r"(0), "r"(barrier)
                   : "memory");
  };
  if (threadIdx.x == 0) {
    for (auto& barrier : full) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    load(0);
  }
  __syncthreads();
  float d[32];
  for (int tile = 0; tile < count; ++tile) {
    if (threadIdx.x == 0 && tile + 1 < count) load(tile + 1);
    wait_for(shared_address(&full[tile % 2]), tile / 2 % 2);
    fence();
    for (int step = 0; step < kSteps; ++step)
      multiply(d, descriptor(tiles[tile % 2][0], step), descriptor(tiles[tile % 2][1], step), tile + step);
    commit();
    wait<0>();
    __syncthreads();  // the stage may be filled again
  }
  store(out, d);
}

CUtensorMap map_of(half* matrix, int count) {
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
  CUtensorMap map;
  const cuuint64_t sizes[] = {cuuint64_t(kSide) * count, kSide}, strides[] = {cuuint64_t(kSide) * count * 2};
  const cuuint32_t box[] = {kSide, kSide}, steps[] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, matrix, sizes, strides, box,
                                                              steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

int main() {
  constexpr int kCount = 5, kLength = kSide * kCount;
  half *a, *b;
  float* out;
  cudaMallocManaged(&a, kSide * kLength * sizeof(half));
  cudaMallocManaged(&b, kSide * kLength * sizeof(half));
  cudaMallocManaged(&out, kSide * kSide * sizeof(float));
  const auto check = [&](const char* name, int length) {
    std::printf("%s: %s", name, cudaGetErrorString(cudaDeviceSynchronize()));
    int wrong = 0;
    float trace = 0;
    for (int row = 0; row < kSide; ++row) {
      for (int col = 0; col < kSide; ++col) {
        float sum = 0;
        for (int k = 0; k < length; ++k) sum += __half2float(a[row * length + k]) * __half2float(b[col * length + k]);
        wrong += sum != out[row * kSide + col];
        if (row == col) trace += sum;
      }
    }
    std::printf(", %d wrong, trace %g\n", wrong, trace);
  };
  for (int i = 0; i < kSide * kLength; ++i) a[i] = float(i * 7 % 13 - 6), b[i] = float(i * 5 % 11 - 5) / 4;
  laid_by_threads<<<1, 128>>>(out, a, b);
  check("laid by threads", kSide);
  laid_by_the_unit<<<1, 128>>>(out, map_of(a, kCount), map_of(b, kCount), kCount);
  check("laid by the TMA unit", kLength);
  cudaFree(a), cudaFree(b), cudaFree(out);
}

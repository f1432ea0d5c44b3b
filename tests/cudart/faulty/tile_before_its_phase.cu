// The tile of a tensor copy is read with no wait for its barrier.
// golden: none
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void turn(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ __align__(128) float tile[32][32];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned t = static_cast<unsigned>(__cvta_generic_to_shared(tile)), b = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0 && threadIdx.y == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(b) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" :: "r"(b) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3}], [%2];"
                 :: "r"(t), "l"(&map), "r"(b), "r"(0) : "memory");
  }
  __syncthreads();
  out[threadIdx.x * 32 + threadIdx.y] = tile[threadIdx.y][threadIdx.x];  // FAULT async-early
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 4096);
  cudaMemset(in, 0, 4096);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
  CUtensorMap map;
  const cuuint64_t dims[] = {32, 32}, strides[] = {128};
  const cuuint32_t box[] = {32, 32}, steps[] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                             CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  turn<<<1, dim3(32, 32)>>>(map, out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

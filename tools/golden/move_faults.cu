// What a GPU does with doubtful copies and matrix moves: `move_faults N` runs case N and prints its name, the error
// and the first word that it left. Each case is a process of its own, since an error ends the context.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

struct Doubt {
  unsigned tile, barrier, global, bytes;  // offsets, and how many
};

__global__ void bulk_load(const char* in, unsigned* out, Doubt d) {
  __shared__ __align__(1024) unsigned char tile[4096];
  __shared__ __align__(16) unsigned long long barrier[4];
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared_address(barrier) + d.barrier) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared_address(barrier) + d.barrier), "r"(d.bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(shared_address(tile) + d.tile), "l"(in + d.global), "r"(d.bytes), "r"(shared_address(barrier) + d.barrier) : "memory");
    for (int k = 0; k < 1000; ++k) __nanosleep(1000);
  }
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}

__global__ void tensor_load(const __grid_constant__ CUtensorMap map, unsigned* out, unsigned at, int form, int x = 0, int y = 0) {
  __shared__ __align__(1024) unsigned char tile[8192];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned b = shared_address(&barrier), t = shared_address(tile) + at;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(b) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    if (form == 2) asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
                                :: "r"(t), "l"(&map), "r"(b), "r"(x), "r"(y) : "memory");
    if (form == 4) asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%1, {%3, %4}], [%0]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
                                :: "r"(t), "l"(&map), "r"(b), "r"(x), "r"(y) : "memory");
    if (form == 5) asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%1, {%3, %4}], [%0]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
                                :: "r"(t), "l"(&map), "r"(b), "r"(x), "r"(y) : "memory");
    if (form == 3) asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %3, %3}], [%2];"
                                :: "r"(t), "l"(&map), "r"(b), "r"(0) : "memory");
    for (int k = 0; k < 1000; ++k) __nanosleep(1000);
  }
  __syncthreads();
  out[threadIdx.x] = tile[at + threadIdx.x];
}

__global__ void matrix(unsigned* out, unsigned at) {
  __shared__ __align__(128) unsigned tile[1024];
  for (unsigned k = threadIdx.x; k < 1024; k += 32) tile[k] = k;
  __syncwarp();
  unsigned r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(shared_address(tile) + threadIdx.x % 8 * 32 + at) : "memory");
  out[threadIdx.x] = r;
}

__global__ void __cluster_dims__(2, 1, 1) peer(unsigned* out, int form) {
  __shared__ unsigned word[32];
  unsigned rank, there;
  asm volatile("mov.u32 %0, %cluster_ctarank;" : "=r"(rank));
  word[threadIdx.x] = rank + 5;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(word)), "r"(form == 0 ? 2u : rank ^ 1));
  if (form == 1 && rank == 1) return;  // gone while the other still reads
  if (form == 1) for (int k = 0; k < 1000; ++k) __nanosleep(1000);
  unsigned value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
  out[threadIdx.x] = value;
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

int main(int argc, char** argv) {
  const int number = argc > 1 ? std::atoi(argv[1]) : 0;
  char* in;
  unsigned* out;
  cudaMalloc(&in, 1 << 16);
  cudaMemset(in, 9, 1 << 16);
  cudaMalloc(&out, 4096);
  cudaMemset(out, 0, 4096);
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
  CUtensorMap map = {}, none = {};
  const cuuint64_t dims[2] = {64, 64}, strides[1] = {256};
  const cuuint32_t box[2] = {32, 16}, steps[2] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                             CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  // The same box of other element types: a byte, a half, a double.
  const auto of_type = [&](CUtensorMapDataType type, cuuint32_t inner) {
    CUtensorMap made = {};
    const cuuint32_t shape[2] = {inner, 16};
    reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(entry)(&made, type, 2, in, dims, strides, shape, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return made;
  };
  const CUtensorMap bytes = of_type(CU_TENSOR_MAP_DATA_TYPE_UINT8, 32), halves = of_type(CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 32),
                    doubles = of_type(CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 16);
  const char* name = "none";
  const auto tensor = [&](const char* what, const CUtensorMap& of, int form, int x, int y) { name = what, tensor_load<<<1, 32>>>(of, out, 0, form, x, y); };
  const auto bulk = [&](const char* what, Doubt d) { name = what, bulk_load<<<1, 32>>>(in, out, d); };
  switch (number) {
    case 0: bulk("bulk load as it should be", {0, 0, 0, 256}); break;
    case 1: bulk("bulk load to 8 bytes off", {8, 0, 0, 256}); break;
    case 2: bulk("bulk load from 8 bytes off", {0, 0, 8, 256}); break;
    case 3: bulk("bulk load of 24 bytes", {0, 0, 0, 24}); break;
    case 4: bulk("bulk load with the barrier 4 bytes off", {0, 4, 0, 256}); break;
    case 5: bulk("bulk load past the buffer", {0, 0, 65408, 256}); break;
    case 6: bulk("bulk load of 0 bytes", {0, 0, 0, 0}); break;
    case 7: name = "tensor load to 16 bytes off", tensor_load<<<1, 32>>>(map, out, 16, 2); break;
    case 8: name = "tensor load to 64 bytes off", tensor_load<<<1, 32>>>(map, out, 64, 2); break;
    case 9: name = "tensor load, 3-D of a 2-D map", tensor_load<<<1, 32>>>(map, out, 0, 3); break;
    case 10: name = "tensor load through zeros", tensor_load<<<1, 32>>>(none, out, 0, 2); break;
    case 11: name = "tensor load as it should be", tensor_load<<<1, 32>>>(map, out, 0, 2); break;
    case 12: name = "ldmatrix 8 bytes off", matrix<<<1, 32>>>(out, 8); break;
    case 13: name = "a rank outside the cluster", peer<<<2, 32>>>(out, 0); break;
    case 14: name = "a peer that has exited", peer<<<2, 32>>>(out, 1); break;
    case 16: tensor("floats at x = 1", map, 2, 1, 0); break;
    case 17: tensor("floats at x = 2", map, 2, 2, 0); break;
    case 18: tensor("floats at x = 3", map, 2, 3, 5); break;
    case 19: tensor("floats at x = -1", map, 2, -1, 0); break;
    case 20: tensor("floats at x = -4, y = -1", map, 2, -4, -1); break;
    case 21: tensor("store of floats at x = 1", map, 4, 1, 0); break;
    case 22: tensor("store of floats at x = -1", map, 4, -1, 0); break;
    case 23: tensor("reduction of floats at x = 1", map, 5, 1, 0); break;
    case 24: tensor("bytes at x = 1", bytes, 2, 1, 0); break;
    case 25: tensor("bytes at x = 8", bytes, 2, 8, 0); break;
    case 26: tensor("bytes at x = 16", bytes, 2, 16, 0); break;
    case 27: tensor("halves at x = 1", halves, 2, 1, 0); break;
    case 28: tensor("halves at x = 4", halves, 2, 4, 0); break;
    case 29: tensor("halves at x = 8", halves, 2, 8, 0); break;
    case 30: tensor("doubles at x = 1", doubles, 2, 1, 0); break;
    case 31: tensor("doubles at x = 2", doubles, 2, 2, 0); break;
    case 32: tensor("floats past the end at x = 65", map, 2, 65, 0); break;
    case 33: tensor("floats below the start at x = -33", map, 2, -33, 0); break;
    case 34: tensor("store of floats at x = -4", map, 4, -4, 0); break;
    case 35: tensor("store of floats at y = -1", map, 4, 0, -1); break;
    case 36: tensor("reduction of floats at y = -1", map, 5, 0, -1); break;
    case 37: tensor("store of floats at x = 64, past the end", map, 4, 64, 0); break;
    case 38: tensor("store of floats at y = 1000, past the end", map, 4, 0, 1000); break;
    case 39: tensor("bytes at x = -16", bytes, 2, -16, 0); break;
    case 15: name = "a peer as it should be", peer<<<2, 32>>>(out, 2); break;
  }
  const cudaError_t code = cudaDeviceSynchronize();
  unsigned word = 0;
  cudaMemcpy(&word, out, 4, cudaMemcpyDeviceToHost);
  std::printf("%d,%s,%s,%u\n", number, name, cudaGetErrorName(code), word);
}

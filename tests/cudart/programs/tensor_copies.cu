// Tensor copies of the TMA unit, 1-D to 5-D, both ways: what lies in shared memory after a load and in global memory
// after a store or a reduction, byte by byte, for boxes, strides, swizzles, edges and element types.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                            const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                            CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

struct Place {
  int rank, c[5];
  unsigned at = 0;  // of the tile in shared memory
};
constexpr unsigned kTileBytes = 32768, kTensorBytes = 1 << 16;

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

#define TENSOR_LOAD(D, COORDINATES)                                                                                   \
  asm volatile("cp.async.bulk.tensor." D ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "      \
               COORDINATES "], [%2];"                                                                                 \
               :: "r"(tile), "l"(map), "r"(barrier), "r"(p.c[0]), "r"(p.c[1]), "r"(p.c[2]), "r"(p.c[3]), "r"(p.c[4]) \
               : "memory")
#define TENSOR_STORE(FORM, D, COORDINATES)                                                                         \
  asm volatile(FORM "." D ".global.shared::cta" COORDINATES                                                        \
               :: "r"(tile), "l"(&map), "r"(0), "r"(p.c[0]), "r"(p.c[1]), "r"(p.c[2]), "r"(p.c[3]), "r"(p.c[4])   \
               : "memory")

__device__ void load(unsigned tile, const void* map, unsigned barrier, const Place& p) {
  if (p.rank == 1) TENSOR_LOAD("1d", "{%3}");
  if (p.rank == 2) TENSOR_LOAD("2d", "{%3, %4}");
  if (p.rank == 3) TENSOR_LOAD("3d", "{%3, %4, %5}");
  if (p.rank == 4) TENSOR_LOAD("4d", "{%3, %4, %5, %6}");
  if (p.rank == 5) TENSOR_LOAD("5d", "{%3, %4, %5, %6, %7}");
}

// Waits for phase 0 at most for a while, so that a wrong number of bytes is reported and not waited for.
__device__ bool wait(unsigned barrier) {
  for (int turn = 0; turn < 20000; ++turn) {
    unsigned done;
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(barrier) : "memory");
    if (done) return true;
    __nanosleep(100);
  }
  return false;
}

__device__ void begin(unsigned char* tile, unsigned long long* barrier, unsigned salt) {
  for (unsigned k = threadIdx.x; k < kTileBytes / 4; k += blockDim.x) reinterpret_cast<unsigned*>(tile)[k] = k * 0x9e3779b9u + salt;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared_address(barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

__global__ void load_box(const __grid_constant__ CUtensorMap map, const __grid_constant__ Place p, unsigned bytes, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char tile[];
  __shared__ __align__(8) unsigned long long barrier;
  begin(tile, &barrier, 1);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared_address(&barrier)), "r"(bytes) : "memory");
    load(shared_address(tile) + p.at, &map, shared_address(&barrier), p);
  }
  const bool done = wait(shared_address(&barrier));
  for (unsigned k = threadIdx.x; k < kTileBytes / 4; k += blockDim.x) out[k] = reinterpret_cast<unsigned*>(tile)[k];
  if (threadIdx.x == 0) out[kTileBytes / 4] = done;
}

__global__ void store_box(const __grid_constant__ CUtensorMap map, const __grid_constant__ Place p) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ __align__(8) unsigned long long barrier;
  begin(shared, &barrier, 7);
  if (threadIdx.x != 0) return;
  const unsigned tile = shared_address(shared) + p.at;
  if (p.rank == 1) TENSOR_STORE("cp.async.bulk.tensor", "1d", ".tile.bulk_group [%1, {%3}], [%0];");
  if (p.rank == 2) TENSOR_STORE("cp.async.bulk.tensor", "2d", ".tile.bulk_group [%1, {%3, %4}], [%0];");
  if (p.rank == 3) TENSOR_STORE("cp.async.bulk.tensor", "3d", ".tile.bulk_group [%1, {%3, %4, %5}], [%0];");
  if (p.rank == 4) TENSOR_STORE("cp.async.bulk.tensor", "4d", ".tile.bulk_group [%1, {%3, %4, %5, %6}], [%0];");
  if (p.rank == 5) TENSOR_STORE("cp.async.bulk.tensor", "5d", ".tile.bulk_group [%1, {%3, %4, %5, %6, %7}], [%0];");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

enum Operation { Add, Min, Max, Inc, Dec, And, Or, Xor };
#define REDUCE(OP) TENSOR_STORE("cp.reduce.async.bulk.tensor", "2d", "." OP ".tile.bulk_group [%1, {%3, %4}], [%0];")

__global__ void reduce_box(const __grid_constant__ CUtensorMap map, const __grid_constant__ Place p, int operation, unsigned mask) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ __align__(8) unsigned long long barrier;
  begin(shared, &barrier, 3);
  for (unsigned k = threadIdx.x; k < kTileBytes / 4; k += blockDim.x) reinterpret_cast<unsigned*>(shared)[k] &= mask;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  const unsigned tile = shared_address(shared);
  if (operation == Add) REDUCE("add");
  if (operation == Min) REDUCE("min");
  if (operation == Max) REDUCE("max");
  if (operation == Inc) REDUCE("inc");
  if (operation == Dec) REDUCE("dec");
  if (operation == And) REDUCE("and");
  if (operation == Or) REDUCE("or");
  if (operation == Xor) REDUCE("xor");
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
}

__constant__ CUtensorMap constant_map;

// The map in constant memory, or in global memory behind the fence that its own proxy needs; prefetched before.
__global__ void load_elsewhere(const CUtensorMap* map, const __grid_constant__ Place p, unsigned bytes, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char tile[];
  __shared__ __align__(8) unsigned long long barrier;
  begin(tile, &barrier, 1);
  if (threadIdx.x == 0) {
    const void* at = map == nullptr ? static_cast<const void*>(&constant_map) : map;
    if (map != nullptr) asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" :: "l"(at) : "memory");
    asm volatile("prefetch.tensormap [%0];" :: "l"(at) : "memory");
    asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];" :: "l"(at), "r"(p.c[0]), "r"(p.c[1]) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared_address(&barrier)), "r"(bytes) : "memory");
    load(shared_address(tile), at, shared_address(&barrier), p);
  }
  const bool done = wait(shared_address(&barrier));
  for (unsigned k = threadIdx.x; k < kTileBytes / 4; k += blockDim.x) out[k] = reinterpret_cast<unsigned*>(tile)[k];
  if (threadIdx.x == 0) out[kTileBytes / 4] = done;
}

struct Box {
  int type, rank, dims[5], pads[4], box[5], steps[5], swizzle, fill;
};

static const int kBytes[13] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static Encode encode;
static unsigned char* tensor;
static unsigned* out;
static std::vector<unsigned char> original(kTensorBytes);

static unsigned long long fnv(const void* data, size_t bytes) {
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (size_t k = 0; k < bytes; ++k) hash = (hash ^ static_cast<const unsigned char*>(data)[k]) * 0x100000001b3ull;
  return hash;
}

static unsigned bytes_of(const Box& b) {
  unsigned count = kBytes[b.type];
  for (int k = 0; k < b.rank; ++k) count *= k == 0 ? b.box[0] : (b.box[k] + b.steps[k] - 1) / b.steps[k];
  return count;
}

static bool make(const Box& b, CUtensorMap& map) {
  cuuint64_t dims[5], strides[5];
  cuuint32_t box[5], steps[5];
  cuuint64_t stride = kBytes[b.type];
  for (int k = 0; k < 5; ++k) {
    dims[k] = b.dims[k], box[k] = b.box[k], steps[k] = b.steps[k];
    stride = stride * dims[k] + (k < 4 ? b.pads[k] : 0);
    strides[k] = stride;
  }
  const CUresult code = encode(&map, (CUtensorMapDataType)b.type, b.rank, tensor, dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                               (CUtensorMapSwizzle)b.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, (CUtensorMapFloatOOBfill)b.fill);
  if (code != 0) std::printf("refused: %d\n", (int)code);
  return code == 0;
}

static void fresh() { cudaMemcpy(tensor, original.data(), kTensorBytes, cudaMemcpyHostToDevice); }

static void show_load(const char* what, int number) {
  std::vector<unsigned> back(kTileBytes / 4 + 1);
  const cudaError_t code = cudaMemcpy(back.data(), out, back.size() * 4, cudaMemcpyDeviceToHost);
  std::printf("load %s %d: %016llx %s %s\n", what, number, fnv(back.data(), kTileBytes), back.back() ? "done" : "bytes missing", cudaGetErrorName(code));
}

static void show_store(const char* what, int number) {
  std::vector<unsigned char> back(kTensorBytes);
  const cudaError_t code = cudaMemcpy(back.data(), tensor, kTensorBytes, cudaMemcpyDeviceToHost);
  std::printf("%s %d: %016llx %s\n", what, number, fnv(back.data(), kTensorBytes), cudaGetErrorName(code));
}

static void both(const char* what, int number, const Box& b, const Place& p) {
  CUtensorMap map;
  if (!make(b, map)) return;
  fresh();
  load_box<<<1, 128, kTileBytes>>>(map, p, bytes_of(b), out);
  show_load(what, number);
  for (int c : p.c) {
    if (c < 0) return;  // an illegal instruction of stores
  }
  store_box<<<1, 128, kTileBytes>>>(map, p);
  char name[64];
  std::snprintf(name, sizeof name, "store %s", what);
  show_store(name, number);
}

static const Box k2d = {7, 2, {64, 64, 1, 1, 1}, {}, {32, 16, 1, 1, 1}, {1, 1, 1, 1, 1}, 0, 0};

static void places() {
  const int at[][2] = {{0, 0}, {4, 4}, {12, 5}, {8, 1}, {4, 63}, {-4, 0}, {-12, -3}, {60, 60}, {64, 0}, {0, 64}, {-32, 0}, {-40, 2}, {1000, 1000}};
  int number = 0;
  for (const auto& c : at) both("at", number++, k2d, {2, {c[0], c[1]}});
  Box ragged = k2d;
  ragged.dims[0] = 61, ragged.pads[0] = 12, ragged.dims[1] = 37;
  for (const auto& c : at) both("ragged at", number++, ragged, {2, {c[0], c[1]}});
  ragged.fill = 1;
  for (const auto& c : at) both("NaN at", number++, ragged, {2, {c[0], c[1]}});
}

static void swizzles() {
  for (int swizzle = 0; swizzle <= 6; ++swizzle) {
    for (int inner : {4, 8, 12, 16, 24, 32}) {  // floats
      if (swizzle == 1 && inner > 8) continue;
      if (swizzle == 2 && inner > 16) continue;
      Box b = k2d;
      b.swizzle = swizzle, b.box[0] = inner, b.box[1] = 24;
      char what[32];
      std::snprintf(what, sizeof what, "swizzle %d of", swizzle);
      both(what, inner, b, {2, {4, 3}});
    }
    Box moved = k2d;  // the pattern goes by addresses: it does not begin anew where the tile begins
    moved.swizzle = swizzle, moved.box[0] = swizzle == 1 ? 8 : swizzle == 2 ? 16 : 32;
    for (unsigned at : {128u, 256u, 384u, 512u, 896u}) both("moved swizzle", swizzle * 1000 + at, moved, {2, {4, 3}, at});
    Box deep = {6, 3, {64, 16, 8, 1, 1}, {}, {swizzle == 1 ? 16 : swizzle == 2 ? 32 : 64, 5, 3, 1, 1}, {1, 1, 1, 1, 1}, swizzle, 0};
    both("deep swizzle", swizzle, deep, {3, {-8, 13, 6}});
    Box line = {0, 1, {4096, 1, 1, 1, 1}, {}, {swizzle == 1 ? 32 : swizzle == 2 ? 64 : 128, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, swizzle, 0};
    both("line swizzle", swizzle, line, {1, {16}});
  }
}

static void ranks() {
  const Box boxes[] = {
      {2, 1, {1000, 1, 1, 1, 1}, {}, {256, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, 0, 0},
      {2, 2, {100, 30, 1, 1, 1}, {}, {20, 7, 1, 1, 1}, {1, 1, 1, 1, 1}, 0, 0},
      {2, 3, {20, 10, 12, 1, 1}, {16, 32, 0, 0}, {12, 4, 5, 1, 1}, {1, 1, 1, 1, 1}, 0, 0},
      {2, 4, {12, 6, 5, 7, 1}, {0, 16, 0, 0}, {8, 3, 2, 4, 1}, {1, 1, 1, 1, 1}, 0, 0},
      {2, 5, {8, 5, 4, 3, 6}, {0, 0, 16, 0}, {4, 3, 2, 2, 4}, {1, 1, 1, 1, 1}, 0, 0}};
  const Place at[] = {{0, {0, 0, 0, 0, 0}}, {0, {4, 2, 1, 1, 2}}, {0, {-4, -1, -1, -1, -1}}, {0, {8, 3, 2, 2, 4}}, {0, {900, 28, 11, 6, 5}}};
  for (const Box& b : boxes) {
    for (int k = 0; k < 5; ++k) {
      Place p = at[k];
      p.rank = b.rank;
      both("rank", b.rank * 10 + k, b, p);
    }
  }
}

static void types() {
  for (int type = 0; type < 13; ++type) {
    for (int fill : {0, 1}) {
      const bool real = type >= 6;
      if (fill == 1 && !real) continue;
      Box b = {type, 2, {48, 40, 1, 1, 1}, {}, {16, 9, 1, 1, 1}, {1, 1, 1, 1, 1}, 0, fill};
      both("type", type * 10 + fill, b, {2, {32, 35}});
      both("type below", type * 10 + fill, b, {2, {-16, -4}});
    }
  }
}

static void steps() {
  for (int step : {2, 3, 5, 8}) {
    Box b = k2d;
    b.steps[1] = step;
    both("step of rows", step, b, {2, {4, 2}});
    both("step of rows, negative", step, b, {2, {4, -3}});
    both("step of rows, end", step, b, {2, {4, 55}});
    b.steps[0] = step;
    both("step of both", step, b, {2, {4, 2}});
    Box three = {1, 3, {32, 16, 16, 1, 1}, {}, {16, 9, 10, 1, 1}, {1, step, 3, 1, 1}, 0, 0};
    both("step of three", step, three, {3, {8, 1, 4}});
    b.steps[0] = 1, b.swizzle = 3;
    both("step and swizzle", step, b, {2, {0, 1}});
  }
}

static void reductions() {
  const struct {
    int type, operation;
  } list[] = {{2, Add}, {2, Min}, {2, Max}, {2, Inc}, {2, Dec}, {2, And}, {2, Or}, {2, Xor}, {3, Add}, {3, Min}, {3, Max}, {4, Add}, {4, Min},
              {4, Max}, {4, And}, {4, Xor}, {5, Min}, {5, Max}, {6, Add}, {6, Min}, {6, Max}, {7, Add}, {9, Add}, {9, Min}, {9, Max}};
  for (const auto& one : list) {
    Box b = k2d;
    b.type = one.type;
    CUtensorMap map;
    if (!make(b, map)) continue;
    const bool half = one.type == 6 || one.type == 9;
    std::vector<unsigned char> start = original;  // numbers, no NaN
    for (size_t k = 0; k < kTensorBytes; ++k) {
      if (half) start[k] &= 0x3f;
      if (one.type == 7) start[k] &= k % 4 == 3 ? 0x3f : 0xff;
    }
    cudaMemcpy(tensor, start.data(), kTensorBytes, cudaMemcpyHostToDevice);
    reduce_box<<<1, 128, kTileBytes>>>(map, {2, {8, 55}}, one.operation, half ? 0xbf3fbf3fu : one.type == 7 ? 0xbfffffffu : ~0u);
    show_store("reduce", one.type * 10 + one.operation);
  }
}

static void elsewhere() {
  CUtensorMap map, *copy;
  if (!make(k2d, map)) return;
  fresh();
  cudaMemcpyToSymbol(constant_map, &map, sizeof map);
  load_elsewhere<<<1, 128, kTileBytes>>>(nullptr, {2, {4, 4}}, bytes_of(k2d), out);
  show_load("map in constant memory", 0);
  cudaMalloc(&copy, sizeof map);
  cudaMemcpy(copy, &map, sizeof map, cudaMemcpyHostToDevice);
  load_elsewhere<<<1, 128, kTileBytes>>>(copy, {2, {4, 4}}, bytes_of(k2d), out);
  show_load("map in global memory", 0);
}

int main(int count, char** words) {
  const int only = count > 1 ? std::atoi(words[1]) : -1;  // one group alone, or all
  cudaMalloc(&tensor, kTensorBytes);
  cudaMalloc(&out, kTileBytes + 4);
  unsigned state = 12345;
  for (unsigned char& byte : original) byte = (state = state * 1664525u + 1013904223u) >> 24;
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
  if (entry == nullptr) return 1;
  encode = (Encode)entry;
  void (*const groups[])() = {places, swizzles, ranks, types, steps, reductions, elsewhere};
  for (int k = 0; k < 7; ++k) {
    if (only < 0 || only == k) groups[k]();
  }
}

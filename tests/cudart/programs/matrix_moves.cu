// ldmatrix, stmatrix and movmatrix: one warp, one instruction, many patterns of row addresses.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

struct Rows {
  unsigned at[32];  // byte offset of the row that each lane names
};

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

#define LOAD1(T) "ldmatrix.sync.aligned.m8n8.x1" T ".shared.b16 {%0}, [%4];"
#define LOAD2(T) "ldmatrix.sync.aligned.m8n8.x2" T ".shared.b16 {%0, %1}, [%4];"
#define LOAD4(T) "ldmatrix.sync.aligned.m8n8.x4" T ".shared.b16 {%0, %1, %2, %3}, [%4];"
#define STORE1(T) "stmatrix.sync.aligned.m8n8.x1" T ".shared.b16 [%4], {%0};"
#define STORE2(T) "stmatrix.sync.aligned.m8n8.x2" T ".shared.b16 [%4], {%0, %1};"
#define STORE4(T) "stmatrix.sync.aligned.m8n8.x4" T ".shared.b16 [%4], {%0, %1, %2, %3};"
#define LOAD(FORM) asm volatile(FORM : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]) : "r"(address) : "memory")
#define STORE(FORM) asm volatile(FORM : : "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(address) : "memory")

template <int count, bool turned>
__global__ void load_matrix(unsigned* out, const __grid_constant__ Rows rows) {
  __shared__ __align__(128) unsigned tile[2048];
  for (unsigned k = threadIdx.x; k < 2048; k += 32) tile[k] = k * 0x10003u + 0x20000u;
  __syncwarp();
  const unsigned address = shared_address(tile) + rows.at[threadIdx.x];
  unsigned r[4] = {1, 2, 3, 4};
  if (count == 1 && !turned) LOAD(LOAD1(""));
  if (count == 1 && turned) LOAD(LOAD1(".trans"));
  if (count == 2 && !turned) LOAD(LOAD2(""));
  if (count == 2 && turned) LOAD(LOAD2(".trans"));
  if (count == 4 && !turned) LOAD(LOAD4(""));
  if (count == 4 && turned) LOAD(LOAD4(".trans"));
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = r[k];
}

template <int count, bool turned>
__global__ void store_matrix(unsigned* out, const __grid_constant__ Rows rows) {
  __shared__ __align__(128) unsigned tile[2048];
  for (unsigned k = threadIdx.x; k < 2048; k += 32) tile[k] = 0;
  __syncwarp();
  const unsigned address = shared_address(tile) + rows.at[threadIdx.x];
  unsigned r[4];
  for (int k = 0; k < 4; ++k) r[k] = (threadIdx.x * 4 + k) * 0x20001u + 0x10000u;
  if (count == 1 && !turned) STORE(STORE1(""));
  if (count == 1 && turned) STORE(STORE1(".trans"));
  if (count == 2 && !turned) STORE(STORE2(""));
  if (count == 2 && turned) STORE(STORE2(".trans"));
  if (count == 4 && !turned) STORE(STORE4(""));
  if (count == 4 && turned) STORE(STORE4(".trans"));
  __syncwarp();
  for (unsigned k = threadIdx.x; k < 2048; k += 32) out[k] = tile[k];
}

__global__ void move_matrix(unsigned* out) {
  unsigned r = threadIdx.x * 0x20001u + 0x10000u;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r));
  out[threadIdx.x] = r;
}

static unsigned* device;
static unsigned host[2048];

static void show(const char* form, const char* pattern, int argument, int words) {
  cudaMemcpy(host, device, words * 4, cudaMemcpyDeviceToHost);
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (int k = 0; k < words; ++k) hash = (hash ^ host[k]) * 0x100000001b3ull;
  std::printf("%s %s %d: %016llx %s\n", form, pattern, argument, hash, cudaGetErrorName(cudaGetLastError()));
}

static void all(const char* pattern, int argument, const Rows& rows, bool stores = true) {
  load_matrix<1, false><<<1, 32>>>(device, rows), show("load x1", pattern, argument, 128);
  load_matrix<2, false><<<1, 32>>>(device, rows), show("load x2", pattern, argument, 128);
  load_matrix<4, false><<<1, 32>>>(device, rows), show("load x4", pattern, argument, 128);
  load_matrix<4, true><<<1, 32>>>(device, rows), show("load x4 trans", pattern, argument, 128);
  if (!stores) return;  // two rows at one place: which of them stays is not said
  store_matrix<1, false><<<1, 32>>>(device, rows), show("store x1", pattern, argument, 2048);
  store_matrix<2, false><<<1, 32>>>(device, rows), show("store x2", pattern, argument, 2048);
  store_matrix<4, false><<<1, 32>>>(device, rows), show("store x4", pattern, argument, 2048);
  store_matrix<4, true><<<1, 32>>>(device, rows), show("store x4 trans", pattern, argument, 2048);
}

int main() {
  cudaMalloc(&device, sizeof host);
  Rows rows;
  for (unsigned pitch : {16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 192, 208, 240}) {
    for (unsigned k = 0; k < 32; ++k) rows.at[k] = k * pitch;
    all("pitch", pitch, rows);
  }
  for (unsigned pitch : {64, 128, 144, 256, 272, 512, 528, 1024}) {  // four matrices side by side
    for (unsigned k = 0; k < 32; ++k) rows.at[k] = k % 8 * pitch % 8192 + k / 8 * 16;
    all("tile of pitch", pitch, rows);
  }
  for (unsigned mode : {1, 3, 7}) {  // the swizzles of 32, 64 and 128 bytes
    for (unsigned k = 0; k < 32; ++k) rows.at[k] = k * 128 + ((k >> (mode == 7 ? 0 : mode == 3 ? 1 : 2)) & mode) * 16;
    all("swizzle", mode, rows);
  }
  for (unsigned share : {2, 4, 8, 32}) {
    for (unsigned k = 0; k < 32; ++k) rows.at[k] = k / share * 16;
    all("shared by", share, rows, false);
    for (unsigned k = 0; k < 32; ++k) rows.at[k] = k % share * 16;
    all("again after", share, rows, false);
  }
  unsigned seed = 1;
  for (int round = 0; round < 12; ++round) {
    unsigned free[512];
    for (unsigned k = 0; k < 512; ++k) free[k] = k;
    for (unsigned k = 0; k < 32; ++k) {
      seed = seed * 1664525u + 1013904223u;
      const unsigned pick = k + (seed >> 8) % (512 - k), taken = free[pick];
      free[pick] = free[k];
      rows.at[k] = taken * 16;
    }
    all("anywhere", round, rows);
  }
  load_matrix<1, true><<<1, 32>>>(device, rows), show("load x1 trans", "anywhere", 12, 128);
  load_matrix<2, true><<<1, 32>>>(device, rows), show("load x2 trans", "anywhere", 12, 128);
  store_matrix<1, true><<<1, 32>>>(device, rows), show("store x1 trans", "anywhere", 12, 2048);
  store_matrix<2, true><<<1, 32>>>(device, rows), show("store x2 trans", "anywhere", 12, 2048);
  move_matrix<<<1, 32>>>(device), show("move", "trans", 0, 32);
}

// Carries bytes over the link between two GPUs in one way, both ways at once, so that link_packets.py can
// read the link's own counters before and after.
//
// Enters: the way (its name below) and how often. Leaves: "way,bytes_each_way,median_us" for the slower GPU.
// Build: nvcc -O3 -std=c++17 -arch=sm_90.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call) check(static_cast<int>(call), __LINE__)

namespace {

void check(int code, int line) {
  if (code == 0) return;
  std::fprintf(stderr, "link_packets.cu:%d: error %d\n", line, code);
  std::exit(1);
}

constexpr int64_t kBytes = int64_t(256) << 20;

template <typename Word>
__global__ void copy(Word* to, const Word* from, int64_t count) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += int64_t(gridDim.x) * blockDim.x)
    to[i] = from[i];
}

// A warp loads `piece` bytes at a time into shared memory by a bulk copy and sends them on by another.
__global__ void bulk(char* to, const char* from, int64_t bytes, uint32_t piece) {
  extern __shared__ __align__(128) char room[];
  __shared__ uint64_t arrived;
  if (threadIdx.x != 0) return;
  const auto shared = [](const void* p) { return uint32_t(__cvta_generic_to_shared(p)); };
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared(&arrived)));
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  uint32_t phase = 0, half = 0;
  for (int64_t at = int64_t(blockIdx.x) * piece; at < bytes; at += int64_t(gridDim.x) * piece, half ^= 1) {
    char* const here = room + half * piece;
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared(&arrived)), "r"(piece)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            shared(here)),
        "l"(from + at), "r"(piece), "r"(shared(&arrived))
        : "memory");
    asm volatile(
        "{ .reg .pred done; again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1; @!done bra again; }" ::
            "r"(shared(&arrived)),
        "r"(phase)
        : "memory");
    phase ^= 1;
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + at),
                 "r"(shared(here)), "r"(piece)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* const way = argv[1];
  char *in[2], *out[2];
  cudaStream_t stream[2];
  cudaEvent_t before[2], after[2];
  for (int g = 0; g < 2; ++g) {
    CHECK(cudaSetDevice(g)), CHECK(cudaDeviceEnablePeerAccess(1 - g, 0));
    CHECK(cudaMalloc(&in[g], kBytes)), CHECK(cudaMalloc(&out[g], kBytes)),
        CHECK(cudaMemset(in[g], 0x5a, kBytes));
    CHECK(cudaStreamCreate(&stream[g])), CHECK(cudaEventCreate(&before[g])),
        CHECK(cudaEventCreate(&after[g]));
    CHECK(cudaFuncSetAttribute(bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    CHECK(cudaDeviceSynchronize());
  }
  const auto go = [&](int g) {
    char* const to = out[1 - g];
    const auto is = [&](const char* name) { return std::strcmp(way, name) == 0; };
    if (is("copy engine")) return CHECK(cudaMemcpyAsync(to, in[g], kBytes, cudaMemcpyDefault, stream[g]));
    if (is("threads store 16 bytes"))
      copy<<<1056, 1024, 0, stream[g]>>>((uint4*)to, (const uint4*)in[g], kBytes / 16);
    else if (is("threads store 8 bytes"))
      copy<<<1056, 1024, 0, stream[g]>>>((uint2*)to, (const uint2*)in[g], kBytes / 8);
    else if (is("threads store 4 bytes"))
      copy<<<1056, 1024, 0, stream[g]>>>((uint32_t*)to, (const uint32_t*)in[g], kBytes / 4);
    else if (is("bulk copies of 2 KiB"))
      bulk<<<528, 32, 2 * 2048, stream[g]>>>(to, in[g], kBytes, 2048);
    else if (is("bulk copies of 16 KiB"))
      bulk<<<528, 32, 2 * 16384, stream[g]>>>(to, in[g], kBytes, 16384);
    else if (is("threads load 16 bytes"))
      copy<<<4224, 1024, 0, stream[g]>>>((uint4*)out[g], (const uint4*)in[1 - g], kBytes / 16);
    else
      std::exit(2);
    CHECK(cudaGetLastError());
  };
  std::vector<float> us;
  for (int run = 0; run < std::atoi(argv[2]); ++run) {
    for (int g = 0; g < 2; ++g)
      CHECK(cudaSetDevice(g)), CHECK(cudaEventRecord(before[g], stream[g])), go(g),
          CHECK(cudaEventRecord(after[g], stream[g]));
    float slower = 0;
    for (int g = 0; g < 2; ++g) {
      float ms = 0;
      CHECK(cudaSetDevice(g)), CHECK(cudaDeviceSynchronize()),
          CHECK(cudaEventElapsedTime(&ms, before[g], after[g]));
      slower = std::max(slower, ms * 1000);
    }
    us.push_back(slower);
  }
  std::sort(us.begin(), us.end());
  std::printf("%s,%lld,%.2f\n", way, (long long)kBytes, us[us.size() / 2]);
}

// Two GPUs, 4 to 64 MiB each way: what the two launches cost beside the transpose itself, and what threads
// and bulk copies can send over the link.
//
// Enters: two GPUs with peer access. Leaves: CSV on stdout: microseconds of the slower GPU by its own events
// (median, best, 90th percentile), wrong elements. Released by the host: each stream begins when its launch
// comes. Gated: both streams wait for one word that the host writes when all is queued, so both begin at
// once. Build: nvcc -O3 -std=c++17 -arch=native -I. tools/bench/split_small.cu
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "common/fast/split.cuh"
#include "common/kernel/tensor.cuh"

#define CHECK(call) check(static_cast<int>(call), __LINE__)
static void check(int code, int line) {
  if (code == 0) return;
  std::fprintf(stderr, "split_small.cu:%d: error %d\n", line, code);
  std::exit(1);
}
constexpr int kGpus = 2, kRuns = 41, kWarmUp = 6;

__device__ unsigned char value_at(uint64_t row, uint64_t col, int b) {
  uint64_t x = (row * 0x1000003 + col) * 16 + b;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull, x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return static_cast<unsigned char>(x ^ x >> 31);
}
__global__ void fill(char* in, int64_t first, int64_t rows, int64_t cols, int size) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols * size;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int64_t e = i / size;
    in[i] = value_at(first + e / cols, e % cols, int(i % size));
  }
}
__global__ void count_wrong(const char* out, int64_t first, int64_t cols, int64_t rows, int size,
                            unsigned long long* wrong) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols * size;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int64_t e = i / size;
    if ((unsigned char)out[i] != value_at(e % rows, first + e / rows, int(i % size))) atomicAdd(wrong, 1ull);
  }
}
__global__ void hold(volatile int* go, int turn) {
  while (*go < turn) {
  }
}
__global__ void copy_16(uint4* to, const uint4* from, int64_t n) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += int64_t(gridDim.x) * blockDim.x)
    to[i] = from[i];
}

// A warp for each block: a ring of pieces in shared memory, loaded and stored by bulk copies of `bytes`.
constexpr int kPiece = 16384, kPieces = 4;
__global__ void __launch_bounds__(32) bulk_copy(char* to, const char* from, int64_t n, int bytes) {
  extern __shared__ __align__(128) char ring[];
  __shared__ lab::Barrier full[kPieces];
  const uint32_t pieces = lab::shared_address(ring);
  if (threadIdx.x == 0)
    for (int i = 0; i < kPieces; ++i) lab::init(&full[i], 1);
  __syncwarp();
  const auto load = [&](int64_t k) {
    const int64_t at = (blockIdx.x + k * gridDim.x) * kPiece;
    if (at >= n || threadIdx.x != 0) return;
    const uint32_t slot = k % kPieces;
    lab::arrive_and_expect(&full[slot], kPiece);
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            pieces + slot * kPiece),
        "l"(from + at), "r"(kPiece), "r"(lab::shared_address(&full[slot]))
        : "memory");
  };
  for (int k = 0; k < kPieces - 1; ++k) load(k);
  for (int64_t k = 0;; ++k) {
    const int64_t at = (blockIdx.x + k * gridDim.x) * kPiece;
    if (at >= n) break;
    const uint32_t slot = k % kPieces;
    lab::wait(&full[slot], k / kPieces & 1);
    for (int i = threadIdx.x * bytes; i < kPiece; i += 32 * bytes)
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to + at + i),
                   "r"(pieces + slot * kPiece + i), "r"(bytes)
                   : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 1;" ::: "memory");
    __syncwarp();
    load(k + kPieces - 1);
  }
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

struct Gpu {
  char *in, *out;
  unsigned long long* wrong;
  cudaStream_t stream;
  cudaEvent_t before, after;
};
volatile int* go;
int turns = 0;

template <int kSize>
struct Bench {
  std::vector<int64_t> rows, cols;
  Gpu g_[kGpus];
  const char* shares;
  int64_t own_rows(int g) const { return rows[g + 1] - rows[g]; }
  int64_t own_cols(int g) const { return cols[g + 1] - cols[g]; }
  int64_t crossing(int g) const { return own_rows(g) * own_cols(1 - g) * kSize; }
  Bench(std::vector<int64_t> r, std::vector<int64_t> c, const char* s) : rows(r), cols(c), shares(s) {
    for (int g = 0; g < kGpus; ++g) {
      Gpu& p = g_[g];
      CHECK(cudaSetDevice(g));
      CHECK(cudaMalloc(&p.in, own_rows(g) * cols[kGpus] * kSize + 64));
      CHECK(cudaMalloc(&p.out, own_cols(g) * rows[kGpus] * kSize + 64));
      CHECK(cudaMalloc(&p.wrong, 8));
      CHECK(cudaStreamCreate(&p.stream));
      CHECK(cudaEventCreate(&p.before));
      CHECK(cudaEventCreate(&p.after));
      fill<<<1024, 256>>>(p.in, rows[g], own_rows(g), cols[kGpus], kSize);
      CHECK(cudaDeviceSynchronize());
    }
  }
  ~Bench() {
    for (int g = 0; g < kGpus; ++g) {
      cudaSetDevice(g);
      cudaFree(g_[g].in);
      cudaFree(g_[g].out);
      cudaFree(g_[g].wrong);
      cudaStreamDestroy(g_[g].stream);
    }
  }
  template <class B>
  void both(const B& b) {
    for (int g = 0; g < kGpus; ++g) CHECK(cudaSetDevice(g)), b(g);
  }

  void measure(const char* name, bool transposes, const std::function<void(int)>& body, bool graph = false) {
    cudaGraphExec_t exec[kGpus] = {};
    if (graph)
      both([&](int g) {
        cudaGraph_t made;
        CHECK(cudaStreamBeginCapture(g_[g].stream, cudaStreamCaptureModeThreadLocal));
        body(g);
        CHECK(cudaStreamEndCapture(g_[g].stream, &made));
        CHECK(cudaGraphInstantiate(&exec[g], made, 0));
      });
    for (int gated = 0; gated < 2; ++gated) {
      both([&](int g) {
        CHECK(cudaMemset(g_[g].out, 0xff, own_cols(g) * rows[kGpus] * kSize));
        CHECK(cudaDeviceSynchronize());
      });
      std::vector<float> times;
      for (int run = 0; run < kRuns + kWarmUp; ++run) {
        ++turns;
        both([&](int g) {
          if (gated) hold<<<1, 1, 0, g_[g].stream>>>(go, turns);
          CHECK(cudaEventRecord(g_[g].before, g_[g].stream));
        });
        both([&](int g) {
          if (graph)
            CHECK(cudaGraphLaunch(exec[g], g_[g].stream));
          else
            body(g);
        });
        both([&](int g) { CHECK(cudaEventRecord(g_[g].after, g_[g].stream)); });
        *go = turns;
        float slower = 0;
        both([&](int g) {
          float ms = 0;
          CHECK(cudaDeviceSynchronize());
          CHECK(cudaEventElapsedTime(&ms, g_[g].before, g_[g].after));
          slower = std::max(slower, ms);
        });
        if (run >= kWarmUp) times.push_back(slower * 1000);
      }
      std::sort(times.begin(), times.end());
      unsigned long long wrong = 0;
      both([&](int g) {
        unsigned long long own = 0;
        CHECK(cudaMemset(g_[g].wrong, 0, 8));
        count_wrong<<<1024, 256>>>(g_[g].out, cols[g], own_cols(g), rows[kGpus], kSize, g_[g].wrong);
        CHECK(cudaMemcpy(&own, g_[g].wrong, 8, cudaMemcpyDefault));
        wrong += own;
      });
      std::printf("%d,%s,%lld,\"%s\",%s,%.2f,%.2f,%.2f,%s\n", kSize, shares,
                  (long long)std::max(crossing(0), crossing(1)), name, gated ? "gated" : "host",
                  times[times.size() / 2], times[0], times[times.size() * 9 / 10],
                  transposes ? std::to_string(wrong).c_str() : "");
      std::fflush(stdout);
    }
  }
  void library(bool graph) {
    measure(
        graph ? "lab::transpose as a graph" : "lab::transpose", true,
        [&](int g) {
          void* outs[kGpus] = {g_[0].out, g_[1].out};
          CHECK(lab::transpose(outs, g_[g].in, {kGpus, rows.data(), cols.data()}, g, kSize, g_[g].stream));
        },
        graph);
  }
  void all_ways() {
    measure("copy engine", false, [&](int g) {
      CHECK(cudaMemcpyAsync(g_[1 - g].out, g_[g].in, crossing(g), cudaMemcpyDefault, g_[g].stream));
    });
    measure("threads copy", false, [&](int g) {
      copy_16<<<528, 256, 0, g_[g].stream>>>((uint4*)g_[1 - g].out, (const uint4*)g_[g].in, crossing(g) / 16);
    });
    measure("bulk copies of 2048 bytes", false, [&](int g) {
      CHECK(cudaFuncSetAttribute(bulk_copy, cudaFuncAttributeMaxDynamicSharedMemorySize, kPiece * kPieces));
      bulk_copy<<<132, 32, kPiece * kPieces, g_[g].stream>>>(g_[1 - g].out, g_[g].in,
                                                             crossing(g) / kPiece * kPiece, 2048);
      CHECK(cudaGetLastError());
    });
    library(false), library(true);
  }
};
template <int kSize>
void size(int64_t bytes) {
  int64_t r = 1, c = 1;
  for (bool wide = false; r * c * kSize < bytes; wide = !wide) (wide ? c : r) *= 2;
  {
    Bench<kSize> b({0, r, 2 * r}, {0, c, 2 * c}, "even");
    b.all_ways();
  }
  {
    Bench<kSize> b({0, r + 3, 2 * r - 1}, {0, c - 5, 2 * c + 1}, "ragged");
    b.all_ways();
  }
}
int main() {
  const int devices[kGpus] = {0, 1};
  CHECK(lab::enable_peer_access(devices, kGpus));
  int* flag;
  CHECK(cudaHostAlloc(&flag, 4, cudaHostAllocPortable | cudaHostAllocMapped));
  *flag = 0;
  go = flag;
  std::printf("element_bytes,shares,bytes_each_way,way,released,median_us,best_us,p90_us,wrong\n");
  for (const int mib : {4, 16, 64}) {
    size<1>(int64_t(mib) << 20), size<2>(int64_t(mib) << 20), size<4>(int64_t(mib) << 20),
        size<8>(int64_t(mib) << 20), size<16>(int64_t(mib) << 20);
  }
}

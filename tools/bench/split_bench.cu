// The fast transpose over two GPUs (common/fast/split.cuh), beside the copy engines and NCCL's all-to-all.
//
// Enters: two GPUs with peer access. Leaves: CSV on stdout: the matrix, the bytes that cross the link each
// way, the way, microseconds of the slower GPU (median, best), wrong elements. Each way runs on the same
// matrices in the same run. Build: nvcc -O3 -std=c++17 -arch=native -I. tools/bench/split_bench.cu -lnccl;
// run with NCCL_NVLS_ENABLE=0.
#include <nccl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "common/fast/split.cuh"

#define CHECK(call) check(static_cast<int>(call), __LINE__)

namespace {

void check(int code, int line) {
  if (code == 0) return;
  std::fprintf(stderr, "split_bench.cu:%d: error %d\n", line, code);
  std::exit(1);
}

constexpr int kGpus = 2, kRuns = 25, kWarmUp = 4;

// The words of element (row, col); none is like another, as far as its bytes show.
template <int kSize>
__device__ lab::fast::Word<kSize> value_at(uint64_t row, uint64_t col) {
  uint64_t words[2];
  for (uint64_t i = 0; i < 2; ++i) {
    uint64_t x = (row * 0x1000003 + col) * 2 + i;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull, x = (x ^ x >> 27) * 0x94d049bb133111ebull,
    words[i] = x ^ x >> 31;
  }
  lab::fast::Word<kSize> value;
  memcpy(&value, words, kSize);
  return value;
}

template <int kSize>
__global__ void fill(lab::fast::Word<kSize>* in, int64_t first_row, int64_t rows, int64_t cols) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols;
       i += int64_t(gridDim.x) * blockDim.x)
    in[i] = value_at<kSize>(first_row + i / cols, i % cols);
}

template <int kSize>
__global__ void count_wrong(const lab::fast::Word<kSize>* out, int64_t first_col, int64_t cols, int64_t rows,
                            unsigned long long* wrong) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < rows * cols;
       i += int64_t(gridDim.x) * blockDim.x) {
    const auto want = value_at<kSize>(i % rows, first_col + i / rows), is = out[i];
    bool right = true;
    for (int b = 0; b < kSize; ++b)
      right &= reinterpret_cast<const char*>(&want)[b] == reinterpret_cast<const char*>(&is)[b];
    if (!right) atomicAdd(wrong, 1ull);
  }
}

struct Gpu {
  char *in, *out, *stage, *received;
  unsigned long long* wrong;
  cudaStream_t stream;
  cudaEvent_t before, after;
  ncclComm_t comm;
};

template <int kSize>
class Bench {
 public:
  using Word = lab::fast::Word<kSize>;

  Bench(std::vector<int64_t> rows, std::vector<int64_t> cols, ncclComm_t (&comms)[kGpus])
      : rows_(std::move(rows)), cols_(std::move(cols)) {
    for (int g = 0; g < kGpus; ++g) {
      Gpu& gpu = gpus_[g];
      CHECK(cudaSetDevice(g));
      const int64_t in = own_rows(g) * cols_[kGpus], out = own_cols(g) * rows_[kGpus];
      CHECK(cudaMalloc(&gpu.in, in * kSize + 16)), CHECK(cudaMalloc(&gpu.out, out * kSize + 16));
      CHECK(cudaMalloc(&gpu.stage, crossing(g) + 16)), CHECK(cudaMalloc(&gpu.received, crossing(1 - g) + 16));
      CHECK(cudaMalloc(&gpu.wrong, sizeof *gpu.wrong)), CHECK(cudaStreamCreate(&gpu.stream));
      CHECK(cudaEventCreate(&gpu.before)), CHECK(cudaEventCreate(&gpu.after));
      gpu.comm = comms[g];
      fill<kSize><<<1024, 256>>>(reinterpret_cast<Word*>(gpu.in), rows_[g], own_rows(g), cols_[kGpus]);
      CHECK(cudaDeviceSynchronize());
    }
  }
  ~Bench() {
    for (int g = 0; g < kGpus; ++g) {
      cudaSetDevice(g);
      for (void* memory : {(void*)gpus_[g].in, (void*)gpus_[g].out, (void*)gpus_[g].stage,
                           (void*)gpus_[g].received, (void*)gpus_[g].wrong})
        cudaFree(memory);
      cudaStreamDestroy(gpus_[g].stream), cudaEventDestroy(gpus_[g].before), cudaEventDestroy(gpus_[g].after);
    }
  }

  void measure_all() {
    measure("copy engine", false, [&] {
      on_both([&](int g) {
        CHECK(
            cudaMemcpyAsync(gpus_[1 - g].out, gpus_[g].in, crossing(g), cudaMemcpyDefault, gpus_[g].stream));
      });
    });
    measure("lab::transpose", true, [&] {
      Word* outs[kGpus] = {as_words(gpus_[0].out), as_words(gpus_[1].out)};
      on_both([&](int g) {
        CHECK(lab::transpose<Word>(outs, as_words(gpus_[g].in), {kGpus, rows_.data(), cols_.data()}, g,
                                   gpus_[g].stream));
      });
    });
    measure("turn, NCCL all-to-all, place", true, [&] { by_nccl(); });
  }

 private:
  static Word* as_words(char* bytes) { return reinterpret_cast<Word*>(bytes); }
  int64_t own_rows(int g) const { return rows_[g + 1] - rows_[g]; }
  int64_t own_cols(int g) const { return cols_[g + 1] - cols_[g]; }
  int64_t crossing(int g) const { return own_rows(g) * own_cols(1 - g) * kSize; }

  template <class Body>
  void on_both(const Body& body) {
    for (int g = 0; g < kGpus; ++g) CHECK(cudaSetDevice(g)), body(g);
  }

  // A rectangle of a GPU's rows, turned with the same kernels.
  void turn(int g, char* out, int64_t out_pitch, int col_share) {
    const int64_t rows[] = {0, own_rows(g)}, cols[] = {0, own_cols(col_share)};
    void* const to[] = {out};
    CHECK(lab::transpose(to, gpus_[g].in + cols_[col_share] * kSize, {1, rows, cols}, 0, kSize,
                         gpus_[g].stream, {out_pitch, cols_[kGpus]}));
  }

  void by_nccl() {
    on_both([&](int g) { turn(g, gpus_[g].stage, own_rows(g), 1 - g); });
    CHECK(ncclGroupStart());
    for (int g = 0; g < kGpus; ++g) {
      CHECK(ncclSend(gpus_[g].stage, crossing(g), ncclInt8, 1 - g, gpus_[g].comm, gpus_[g].stream));
      CHECK(ncclRecv(gpus_[g].received, crossing(1 - g), ncclInt8, 1 - g, gpus_[g].comm, gpus_[g].stream));
    }
    CHECK(ncclGroupEnd());
    on_both([&](int g) {
      turn(g, gpus_[g].out + rows_[g] * kSize, rows_[kGpus], g);
      const int64_t width = own_rows(1 - g) * kSize;
      CHECK(cudaMemcpy2DAsync(gpus_[g].out + rows_[1 - g] * kSize, rows_[kGpus] * kSize, gpus_[g].received,
                              width, width, own_cols(g), cudaMemcpyDefault, gpus_[g].stream));
    });
  }

  void measure(const char* name, bool transposes, const std::function<void()>& body) {
    on_both([&](int g) {
      CHECK(cudaMemset(gpus_[g].out, 0xff, own_cols(g) * rows_[kGpus] * kSize)),
          CHECK(cudaDeviceSynchronize());
    });
    std::vector<float> times;
    for (int run = 0; run < kRuns + kWarmUp; ++run) {
      on_both([&](int g) { CHECK(cudaEventRecord(gpus_[g].before, gpus_[g].stream)); });
      body();
      on_both([&](int g) { CHECK(cudaEventRecord(gpus_[g].after, gpus_[g].stream)); });
      float slower = 0;
      on_both([&](int g) {
        float ms = 0;
        CHECK(cudaDeviceSynchronize()), CHECK(cudaEventElapsedTime(&ms, gpus_[g].before, gpus_[g].after));
        slower = std::max(slower, ms);
      });
      if (run >= kWarmUp) times.push_back(slower * 1000);
    }
    std::sort(times.begin(), times.end());
    unsigned long long wrong = 0;
    on_both([&](int g) {
      unsigned long long own = 0;
      CHECK(cudaMemset(gpus_[g].wrong, 0, sizeof own));
      count_wrong<kSize>
          <<<1024, 256>>>(as_words(gpus_[g].out), cols_[g], own_cols(g), rows_[kGpus], gpus_[g].wrong);
      CHECK(cudaMemcpy(&own, gpus_[g].wrong, sizeof own, cudaMemcpyDefault));
      wrong += own;
    });
    std::printf("%d,%lld,%lld,%lld,%lld,%lld,\"%s\",%.2f,%.2f,%s\n", kSize, (long long)rows_[kGpus],
                (long long)cols_[kGpus], (long long)rows_[1], (long long)cols_[1],
                (long long)std::max(crossing(0), crossing(1)), name, times[times.size() / 2], times[0],
                transposes ? std::to_string(wrong).c_str() : "");
    std::fflush(stdout);
  }

  std::vector<int64_t> rows_, cols_;
  Gpu gpus_[kGpus];
};

// Elements that a quarter of the matrix has, when so many bytes cross each way: even halves, and halves that
// are off by a few rows of a matrix that is off by one.
template <int kSize>
void measure_size(int64_t bytes, ncclComm_t (&comms)[kGpus]) {
  int64_t rows = 1, cols = 1;
  for (bool wide = false; rows * cols * kSize < bytes; wide = !wide) (wide ? cols : rows) *= 2;
  Bench<kSize>({0, rows, 2 * rows}, {0, cols, 2 * cols}, comms).measure_all();
  Bench<kSize>({0, rows + 3, 2 * rows - 1}, {0, cols - 5, 2 * cols + 1}, comms).measure_all();
}

}  // namespace

int main() {
  const int devices[kGpus] = {0, 1};
  ncclComm_t comms[kGpus];
  CHECK(lab::enable_peer_access(devices, kGpus));
  CHECK(ncclCommInitAll(comms, kGpus, devices));
  std::printf("element_bytes,rows,cols,first_rows,first_cols,bytes_each_way,way,median_us,best_us,wrong\n");
  for (const int64_t mib : {4, 16, 64, 256, 1024}) {
    measure_size<1>(mib << 20, comms), measure_size<2>(mib << 20, comms), measure_size<4>(mib << 20, comms);
    measure_size<8>(mib << 20, comms), measure_size<16>(mib << 20, comms);
  }
  for (ncclComm_t comm : comms) CHECK(ncclCommDestroy(comm));
  return 0;
}

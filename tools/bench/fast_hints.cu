// What lab::transpose costs by what runs before and behind it: the cells of fast_bench.cu in four rounds.
//
// Built and run by fast_hints.py, which builds it with each of the ways to talk to the caches; by hand:
// nvcc -O3 -std=c++17 -arch=sm_90 -I ../.. -o fast_hints fast_hints.cu && ./fast_hints NAME > rows.csv
// alone: again and again, on pairs that exceed the L2 cache four times; behind: each launch behind a copy of
// 256 MiB of other data, whose lines fill the cache; read: a copy of the result follows at once, and both are
// timed; reuse: what the kernel leaves to others: ten copies of 12 MiB, which the cache holds, timed behind
// it. Medians of 31; the driver's copy in the kernel's place is the yardstick; all bits are compared.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "common/fast/transpose.cuh"

namespace {

constexpr int kSamples = 31, kMostPairs = 64, kSmallCopies = 10;
constexpr int64_t kOtherBytes = int64_t(256) << 20, kSmallBytes = int64_t(12) << 20;

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

__global__ void fill(uint64_t* data, int64_t words) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < words;
       i += int64_t(gridDim.x) * blockDim.x) {
    uint64_t x = uint64_t(i) * 0x9E3779B97F4A7C15ull;
    x ^= x >> 29, x *= 0xBF58476D1CE4E5B9ull, x ^= x >> 32;
    data[i] = x;
  }
}

struct Cell {
  int element;
  int64_t count, rows, cols;
  [[nodiscard]] int64_t bytes() const { return count * rows * cols * element; }
};

__global__ void compare(const char* out, const char* in, Cell cell, unsigned long long* wrong) {
  const int64_t each = cell.rows * cell.cols, all = each * cell.count;
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < all;
       i += int64_t(gridDim.x) * blockDim.x) {
    const int64_t m = i / each, c = i % each / cell.rows, r = i % cell.rows;
    const char *a = out + i * cell.element, *b = in + (m * each + r * cell.cols + c) * cell.element;
    for (int k = 0; k < cell.element; ++k)
      if (a[k] != b[k]) {
        atomicAdd(wrong, 1ull);
        break;
      }
  }
}

cudaStream_t stream;

struct Bench {
  const char* name;
  Cell cell;
  char *arena, *other;
  int64_t room, cache;
  unsigned long long* wrong;

  [[nodiscard]] int64_t each() const { return (cell.bytes() + 1023) / 512 * 512; }
  [[nodiscard]] int pairs() const {
    const int64_t both = 2 * cell.bytes();
    return int(std::max<int64_t>(
        1, std::min<int64_t>({kMostPairs, (4 * cache + both - 1) / both, room / (2 * each())})));
  }
  [[nodiscard]] char* in(int p) const { return arena + 2 * (p % pairs()) * each(); }
  [[nodiscard]] char* out(int p) const { return in(p) + each(); }

  void transpose(int p) const {
    must(lab::transpose(out(p), in(p), cell.rows, cell.cols, {}, {cell.count}, cell.element, stream),
         "transpose");
  }
  static void copy(char* to, const char* from, int64_t bytes) {
    cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
  }

  [[nodiscard]] std::vector<double> times(char round, bool copies) const {
    static cudaEvent_t start, end;
    if (!start) cudaEventCreate(&start), cudaEventCreate(&end);
    const int n = pairs(),
              many = round == 'a'
                         ? int(std::clamp<int64_t>((int64_t(2) << 30) / cell.bytes(), 2, 100) + n - 1) / n * n
                         : 1;
    const auto go = [&](int p) { copies ? copy(out(p), in(p), cell.bytes()) : transpose(p); };
    std::vector<double> us;
    for (int i = 0; i < kSamples + 2; ++i) {
      if (round != 'a') copy(other, other + kOtherBytes, kOtherBytes);
      if (round == 'u') go(i);
      cudaEventRecord(start, stream);
      if (round != 'u')
        for (int k = 0; k < many; ++k) go(i + k);
      if (round == 'r') copy(other, out(i), std::min(cell.bytes(), kOtherBytes));
      if (round == 'u')
        for (int k = 0; k < kSmallCopies; ++k) copy(other, other + kSmallBytes, kSmallBytes);
      cudaEventRecord(end, stream);
      must(cudaEventSynchronize(end), "timing");
      float ms = 0;
      cudaEventElapsedTime(&ms, start, end);
      if (i >= 2) us.push_back(ms * 1e3 / many);
    }
    std::sort(us.begin(), us.end());
    return us;
  }

  void measure() const {
    for (int p = 0; p < pairs(); ++p)
      fill<<<1024, 256, 0, stream>>>(reinterpret_cast<uint64_t*>(in(p)), (cell.bytes() + 7) / 8);
    must(cudaMemsetAsync(out(0), 0xEE, size_t(cell.bytes()), stream), "poison");
    must(cudaMemsetAsync(wrong, 0, sizeof *wrong, stream), "wrong");
    transpose(0);
    compare<<<2048, 256, 0, stream>>>(out(0), in(0), cell, wrong);
    unsigned long long n = 0;
    must(cudaMemcpyAsync(&n, wrong, sizeof n, cudaMemcpyDeviceToHost, stream), "result");
    must(cudaStreamSynchronize(stream), "result");
    for (const char* const round : {"alone", "behind", "read", "uses"}) {
      const char kind = round[0];
      const std::vector<double> copied = times(kind, true), us = times(kind, false);
      std::printf("%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%s,%s,%.3f,%.3f,%.3f,%.2f,%s\n", cell.element,
                  cell.count, cell.rows, cell.cols, kind == 'u' ? "reuse" : round, name, us[kSamples / 2],
                  us[kSamples / 10], us[kSamples * 9 / 10], copied[kSamples / 2] / us[kSamples / 2] * 100,
                  n == 0 ? "right" : "WRONG");
    }
    std::fflush(stdout);
  }
};

}  // namespace

int main(int argc, char** argv) {
  cudaDeviceProp properties;
  must(cudaGetDeviceProperties(&properties, 0), "no GPU");
  std::fprintf(stderr, "%s, L2 %d bytes\n", properties.name, properties.l2CacheSize);
  Bench b{argc > 1 ? argv[1] : "library", {},     nullptr, nullptr, int64_t(9) << 30,
          properties.l2CacheSize,         nullptr};
  must(cudaStreamCreate(&stream), "stream");
  must(cudaMalloc(&b.arena, b.room), "memory");
  must(cudaMalloc(&b.other, 2 * kOtherBytes), "memory");
  must(cudaMalloc(&b.wrong, sizeof *b.wrong), "memory");
  for (int i = 0; i < 40; ++i) Bench::copy(b.arena, b.arena + b.room / 2, b.room / 2);
  must(cudaDeviceSynchronize(), "warm-up");
  std::printf("element_bytes,count,rows,cols,round,variant,us,us_p10,us_p90,percent_of_copy,result\n");
  const int64_t shapes[][3] = {{1, 4096, 4096},  {1, 8192, 8192},  {1, 16384, 16384}, {1, 8191, 8193},
                               {1, 8191, 8191},  {1, 1000, 7777},  {1, 7777, 1000},   {10000, 64, 64},
                               {1000, 128, 512}, {1, 1, 10000001}, {1, 7000000, 3},   {1, 3, 7000000},
                               {1, 1000000, 32}, {1, 32, 1000000}};
  for (const int element : {1, 2, 4, 8, 16})
    for (const auto& s : shapes) {
      b.cell = {element, s[0], s[1], s[2]};
      b.measure();
    }
}

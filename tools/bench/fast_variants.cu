// Tiles, orders of tiles, hints and prefetches of the aligned kernel on the matrices where lab::transpose
// falls short, each timed in turns with the driver's copy and the library.
//
// nvcc -O3 -std=c++17 -arch=sm_90 -I ../.. -o fast_variants fast_variants.cu
// ./fast_variants > rows.csv            every variant, median of 7 runs in a row (search); then the best of
//                                       each cell, the library and the copy, median of 41: in a row (alone),
//                                       by turns (turns), each behind a copy of other data (behind); bits
//                                       compared
// ./fast_variants ELEMENT:ROWS:COLS …   these cells alone
// In a variant's name: bytes of the tile along a row of `out` and of `in`, threads, blocks; what the caches
// are asked; KiB of a super-tile along a row of `in` and of `out`, 0: all; which way its tiles and the
// super-tiles are walked (d: down the rows of `in`, a: across); whether a block asks L2 for a run of the next
// super-tile; blocks that fit on a multiprocessor, where fewer.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "common/fast/transpose.cuh"

namespace {

using namespace lab::fast;

constexpr const char* kWords[] = {"plain", "keep"};
constexpr int kSearch = 7, kFinal = 41, kFinalists = 12;
constexpr int64_t kOtherBytes = int64_t(256) << 20;

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

struct Order {  // logarithms, in tiles
  int down, across, super_down, super_across;
  bool tiles_down, supers_down, prefetch;
};

struct Place {
  int64_t down, across;
};
__device__ Place place_of(const Order& o, uint32_t block) {
  const uint32_t area = o.super_down + o.super_across, super = block >> area, i = block & ((1u << area) - 1);
  const uint32_t d = o.tiles_down ? i & ((1u << o.super_down) - 1) : i >> o.super_across,
                 a = o.tiles_down ? i >> o.super_down : i & ((1u << o.super_across) - 1);
  const uint32_t high = o.down - o.super_down, wide = o.across - o.super_across;
  const uint32_t sd = o.supers_down ? super & ((1u << high) - 1) : super >> wide,
                 sa = o.supers_down ? super >> high : super & ((1u << wide) - 1);
  return {int64_t(sd) << o.super_down | d, int64_t(sa) << o.super_across | a};
}

template <typename T>
__global__ void __launch_bounds__(T::kThreads, T::kBlocks)
    variant(const __grid_constant__ Job job, const __grid_constant__ Order order) {
  extern __shared__ __align__(128) char tile[];
  const Place at = place_of(order, blockIdx.x);
  const Corner c = corner_at<T::kSize>(job, 0, at.down * T::kRows, at.across * T::kCols);
  if (order.prefetch && threadIdx.x == 0) {
    constexpr int kBytes = T::kRows * T::kCols * T::kSize;
    const uint32_t area = order.super_down + order.super_across, next = ((blockIdx.x >> area) + 1) << area;
    if (next < gridDim.x) {
      const Place first = place_of(order, next);
      const int64_t wide = int64_t(T::kCols * T::kSize) << order.super_across,
                    from = int64_t(blockIdx.x & ((1u << area) - 1)) * kBytes;
      const char* base = job.in + first.down * T::kRows * job.in_pitch + first.across * T::kCols * T::kSize;
      const int piece = kBytes < wide ? kBytes : int(wide);
      for (int64_t k = from; k < from + kBytes; k += piece)
        asm volatile(
            "cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(base + k / wide * job.in_pitch + k % wide),
            "r"(piece));
    }
  }
  read_turned<T, true>(tile, c, job);
  __syncthreads();
#pragma unroll
  for (int first = 0; first < T::kCols * T::kChunks; first += T::kThreads) {
    const int i = first + threadIdx.x, x = i % T::kChunks, y = i / T::kChunks;
    const uint4 v = *reinterpret_cast<uint4*>(kept<T>(tile, y, x));
    char* to = c.out + y * job.out_pitch + x * kPiece;
    *reinterpret_cast<uint4*>(to) = v;
  }
}

struct Cell {
  int element;
  int64_t rows, cols;
};

struct Variant {
  std::string name;
  std::function<void()> go;
  double us = 0;
};

__global__ void fill(uint64_t* data, int64_t words) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < words;
       i += int64_t(gridDim.x) * blockDim.x) {
    uint64_t x = uint64_t(i) * 0x9E3779B97F4A7C15ull;
    x ^= x >> 29, x *= 0xBF58476D1CE4E5B9ull, x ^= x >> 32;
    data[i] = x;
  }
}

__global__ void compare(const char* out, const char* in, Cell cell, unsigned long long* wrong) {
  const int64_t all = cell.rows * cell.cols;
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < all;
       i += int64_t(gridDim.x) * blockDim.x) {
    const char *a = out + i * cell.element,
               *b = in + (i % cell.rows * cell.cols + i / cell.rows) * cell.element;
    for (int k = 0; k < cell.element; ++k)
      if (a[k] != b[k]) {
        atomicAdd(wrong, 1ull);
        break;
      }
  }
}

struct Bench {
  Cell cell;
  char *out, *in, *other;
  std::vector<Variant> variants;
  int64_t bytes() const { return cell.rows * cell.cols * cell.element; }
};

int log2_of(int64_t n) {
  int log = 0;
  while ((int64_t(1) << (log + 1)) <= n) ++log;
  return log;
}

// Every order of this tile that the cell allows.
template <typename T>
void add_orders(Bench& b) {
  if (T::kSize != b.cell.element) return;
  Matrices m{b.out, b.in, b.cell.rows, b.cell.cols, b.cell.rows * T::kSize, b.cell.cols * T::kSize, {}};
  const Job job = job_for<T>(m, 1);
  if (b.cell.rows % T::kRows || b.cell.cols % T::kCols) return;
  const int64_t down = b.cell.rows / T::kRows, across = b.cell.cols / T::kCols;
  if (down & (down - 1)) return;
  const int shared = T::kRows * T::kCols * T::kSize;
  must(cudaFuncSetAttribute(variant<T>, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024), "shared");
  const auto add = [&](int wide, int high, bool tiles_down, bool supers_down, bool prefetch, int most = 0) {
    Order o{log2_of(down), log2_of(across), 0, 0, tiles_down, supers_down, prefetch};
    o.super_across = wide == 0 ? o.across : log2_of(wide * 1024 / (T::kCols * T::kSize));
    o.super_down = high == 0 ? o.down : log2_of(high * 1024 / (T::kRows * T::kSize));
    if (o.super_across > o.across || o.super_down > o.down) return;
    char name[160], fewer[16] = "";
    if (most != 0) std::snprintf(fewer, sizeof fewer, " fit %d", most);
    std::snprintf(name, sizeof name, "%dx%d %dt %db %s super %d by %d %c%c%s%s", T::kRows * T::kSize,
                  T::kCols * T::kSize, T::kThreads, T::kBlocks, kWords[int(T::kCache)], wide, high,
                  tiles_down ? 'd' : 'a', supers_down ? 'd' : 'a', prefetch ? " prefetch" : "", fewer);
    const unsigned blocks = unsigned(down * across);
    const int room = most == 0 ? shared : std::max(shared, 224 * 1024 / most - 1024);
    b.variants.push_back({name, [=] { variant<T><<<blocks, T::kThreads, room>>>(job, o); }});
  };
  for (const int most : {0, 1, 2, 3, 4, 6, 8}) {
    if (most >= T::kBlocks) continue;
    add(0, 0, true, true, false, most);
    add(16, 0, false, true, false, most);
    add(16, 16, false, false, false, most);
  }
  add(0, 0, false, false, false);
  for (const int high : {4, 8, 16}) add(0, high, true, true, false), add(0, high, false, true, false);
  for (const int wide : {1, 2, 4, 8, 32, 64})
    add(wide, 0, true, true, false), add(wide, 0, false, true, false);
  const int supers[][2] = {{16, 4},  {16, 8},  {16, 16}, {16, 32}, {16, 64},
                           {32, 16}, {32, 32}, {64, 16}, {64, 64}};
  for (const auto& s : supers)
    for (const bool prefetch : {false, true})
      for (const bool tiles_down : {false, true})
        for (const bool supers_down : {false, true})
          if (!prefetch || s[1] <= 8) add(s[0], s[1], tiles_down, supers_down, prefetch);
}

// Columns that one tile takes: nothing but the tile and the hints.
template <typename T>
void add_tall(Bench& b, int band = 1) {
  if (T::kSize != b.cell.element || b.cell.cols != T::kCols * band) return;
  char* const out = b.out;
  const char* const in = b.in;
  const Cell cell = b.cell;
  char name[160];
  std::snprintf(name, sizeof name, "%dx%d %dt %db %s tall", T::kRows * T::kSize, T::kCols * T::kSize,
                T::kThreads, T::kBlocks, kWords[int(T::kCache)]);
  b.variants.push_back({name, [=] {
                          Matrices m{
                              out, in, cell.rows, cell.cols, cell.rows * T::kSize, cell.cols * T::kSize, {}};
                          must(launch_in_bands<T>(m, nullptr, band), "tall");
                        }});
}

template <typename T>
void add_caches(Bench& b) {
  add_orders<Tile<T::kSize, T::kRows * T::kSize, T::kCols * T::kSize, T::kThreads, T::kBlocks, Cache::Plain>>(
      b);
  add_orders<Tile<T::kSize, T::kRows * T::kSize, T::kCols * T::kSize, T::kThreads, T::kBlocks, Cache::Keep>>(
      b);
}

void add_all(Bench& b) {
  add_caches<Tile<16, 256, 256, 128, 10>>(b);
  add_caches<Tile<16, 512, 256, 256, 5>>(b);
  add_caches<Tile<16, 512, 512, 256, 5>>(b);
  add_caches<Tile<16, 256, 512, 256, 5>>(b);
  add_caches<Tile<16, 256, 1024, 256, 5>>(b);
  add_caches<Tile<16, 512, 1024, 512, 3>>(b);
  add_caches<Tile<16, 1024, 512, 512, 3>>(b);
  add_caches<Tile<16, 1024, 1024, 512, 2>>(b);
  add_caches<Tile<8, 256, 256, 256, 5>>(b);
  add_caches<Tile<8, 512, 256, 512, 2>>(b);
  add_caches<Tile<8, 512, 512, 512, 3>>(b);
  add_caches<Tile<8, 256, 512, 256, 5>>(b);
  add_caches<Tile<8, 512, 1024, 512, 2>>(b);
  add_caches<Tile<8, 1024, 512, 512, 2>>(b);
  add_tall<Tile<8, 512, 256, 512, 2, Cache::Keep>>(b);
  add_tall<Tile<8, 512, 256, 128, 10, Cache::Keep>>(b);
  add_tall<Tile<8, 512, 256, 256, 6, Cache::Keep>>(b);
  add_tall<Tile<8, 1024, 256, 256, 5, Cache::Keep>>(b);
  add_tall<Tile<8, 1024, 256, 512, 3, Cache::Keep>>(b);
  add_tall<Tile<8, 256, 256, 64, 18, Cache::Keep>>(b);
  add_tall<Tile<8, 256, 256, 64, 16, Cache::Keep>>(b);
  add_tall<Tile<8, 256, 256, 64, 14, Cache::Keep>>(b);
  add_tall<Tile<8, 256, 256, 128, 10, Cache::Keep>>(b);
  add_tall<Tile<8, 256, 256, 128, 8, Cache::Keep>>(b);
  add_tall<Tile<8, 512, 256, 512, 2, Cache::Keep>>(b);
  add_tall<Tile<8, 512, 256, 128, 10, Cache::Keep>>(b);
  add_tall<Tile<8, 1024, 256, 256, 5, Cache::Keep>>(b);
  add_tall<Tile<8, 256, 256, 64, 18, Cache::Keep>>(b);
  add_tall<Tile<8, 512, 128, 64, 16, Cache::Keep>>(b, 2);
  add_tall<Tile<8, 512, 128, 128, 10, Cache::Keep>>(b, 2);
  add_tall<Tile<8, 1024, 128, 128, 10, Cache::Keep>>(b, 2);
  add_tall<Tile<8, 1024, 128, 256, 6, Cache::Keep>>(b, 2);
  add_tall<Tile<8, 2048, 128, 256, 5, Cache::Keep>>(b, 2);
  add_tall<Tile<8, 2048, 128, 512, 3, Cache::Keep>>(b, 2);
  add_tall<Tile<8, 1024, 64, 128, 10, Cache::Keep>>(b, 4);
  add_tall<Tile<8, 2048, 64, 128, 10, Cache::Keep>>(b, 4);
  add_tall<Tile<8, 4096, 64, 256, 5, Cache::Keep>>(b, 4);
}

double once(const std::function<void()>& go) {
  static cudaEvent_t start, end;
  if (!start) cudaEventCreate(&start), cudaEventCreate(&end);
  cudaEventRecord(start);
  go();
  cudaEventRecord(end);
  must(cudaEventSynchronize(end), "timing");
  float ms = 0;
  cudaEventElapsedTime(&ms, start, end);
  return ms * 1e3;
}

double percentile(std::vector<double> us, int percent) {
  std::sort(us.begin(), us.end());
  return us[us.size() * percent / 100];
}

void print(const Bench& b, const char* round, const std::string& name, const std::vector<double>& us,
           double copy, const char* result) {
  std::printf("%d,%" PRId64 ",%" PRId64 ",%s,%s,%.3f,%.3f,%.3f,%.1f,%.2f,%s\n", b.cell.element, b.cell.rows,
              b.cell.cols, round, name.c_str(), percentile(us, 50), percentile(us, 10), percentile(us, 90),
              2.0 * double(b.bytes()) / percentile(us, 50) / 1e3, copy / percentile(us, 50) * 100, result);
  std::fflush(stdout);
}

void measure(Bench b, unsigned long long* wrong) {
  fill<<<1024, 256>>>(reinterpret_cast<uint64_t*>(b.in), b.bytes() / 8);
  const auto copies = [&] { cudaMemcpyAsync(b.out, b.in, b.bytes(), cudaMemcpyDeviceToDevice); };
  const auto library = [&] {
    must(lab::transpose(b.out, b.in, b.cell.rows, b.cell.cols, {}, {}, b.cell.element), "transpose");
  };
  add_all(b);
  std::vector<double> copy_us;
  for (int i = 0; i < kFinal; ++i) copy_us.push_back(once(copies));
  double copy = percentile(copy_us, 50);
  for (Variant& v : b.variants) {
    std::vector<double> us;
    for (int i = 0; i < kSearch + 1; ++i) us.push_back(once(v.go));
    us.erase(us.begin());
    v.us = percentile(us, 50);
    print(b, "search", v.name, us, copy, "");
  }
  std::sort(b.variants.begin(), b.variants.end(),
            [](const Variant& x, const Variant& y) { return x.us < y.us; });
  if (b.variants.size() > kFinalists) b.variants.resize(kFinalists);
  b.variants.push_back({"library", library});
  b.variants.push_back({"copy", copies});
  const size_t count = b.variants.size();
  std::vector<std::string> results;
  for (const Variant& v : b.variants) {
    must(cudaMemset(b.out, 0xEE, size_t(b.bytes())), "poison");
    must(cudaMemset(wrong, 0, sizeof *wrong), "wrong");
    v.go();
    compare<<<2048, 256>>>(b.out, b.in, b.cell, wrong);
    unsigned long long n = 0;
    must(cudaMemcpy(&n, wrong, sizeof n, cudaMemcpyDeviceToHost), "result");
    results.push_back(n == 0 ? "right" : v.name == "copy" ? "" : "WRONG");
  }
  for (const char* const round : {"alone", "turns", "behind"}) {
    std::vector<std::vector<double>> us(count);
    const bool alone = round[0] == 'a', behind = round[0] == 'b';
    for (int64_t k = 0; k < int64_t(count) * kFinal; ++k) {
      const size_t i = alone ? size_t(k / kFinal) : size_t(k) % count;
      if (alone && k % kFinal == 0) b.variants[i].go();
      if (behind) cudaMemcpyAsync(b.other, b.other + kOtherBytes, kOtherBytes, cudaMemcpyDeviceToDevice);
      us[i].push_back(once(b.variants[i].go));
    }
    const double copied = percentile(us.back(), 50);
    for (size_t i = 0; i < count; ++i) print(b, round, b.variants[i].name, us[i], copied, results[i].c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Cell> cells;
  for (int i = 1; i < argc; ++i) {
    Cell cell{};
    if (std::sscanf(argv[i], "%d:%" SCNd64 ":%" SCNd64, &cell.element, &cell.rows, &cell.cols) != 3) return 2;
    cells.push_back(cell);
  }
  if (cells.empty()) cells = {{16, 8192, 8192}, {8, 16384, 16384}, {16, 16384, 16384}, {8, 1000000, 32}};
  cudaDeviceProp properties;
  must(cudaGetDeviceProperties(&properties, 0), "no GPU");
  std::fprintf(stderr, "%s, L2 %d bytes\n", properties.name, properties.l2CacheSize);
  const int64_t room = int64_t(10) << 30;
  char* arena;
  unsigned long long* wrong;
  must(cudaMalloc(&arena, room), "memory");
  must(cudaMalloc(&wrong, sizeof *wrong), "memory");
  for (int i = 0; i < 40; ++i) cudaMemcpyAsync(arena, arena + room / 2, room / 2, cudaMemcpyDeviceToDevice);
  must(cudaDeviceSynchronize(), "warm-up");
  std::printf("element_bytes,rows,cols,round,variant,us,us_p10,us_p90,gb_per_s,percent_of_copy,result\n");
  for (const Cell& cell : cells) {
    const int64_t each =
        (cell.rows * cell.cols * cell.element + 1023) / 512 * 512;  // as fast_bench.cu lays them
    measure({cell, arena + each, arena, arena + room - 2 * kOtherBytes, {}}, wrong);
  }
}

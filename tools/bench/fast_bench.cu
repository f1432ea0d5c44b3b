// Times lab::transpose beside the driver's copy and cuBLAS, as CSV: each result is compared bit for bit
// before it has a time.
//
// nvcc -O3 -std=c++17 -arch=native -I ../.. -o fast_bench fast_bench.cu -ldl && ./fast_bench > rows.csv
// Pairs of `in` and `out` take turns so that they exceed the L2 cache 64 times, as far as memory goes: what a
// cache keeps from one turn to the next is less than a fiftieth. A sample repeats the launch for at least
// about a millisecond; 21 samples: median, 10th and 90th percentile. The copy is timed before and after,
// the faster one counts; each series of launches finds its data newly written, so that none lives on what
// another has left in the L2 cache. A copy right behind ours, which finds what ours keeps there, has a row
// of its own. With --graph the launches are replayed from a CUDA graph, as fast_peers.py does it:
// then no time has the gaps between launches in it. (A copy in a graph may be slower: the driver hands large
// ones to a copy engine.) --ours leaves cuBLAS out; ELEMENT:COUNT:ROWS:COLS names a cell in place of the
// table's.
#include <dlfcn.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "common/fast/transpose.cuh"

namespace {

constexpr int kSamples = 21, kMostPairs = 512, kTimesCache = 64;

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(3);
}

struct Cell {
  int element;
  int64_t count, rows, cols;
};

struct Buffers {
  std::vector<char*> in, out;
};

struct Times {
  double median, low, high;
};

__global__ void fill(uint64_t* data, int64_t words, uint64_t seed) {
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < words;
       i += int64_t(gridDim.x) * blockDim.x) {
    uint64_t x = (uint64_t(i) + seed) * 0x9E3779B97F4A7C15ull;
    x ^= x >> 29, x *= 0xBF58476D1CE4E5B9ull, x ^= x >> 32;
    data[i] = x & 0x7F6FFFFF7F7FFFFFull;  // no NaN and no infinity, which geam would change
  }
}

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

using Launch = std::function<void(int pair)>;  // queues on `stream`
cudaStream_t stream;
bool in_graph = false;

Times time_of(const Launch& launch, int pairs) {
  static cudaEvent_t start, end;
  if (!start) cudaEventCreate(&start), cudaEventCreate(&end);
  const auto launches = [&](int times) {
    for (int i = 0; i < times; ++i) launch(i % pairs);
  };
  const auto once = [&](int times, const std::function<void()>& work) {
    cudaEventRecord(start, stream);
    work();
    cudaEventRecord(end, stream);
    must(cudaEventSynchronize(end), "timing");
    float ms = 0;
    cudaEventElapsedTime(&ms, start, end);
    return ms * 1e3 / times;
  };
  launches(4);
  const int fitting = int(1000 / once(4, [&] { launches(4); })),
            times = (std::max(2, std::min(100, fitting)) + pairs - 1) / pairs * pairs;
  std::function<void()> work = [&] { launches(times); };
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  if (in_graph) {
    must(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
    launches(times);
    must(cudaStreamEndCapture(stream, &graph), "capture");
    must(cudaGraphInstantiate(&replay, graph, 0), "graph");
    work = [&] { must(cudaGraphLaunch(replay, stream), "graph"); };
    work();
  }
  std::vector<double> us;
  for (int i = 0; i < kSamples; ++i) us.push_back(once(times, work));
  if (in_graph) cudaGraphExecDestroy(replay), cudaGraphDestroy(graph);
  std::sort(us.begin(), us.end());
  return {us[kSamples / 2], us[kSamples / 10], us[kSamples * 9 / 10]};
}

// cuBLAS, where it is installed: its transpose of floats, doubles and pairs of doubles.
struct Cublas {
  using Geam = int (*)(void*, int, int, int, int, const void*, const void*, int, const void*, const void*,
                       int, void*, int);
  void* handle = nullptr;
  Geam geam[3] = {};
  explicit Cublas(bool wanted) {
    if (!wanted) return;
    const char* named = std::getenv("LAB_CUBLAS");
    void* library = nullptr;
    for (const char* name : {named ? named : "libcublas.so.13", "libcublas.so.12", "libcublas.so"})
      if (!library) library = dlopen(name, RTLD_NOW);
    if (!library) return;
    auto create = reinterpret_cast<int (*)(void**)>(dlsym(library, "cublasCreate_v2"));
    const char* names[] = {"cublasSgeam", "cublasDgeam", "cublasZgeam"};
    for (int i = 0; i < 3; ++i) geam[i] = reinterpret_cast<Geam>(dlsym(library, names[i]));
    if (create(&handle) != 0) handle = nullptr;
    if (handle)
      reinterpret_cast<int (*)(void*, cudaStream_t)>(dlsym(library, "cublasSetStream_v2"))(handle, stream);
  }
  bool knows(const Cell& cell) const { return handle && cell.element >= 4 && cell.count == 1; }
  void run(const Cell& cell, char* out, const char* in) const {
    const double one[2] = {1, 0}, none[2] = {0, 0};
    const float onef = 1, nonef = 0;
    const void *a = cell.element == 4 ? static_cast<const void*>(&onef) : one,
               *b = cell.element == 4 ? static_cast<const void*>(&nonef) : none;
    const int rows = int(cell.rows), cols = int(cell.cols);
    geam[cell.element / 8](handle, 1, 0, rows, cols, a, in, cols, b, in, rows, out, rows);
  }
};

void print(const Cell& cell, const char* name, const Times& t, const Times& copy, unsigned long long wrong,
           int pairs) {
  const double bytes = 2.0 * double(cell.count * cell.rows * cell.cols) * cell.element;
  std::printf("%d,%lld,%lld,%lld,%s,%.3f,%.3f,%.3f,%.1f,%.2f,%d,%s\n", cell.element, (long long)cell.count,
              (long long)cell.rows, (long long)cell.cols, name, t.median, t.low, t.high,
              bytes / t.median / 1e3, copy.median / t.median * 100, pairs, wrong == 0 ? "right" : "WRONG");
  std::fflush(stdout);
}

void measure(const Cell& cell, char* arena, int64_t room, int64_t cache, const Cublas& cublas,
             unsigned long long* wrong) {
  const int64_t bytes = cell.count * cell.rows * cell.cols * cell.element, each = (bytes + 1023) / 512 * 512;
  const int pairs = int(std::max<int64_t>(
      1, std::min<int64_t>({kMostPairs, (kTimesCache * cache + 2 * bytes - 1) / (2 * bytes), room / (2 * each)})));
  if (room < 2 * each) return;
  Buffers b;
  for (int p = 0; p < pairs; ++p)
    b.in.push_back(arena + 2 * p * each), b.out.push_back(arena + (2 * p + 1) * each);
  const auto write_anew = [&] {
    must(cudaCtxResetPersistingL2Cache(), "cache");
    for (int p = 0; p < pairs; ++p)
      fill<<<1024, 256>>>(reinterpret_cast<uint64_t*>(b.in[p]), bytes / 8, uint64_t(p) << 40);
    must(cudaDeviceSynchronize(), "fill");
  };
  write_anew();
  const Launch copies = [&](int p) {
    cudaMemcpyAsync(b.out[p], b.in[p], bytes, cudaMemcpyDeviceToDevice, stream);
  };
  Times copy = time_of(copies, pairs);
  const auto judged = [&](const Launch& launch) {
    for (int p : {0, pairs - 1}) {
      must(cudaMemset(b.out[p], 0xEE, bytes), "poison");
      launch(p);
      compare<<<2048, 256>>>(b.out[p], b.in[p], cell, wrong);
    }
    must(cudaDeviceSynchronize(), "launch");
    unsigned long long n = 0;
    must(cudaMemcpy(&n, wrong, sizeof n, cudaMemcpyDeviceToHost), "result");
    cudaMemset(wrong, 0, sizeof n);
    return n;
  };
  struct Row {
    const char* name;
    Times times;
    unsigned long long wrong;
  };
  std::vector<Row> rows;
  const auto add = [&](const char* name, const Launch& launch) {
    const unsigned long long n = judged(launch);
    write_anew();
    rows.push_back({name, time_of(launch, pairs), n});
  };
  add("lab::transpose", [&](int p) {
    must(lab::transpose(b.out[p], b.in[p], cell.rows, cell.cols, {}, {cell.count}, cell.element, stream),
         "transpose");
  });
  rows.push_back({"next copy", time_of(copies, pairs), 0});
  if (cublas.knows(cell)) add("cuBLAS geam", [&](int p) { cublas.run(cell, b.out[p], b.in[p]); });
  write_anew();
  const Times again = time_of(copies, pairs);
  if (again.median < copy.median) copy = again;
  print(cell, "copy", copy, copy, 0, pairs);
  for (const Row& row : rows) print(cell, row.name, row.times, copy, row.wrong, pairs);
}

}  // namespace

int main(int argc, char** argv) {
  bool ours = false;
  std::vector<Cell> cells;
  for (int i = 1; i < argc; ++i) {
    Cell cell{};
    if (std::string(argv[i]) == "--graph") {
      in_graph = true;
    } else if (std::string(argv[i]) == "--ours") {
      ours = true;
    } else if (std::sscanf(argv[i], "%d:%" SCNd64 ":%" SCNd64 ":%" SCNd64, &cell.element, &cell.count,
                           &cell.rows, &cell.cols) == 4) {
      cells.push_back(cell);
    } else {
      std::fprintf(stderr, "%s: write --graph, --ours or ELEMENT:COUNT:ROWS:COLS\n", argv[i]);
      return 2;
    }
  }
  cudaDeviceProp properties;
  must(cudaGetDeviceProperties(&properties, 0), "no GPU");
  const int64_t room = int64_t(9) << 30;
  char* arena;
  unsigned long long* wrong;
  must(cudaStreamCreate(&stream), "stream");  // ordered with the default stream, which fills and compares
  must(cudaMalloc(&arena, room), "memory");
  must(cudaMalloc(&wrong, sizeof *wrong), "memory");
  cudaMemset(wrong, 0, sizeof *wrong);
  for (int i = 0; i < 40; ++i)
    cudaMemcpyAsync(arena, arena + room / 2, room / 2, cudaMemcpyDeviceToDevice);  // raises the clocks
  must(cudaDeviceSynchronize(), "warm-up");
  std::fprintf(stderr, "%s, L2 %d bytes\n", properties.name, properties.l2CacheSize);
  std::printf(
      "element_bytes,count,rows,cols,kernel,us,us_p10,us_p90,gb_per_s,percent_of_copy,pairs,result\n");
  const Cublas cublas(!ours);
  const int64_t shapes[][3] = {{1, 4096, 4096},  {1, 8192, 8192},  {1, 16384, 16384}, {1, 8191, 8193},
                               {1, 8191, 8191},  {1, 1000, 7777},  {1, 7777, 1000},   {10000, 64, 64},
                               {1000, 128, 512}, {1, 1, 10000001}, {1, 7000000, 3},   {1, 3, 7000000},
                               {1, 1000000, 32}, {1, 32, 1000000}};
  if (cells.empty())
    for (const int element : {1, 2, 4, 8, 16})
      for (const auto& s : shapes) cells.push_back({element, s[0], s[1], s[2]});
  for (const Cell& cell : cells) measure(cell, arena, room, properties.l2CacheSize, cublas, wrong);
}

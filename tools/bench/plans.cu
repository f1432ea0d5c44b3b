// Quick plans against searched ones and a copy, on layouts drawn by a seed: host time of a plan and of a call,
// device time of a move by each, every byte compared.
//
// Arguments: how many layouts, the seed in hexadecimal digits, the number of one kind alone. Kinds take turns.
// Leaves a CSV line for each, and a summary of each kind. A GPU with 20 GB is needed:
// nvcc -O3 -std=c++17 -arch=native -I . tools/bench/plans.cu -o plans && ./plans 1000 5eed9
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tools/bench/layouts.h"

namespace {

using namespace drawn;

struct Moved {
  int rank;
  Dim dims[kBoxDims];
};

__global__ void fill(uint64_t* words, int64_t count) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    words[i] = uint64_t(i + 1) * 0x9E3779B97F4A7C15 ^ uint64_t(i) >> 7;
}
__global__ void compare(const char* out, const char* in, int element, int64_t elements, Moved moved,
                        unsigned long long* wrong) {
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += gridDim.x * blockDim.x) {
    int64_t rest = i;
    const char *to = out, *from = in;
    for (int d = 0; d < moved.rank; ++d) {
      const int64_t at = rest % moved.dims[d].size;
      rest /= moved.dims[d].size, to += at * moved.dims[d].out_stride, from += at * moved.dims[d].in_stride;
    }
    for (int b = 0; b < element; ++b)
      if (to[b] != from[b]) atomicAdd(wrong, 1ull);
  }
}

// Microseconds of a move on the device and of a call on the host.
struct Times {
  double device, host;
};

// As often as to last a while, over as many pairs of buffers as fit.
template <typename Go>
Times times_of(size_t bytes, size_t apart, const Go& go) {
  static cudaEvent_t begin = nullptr, end = nullptr;
  if (!begin) cudaEventCreate(&begin), cudaEventCreate(&end);
  const int64_t times = std::max<int64_t>(2, std::min<int64_t>(60, int64_t(2e8) / int64_t(bytes) + 1)),
                pairs = std::max<int64_t>(1, std::min<int64_t>(64, int64_t(kPool / apart)));
  cudaEventRecord(begin);
  const auto began = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < times; ++i) go(size_t(i % pairs));
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
  cudaEventRecord(end), cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  return {double(milliseconds) * 1e3 / double(times), took.count() / double(times)};
}

double host_time(const Layout& l, Effort effort, int times, Plan& plan) {
  double least = 1e9;
  for (int i = 0; i < times; ++i) {
    const auto began = std::chrono::steady_clock::now();
    plan = plan_for(l, effort);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - began;
    least = std::min(least, took.count());
  }
  return least;
}

// How a plan moves: a kernel for matrices with the share that it is expected to reach, or the tile of a box.
std::string way_of(const Plan& plan) {
  if (plan.kind == Plan::kMove) return "words";
  if (plan.kind == Plan::kTurn)
    return (plan.turn.folded ? "folded " : "turn ") + std::to_string(plan.turn.share).substr(0, 4);
  std::string way = plan.box.shape.halo ? "halo" : "box";
  for (int d = 0; d < plan.box.box.count; ++d) way += " " + std::to_string(plan.box.shape.tile[d]);
  return way;
}

double at(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[size_t(double(values.size() - 1) * share)];
}

struct Result {
  Drawn drawn;
  double quick_plan, searched_plan, copied = 0, rows_copied = 0, quick = 0, searched = 0, host = 0;
  unsigned long long wrong = 0;  // bytes
  [[nodiscard]] double share() const { return 100 * copied / quick; }
};

// A copy of each row of `out`, or of `in`, to where another lies: what gaps between rows cost where nothing is
// turned.
Layout rows_alone(const Drawn& d, char* out, char* in, bool of_out) {
  const Dim &down = d.dims[0], &across = d.dims[1], &count = d.dims[2];
  const Dim run{of_out ? down.size : across.size, d.element, d.element};
  const int64_t bytes = run.size * d.element;
  const Dim rows = of_out ? Dim{across.size * count.size, across.out_stride, bytes}
                          : Dim{down.size * count.size, bytes, down.in_stride};
  const int64_t from = of_out ? d.out_from : d.in_from;
  return {out + from, in + from, d.element, 2, {run, rows}};
}

Result measured(const Drawn& d, char* out, char* in, unsigned long long* wrong) {
  Dim dims[kBoxDims];
  std::copy(d.dims, d.dims + d.rank, dims);
  const Layout l = layout_of(out + d.out_from, in + d.in_from, dims, d.rank, d.element);
  const auto bytes = size_t(d.bytes());
  const size_t apart = d.apart();
  Plan quick, searched;
  Result r{d, host_time(l, Effort::Quick, 3, quick), host_time(l, Effort::Searched, 1, searched)};
  const auto move_by = [&](const Plan& plan) {
    return [&](size_t pair) {
      Layout moved = l;
      moved.out += pair * apart, moved.in += pair * apart;
      if (lab::fast::launch(moved, plan, nullptr) != cudaSuccess) std::exit(1);
    };
  };
  const auto copy_at = [&](size_t pair) {
    cudaMemcpyAsync(out + pair * apart, in + pair * apart, bytes, cudaMemcpyDeviceToDevice);
  };
  Moved moved{d.rank, {}};
  std::copy(d.dims, d.dims + d.rank, moved.dims);
  cudaMemsetAsync(wrong, 0, sizeof *wrong);
  for (const Plan* plan : {&quick, &searched}) {
    cudaMemsetAsync(out, 0xA5, apart), move_by (*plan)(0);
    compare<<<2048, 256>>>(l.out, l.in, d.element, d.bytes() / d.element, moved, wrong);
  }
  cudaMemcpy(&r.wrong, wrong, sizeof *wrong, cudaMemcpyDeviceToHost);
  if (d.kind == kParts)
    for (const bool of_out : {false, true}) {
      const Layout rows = rows_alone(d, out, in, of_out);
      const Plan plan = plan_for(rows, Effort::Quick);
      std::vector<double> times;
      for (int round = 0; round < 7; ++round)
        times.push_back(times_of(bytes, apart, [&](size_t pair) {
                          Layout moved = rows;
                          moved.out += pair * apart, moved.in += pair * apart;
                          lab::fast::launch(moved, plan, nullptr);
                        }).device);
      r.rows_copied = std::max(r.rows_copied, at(times, 0.5));
    }
  std::vector<double> times[3], host;
  for (int round = 0; round < 7; ++round) {  // in turns
    times[0].push_back(times_of(bytes, apart, copy_at).device);
    const Times by_quick = times_of(bytes, apart, move_by(quick));
    times[1].push_back(by_quick.device), host.push_back(by_quick.host);
    times[2].push_back(times_of(bytes, apart, move_by(searched)).device);
  }
  r.copied = at(times[0], 0.5), r.quick = at(times[1], 0.5), r.searched = at(times[2], 0.5);
  r.host = at(host, 0.5);
  std::printf("%s,%d,%lld,%.1f,%.1f,%.2f,%.2f,%.2f,%.2f,%.2f,%llu,%s,%s,%s\n", kNames[d.kind], d.element,
              static_cast<long long>(bytes), r.quick_plan, r.searched_plan, r.copied, r.quick, r.searched,
              r.rows_copied, r.host, r.wrong, d.name.c_str(), way_of(quick).c_str(),
              way_of(searched).c_str());
  std::fflush(stdout);
  return r;
}

void summarize(const std::vector<Result>& results, int kind) {
  std::vector<double> shares, of_rows, more, host, plans, searches, longer;
  for (const Result& r : results) {
    if (kind != kKinds && r.drawn.kind != kind) continue;
    shares.push_back(-r.share()), of_rows.push_back(-100 * r.rows_copied / r.quick);
    more.push_back(r.quick - r.copied), host.push_back(r.host);
    plans.push_back(r.quick_plan), searches.push_back(r.searched_plan);
    longer.push_back(r.quick / r.searched);
  }
  std::printf(
      "# %s: %zu, %% of a copy median %.1f, 95 %% reach %.1f, worst %.1f; of copies of rows with their gaps "
      "%.1f, %.1f, %.1f; us more than a copy at 95 %% %.2f; "
      "host us of a call median %.2f; quick plan us median %.1f, 90 %% %.1f, worst %.1f, searched %.0f, "
      "%.0f; "
      "quick over searched median %.3f, 95 %% %.3f, worst %.2f\n",
      kind == kKinds ? "all" : kNames[kind], shares.size(), -at(shares, 0.5), -at(shares, 0.95),
      -at(shares, 1), -at(of_rows, 0.5), -at(of_rows, 0.95), -at(of_rows, 1), at(more, 0.95), at(host, 0.5),
      at(plans, 0.5), at(plans, 0.9), at(plans, 1), at(searches, 0.5), at(searches, 1), at(longer, 0.5),
      at(longer, 0.95), at(longer, 1));
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 300;
  Draw draw(argc > 2 ? std::strtoull(argv[2], nullptr, 16) : 1);
  const int only = argc > 3 ? std::atoi(argv[3]) : -1;
  char *in = nullptr, *out = nullptr;
  unsigned long long *wrong = nullptr, wrongs = 0;
  if (cudaMalloc(&in, kPool) != cudaSuccess || cudaMalloc(&out, kPool) != cudaSuccess ||
      cudaMalloc(&wrong, sizeof *wrong) != cudaSuccess)
    return 77;
  fill<<<2048, 256>>>(reinterpret_cast<uint64_t*>(in), int64_t(kPool / 8));
  std::printf(
      "kind,element,bytes,quick plan us,searched plan us,copy us,quick us,searched us,rows us,host "
      "us,wrong,layout,"
      "quick,searched\n");
  std::vector<Result> results;
  for (int n = 0; int(results.size()) < count; ++n) {
    const Drawn d = draw.layout(Kind(only < 0 ? n % kKinds : only));
    Dim dims[kBoxDims];
    std::copy(d.dims, d.dims + d.rank, dims);
    if (layout_of(out, in, dims, d.rank, d.element).count >= 2)
      results.push_back(measured(d, out, in, wrong));
  }
  for (int kind = 0; kind <= kKinds; ++kind) summarize(results, kind);
  for (const Result& r : results) wrongs += r.wrong;
  std::printf("# %llu wrong bytes, %s\n", wrongs, cudaGetErrorString(cudaGetLastError()));
  return wrongs == 0 ? 0 : 1;
}

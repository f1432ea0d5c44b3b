// Quick plans against searched ones and a copy, on layouts drawn by a seed: host time of a plan, device time of
// a move by each.
//
// Arguments: how many layouts, the seed in hexadecimal digits. A third each are layouts of networks, of 16 KB
// to 4 MB, of 8 to 600 MB. Leaves a CSV line for each, and a summary. A GPU is needed:
// nvcc -O3 -std=c++17 -arch=native -I . tools/bench/plans.cu -o plans && ./plans 1000 5eed9
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "common/fast/transpose.cuh"

namespace {

using namespace lab::fast;

struct Drawn {
  int kind, element;
  std::vector<int64_t> sizes;
  std::vector<int> order;
};

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}

  Drawn layout(int kind) {
    for (;;) {
      Drawn d{kind, 1 << from(0, 3), {}, {}};
      if (kind == 0) {
        of_network(d);
      } else {
        const double most = kind == 1 ? 4e6 : 6e8, least = kind == 1 ? 16e3 : 8e6;
        of_any(d, kind == 2 && from(0, 1) == 0 ? 2 : int(from(2, 4)), logarithmic(least, most) / d.element);
      }
      double bytes = d.element;
      for (const int64_t size : d.sizes) bytes *= double(size);
      if (bytes >= 16e3 && bytes <= double(int64_t(1) << 30)) return d;
    }
  }

 private:
  int64_t from(int64_t a, int64_t b) { return a + int64_t(random_() % uint64_t(b - a + 1)); }
  double logarithmic(double a, double b) {
    return a * std::pow(b / a, double(random_() >> 11) / 9007199254740992.0);
  }
  void of_network(Drawn& d) {
    const int64_t batch = from(1, 32), sequence = from(1, 8192), heads = from(4, 40), size = 8 * from(4, 32),
                  image = from(7, 299), channels = from(3, 512), r = from(2, 4), depth = from(4, 64);
    switch (from(0, 6)) {
      case 0:
        d.sizes = {batch, sequence, heads, size}, d.order = {0, 2, 1, 3};
        break;
      case 1:
        d.sizes = {batch, sequence, heads, size}, d.order = {0, 2, 3, 1};
        break;
      case 2:
        d.sizes = {batch, heads, sequence, size}, d.order = {0, 2, 1, 3};
        break;
      case 3:
        d.sizes = {batch, channels, image, image}, d.order = {0, 2, 3, 1};
        break;
      case 4:
        d.sizes = {batch, image, image, channels}, d.order = {0, 3, 1, 2};
        break;
      case 5:
        d.sizes = {batch, channels / r + 1, r, r, image, image}, d.order = {0, 1, 4, 2, 5, 3};
        break;
      default:
        d.sizes = {batch, channels, depth, image / 2 + 1, image / 2 + 1}, d.order = {0, 2, 3, 4, 1};
    }
  }
  void of_any(Drawn& d, int rank, double elements) {
    for (int i = 0; i + 1 < rank; ++i) {
      const double size = logarithmic(2, std::max(3.0, std::min(elements / 2, 2000.0)));
      d.sizes.push_back(std::llround(size)), elements = std::max(2.0, elements / size);
    }
    d.sizes.push_back(std::min<int64_t>(std::llround(elements), 1 << 22));
    for (int i = 0; i < rank; ++i) d.order.push_back(i);
    do std::shuffle(d.order.begin(), d.order.end(), random_);
    while (std::is_sorted(d.order.begin(), d.order.end()));
  }
  std::mt19937_64 random_;
};

constexpr size_t kPool = size_t(4) << 30;

// Microseconds of a move, as often as to last a while, over as many pairs of buffers as fit.
template <typename Go>
double device_time(size_t bytes, cudaEvent_t begin, cudaEvent_t end, const Go& go) {
  const int64_t times = std::max<int64_t>(2, std::min<int64_t>(60, int64_t(2e8) / int64_t(bytes) + 1)),
                pairs = std::max<int64_t>(1, std::min<int64_t>(64, int64_t(kPool / bytes) - 1));
  cudaEventRecord(begin);
  for (int64_t i = 0; i < times; ++i) go(size_t(i % pairs) * ((bytes + 255) / 256 * 256));
  cudaEventRecord(end), cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  return double(milliseconds) * 1e3 / double(times);
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

std::string layout_of(const Drawn& d) {
  std::string said;
  for (const int64_t size : d.sizes) said += (said.empty() ? "" : "x") + std::to_string(size);
  said += " by";
  for (const int dimension : d.order) said += " " + std::to_string(dimension);
  return said;
}

double at(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[size_t(double(values.size() - 1) * share)];
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 300;
  Draw draw(argc > 2 ? std::strtoull(argv[2], nullptr, 16) : 1);
  char *in = nullptr, *out = nullptr;
  cudaEvent_t begin, end;
  if (cudaMalloc(&in, kPool) != cudaSuccess || cudaMalloc(&out, kPool) != cudaSuccess) return 77;
  cudaMemset(in, 0x5A, kPool), cudaEventCreate(&begin), cudaEventCreate(&end);
  std::vector<double> quick_plans, searched_plans, longer;
  std::printf(
      "kind,element,bytes,quick plan us,searched plan us,copy us,quick us,searched "
      "us,layout,quick,searched\n");
  for (int n = 0; n < count;) {
    const Drawn d = draw.layout(n % 3);
    Dim dims[kMostRank];
    const int rank = int(d.sizes.size());
    if (!dims_of(rank, d.sizes.data(), nullptr, d.order.data(), d.element, dims)) return 1;
    const auto bytes = size_t(bytes_of(dims, rank, d.element));
    const Layout l = layout_of(out, in, dims, rank, d.element);
    if (l.count < 2) continue;
    ++n;
    Plan quick, searched;
    quick_plans.push_back(host_time(l, Effort::Quick, 3, quick));
    searched_plans.push_back(host_time(l, Effort::Searched, 1, searched));
    const auto move_by = [&](const Plan& plan) {
      return [&](size_t place) {
        Layout moved = l;
        moved.out = out + place, moved.in = in + place;
        lab::fast::launch(moved, plan, nullptr);
      };
    };
    const auto copy_at = [&](size_t place) {
      cudaMemcpyAsync(out + place, in + place, bytes, cudaMemcpyDeviceToDevice);
    };
    std::vector<double> times[3];
    for (int round = 0; round < 7; ++round) {  // in turns
      times[0].push_back(device_time(bytes, begin, end, copy_at));
      times[1].push_back(device_time(bytes, begin, end, move_by(quick)));
      times[2].push_back(device_time(bytes, begin, end, move_by(searched)));
    }
    longer.push_back(at(times[1], 0.5) / at(times[2], 0.5));
    std::printf("%d,%d,%zu,%.1f,%.1f,%.2f,%.2f,%.2f,%s,%s,%s\n", d.kind, d.element, bytes, quick_plans.back(),
                searched_plans.back(), at(times[0], 0.5), at(times[1], 0.5), at(times[2], 0.5),
                layout_of(d).c_str(), way_of(quick).c_str(), way_of(searched).c_str());
  }
  double mean = 0;
  for (const double one : longer) mean += one / double(longer.size());
  std::printf("quick plan: median %.1f us, worst %.1f; searched: median %.0f, worst %.0f\n",
              at(quick_plans, 0.5), at(quick_plans, 1), at(searched_plans, 0.5), at(searched_plans, 1));
  std::printf("a move by a quick plan: %.3f times as long in the mean, %.3f at 95 %%, %.2f at worst\n", mean,
              at(longer, 0.95), at(longer, 1));
  return 0;
}

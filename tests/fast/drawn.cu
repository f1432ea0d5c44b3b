// Layouts drawn by a seed through lab::fast::rearrange, through the kernels for matrices and boxes of drawn
// shapes, on whichever device the program meets: every bit of `out` and the bytes around it.
//
// Arguments: how many layouts, the seed, boxes of each, bytes of the largest. Dimensions are drawn from
// classes: 1, 2, few, about a warp, multiples of 8, more; with gaps or none on either side, from any address.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "common/fast/transpose.cuh"

namespace {

using lab::fast::Dim;
using lab::fast::Layout;

constexpr int64_t kGuard = 512;

struct Drawn {
  int element, count;
  Dim dims[lab::fast::kBoxDims];  // the innermost of `out` first
  int64_t in_bytes, out_bytes, in_from, out_from;
  std::string name;
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  int64_t from(int64_t a, int64_t b) { return a + int64_t(random_() % uint32_t(b - a + 1)); }
  template <typename Items>
  void shuffle(Items begin, Items end) {
    std::shuffle(begin, end, random_);
  }
  int64_t size() {
    switch (from(0, 5)) {
      case 0:
        return 1;
      case 1:
        return 2;
      case 2:
        return from(3, 9);
      case 3:
        return from(10, 40);
      case 4:
        return 8 * from(1, 16);
      default:
        return from(41, 300);
    }
  }
  Drawn layout(int64_t most) {
    Drawn d{};
    d.element = 1 << from(0, 4), d.count = int(from(1, 5));
    int64_t all;
    do {
      all = d.element;
      for (int i = 0; i < d.count; ++i) all *= d.dims[i].size = size();
    } while (all > most);
    int order[5] = {0, 1, 2, 3, 4};
    shuffle(order, order + d.count);
    const bool out_gaps = from(0, 3) == 0, in_gaps = from(0, 3) == 0;
    int64_t out = d.element, in = d.element;
    for (int i = 0; i < d.count; ++i) {
      d.dims[i].out_stride = out, d.dims[order[i]].in_stride = in;
      out = out * d.dims[i].size + (out_gaps ? from(0, 9) * d.element : 0);
      in = in * d.dims[order[i]].size + (in_gaps ? from(0, 9) * d.element : 0);
    }
    finish(d);
    return d;
  }

  // A permutation of 6 to 8 dimensions into a dense `out`, as permute takes it.
  Drawn permutation(int64_t most, std::vector<int64_t>& sizes, std::vector<int64_t>& strides,
                    std::vector<int>& order) {
    Drawn d{};
    d.element = 1 << from(0, 4), d.count = int(from(6, lab::fast::kBoxDims));
    sizes.resize(size_t(d.count)), strides.resize(size_t(d.count)), order.resize(size_t(d.count));
    int64_t all;
    do {
      all = d.element;
      for (int64_t& one : sizes) all *= one = from(0, 2) ? from(2, 3) : from(1, 9);
    } while (all > most);
    for (int i = 0; i < d.count; ++i) order[size_t(i)] = i;
    shuffle(order.begin(), order.end());
    const bool gap = from(0, 3) == 0;  // a matrix of a larger one
    int64_t out = d.element, in = 1;
    for (int i = d.count - 1; i >= 0; --i) {
      strides[size_t(i)] = in, in *= sizes[size_t(i)];
      if (gap && i == d.count - 1) in += from(1, 9);
    }
    for (int i = 0; i < d.count; ++i) {
      const auto of = size_t(order[size_t(d.count - 1 - i)]);
      d.dims[i] = {sizes[of], out, strides[of] * d.element}, out *= sizes[of];
    }
    finish(d);
    return d;
  }

 private:
  // Where both sides begin and how many bytes they span; the name.
  void finish(Drawn& d) {
    d.in_from = (from(0, 2) ? 0 : from(0, 31)) * d.element,
    d.out_from = (from(0, 2) ? 0 : from(0, 31)) * d.element;
    d.in_bytes = d.out_bytes = d.element, d.name = std::to_string(d.element) + " bytes";
    for (int i = 0; i < d.count; ++i) {
      d.in_bytes += (d.dims[i].size - 1) * d.dims[i].in_stride,
          d.out_bytes += (d.dims[i].size - 1) * d.dims[i].out_stride;
      d.name += " " + std::to_string(d.dims[i].size) + " (" + std::to_string(d.dims[i].out_stride) + ", " +
                std::to_string(d.dims[i].in_stride) + ")";
    }
    d.name += " from " + std::to_string(d.out_from) + ", " + std::to_string(d.in_from);
  }

  std::mt19937 random_;
};

// One layout on the device, and what is wanted of it.
class Trial {
 public:
  Trial(const Drawn& d, Draw& draw)
      : drawn_(d), in_(size_t(d.in_bytes)), want_(size_t(d.out_bytes + 2 * kGuard), 0xEE) {
    for (unsigned char& byte : in_) byte = static_cast<unsigned char>(draw.from(0, 255));
    int64_t all = 1;
    for (int i = 0; i < d.count; ++i) all *= d.dims[i].size;
    for (int64_t e = 0; e < all; ++e) {
      int64_t rest = e, out = 0, in = 0;
      for (int i = 0; i < d.count; ++i) {
        const int64_t x = rest % d.dims[i].size;
        rest /= d.dims[i].size, out += x * d.dims[i].out_stride, in += x * d.dims[i].in_stride;
      }
      memcpy(&want_[size_t(kGuard + out)], &in_[size_t(in)], size_t(d.element));
    }
    cudaMalloc(&device_in_, in_.size() + size_t(d.in_from));
    cudaMalloc(&device_out_, want_.size() + size_t(d.out_from));
    cudaMemcpy(device_in_ + d.in_from, in_.data(), in_.size(), cudaMemcpyHostToDevice);
  }
  ~Trial() { cudaFree(device_in_), cudaFree(device_out_); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  [[nodiscard]] char* out() const { return device_out_ + drawn_.out_from + kGuard; }
  [[nodiscard]] const char* in() const { return device_in_ + drawn_.in_from; }

  template <typename Go>
  bool right(const std::string& what, const Go& go) {
    std::vector<unsigned char> got(want_.size(), 0xEE);
    cudaMemcpy(out() - kGuard, got.data(), got.size(), cudaMemcpyHostToDevice);
    cudaError_t error = go();
    if (error == cudaSuccess) error = cudaDeviceSynchronize();
    cudaMemcpy(got.data(), out() - kGuard, got.size(), cudaMemcpyDeviceToHost);
    if (error == cudaSuccess && got == want_) return true;
    size_t b = 0;
    while (b < got.size() && got[b] == want_[b]) ++b;
    std::printf("WRONG %s: %s: %s, byte %lld\n", drawn_.name.c_str(), what.c_str(), cudaGetErrorString(error),
                static_cast<long long>(b) - static_cast<long long>(kGuard));
    return false;
  }

 private:
  const Drawn& drawn_;
  std::vector<unsigned char> in_, want_;
  char *device_in_ = nullptr, *device_out_ = nullptr;
};

// A permutation of 6 to 8 dimensions, by the library's plan and by one that was searched for.
bool right_permuted(Draw& draw, int64_t most) {
  std::vector<int64_t> sizes, strides;
  std::vector<int> order;
  const Drawn d = draw.permutation(most, sizes, strides, order);
  Trial trial(d, draw);
  const bool right = trial.right("permuted", [&] {
    return lab::permute(trial.out(), trial.in(), d.count, sizes.data(), strides.data(), order.data(),
                        d.element);
  });
  Dim dims[lab::fast::kBoxDims];
  std::copy(d.dims, d.dims + d.count, dims);
  const Layout l = lab::fast::layout_of(trial.out(), trial.in(), dims, d.count, d.element);
  const bool by_words = trial.right("word by word", [&] { return lab::fast::move(l, nullptr); });
  const auto planned = [&](const char* what, char* out, const char* in) {
    const lab::Planned plan =
        lab::plan(out, in, d.count, sizes.data(), strides.data(), order.data(), d.element);
    return trial.right(what, [&] { return plan(trial.out(), trial.in()); });
  };
  const bool at_others = planned("by a plan of addresses that are aligned", nullptr, nullptr);
  return planned("by a plan that was searched for", trial.out(), trial.in()) && right && by_words &&
         at_others;
}

std::string named(const lab::fast::BoxShape& shape) {
  std::string name = "box of";
  for (const int64_t tile : shape.tile) name += " " + std::to_string(tile);
  return name + (shape.halo ? ", whole sectors" : "");
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, int64_t otherwise) { return argc > i ? std::atoll(argv[i]) : otherwise; };
  const auto seed = static_cast<unsigned>(argument(2, 1));
  const int64_t boxes = argument(3, 2), most = argument(4, 16000);
  Draw draw(seed), ways(seed + 1000003);  // each its own, so that kept seeds draw what they drew
  int cases = 0, wrong = 0;
  for (int64_t n = argument(1, 10); n > 0; --n) {
    if (n % 2 == 0) ++cases, wrong += !right_permuted(ways, most);
    const Drawn d = draw.layout(most);
    Trial trial(d, draw);
    Dim dims[lab::fast::kBoxDims];
    std::copy(d.dims, d.dims + d.count, dims);
    ++cases, wrong += !trial.right("as planned", [&] {
      return lab::fast::rearrange(trial.out(), trial.in(), dims, d.count, d.element, nullptr);
    });
    std::copy(d.dims, d.dims + d.count, dims);
    Layout l{trial.out(), trial.in(), d.element, lab::fast::coalesce(dims, d.count), {}};
    std::copy(dims, dims + l.count, l.dims);
    for (const bool folded : {false, true}) {
      lab::fast::Matrices m{};
      if (!lab::fast::as_matrices(l, m, folded)) continue;
      ++cases, wrong += !trial.right(folded ? "as matrices, rows folded" : "as matrices",
                                     [&] { return lab::fast::turn_plan(m, l.element).go(m, nullptr); });
    }
    if (const lab::fast::BoxChoice quick = lab::fast::best_box(l, true); l.count > 1 && quick.cost < 1e30)
      ++cases, wrong += !trial.right("quick box", [&] { return lab::fast::launch_box(l, quick, nullptr); });
    std::vector<lab::fast::BoxChoice> choices;
    lab::fast::each_shape(l, false, [&](const auto& shape, const auto& box, const auto& size) {
      choices.push_back({box, shape, size, 0});
    });
    draw.shuffle(choices.begin(), choices.end());
    for (size_t i = 0; i < choices.size() && i < size_t(boxes); ++i) {
      if (!lab::fast::arrange(l, choices[i].box, choices[i].size, i % 2 == 0)) continue;
      ++cases, wrong += !trial.right(named(choices[i].shape),
                                     [&] { return lab::fast::launch_box(l, choices[i], nullptr); });
    }
  }
  std::printf("seed %u: %d cases, %d wrong\n", seed, cases, wrong);
  return wrong == 0 ? 0 : 1;
}

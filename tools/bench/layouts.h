// Layouts as programs use them, drawn by a seed: for plans.cu, which times them, and taken.cpp, which counts what plans take.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "common/fast/transpose.cuh"

namespace drawn {

using namespace lab::fast;

// Layouts of networks; 16 KB to 4 MB; 8 to 600 MB; parts of matrices with odd pitches; more than 2^31 elements.
enum Kind { kNetwork, kSmall, kLarge, kParts, kHuge, kKinds };
constexpr const char* kNames[] = {"network", "small", "large", "parts", "huge"};
constexpr size_t kPool = size_t(9) << 30;

struct Drawn {
  Kind kind;
  int element, rank = 0;
  Dim dims[kBoxDims];                 // the innermost of `out` first
  int64_t out_from = 0, in_from = 0;  // bytes
  std::string name;
  [[nodiscard]] int64_t bytes() const {
    int64_t all = element;
    for (int d = 0; d < rank; ++d) all *= dims[d].size;
    return all;
  }
  // From one pair of buffers to the next.
  [[nodiscard]] size_t apart() const {
    int64_t out = out_from + element, in = in_from + element;
    for (int d = 0; d < rank; ++d)
      out += (dims[d].size - 1) * dims[d].out_stride, in += (dims[d].size - 1) * dims[d].in_stride;
    return size_t((std::max({out, in, bytes()}) + 255) / 256 * 256);
  }
};

class Draw {
 public:
  explicit Draw(uint64_t seed) : random_(seed) {}

  Drawn layout(Kind kind) {
    for (;;) {
      Drawn d{kind, 1 << from(0, kind == kHuge ? 1 : kind == kNetwork ? 3 : 4)};
      if (kind == kNetwork) of_network(d);
      if (kind == kSmall) of_any(d, int(from(2, 4)), logarithmic(16e3, 4e6) / d.element);
      if (kind == kLarge) of_any(d, from(0, 1) ? int(from(2, 4)) : 2, logarithmic(8e6, 6e8) / d.element);
      if (kind == kParts) of_parts(d);
      if (kind == kHuge) of_any(d, int(from(2, 4)), logarithmic(2.2e9, 4e9));
      const int64_t bytes = d.bytes();
      if (bytes >= 16000 && d.apart() <= (kind == kHuge ? kPool : kPool / 6) &&
          (kind != kHuge || bytes / d.element > int64_t(1) << 31))
        return d;
    }
  }

 private:
  int64_t from(int64_t a, int64_t b) { return a + int64_t(random_() % uint64_t(b - a + 1)); }
  double logarithmic(double a, double b) {
    return a * std::pow(b / a, double(random_() >> 11) / 9007199254740992.0);
  }
  static void permuted(Drawn& d, const std::vector<int64_t>& sizes, const std::vector<int>& order) {
    d.rank = int(sizes.size());
    if (!dims_of(d.rank, sizes.data(), nullptr, order.data(), d.element, d.dims)) std::exit(1);
    for (const int64_t size : sizes) d.name += (d.name.empty() ? "" : "x") + std::to_string(size);
    d.name += " by";
    for (const int dimension : order) d.name += " " + std::to_string(dimension);
  }
  void of_network(Drawn& d) {
    const int64_t batch = from(1, 32), sequence = from(1, 8192), heads = from(4, 40), size = 8 * from(4, 32),
                  image = from(7, 299), channels = from(3, 512), r = from(2, 4), depth = from(4, 64),
                  windows = from(2, 16), side = from(4, 16);
    switch (from(0, 7)) {
      case 0:
        return permuted(d, {batch, sequence, heads, size}, {0, 2, 1, 3});
      case 1:
        return permuted(d, {batch, sequence, heads, size}, {0, 2, 3, 1});
      case 2:
        return permuted(d, {batch, heads, sequence, size}, {0, 2, 1, 3});
      case 3:
        return permuted(d, {batch, channels, image, image}, {0, 2, 3, 1});
      case 4:
        return permuted(d, {batch, image, image, channels}, {0, 3, 1, 2});
      case 5:
        return permuted(d, {batch, channels / r + 1, r, r, image, image}, {0, 1, 4, 2, 5, 3});
      case 6:
        return permuted(d, {batch, windows, side, windows, side, channels}, {0, 1, 3, 2, 4, 5});
      default:
        return permuted(d, {batch, channels, depth, image / 2 + 1, image / 2 + 1}, {0, 2, 3, 4, 1});
    }
  }
  void of_any(Drawn& d, int rank, double elements) {
    std::vector<int64_t> sizes;
    std::vector<int> order;
    for (int i = 0; i + 1 < rank; ++i) {
      const double size = logarithmic(2, std::max(3.0, std::min(elements / 2, 2000.0)));
      sizes.push_back(std::llround(size)), elements = std::max(2.0, elements / size);
    }
    sizes.push_back(std::min<int64_t>(std::llround(elements), 1 << 22));
    if (from(0, 4) < 2)
      for (int64_t& size : sizes) size = size > 16 ? size / 8 * 8 : size;
    for (int i = 0; i < rank; ++i) order.push_back(i);
    do std::shuffle(order.begin(), order.end(), random_);
    while (std::is_sorted(order.begin(), order.end()));
    permuted(d, sizes, order);
  }
  // A batch of parts of larger matrices: few columns in half of them, pitches up to 9 elements longer, from
  // any element on.
  void of_parts(Drawn& d) {
    const int64_t count = from(0, 1) ? 1 : from(2, 64), more_out = from(0, 9), more_in = from(0, 9);
    const double each = logarithmic(8e6, 6e8) / double(d.element * count);
    const int64_t cols = from(0, 1) ? from(2, 64) : std::llround(logarithmic(65, std::max(66.0, each / 65))),
                  rows = std::max<int64_t>(2, std::llround(each / double(cols))), out_pitch = rows + more_out,
                  in_pitch = cols + more_in;
    d.rank = 3;
    d.dims[0] = {rows, d.element, in_pitch * d.element};
    d.dims[1] = {cols, out_pitch * d.element, d.element};
    d.dims[2] = {count, cols * out_pitch * d.element, rows * in_pitch * d.element};
    d.out_from = from(0, 31) * d.element, d.in_from = from(0, 31) * d.element;
    d.name = std::to_string(count) + "x" + std::to_string(rows) + "x" + std::to_string(cols) + " pitches +" +
             std::to_string(more_out) + " +" + std::to_string(more_in) + " from " +
             std::to_string(d.out_from) + " " + std::to_string(d.in_from);
  }
  std::mt19937_64 random_;
};

}  // namespace drawn

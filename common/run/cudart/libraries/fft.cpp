// Transforms of lines. See fft.h.
#include "common/run/cudart/libraries/fft.h"

#include <numbers>

namespace lab::cudart {
namespace {

constexpr std::size_t kGreatestFactor = 31;  // of a direct sum

Complex root(std::size_t k, std::size_t of, int sign) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(of);
  return {std::cos(angle), sign * std::sin(angle)};
}

// Fours first, since they cost the least; what is left over is 1 where all factors are small.
std::vector<std::size_t> factors_of(std::size_t& left) {
  std::vector<std::size_t> factors;
  for (std::size_t factor = 4; factor <= kGreatestFactor && left > 1;) {
    if (left % factor == 0) {
      factors.push_back(factor);
      left /= factor;
    } else {
      factor = factor == 4 ? 2 : factor + 1;
      if (factor == 4) factor = 5;
    }
  }
  return factors;
}

}  // namespace

LineTransform::LineTransform(std::size_t length, int sign) : length_(length) {
  std::size_t left = length;
  factors_ = factors_of(left);
  if (left == 1) {
    for (std::size_t k = 0; k < length; ++k) roots_.push_back(root(k, length, sign));
    return;
  }
  std::size_t room = 1;
  while (room < 2 * length) room *= 2;
  forward_ = std::make_unique<LineTransform>(room, -1);
  inverse_ = std::make_unique<LineTransform>(room, 1);
  product_.resize(room);
  for (std::size_t k = 0; k < length; ++k) {
    chirp_.push_back(root(k * k % (2 * length), 2 * length, sign));
    product_[k] = product_[(room - k) % room] = std::conj(chirp_[k]);
  }
  (*forward_)(product_);
}

void LineTransform::operator()(std::vector<Complex>& line) const {
  if (forward_ != nullptr) return by_chirps(line);
  const std::vector<Complex> from = line;
  step(from.data(), 1, line.data(), length_, 0);
}

// Every `factor`th element makes a shorter transform each; then these are joined.
void LineTransform::step(const Complex* from, std::size_t stride, Complex* to, std::size_t length,
                         std::size_t factor) const {
  if (length == 1) {
    *to = *from;
    return;
  }
  const std::size_t parts = factors_[factor], part = length / parts, turn = length_ / length;
  for (std::size_t r = 0; r < parts; ++r)
    step(from + r * stride, stride * parts, to + r * part, part, factor + 1);
  Complex turned[kGreatestFactor];
  for (std::size_t k = 0; k < part; ++k) {
    for (std::size_t r = 0; r < parts; ++r) turned[r] = to[r * part + k] * roots_[r * k * turn];
    for (std::size_t q = 0; q < parts; ++q) {
      Complex sum = turned[0];
      for (std::size_t r = 1; r < parts; ++r) sum += turned[r] * roots_[r * q % parts * part * turn];
      to[q * part + k] = sum;
    }
  }
}

void LineTransform::by_chirps(std::vector<Complex>& line) const {
  std::vector<Complex> padded(product_.size());
  for (std::size_t k = 0; k < length_; ++k) padded[k] = line[k] * chirp_[k];
  (*forward_)(padded);
  for (std::size_t k = 0; k < padded.size(); ++k) padded[k] *= product_[k];
  (*inverse_)(padded);
  for (std::size_t k = 0; k < length_; ++k)
    line[k] = padded[k] * chirp_[k] / static_cast<double>(padded.size());
}

}  // namespace lab::cudart

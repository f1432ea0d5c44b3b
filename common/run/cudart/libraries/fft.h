// The discrete Fourier transform of one line, of any length, in double precision.
//
// Enters: a length and a direction, then lines. Leaves: their transforms, not scaled. Mixed radix where all prime factors are small,
// Bluestein's product of chirps else.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace lab::cudart {

using Complex = std::complex<double>;

class LineTransform {
 public:
  // `sign` of the exponent: -1 forward, 1 inverse.
  LineTransform(std::size_t length, int sign);
  void operator()(std::vector<Complex>& line) const;

 private:
  void step(const Complex* from, std::size_t stride, Complex* to, std::size_t length,
            std::size_t factor) const;
  void by_chirps(std::vector<Complex>& line) const;

  std::size_t length_;
  std::vector<std::size_t> factors_;
  std::vector<Complex> roots_;  // exp(sign 2 pi i k / length)
  // Bluestein: a transform of a power of two, the chirp, and the transform of its inverse.
  std::unique_ptr<LineTransform> forward_, inverse_;
  std::vector<Complex> chirp_, product_;
};

}  // namespace lab::cudart

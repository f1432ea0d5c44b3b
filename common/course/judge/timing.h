// How times are taken, and what is said of them: the rules, apart from any device.
//
// Enters: samples in seconds, sizes in bytes. Leaves: a median with its spread, rates, and how often and on
// how many buffers to measure. docs/gpu.md says the same in words.
#pragma once

#include <cstdint>
#include <span>

namespace lab::judge {

// What several samples of one thing say.
struct Spread {
  double median = 0;
  double low = 0, high = 0;  // the 10th and the 90th percentile: four in five samples lie between
  double least = 0, most = 0;
  int samples = 0;
  // How far apart low and high are, as a share of the median: differences below this are noise.
  [[nodiscard]] double relative() const { return median > 0 ? (high - low) / median : 0; }
};

// Linear interpolation between neighbours, as most tools do it; of one sample, that sample. Throws
// std::invalid_argument for none, and for samples that are negative or not finite.
[[nodiscard]] Spread spread_of(std::span<const double> samples);

// 10^9 bytes per second; 0 when no time was taken.
[[nodiscard]] double gigabytes_per_second(std::uint64_t bytes, double seconds);

// How many pairs of in and out take turns: together at least four times the L2 cache, so that a turn finds
// nothing of the one before; at least two where they fit, at most 64, and never more than `room_bytes` hold.
[[nodiscard]] int buffer_pairs(std::uint64_t pair_bytes, std::uint64_t l2_bytes, std::uint64_t room_bytes);

// How often one sample repeats the work, so that it lasts about `sample_seconds`: 1 to 200.
[[nodiscard]] int repeats_for(double seconds_once, double sample_seconds = 0.002);

}  // namespace lab::judge

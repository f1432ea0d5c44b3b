// Medians, spreads, rates. See timing.h.
#include "common/course/judge/timing.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace lab::judge {
namespace {

constexpr double kLow = 0.1, kHigh = 0.9;
constexpr std::uint64_t kL2Times = 4;
constexpr int kMostPairs = 64, kMostRepeats = 200;

double percentile(const std::vector<double>& sorted, double share) {
  const double at = share * double(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - double(below));
}

}  // namespace

Spread spread_of(std::span<const double> samples) {
  if (samples.empty()) throw std::invalid_argument("no samples were taken");
  std::vector<double> sorted(samples.begin(), samples.end());
  for (const double s : sorted) {
    if (!std::isfinite(s) || s < 0) throw std::invalid_argument("a sample is no time");
  }
  std::sort(sorted.begin(), sorted.end());
  Spread spread;
  spread.median = percentile(sorted, 0.5);
  spread.low = percentile(sorted, kLow);
  spread.high = percentile(sorted, kHigh);
  spread.least = sorted.front();
  spread.most = sorted.back();
  spread.samples = static_cast<int>(sorted.size());
  return spread;
}

double gigabytes_per_second(std::uint64_t bytes, double seconds) {
  return seconds > 0 ? double(bytes) / seconds / 1e9 : 0;
}

int buffer_pairs(std::uint64_t pair_bytes, std::uint64_t l2_bytes, std::uint64_t room_bytes) {
  pair_bytes = std::max<std::uint64_t>(pair_bytes, 1);
  const std::uint64_t wanted =
      std::max<std::uint64_t>((kL2Times * l2_bytes + pair_bytes - 1) / pair_bytes, 2);
  const std::uint64_t fitting = std::max<std::uint64_t>(room_bytes / pair_bytes, 1);
  return static_cast<int>(std::min({wanted, fitting, std::uint64_t{kMostPairs}}));
}

int repeats_for(double seconds_once, double sample_seconds) {
  if (!(seconds_once > 0)) return kMostRepeats;
  return static_cast<int>(std::clamp(std::ceil(sample_seconds / seconds_once), 1.0, double(kMostRepeats)));
}

}  // namespace lab::judge

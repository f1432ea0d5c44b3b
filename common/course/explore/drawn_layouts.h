// Drawn layouts: lab::permute timed on a GPU against a copy, on matrices and permutations that a
// seed draws (tools/bench/drawn.cu), as docs/fast_times.md reports them.
//
// Enters: how many, a seed. Leaves: each layout's share of a copy, and what a group of them reaches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lab::explore {

struct DrawnLayout {
  int elem_bytes = 0;
  std::string sizes, order;  // "88x1688x2", "201"
  double copy_gb_per_s = 0, percent_of_copy = 0;
  std::uint64_t wrong = 0;  // elements
};

struct DrawnGroup {
  bool matrices = false, bytes = false;  // else permutations of 3 to 5 dimensions; elements of 2 to 16 bytes
  int drawn = 0, below_60 = 0;
  double median = 0, reached_by_95 = 0, least = 0;  // percent of a copy
};

// Throws EnvironmentError where nothing can be timed.
[[nodiscard]] std::vector<DrawnLayout> time_drawn_layouts(int count, std::uint32_t seed);
// Only those of which something was drawn.
[[nodiscard]] std::vector<DrawnGroup> groups_of(const std::vector<DrawnLayout>& layouts);

}  // namespace lab::explore

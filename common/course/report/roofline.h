// The roofline of one run, as text: how long each part of a GPU would need alone, what is on its way, how
// many blocks share a multiprocessor and why.
//
// Enters: numbers of explore/forecast.h. Leaves: lines of text, with bars.
#pragma once

#include <cstdint>
#include <string>

#include "common/gpu/model/occupancy.h"
#include "common/gpu/model/prediction.h"
#include "common/ui/style.h"

namespace lab::report {

struct Roofline {
  model::Prediction seconds;
  model::Occupancy occupancy;
  std::uint64_t block_threads = 0, block_shared_bytes = 0;
  std::uint64_t thread_bytes_at_once = 0, bytes_at_once = 0;  // of a thread; of a multiprocessor
  double instructions_per_byte = 0, balance = 0;
};

// What each part adds to the time of one kernel and of another, and the difference; the last row is the sum.
[[nodiscard]] std::string difference_text(const model::Prediction& before, const model::Prediction& now,
                                          const Style& style);
[[nodiscard]] std::string roofline_text(const Roofline& roofline, const Style& style);

}  // namespace lab::report

// See drawn_layouts.h.
#include "common/course/explore/drawn_layouts.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "common/base/errors.h"
#include "common/course/explore/gpu_program.h"

namespace lab::explore {
namespace {

// "4 B 88x1688x2 [201] 96 MB copy 3300 ours 97.1% cutensor 0.0% ratio 0.00 wrong 0 0"
std::optional<DrawnLayout> layout_in(const std::string& line) {
  DrawnLayout d;
  std::istringstream words(line);
  std::string skipped;
  words >> d.elem_bytes >> skipped >> d.sizes >> d.order >> skipped >> skipped >> skipped >> d.copy_gb_per_s;
  words >> skipped >> d.percent_of_copy;
  while (words >> skipped && skipped != "wrong") {
  }
  if (!(words >> d.wrong) || d.order.size() < 4) return std::nullopt;
  d.order = d.order.substr(1, d.order.size() - 2);
  return d;
}

}  // namespace

std::vector<DrawnLayout> time_drawn_layouts(int count, std::uint32_t seed) {
  const std::string program =
      gpu_program("tools/bench/drawn.cu", {"-Itools/bench/without_cutensor"}).string();
  const base::SubprocessResult result = run_program({program, std::to_string(count), std::to_string(seed)});
  if (!result.succeeded())
    throw base::EnvironmentError(
        msg("the drawn layouts were not timed: their program ended with \"{}\". It takes 12 GB of the GPU's "
            "memory.",
            last_words(result)));
  std::vector<DrawnLayout> layouts;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);)
    if (const std::optional<DrawnLayout> layout = layout_in(line)) layouts.push_back(*layout);
  return layouts;
}

std::vector<DrawnGroup> groups_of(const std::vector<DrawnLayout>& layouts) {
  std::vector<DrawnGroup> groups;
  for (const bool matrices : {true, false})
    for (const bool bytes : {false, true}) {
      std::vector<double> shares;
      for (const DrawnLayout& d : layouts)
        if ((d.order.size() == 2) == matrices && (d.elem_bytes == 1) == bytes)
          shares.push_back(d.percent_of_copy);
      if (shares.empty()) continue;
      std::sort(shares.begin(), shares.end());
      const std::size_t n = shares.size();
      const auto below = std::count_if(shares.begin(), shares.end(), [](double s) { return s < 60; });
      groups.push_back({matrices, bytes, static_cast<int>(n), static_cast<int>(below),
                        (shares[(n - 1) / 2] + shares[n / 2]) / 2, shares[n / 20], shares.front()});
    }
  return groups;
}

}  // namespace lab::explore

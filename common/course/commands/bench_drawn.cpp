// `lab bench --drawn N --seed S`: lab::permute on layouts that a seed draws, against a copy.
//
// Enters: how many, a seed, or none for another one each time. Leaves: a line for each layout and a table of
// groups, or JSON. Only a GPU has times: without one it ends as an error of the environment.
#include "common/course/commands/bench_drawn.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "common/base/errors.h"
#include "common/base/random.h"
#include "common/base/text/text.h"
#include "common/course/explore/drawn_layouts.h"
#include "common/course/report/json.h"
#include "common/gpu/device/gpu.h"
#include "common/ui/waiting.h"

namespace lab::cli {
namespace {

using explore::DrawnGroup;
using explore::DrawnLayout;
using text::tr;

std::uint32_t seed_of(const std::string& text) {
  if (text.empty()) return base::random_number();
  std::uint32_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw base::UsageError(msg("--seed \"{}\": write a number from 0 to 4294967295.", text));
  return seed;
}

std::string name_of(const DrawnGroup& g) {
  if (g.matrices) return g.bytes ? tr("matrices of 1 byte") : tr("matrices of 2 to 16 bytes");
  return g.bytes ? tr("permutations of 1 byte") : tr("permutations of 2 to 16 bytes");
}

std::string json_of(const std::vector<DrawnLayout>& layouts, std::uint32_t seed, const std::string& gpu) {
  report::Json all = {{"gpu", gpu}, {"seed", seed}, {"layouts", report::Json::array()}};
  for (const DrawnLayout& d : layouts)
    all["layouts"].push_back({{"elem_bytes", d.elem_bytes},
                              {"sizes", d.sizes},
                              {"order", d.order},
                              {"copy_gb_per_s", d.copy_gb_per_s},
                              {"percent_of_copy", d.percent_of_copy},
                              {"wrong", d.wrong}});
  return report::dump(all);
}

void print_text(const std::vector<DrawnLayout>& layouts, std::uint32_t seed, const std::string& gpu) {
  for (const DrawnLayout& d : layouts)
    fmt::print("{:>3} B  {:<28} {:<6} {:>6.1f} %{}\n", d.elem_bytes, d.sizes, d.order, d.percent_of_copy,
               d.wrong == 0 ? "" : "  " + tr("{} elements are wrong", d.wrong));
  fmt::print("\n{}\n", tr("{}: share of a copy, {} layouts of seed {}", gpu, layouts.size(), seed));
  for (const DrawnGroup& g : explore::groups_of(layouts))
    fmt::print("  {}\n",
               tr("{}: {} drawn, median {:.1f} %, 95 % reach {:.1f} %, least {:.1f} %, {} below 60 %",
                  name_of(g), g.drawn, g.median, g.reached_by_95, g.least, g.below_60));
}

}  // namespace

int bench_drawn(int count, const std::string& seed_text, bool json, int gpu_index) {
  const std::uint32_t seed = seed_of(seed_text);
  std::string gpu;
  try {
    gpu = device::open_gpu({.index = gpu_index})->info().name;
  } catch (const device::DeviceError& error) {
    throw base::EnvironmentError(text::message_of(error));
  }
  if (gpu_index != 0)
    throw base::UsageError(
        msg("--drawn times the first GPU: choose it by CUDA_VISIBLE_DEVICES={} in place of --gpu-index.",
            gpu_index));
  const std::vector<DrawnLayout> layouts =
      waited(tr("measuring"), true, [&] { return explore::time_drawn_layouts(count, seed); });
  if (json)
    fmt::print("{}\n", json_of(layouts, seed, gpu));
  else
    print_text(layouts, seed, gpu);
  const bool all_right =
      std::all_of(layouts.begin(), layouts.end(), [](const DrawnLayout& d) { return d.wrong == 0; });
  return static_cast<int>(all_right ? base::ExitCode::Passed : base::ExitCode::NotYet);
}

}  // namespace lab::cli

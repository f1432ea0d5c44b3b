// Bars and sentences of a roofline. See roofline.h.
#include "common/course/report/roofline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "common/base/text/text.h"
#include "common/ui/table.h"
#include "common/ui/wrap.h"

namespace lab::report {
namespace {

using text::tr;

constexpr int kRooflineCells = 32;

std::string bar(double share) {
  std::string cells;
  for (int k = 0; k < std::lround(share * kRooflineCells); ++k) cells += "█";
  return cells;
}

std::string parts(const model::Prediction& p, const Style& style) {
  const double most = std::max(p.total, *std::max_element(p.seconds.begin(), p.seconds.end()));
  Table table;
  table.column("part of the GPU", Align::Left).column("needs alone").may_go(3).column("adds");
  table.column("", Align::Left).may_go().column("", Align::Left).may_go(2);
  for (std::size_t part = 0; part < model::kParts; ++part) {
    const Ink ink = part == p.bound ? Ink::Strong : Ink::Plain;
    table.row({{text::translated_form(model::kPartInfo[part].words), ink},
               {fmt::format("{:.1f} µs", p.seconds[part] * 1e6), ink},
               {p.added[part] == 0 ? "" : fmt::format("{:.1f} µs", p.added[part] * 1e6), ink},
               {bar(p.seconds[part] / most), ink},
               {part == p.bound ? tr("<- bounds it") : "", ink}});
  }
  table.row(
      {{tr("beginning and end of the launch")}, {}, {fmt::format("{:.1f} µs", p.launch() * 1e6)}, {}, {}});
  table.row(
      {{tr("together"), Ink::Strong}, {}, {fmt::format("{:.1f} µs", p.total * 1e6), Ink::Strong}, {}, {}});
  std::string all = table.text(style, "  ");
  if (p.bound != model::kParts && !table.shows_last("  "))
    all +=
        fitted(tr("What bounds it: {}.", text::translated_form(model::kPartInfo[p.bound].words)), "", "  ") +
        "\n";
  return all;
}

}  // namespace

std::string difference_text(const model::Prediction& before, const model::Prediction& now,
                            const Style& style) {
  Table table;
  table.column("adds, part of the GPU", Align::Left).column("before").column("now").column("difference");
  const auto row = [&](const std::string& words, double was, double is, Ink ink) {
    const double change = (is - was) * 1e6;
    const bool none = std::abs(change) < 0.05;
    table.row({{words, ink},
               {fmt::format("{:.1f} µs", was * 1e6), ink},
               {fmt::format("{:.1f} µs", is * 1e6), ink},
               {none ? "" : fmt::format("{:+.1f} µs", change), none         ? Ink::Plain
                                                               : change > 0 ? Ink::Bad
                                                                            : Ink::Good}});
  };
  for (std::size_t part = 0; part < model::kParts; ++part) {
    if (before.added[part] != 0 || now.added[part] != 0)
      row(text::translated_form(model::kPartInfo[part].words), before.added[part], now.added[part],
          Ink::Plain);
  }
  row(tr("beginning and end of the launch"), before.launch(), now.launch(), Ink::Plain);
  row(tr("together"), before.total, now.total, Ink::Strong);
  return table.text(style, "  ");
}

std::string roofline_text(const Roofline& r, const Style& style) {
  const model::Occupancy& o = r.occupancy;
  std::string all = parts(r.seconds, style);
  const auto sentence = [&](const std::string& words) { all += fitted(words, "", "  ") + "\n"; };
  if (r.seconds.bound == model::kParts) sentence(tr("Starting the launch takes longer than all of them."));
  sentence(
      tr("A multiprocessor holds {} blocks: {} by {} threads, {} by {} registers per thread, {} by {} bytes "
         "of shared memory.",
         o.blocks, o.by_threads, grouped(r.block_threads), o.by_registers, o.registers, o.by_shared,
         grouped(r.block_shared_bytes)));
  sentence(tr("On their way at once: {} bytes per thread, {} bytes on a multiprocessor.",
              grouped(r.thread_bytes_at_once), grouped(r.bytes_at_once)));
  sentence(tr("Instructions: {:.1f} of a lane per byte; the GPU can execute {:.1f} while it copies one.",
              r.instructions_per_byte, r.balance));
  return all;
}

}  // namespace lab::report

// Bars and sentences of a roofline. See roofline.h.
#include "common/report/roofline.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "common/base/text/text.h"
#include "common/report/table.h"

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
  table.column("part of the GPU", Align::Left).column("needs alone").column("", Align::Left);
  table.column("", Align::Left);
  for (std::size_t part = 0; part < model::kParts; ++part) {
    const Ink ink = part == p.bound ? Ink::Strong : Ink::Plain;
    table.row({{text::translated_message(model::kPartInfo[part].words), ink},
               {fmt::format("{:.1f} µs", p.seconds[part] * 1e6), ink},
               {bar(p.seconds[part] / most), ink},
               {part == p.bound ? tr("<- bounds it") : "", ink}});
  }
  return table.text(style, "  ");
}

}  // namespace

std::string roofline_text(const Roofline& r, const Style& style) {
  const model::Occupancy& o = r.occupancy;
  std::string all = parts(r.seconds, style);
  if (r.seconds.bound == model::kParts)
    all += tr("Starting the launch takes longer than all of them.") + "\n";
  all += tr("A multiprocessor holds {} blocks: {} by {} threads, {} by {} registers per thread, {} by {} "
            "bytes of "
            "shared memory.",
            o.blocks, o.by_threads, grouped(r.block_threads), o.by_registers, o.registers, o.by_shared,
            grouped(r.block_shared_bytes)) +
         "\n";
  all += tr("On their way at once: {} bytes per thread, {} bytes on a multiprocessor.",
            grouped(r.thread_bytes_at_once), grouped(r.bytes_at_once)) +
         "\n";
  all += tr("Instructions: {:.1f} of a lane per byte; the GPU can execute {:.1f} while it copies one.",
            r.instructions_per_byte, r.balance) +
         "\n";
  return all;
}

}  // namespace lab::report

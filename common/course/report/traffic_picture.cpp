// Pictures of traffic, as text. See the header.
#include "common/course/report/traffic_picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <vector>

#include "common/course/judge/link_watch.h"
#include "common/sim/observe/copy_cost.h"
#include "common/ui/access_picture.h"
#include "common/ui/picture_grid.h"
#include "common/ui/table.h"
#include "common/ui/wrap.h"

namespace lab::report {
namespace {

using explore::Site;
using sim::RecordedAccess;

constexpr std::uint64_t kTrafficLine = 128, kTrafficChunk = 16;
constexpr std::size_t kTrafficLines = 16, kTrafficLabel = 12;

// A row of cells for each line of 128 bytes: by its number.
struct CellsOfLine {
  std::vector<std::string> cells;
  std::string note;
};
using CellsByLine = std::map<std::uint64_t, CellsOfLine>;

std::string lines_text(const CellsByLine& lines, std::size_t cell_columns) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [line, row] : lines) {
    if (shown++ == kTrafficLines) break;
    text += pad_left(tr("byte {}", line * kTrafficLine), kTrafficLabel) + " ";
    for (const std::string& cell : row.cells) text += pad_left(cell.empty() ? "." : cell, cell_columns);
    text += (row.note.empty() ? "" : "   " + row.note) + "\n";
  }
  if (lines.size() > kTrafficLines)
    text += std::string(kTrafficLabel + 1, ' ') + tr("… and {} more", lines.size() - kTrafficLines) + "\n";
  return text;
}

// The lanes that touch each part of the lines that a request touches, lines counted from `base`.
CellsByLine lanes_by_line(const RecordedAccess& a, std::uint64_t part_bytes, std::uint64_t base) {
  std::map<std::uint64_t, std::vector<sim::Mask>> lanes;
  for (std::uint32_t i = 0; i < sim::kWarpLanes; ++i) {
    if (!a.acts(i)) continue;
    for (std::uint64_t at = a.address[i]; at < a.address[i] + a.width_bytes; ++at) {
      auto& parts = lanes.try_emplace(at / kTrafficLine - base, kTrafficLine / part_bytes).first->second;
      parts[at % kTrafficLine / part_bytes] |= sim::Mask{1} << i;
    }
  }
  CellsByLine lines;
  for (const auto& [line, parts] : lanes) {
    for (const sim::Mask mask : parts)
      lines[line].cells.push_back(mask == 0                     ? ""
                                  : part_bytes == kTrafficChunk ? std::string(1, lane_character(mask))
                                                                : lane_ranges(mask));
  }
  return lines;
}

sim::SharedCost cost_in_cluster(const RecordedAccess& a) {
  return sim::cluster_cost(a.address.data(), a.width_bytes, a.mask,
                           sim::info(a.path).direction == sim::Direction::Update);
}

judge::StoredPieces pieces_of(const RecordedAccess& a, std::uint64_t line, bool all) {
  judge::StoredPieces pieces;
  for (std::uint32_t i = 0; i < sim::kWarpLanes; ++i) {
    if (a.acts(i) && (all || a.address[i] / kTrafficLine == line))
      pieces.emplace_back(a.address[i], a.width_bytes);
  }
  return pieces;
}

std::string where(const Site& site, const RecordedAccess& a, std::size_t request) {
  return tr("{} on line {}, block {}, warp {}, request {} of {}", text::translated_form(site.words()),
            site.line, a.place.block_index, a.place.warp, request + 1, site.recorded.size());
}

// The first of the requests that cost most.
template <typename Cost>
std::size_t costliest(const Site& site, Cost cost) {
  const auto most = std::max_element(site.recorded.begin(), site.recorded.end(),
                                     [&](const auto& a, const auto& b) { return cost(a) < cost(b); });
  return static_cast<std::size_t>(most - site.recorded.begin());
}

std::string cluster_text(const Site& site, const Style& style) {
  const std::size_t k =
      costliest(site, [](const RecordedAccess& a) { return cost_in_cluster(a).wavefronts; });
  const RecordedAccess& a = site.recorded[k];
  const sim::SharedCost cost = cost_in_cluster(a);
  CellsByLine lines = lanes_by_line(a, kTrafficChunk, 0);
  for (auto& [line, row] : lines) row.note = tr("bank {}", sim::cluster_bank(line * kTrafficLine));
  return style.paint(fitted(tr("{}: wavefronts: {}, ideal {}.", where(site, a, k), cost.wavefronts,
                               cost.ideal_wavefronts)),
                     Ink::Strong) +
         "\n\n" +
         fitted(tr("In the shared memory of the other block, 8 chunks of 16 bytes per row; a character is a "
                   "lane. Lines of 128 bytes lie in four banks, and the busiest of them counts:")) +
         "\n" + lines_text(lines, 3);
}

std::string link_text(const Site& site, const Style& style) {
  const auto carried = [](const RecordedAccess& a) { return judge::carried_bytes(pieces_of(a, 0, true)); };
  const std::size_t k = costliest(site, carried);
  const RecordedAccess& a = site.recorded[k];
  std::uint64_t base = ~std::uint64_t{0}, bytes = 0;
  for (const auto& [address, width] : pieces_of(a, 0, true))
    base = std::min(base, address / kTrafficLine), bytes += width;
  CellsByLine lines = lanes_by_line(a, sim::kSectorBytes, base);
  for (auto& [line, row] : lines)
    row.note = tr("{} bytes", judge::carried_bytes(pieces_of(a, base + line, false)));
  return style.paint(fitted(tr("{}: packets: {}, {} bytes for {}.", where(site, a, k), lines.size(),
                               carried(a), bytes)),
                     Ink::Strong) +
         "\n\n" +
         fitted(tr(
             "A packet is a line of 128 bytes in the other GPU's memory, 4 sectors; in each the lanes that "
             "write it, and what it takes on the link:")) +
         "\n" + lines_text(lines, 8);
}

// The two sides of a copy of the TMA unit are counted on one line; pieces of 16 bytes are recorded of both.
std::string copy_text(const Site& near, const Site& far, const Style& style) {
  struct Place {
    int row = 0, chunk = 0;
  };
  std::map<std::uint32_t, std::uint64_t> far_at;  // by order / 2: a piece is read, then written
  const RecordedAccess& first = near.recorded.front();
  for (const RecordedAccess& a : far.recorded) {
    if (a.place.warp == first.place.warp && a.pc == first.pc)
      far_at[a.order / 2] = a.address[static_cast<std::size_t>(std::countr_zero(a.mask))];
  }
  CellsByLine lines;
  Place place{-1, 0};
  std::uint64_t expected = 0;
  for (const RecordedAccess& a : near.recorded) {
    const auto at = far_at.find(a.order / 2);
    if (a.place.warp != first.place.warp || a.pc != first.pc || at == far_at.end()) continue;
    place = at->second == expected ? Place{place.row, place.chunk + 1} : Place{place.row + 1, 0};
    expected = at->second + kTrafficChunk;
    const std::uint64_t to = a.address[static_cast<std::size_t>(std::countr_zero(a.mask))];
    auto& cells = lines[to / kTrafficLine].cells;
    cells.resize(kTrafficLine / kTrafficChunk);
    cells[to % kTrafficLine / kTrafficChunk] = fmt::format("{}.{}", place.row, place.chunk);
  }
  const auto each = [](const Site& s) { return explore::per_request(s.cost, s.requests); };
  return style.paint(fitted(tr("{} on line {}, one copy of block {}: sectors: {}, wavefronts: {}.",
                               text::translated_form(far.words()), far.line, first.place.block_index,
                               each(far), each(near))),
                     Ink::Strong) +
         "\n\n" +
         fitted(
             tr("How it lies in shared memory, 8 chunks of 16 bytes per row; in each its place in the copy, "
                "row.chunk, of what was recorded:")) +
         "\n" + lines_text(lines, 5);
}

// The other side of a copy that lies in shared memory.
const Site* far_side(const explore::Recording& recording, const Site& near) {
  for (const Site& site : recording.traffic) {
    if (site.line == near.line && sim::info(site.path).space == sim::Space::Global &&
        !site.recorded.empty() && sim::info(site.path).rule == sim::Rule::BothSides &&
        sim::reads(site.path) != sim::reads(near.path))
      return &site;
  }
  return nullptr;
}

}  // namespace

std::string traffic_text(const explore::Recording& recording, const Style& style) {
  std::set<sim::Path> drawn;  // one picture for each path: of the line whose requests cost most
  std::vector<const Site*> sites;
  for (const Site& site : recording.traffic)
    if (!site.recorded.empty()) sites.push_back(&site);
  std::stable_sort(sites.begin(), sites.end(),
                   [](const Site* a, const Site* b) { return a->excess() > b->excess(); });
  std::string text;
  for (const Site* site : sites) {
    if (!drawn.insert(site->path).second) continue;
    const sim::Rule rule = sim::info(site->path).rule;
    const Site* far = rule == sim::Rule::BothSides && site->shared() ? far_side(recording, *site) : nullptr;
    const std::string one = rule == sim::Rule::ClusterLines ? cluster_text(*site, style)
                            : rule == sim::Rule::Link       ? link_text(*site, style)
                            : far != nullptr                ? copy_text(*site, *far, style)
                                                            : "";
    if (!one.empty()) text += "\n" + one;
  }
  return text;
}

}  // namespace lab::report

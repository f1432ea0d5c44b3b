// Row lengths, layouts, costs.
#include "common/explore/what_if.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "common/kernel/swizzle.cuh"
#include "common/sim/observe/access_analysis.h"

namespace lab::explore {
namespace {

constexpr std::uint32_t kLineBytes = sim::kBanks * sim::kBankBytes;

std::vector<std::uint64_t> active_addresses(const sim::RecordedAccess& a) {
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < a.address.size(); ++i) {
    if ((a.mask >> i) & 1u) addresses.push_back(a.address[i]);
  }
  return addresses;
}

// The same step from each to the next, if there is one.
std::optional<std::int64_t> step_of(const std::vector<std::uint64_t>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto step = static_cast<std::int64_t>(values[1] - values[0]);
  for (std::size_t i = 2; i < values.size(); ++i) {
    if (static_cast<std::int64_t>(values[i] - values[i - 1]) != step) return std::nullopt;
  }
  return step;
}

struct Row {
  std::uint32_t bytes = 0;
  bool permuted = false;
};

// The distance between neighbouring lanes of a request that walks down a column. When a swizzle bends the
// column, the addresses still climb evenly once their lower bits are taken off: by the fewest bits that do
// it.
std::optional<Row> row_of(const std::vector<std::uint64_t>& addresses, std::uint32_t unit) {
  if (const auto step = step_of(addresses)) {
    const auto bytes = static_cast<std::uint64_t>(std::abs(*step));
    if (bytes <= unit || bytes > (1u << 20)) return std::nullopt;
    return Row{static_cast<std::uint32_t>(bytes), false};
  }
  for (std::uint32_t block = 2 * unit; block <= 64 * 1024; block *= 2) {
    std::vector<std::uint64_t> numbers;
    for (const std::uint64_t a : addresses) numbers.push_back(a / block);
    const auto step = step_of(numbers);
    if (step && *step != 0) return Row{static_cast<std::uint32_t>(std::abs(*step)) * block, true};
  }
  return std::nullopt;
}

// A whole warp that walks down one column, or its first half (rows of 16 vectors: half a warp a column).
std::optional<Row> row_of(const sim::RecordedAccess& access, std::uint32_t unit) {
  std::vector<std::uint64_t> addresses = active_addresses(access);
  if (addresses.size() < 8) return std::nullopt;
  if (const auto row = row_of(addresses, unit)) return row;
  if (access.width_bytes < 8 || addresses.size() != 32) return std::nullopt;
  addresses.resize(16);
  return row_of(addresses, unit);
}

// The accesses of a tile; the costliest lines first, so that the row is what the conflict is about.
std::vector<const Site*> sites_of(const Recording& recording, const TileView& tile) {
  std::vector<const Site*> sites;
  for (const Site& site : recording.sites) {
    if (site.shared() && !site.recorded.empty() && tile.holds(site.recorded.front())) sites.push_back(&site);
  }
  std::stable_sort(sites.begin(), sites.end(),
                   [](const Site* a, const Site* b) { return a->excess() > b->excess(); });
  return sites;
}

// Several requests are asked: under an XOR some columns look straight, with another step. What most of them
// show counts.
void find_row(TileView& tile, const std::vector<const Site*>& sites) {
  struct Votes {
    std::size_t requests = 0;
    int line = 0;
    bool permuted = false;
  };
  std::map<std::uint32_t, Votes> votes;
  for (const Site* site : sites) {
    for (const sim::RecordedAccess& access : site->recorded) {
      const auto row = row_of(access, tile.unit_bytes);
      if (!row || row->bytes >= tile.array.size_bytes || row->bytes % tile.unit_bytes != 0) continue;
      Votes& vote = votes[row->bytes];
      if (vote.requests++ == 0) vote.line = site->line;
      vote.permuted |= row->permuted;
    }
  }
  const auto best = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
    return a.second.requests < b.second.requests;
  });
  if (best == votes.end()) {
    tile.how = "no recorded request walks down a column, so the row length cannot be seen";
    return;
  }
  tile.row_bytes = best->first;
  tile.permuted = best->second.permuted;
  tile.how = fmt::format("rows of {0} bytes: on line {1} each lane is {0} bytes further than its neighbour",
                         best->first, best->second.line);
  constexpr const char* kBent = "give or take the permutation within a row";
  if (tile.permuted) tile.how += std::string(", ") + kBent;
}

bool last_unit_unused(const TileView& tile, const std::vector<const Site*>& sites) {
  for (const Site* site : sites) {
    for (const sim::RecordedAccess& access : site->recorded) {
      for (const std::uint64_t a : active_addresses(access)) {
        if ((a - tile.array.offset_bytes) % tile.row_bytes >= tile.row_bytes - tile.unit_bytes) return false;
      }
    }
  }
  return true;
}

void find_layouts(TileView& tile, const std::vector<const Site*>& sites) {
  const std::uint32_t unit = tile.unit_bytes, row = tile.row_bytes, size = tile.array.size_bytes;
  tile.layouts.push_back({Move::None, "as it is", "The recorded addresses.", size});
  if (row == 0) return;
  const std::uint32_t rows = (size + row - 1) / row;
  const bool padded = row % kLineBytes == unit && row > kLineBytes && last_unit_unused(tile, sites);
  if (padded) {
    tile.layouts.push_back({Move::Shorter, fmt::format("rows {} bytes shorter", unit),
                            "The padding taken away: every row starts in the same bank again.",
                            size - rows * unit});
  } else {
    tile.layouts.push_back({Move::Longer, fmt::format("rows {} bytes longer", unit),
                            "Padding: every row starts a little further in the banks than the one above.",
                            size + rows * unit});
  }
  const std::uint32_t straight = padded ? row - unit : row;
  if (!std::has_single_bit(straight) || straight < unit) return;
  tile.layouts.push_back({Move::Xor, "column ^ row",
                          "XOR swizzle: the pieces of every row change places, no byte more.",
                          size - (padded ? rows * unit : 0)});
}

// Undone by a second XOR, the columns of a swizzled tile are straight again; otherwise the kernel permutes by
// another formula, and all that we can do is to add to it.
void check_undone(TileView& tile, const std::vector<const Site*>& sites) {
  if (!tile.permuted) return;
  const auto undo = std::find_if(tile.layouts.begin(), tile.layouts.end(),
                                 [](const Layout& layout) { return layout.move == Move::Xor; });
  tile.undone = undo != tile.layouts.end();
  for (const Site* site : sites) {
    for (const sim::RecordedAccess& access : site->recorded) {
      const auto row = row_of(access, tile.unit_bytes);
      if (!tile.undone || !row || !row->permuted) continue;
      const auto again = row_of(moved(access, tile, *undo), tile.unit_bytes);
      tile.undone = again && !again->permuted;
    }
  }
  for (Layout& layout : tile.layouts) {
    if (layout.move == Move::Xor) {
      layout.name = tile.undone ? "without the XOR" : "one more XOR";
      layout.words = tile.undone ? "XOR undoes itself: a second one shows the tile as it would be without."
                                 : "column ^ row, on top of the kernel's own permutation.";
    } else if (layout.move == Move::Longer) {
      if (tile.undone) layout.name = "without the XOR, " + layout.name;
      layout.words =
          tile.undone ? "Padding instead of the XOR." : "Padding, on top of the kernel's own permutation.";
    }
  }
}

}  // namespace

bool TileView::holds(const sim::RecordedAccess& access) const {
  if (access.space != sim::Space::Shared) return false;
  const std::uint64_t first = access.address[static_cast<std::size_t>(std::countr_zero(access.mask))];
  return first >= array.offset_bytes && first < array.offset_bytes + array.size_bytes;
}

std::uint64_t TileView::moved(std::uint64_t offset, const Layout& layout) const {
  if (layout.move == Move::None || row_bytes == 0) return offset;
  const std::uint64_t inside = offset - array.offset_bytes;
  const std::uint64_t row = inside / row_bytes, col = inside % row_bytes;
  if (layout.move == Move::Shorter) return offset - row * unit_bytes;
  const bool straight_already = layout.move == Move::Longer && !undone;
  if (straight_already) return offset + row * unit_bytes;
  const std::uint32_t straight = std::has_single_bit(row_bytes) ? row_bytes : row_bytes - unit_bytes;
  const auto to =
      static_cast<std::uint64_t>(swizzle(static_cast<int>(row), static_cast<int>(col),
                                         static_cast<int>(straight), static_cast<int>(unit_bytes), 1));
  const std::uint64_t pad = layout.move == Move::Longer ? row * unit_bytes : 0;
  return array.offset_bytes + row * straight + to + pad;
}

std::vector<TileView> find_tiles(const Recording& recording) {
  std::vector<TileView> tiles;
  for (const SharedArray& array : recording.arrays) {
    TileView tile;
    tile.array = array;
    const std::vector<const Site*> sites = sites_of(recording, tile);
    if (sites.empty()) continue;
    tile.unit_bytes = sim::kBankBytes;
    for (const Site* site : sites) {
      for (const sim::RecordedAccess& a : site->recorded)
        tile.unit_bytes = std::max<std::uint32_t>(tile.unit_bytes, a.width_bytes);
    }
    find_row(tile, sites);
    find_layouts(tile, sites);
    check_undone(tile, sites);
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

const TileView* tile_of(const std::vector<TileView>& tiles, const sim::RecordedAccess& access) {
  for (const TileView& tile : tiles) {
    if (tile.holds(access)) return &tile;
  }
  return nullptr;
}

sim::RecordedAccess moved(const sim::RecordedAccess& access, const TileView& tile, const Layout& layout) {
  sim::RecordedAccess result = access;
  for (std::size_t i = 0; i < result.address.size(); ++i) {
    if ((result.mask >> i) & 1u) result.address[i] = tile.moved(access.address[i], layout);
  }
  return result;
}

WhatIfCost cost_in(const Site& site, const TileView& tile, const Layout& layout) {
  WhatIfCost cost;
  for (const sim::RecordedAccess& access : site.recorded) {
    if (!tile.holds(access)) continue;
    const sim::RecordedAccess there = moved(access, tile, layout);
    cost.requests += 1;
    cost.wavefronts +=
        sim::shared_cost(there.address.data(), there.width_bytes, there.mask, site.load()).wavefronts;
  }
  return cost;
}

}  // namespace lab::explore

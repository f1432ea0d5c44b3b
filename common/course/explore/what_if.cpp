// Layouts and their costs.
#include "common/course/explore/what_if.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>

#include "common/sim/base/lanes.h"
#include "common/sim/observe/access_analysis.h"

namespace lab::explore {
namespace {

using Sites = std::vector<const Site*>;

Sites sites_of(const Recording& recording, const TileView& tile) {
  Sites sites;
  for (const Site& site : recording.sites) {
    if (site.shared() && !site.recorded.empty() && tile.holds(site.recorded.front())) sites.push_back(&site);
  }
  return sites;
}

void find_row(TileView& tile) {
  const std::string& name = tile.array.name;
  if (tile.array.row_bytes() == 0) {
    tile.how = "the source does not say how long a row is";
  } else if (!tile.array.by_index) {
    tile.how = msg("some line uses `{}` without both indices", name);
  } else {
    tile.row_bytes = tile.array.row_bytes();
    tile.how = msg("`{}[{}][{}]` has rows of {} bytes", name, tile.array.extents[0], tile.array.extents[1],
                   tile.row_bytes);
  }
}

// Lanes of a request walk along a row, or down a column; a walk along rows may go on at the start of another.
bool is_straight(const sim::RecordedAccess& access, const TileView& tile, const Layout& layout) {
  bool straight = true, first = true;
  std::uint64_t row = 0, col = 0;
  for (const std::size_t lane : sim::lanes_of<std::size_t>(access.mask)) {
    const std::uint64_t inside = tile.moved(access.address[lane], layout) - tile.array.offset_bytes;
    const std::uint64_t y = inside / layout.row_bytes, x = inside % layout.row_bytes;
    const bool follows = y == row ? x == col || x == col + access.width_bytes : x == col || x == 0;
    straight = straight && (first || follows);
    first = false, row = y, col = x;
  }
  return straight;
}

bool all_straight(const Sites& sites, const TileView& tile, const Layout& layout) {
  return std::all_of(sites.begin(), sites.end(), [&](const Site* site) {
    return std::all_of(site->recorded.begin(), site->recorded.end(),
                       [&](const auto& access) { return is_straight(access, tile, layout); });
  });
}

// What of the tile the recorded accesses reach: bytes of a row, and rows; all when not all of the block was
// recorded.
struct Used {
  std::uint32_t row_bytes, rows;
};
Used used_by(const TileView& tile, const Sites& sites) {
  std::map<std::uint32_t, std::size_t> requests;  // by instruction
  std::uint64_t used = 0, rows = 0;
  for (const Site* site : sites) {
    for (const sim::RecordedAccess& access : site->recorded) {
      if (++requests[access.pc] == judge::kRequestsKept) return {tile.row_bytes, tile.array.extents[0]};
      for (const std::size_t lane : sim::lanes_of<std::size_t>(access.mask)) {
        const std::uint64_t at = access.address[lane] - tile.array.offset_bytes;
        used = std::max(used, at % tile.row_bytes + access.width_bytes);
        rows = std::max(rows, at / tile.row_bytes + 1);
      }
    }
  }
  return {static_cast<std::uint32_t>(used), static_cast<std::uint32_t>(rows)};
}

Layout rows_of(const TileView& tile, std::uint32_t row_bytes, std::uint32_t rows) {
  Layout layout;
  layout.row_bytes = row_bytes;
  layout.bytes = rows * row_bytes;
  layout.change = fmt::format("{}[{}][{}]", tile.array.name, rows, row_bytes / tile.array.elem_bytes);
  return layout;
}

void add_lengths(TileView& tile, const Sites& sites) {
  constexpr std::uint32_t kMostShorter = 4;
  const Used used = used_by(tile, sites);  // rows that nothing uses are no part of what is proposed
  Layout longer = rows_of(tile, tile.row_bytes + tile.unit_bytes, used.rows);
  longer.move = Move::Longer;
  longer.name = msg("rows {} bytes longer", tile.unit_bytes);
  longer.words = "Padding: every row starts a little further in the banks than the one above.";
  tile.layouts.push_back(longer);
  for (std::uint32_t i = 0, row = used.row_bytes; i < kMostShorter && row < tile.row_bytes;
       ++i, row += tile.unit_bytes) {
    Layout shorter = rows_of(tile, row, used.rows);
    shorter.move = Move::Shorter;
    shorter.name = msg("rows {} bytes shorter", tile.row_bytes - row);
    shorter.words = row == used.row_bytes ? "The padding taken away." : "Less padding.";
    tile.layouts.push_back(shorter);
  }
}

Layout xor_layout(const TileView& tile, std::uint32_t divisor) {
  const std::uint32_t rows = tile.array.extents[0], cols = tile.array.extents[1];
  const auto phase = [&](const char* row) {
    std::string text = row;
    if (divisor != 1) text += fmt::format(" / {}", divisor);
    if (rows / divisor > cols) text += fmt::format(" % {}", cols);
    return text;
  };
  Layout layout = rows_of(tile, tile.row_bytes, rows);
  layout.move = Move::Xor;
  layout.divisor = divisor;
  layout.name = msg("column ^ {}", phase("row"));
  layout.words = "XOR swizzle: the pieces of every row change places, no byte more.";
  layout.change = fmt::format("{}[y][x ^ {}]", tile.array.name, phase("y"));
  return layout;
}

std::uint64_t cost_of_all(const Sites& sites, const TileView& tile, const Layout& layout) {
  std::uint64_t sum = 0;
  for (const Site* site : sites) sum += cost_in(*site, tile, layout).wavefronts;
  return sum;
}

// The plain XOR, and the one that counts rows in steps when that is cheaper. Where the kernel permutes by XOR
// itself, the tile as it would be without.
void add_xor(TileView& tile, const Sites& sites) {
  const std::uint32_t rows = tile.array.extents[0], cols = tile.array.extents[1];
  const bool whole = tile.array.elem_bytes == tile.unit_bytes;  // an access moves one element
  if (!whole || !std::has_single_bit(cols)) return;
  tile.permuted = !all_straight(sites, tile, tile.layouts.front());
  std::vector<Layout> all;
  for (std::uint32_t divisor = 1; divisor < rows && divisor <= 16; divisor *= 2) {
    Layout layout = xor_layout(tile, divisor);
    tile.undone = tile.permuted && all_straight(sites, tile, layout);
    if (tile.undone) {
      layout.name = "without the XOR";
      layout.words = "XOR undoes itself: a second one shows the tile as it would be without.";
      layout.change = fmt::format("{}[y][x]", tile.array.name);
      tile.layouts.push_back(layout);
      return;
    }
    all.push_back(std::move(layout));
  }
  if (tile.permuted || all.empty()) return;
  const auto best = std::min_element(all.begin(), all.end(), [&](const Layout& a, const Layout& b) {
    return cost_of_all(sites, tile, a) < cost_of_all(sites, tile, b);
  });
  tile.layouts.push_back(all.front());
  if (best != all.begin()) tile.layouts.push_back(*best);
}

}  // namespace

bool TileView::holds(const sim::RecordedAccess& access) const {
  return access.space == sim::Space::Shared && access.mask != 0 &&
         array.holds(access.address[static_cast<std::size_t>(std::countr_zero(access.mask))]);
}

std::uint64_t TileView::moved(std::uint64_t offset, const Layout& layout) const {
  if (layout.move == Move::None || row_bytes == 0) return offset;
  const std::uint64_t inside = offset - array.offset_bytes;
  const std::uint64_t row = inside / row_bytes;
  std::uint64_t col = inside % row_bytes;
  if (layout.move == Move::Xor) col ^= row / layout.divisor % array.extents[1] * array.elem_bytes;
  return array.offset_bytes + row * layout.row_bytes + col;
}

std::vector<TileView> find_tiles(const Recording& recording) {
  std::vector<TileView> tiles;
  for (const SharedArray& array : recording.arrays) {
    TileView tile;
    tile.array = array;
    const Sites sites = sites_of(recording, tile);
    if (sites.empty()) continue;
    tile.unit_bytes = std::max<std::uint32_t>(sim::kBankBytes, array.elem_bytes);
    for (const Site* site : sites) {
      for (const sim::RecordedAccess& a : site->recorded)
        tile.unit_bytes = std::max<std::uint32_t>(tile.unit_bytes, a.width_bytes);
    }
    find_row(tile);
    tile.layouts.push_back({.move = Move::None,
                            .name = "as it is",
                            .words = "The recorded addresses.",
                            .change = "",
                            .bytes = array.size_bytes,
                            .row_bytes = tile.row_bytes});
    if (tile.row_bytes != 0) {
      add_lengths(tile, sites);
      add_xor(tile, sites);
    }
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

void keep_offered(std::vector<TileView>& tiles, const Recording& recording,
                  const judge::ChapterInfo* chapter) {
  for (TileView& tile : tiles) {
    if (chapter != nullptr)
      std::erase_if(tile.layouts, [&](const Layout& layout) {
        return layout.move == Move::Xor ? !chapter->offers_xor
                                        : layout.move != Move::None && !chapter->offers_padding;
      });
    const Sites sites = sites_of(recording, tile);
    if (std::all_of(sites.begin(), sites.end(), [](const Site* site) { return site->excess() == 0; }))
      continue;
    std::uint64_t best = cost_of_all(sites, tile, tile.layouts.front());
    const std::uint64_t now = best;
    for (const Layout& layout : tile.layouts) best = std::min(best, cost_of_all(sites, tile, layout));
    std::erase_if(tile.layouts, [&](const Layout& layout) {
      return layout.move != Move::None && (best == now || cost_of_all(sites, tile, layout) != best);
    });
    std::uint32_t least = ~0u;  // of two that cost the same, the larger one is of no use
    for (const Layout& layout : tile.layouts)
      if (layout.move == Move::Longer || layout.move == Move::Shorter) least = std::min(least, layout.bytes);
    std::erase_if(tile.layouts, [&](const Layout& layout) {
      return (layout.move == Move::Longer || layout.move == Move::Shorter) && layout.bytes > least;
    });
  }
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

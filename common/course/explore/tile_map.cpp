// Maps of a tile, and what they cost.
#include "common/course/explore/tile_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "common/course/explore/tile_formula.h"
#include "common/sim/observe/access_analysis.h"

namespace lab::explore {
namespace {

// The largest Swizzle we look for: 7 bits, far more than any tile of shared memory has use for.
constexpr int kMostBits = 7, kMostShift = 16;

bool is_map_of(const TileMap& map, const CuteSwizzle& swizzle) {
  for (std::size_t i = 0; i < map.offset.size(); ++i) {
    if (swizzle.apply(i) * static_cast<std::uint64_t>(map.shape.elem_bytes) != map.offset[i]) return false;
  }
  return true;
}

// The pieces of one width, row by row: where each begins, or none when the map tears one apart.
std::optional<std::vector<std::uint64_t>> pieces(const TileMap& map, int width_bytes) {
  const int elems = width_bytes / map.shape.elem_bytes;
  if (elems == 0 || map.shape.cols % elems != 0) return std::nullopt;
  std::vector<std::uint64_t> begins;
  for (int y = 0; y < map.shape.rows; ++y) {
    for (int x = 0; x < map.shape.cols; x += elems) {
      const std::uint32_t first = map.at(y, x);
      if (first % static_cast<std::uint32_t>(width_bytes) != 0) return std::nullopt;
      for (int k = 1; k < elems; ++k) {
        if (map.at(y, x + k) != first + static_cast<std::uint32_t>(k * map.shape.elem_bytes))
          return std::nullopt;
      }
      begins.push_back(first);
    }
  }
  return begins;
}

// The worst request when the warp walks through `order`, 32 pieces at a time.
void walk(const std::vector<std::uint64_t>& order, int width_bytes, unsigned& load, unsigned& store,
          unsigned& ideal) {
  for (std::size_t at = 0; at < order.size(); at += sim::kWarpLanes) {
    std::array<std::uint64_t, sim::kWarpLanes> address{};
    sim::Mask mask = 0;
    for (std::size_t i = 0; i < sim::kWarpLanes && at + i < order.size(); ++i) {
      address[i] = order[at + i];
      mask |= 1u << i;
    }
    const auto width = static_cast<unsigned>(width_bytes);
    const sim::SharedCost read = sim::shared_cost(address.data(), width, mask, true);
    const sim::SharedCost write = sim::shared_cost(address.data(), width, mask, false);
    load = std::max(load, static_cast<unsigned>(read.wavefronts));
    store = std::max(store, static_cast<unsigned>(write.wavefronts));
    ideal = std::max(ideal, static_cast<unsigned>(read.ideal_wavefronts));
  }
}

}  // namespace

std::uint64_t CuteSwizzle::apply(std::uint64_t offset) const {
  const std::uint64_t mask = ((std::uint64_t{1} << bits) - 1) << (base + shift);
  return offset ^ ((offset & mask) >> shift);
}

TileMap map_tile(const TileShape& shape,
                 const std::function<std::int64_t(std::int64_t, std::int64_t)>& column) {
  TileMap map{shape, {}, {}, {}};
  std::unordered_map<std::uint32_t, std::pair<int, int>> taken;
  for (int y = 0; y < shape.rows; ++y) {
    for (int x = 0; x < shape.cols; ++x) {
      const std::int64_t col = column(y, x);
      if (col < 0 || col >= shape.cols + shape.pad_elems) {
        throw FormulaError(
            msg("Element (y={}, x={}) would go to column {} of its row, which has {} columns. Take the "
                "remainder: ( … ) % {}",
                y, x, col, shape.cols + shape.pad_elems, shape.cols));
      }
      const auto offset =
          static_cast<std::uint32_t>(y * shape.row_bytes() + static_cast<int>(col) * shape.elem_bytes);
      const auto [at, fresh] = taken.emplace(offset, std::make_pair(y, x));
      if (!fresh && map.clash.empty()) {
        map.clash = msg(
            "Elements (y={}, x={}) and (y={}, x={}) would share one place: the second overwrites the first.",
            at->second.first, at->second.second, y, x);
      }
      map.offset.push_back(offset);
      map.bank.push_back(static_cast<std::uint8_t>(offset / sim::kBankBytes % sim::kBanks));
    }
  }
  return map;
}

std::optional<CuteSwizzle> cute_name(const TileMap& map) {
  if (map.shape.pad_elems != 0) return std::nullopt;
  if (is_map_of(map, {0, 0, 0})) return CuteSwizzle{0, 0, 0};
  for (int bits = 1; bits <= kMostBits; ++bits) {
    for (int base = 0; base <= kMostShift; ++base) {
      for (int shift = bits; shift <= kMostShift; ++shift) {
        if (is_map_of(map, {bits, base, shift})) return CuteSwizzle{bits, base, shift};
      }
    }
  }
  return std::nullopt;
}

std::vector<AccessCost> costs(const TileMap& map) {
  std::vector<AccessCost> all;
  for (const int width : {1, 2, 4, 8, 16}) {
    if (width < map.shape.elem_bytes) continue;
    AccessCost cost;
    cost.width_bytes = width;
    const auto by_row = pieces(map, width);
    cost.possible = by_row.has_value();
    if (by_row) {
      std::vector<std::uint64_t> by_column;
      const std::size_t across = by_row->size() / static_cast<std::size_t>(map.shape.rows);
      for (std::size_t x = 0; x < across; ++x) {
        for (std::size_t i = x; i < by_row->size(); i += across) by_column.push_back((*by_row)[i]);
      }
      walk(*by_row, width, cost.row_load, cost.row_store, cost.ideal_row);
      walk(by_column, width, cost.column_load, cost.column_store, cost.ideal_column);
    }
    all.push_back(cost);
  }
  return all;
}

}  // namespace lab::explore

// Requests as grids.
#include "common/ui/picture_grid.h"

#include <fmt/core.h>

#include <bit>
#include <map>

#include "common/sim/observe/access_view.h"

namespace lab::report {
namespace {

constexpr std::size_t kMostRows = 64;  // a quarter-warp a line of 32 banks, twice over
constexpr std::uint64_t kLineBytes = sim::kBanks * sim::kBankBytes;

std::vector<GridCell> bank_row() {
  std::vector<GridCell> cells(sim::kBanks);
  for (unsigned b = 0; b < sim::kBanks; ++b) cells[b].bank = b;
  return cells;
}

Grid in_order(std::map<std::uint64_t, std::vector<GridCell>>& rows, std::string_view form,
              std::uint64_t unit) {
  Grid grid;
  std::uint64_t expected = rows.empty() ? 0 : rows.begin()->first;
  for (auto& [number, cells] : rows) {
    if (grid.rows.size() == kMostRows) {
      ++grid.left_out;
      continue;
    }
    grid.rows.push_back({Message(form, {number * unit}), number != expected, std::move(cells)});
    expected = number + 1;
  }
  return grid;
}

}  // namespace

char lane_character(std::uint32_t lanes) {
  if (lanes == 0) return '.';
  if (!std::has_single_bit(lanes)) return '+';
  return "0123456789abcdefghijklmnopqrstuv"[std::countr_zero(lanes)];
}

Grid memory_of_shared(const sim::RecordedAccess& access) {
  std::map<std::uint64_t, std::vector<GridCell>> rows;
  for (std::size_t i = 0; i < access.address.size(); ++i) {
    if (!access.acts(i)) continue;
    for (std::uint64_t at = access.address[i] / 4; at <= (access.address[i] + access.width_bytes - 1) / 4;
         ++at) {
      const auto row = rows.try_emplace(at / sim::kBanks, bank_row()).first;
      row->second[at % sim::kBanks].lanes |= 1u << i;
    }
  }
  return in_order(rows, /* message */ "byte {}", kLineBytes);
}

Grid wavefronts_of(const sim::RecordedAccess& access) {
  const sim::SharedView view =
      sim::view_shared(access.address.data(), access.width_bytes, access.mask, sim::reads(access.path));
  Grid grid;
  for (unsigned w = 0; w < view.wavefronts; ++w)
    grid.rows.push_back({msg("wavefront {}", w + 1), false, bank_row()});
  for (std::size_t i = 0; i < view.lanes.size(); ++i) {
    const sim::LaneInBanks& lane = view.lanes[i];
    for (unsigned k = 0; lane.active && k < lane.banks; ++k)
      grid.rows[lane.wavefront].cells[(lane.first_bank + k) % sim::kBanks].lanes |= 1u << i;
  }
  return grid;
}

Grid sectors_of(const sim::RecordedAccess& access) {
  std::map<std::uint64_t, std::vector<GridCell>> rows;
  std::uint64_t base = ~std::uint64_t{0};
  for (std::size_t i = 0; i < access.address.size(); ++i) {
    if (access.acts(i)) base = std::min(base, access.address[i] / sim::kSectorBytes);
  }
  for (std::size_t i = 0; i < access.address.size(); ++i) {
    if (!access.acts(i)) continue;
    for (std::uint64_t at = access.address[i]; at < access.address[i] + access.width_bytes; ++at) {
      const auto row = rows.try_emplace(at / sim::kSectorBytes - base, std::vector<GridCell>(8)).first;
      row->second[at % sim::kSectorBytes / 4].lanes |= 1u << i;
    }
  }
  return in_order(rows, /* message */ "sector {}", 1);
}

}  // namespace lab::report

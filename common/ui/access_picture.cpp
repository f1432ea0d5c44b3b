// Pictures of one warp access in the terminal.
#include "common/ui/access_picture.h"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <vector>

#include "common/ui/picture_grid.h"
#include "common/ui/wrap.h"

namespace lab::report {
namespace {

constexpr std::size_t kBankLabelColumns = 14;

// The lanes that a bank serves: their first number, or, where cells are narrow, one character.
std::string cell(sim::Mask lanes, std::size_t columns) {
  if (columns < kWideCell) return std::string(1, lane_character(lanes));
  if (lanes == 0) return ".";
  return fmt::format("{}{}", std::countr_zero(lanes), std::has_single_bit(lanes) ? "" : "+");
}

}  // namespace

std::string lane_ranges(sim::Mask lanes) {
  std::string text;
  for (int lane = 0; lane < sim::kWarpLanes; ++lane) {
    if (((lanes >> lane) & 1u) == 0) continue;
    int last = lane;
    while (last + 1 < sim::kWarpLanes && ((lanes >> (last + 1)) & 1u) != 0) ++last;
    text += text.empty() ? "" : ", ";
    text += last == lane ? fmt::format("{}", lane) : fmt::format("{}-{}", lane, last);
    lane = last;
  }
  return text;
}

std::size_t bank_columns() {
  const std::size_t terminal = terminal_columns();
  for (std::size_t columns = kWideCell; columns > 1; --columns)
    if (terminal == 0 || terminal >= kBankLabelColumns + columns * sim::kBanks) return columns;
  return 1;
}

std::string bank_picture(const sim::SharedView& view, const Style& style) {
  const std::size_t columns = bank_columns();
  std::vector<std::array<sim::Mask, sim::kBanks>> rows(view.wavefronts);
  for (int lane = 0; lane < sim::kWarpLanes; ++lane) {
    const sim::LaneInBanks& at = view.lanes[static_cast<std::size_t>(lane)];
    if (!at.active || at.wavefront >= rows.size()) continue;
    for (unsigned b = 0; b < at.banks; ++b)
      rows[at.wavefront][(at.first_bank + b) % sim::kBanks] |= sim::Mask{1} << lane;
  }
  const std::string gap = columns == 1 ? " " : "";  // wider cells begin with a blank
  std::string header = "  " + pad_right(tr("bank"), kBankLabelColumns - 2) + gap;
  const unsigned every = columns == kWideCell ? 1 : columns == 2 ? 4 : 8;
  for (unsigned bank = 0; bank < sim::kBanks; bank += every)
    header += pad_right(pad_left(std::to_string(bank), columns), every * columns);
  std::string text = style.paint(header, Ink::Faint) + "\n";
  for (std::size_t w = 0; w < rows.size(); ++w) {
    text +=
        style.paint("  " + pad_right(tr("wavefront"), 9) + fmt::format(" {:>2}", w + 1), Ink::Faint) + gap;
    for (const sim::Mask lanes : rows[w]) text += pad_left(cell(lanes, columns), columns);
    text += "\n";
  }
  return text;
}

std::string sector_picture(const sim::GlobalView& view, const Style& style) {
  std::string text;
  for (const sim::SectorTouch& sector : view.sectors) {
    std::string bytes;
    for (unsigned b = 0; b < sim::kSectorBytes; ++b) bytes += ((sector.bytes >> b) & 1u) != 0 ? "#" : ".";
    text += fmt::format(
        "  {} {}  {}\n",
        style.paint(tr("bytes {:>8}-{:<8}", sector.sector * 32, sector.sector * 32 + 31), Ink::Faint), bytes,
        tr("lanes {}", lane_ranges(sector.lanes)));
  }
  return text;
}

}  // namespace lab::report

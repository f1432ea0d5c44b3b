// Pictures of one warp access in the terminal.
#include "common/report/access_picture.h"

#include <fmt/core.h>

#include <array>
#include <vector>

namespace lab::report {

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

std::string bank_picture(const sim::SharedView& view, const Style& style) {
  struct Served {
    int lane = -1;
    bool shared = false;
  };
  std::vector<std::array<Served, sim::kBanks>> rows(view.wavefronts);
  for (int lane = 0; lane < sim::kWarpLanes; ++lane) {
    const sim::LaneInBanks& at = view.lanes[static_cast<std::size_t>(lane)];
    if (!at.active || at.wavefront >= rows.size()) continue;
    for (unsigned b = 0; b < at.banks; ++b) {
      Served& cell = rows[at.wavefront][(at.first_bank + b) % sim::kBanks];
      cell.shared |= cell.lane >= 0;
      if (cell.lane < 0) cell.lane = lane;
    }
  }
  std::string header = "  " + pad_right(tr("bank"), 12);
  for (unsigned bank = 0; bank < sim::kBanks; ++bank) header += fmt::format("{:3}", bank);
  std::string text = style.paint(header, Ink::Faint) + "\n";
  for (std::size_t w = 0; w < rows.size(); ++w) {
    text += style.paint("  " + pad_right(tr("wavefront"), 9) + fmt::format(" {:>2}", w + 1), Ink::Faint);
    for (const Served& cell : rows[w]) {
      const std::string lane = cell.lane < 0 ? "." : fmt::format("{}{}", cell.lane, cell.shared ? "+" : "");
      text += pad_left(lane, 3);
    }
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

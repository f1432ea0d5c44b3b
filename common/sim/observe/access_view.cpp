// Accesses laid open.
//
// Enters: addresses. Leaves: banks, wavefronts and sectors of every lane.
#include "common/sim/observe/access_view.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace lab::sim {
namespace {

bool acts(Mask mask, unsigned lane) { return ((mask >> lane) & 1u) != 0; }

// Numbers the wavefronts of one group, from `view.wavefronts` on: a unit takes the first one in which its
// banks are free, which is as many as other units in the same banks came before it.
void serve_group(SharedView& view, unsigned group, unsigned unit_bytes) {
  std::map<unsigned, std::vector<std::uint64_t>> units_in_slot;  // by first bank
  unsigned most = 0;
  for (unsigned i = group * view.group_lanes; i < (group + 1) * view.group_lanes; ++i) {
    LaneInBanks& lane = view.lanes[i];
    lane.group = group;
    if (!lane.active) continue;
    std::vector<std::uint64_t>& units = units_in_slot[lane.first_bank];
    const std::uint64_t unit = lane.address / unit_bytes;
    const auto at = std::find(units.begin(), units.end(), unit);
    lane.wavefront = view.wavefronts + static_cast<unsigned>(at - units.begin());
    if (at == units.end()) units.push_back(unit);
    most = std::max(most, static_cast<unsigned>(units.size()));
  }
  if (most > view.degree) {
    view.degree = most;
    for (const auto& [bank, units] : units_in_slot) {
      if (units.size() == most) {
        view.worst_bank = bank;
        break;
      }
    }
  }
  view.wavefronts += most;
}

}  // namespace

SharedView view_shared(const std::uint64_t* address, unsigned width_bytes, Mask mask, bool load,
                       unsigned bank_bytes) {
  SharedView view;
  const unsigned unit_bytes = std::max(width_bytes, bank_bytes);
  view.bank_bytes = bank_bytes;
  view.merged = load && bank_bytes == kBankBytes && mask != 0 && wide_load_merges(address, width_bytes, mask);
  view.group_lanes = kWarpLanes * bank_bytes / unit_bytes * (view.merged ? 2 : 1);
  std::set<std::uint64_t> words;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    LaneInBanks& lane = view.lanes[i];
    lane.active = acts(mask, i);
    if (!lane.active) continue;
    lane.address = address[i];
    lane.word = address[i] / bank_bytes;
    lane.banks = unit_bytes / bank_bytes;
    lane.first_bank = static_cast<unsigned>(lane.word % kBanks);
    for (unsigned k = 0; k < lane.banks; ++k) {
      if (words.insert(lane.word + k).second) ++view.words_in_bank[(lane.word + k) % kBanks];
    }
  }
  for (unsigned group = 0; group < kWarpLanes / view.group_lanes; ++group) {
    const unsigned before = view.wavefronts;
    serve_group(view, group, unit_bytes);
    if (view.wavefronts != before) ++view.ideal_wavefronts;
  }
  return view;
}

GlobalView view_global(const std::uint64_t* address, unsigned width_bytes, Mask mask) {
  GlobalView view;
  std::map<std::uint64_t, SectorTouch> touched;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    if (!acts(mask, i)) continue;
    SectorTouch& sector = touched[address[i] / kSectorBytes];
    sector.sector = address[i] / kSectorBytes;
    sector.lanes |= 1u << i;
    for (unsigned b = 0; b < width_bytes; ++b) sector.bytes |= 1u << (address[i] + b) % kSectorBytes;
  }
  unsigned bytes = 0;
  view.sector_of_lane.fill(-1);
  for (const auto& [number, sector] : touched) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      if (acts(sector.lanes, i)) view.sector_of_lane[i] = static_cast<int>(view.sectors.size());
    }
    bytes += static_cast<unsigned>(std::popcount(sector.bytes));
    view.sectors.push_back(sector);
  }
  view.ideal_sectors = static_cast<unsigned>((bytes + kSectorBytes - 1) / kSectorBytes);
  return view;
}

}  // namespace lab::sim

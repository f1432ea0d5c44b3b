// One warp access laid open for pictures and calculators: which lane goes to which bank, in which wavefront,
// and to which sector.
//
// Enters: the addresses of 32 lanes. Leaves: the same counts as access_analysis.h, with the reason of each.
// Slow and plain; nothing here runs inside a launch. Preconditions as there.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/sim/observe/access_analysis.h"

namespace lab::sim {

struct LaneInBanks {
  bool active = false;
  std::uint64_t address = 0;
  std::uint64_t word = 0;   // address / bank width, of its first word
  unsigned first_bank = 0;  // the lane's words lie in `banks` neighbouring banks from here on
  unsigned banks = 1;
  unsigned group = 0;      // lanes of one group are served together
  unsigned wavefront = 0;  // 0 … wavefronts - 1; lanes that share a word share the wavefront
};

struct SharedView {
  std::array<LaneInBanks, kWarpLanes> lanes;
  unsigned group_lanes = kWarpLanes;
  bool merged = false;  // a wide load whose neighbours agree: groups are twice as large
  unsigned bank_bytes = kBankBytes;
  unsigned wavefronts = 0;
  unsigned ideal_wavefronts = 0;
  unsigned degree = 0;      // the most wavefronts that one group takes: a degree-way conflict
  unsigned worst_bank = 0;  // the first bank that takes so many
  std::array<unsigned, kBanks> words_in_bank{};  // distinct words of the whole warp
};

// bank_bytes 4, as all GPUs since 2014; 8 is the wide mode that Kepler could be switched to (32 banks of 8
// bytes, after the CUDA C++ Programming Guide's section on compute capability 3.x; grouping of 16-byte
// accesses and the absence of merges there are assumptions).
[[nodiscard]] SharedView view_shared(const std::uint64_t* address, unsigned width_bytes, Mask mask, bool load,
                                     unsigned bank_bytes = kBankBytes);

struct SectorTouch {
  std::uint64_t sector = 0;  // address / 32
  Mask lanes = 0;
  std::uint32_t bytes = 0;  // bit b: byte b of the sector was asked for
};

struct GlobalView {
  std::array<int, kWarpLanes> sector_of_lane{};  // index into `sectors`, -1 for an inactive lane
  std::vector<SectorTouch> sectors;              // by address
  unsigned ideal_sectors = 0;
};

[[nodiscard]] GlobalView view_global(const std::uint64_t* address, unsigned width_bytes, Mask mask);

}  // namespace lab::sim

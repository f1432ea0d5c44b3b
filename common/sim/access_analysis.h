// What one warp access costs: sectors of global memory, wavefronts of shared memory.
//
// Enters: the addresses of 32 lanes, how many bytes each lane touches, which lanes act. Leaves: counts. Pure
// functions, no state. The rules were measured on an NVIDIA H200 (driver 580.159, Nsight Compute 2025.3), one
// warp and one instruction at a time; tests/golden/h200_single_warp_accesses.csv holds the measurements.
//
//   sector     32 bytes of global memory. A request takes the distinct sectors that its active lanes touch.
//   wavefront  one pass through the 32 banks of shared memory, each 4 bytes wide. Lanes form groups: 32 for
//              up to 4 bytes a lane, 16 for 8 bytes, 8 for 16 bytes. A group takes as many wavefronts as the
//              largest number of distinct 4-byte words in one bank; groups with no active lane take none.
//   merge      8- and 16-byte *loads*: if in the whole warp every lane reads what lane ^ 1 reads, or every
//              lane what lane ^ 2 reads (an inactive lane counts as agreeing), groups double in size.
//
// Preconditions of all functions: a width of 1, 2, 4, 8 or 16 bytes; addresses of active lanes are multiples
// of the width (the interpreter and the calculators refuse others before).
#pragma once

#include <cstdint>

#include "common/sim/observer.h"

namespace lab::sim {

inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kBanks = 32;
inline constexpr unsigned kBankBytes = 4;

struct GlobalCost {
  std::uint32_t sectors = 0;
  std::uint32_t ideal_sectors = 0;  // ceil(distinct bytes / 32)
  bool operator==(const GlobalCost&) const = default;
};

struct SharedCost {
  std::uint32_t wavefronts = 0;
  std::uint32_t ideal_wavefronts = 0;  // ceil(distinct 4-byte words / 32)
  bool operator==(const SharedCost&) const = default;
};

// Any addresses: exact, some tens of nanoseconds.
[[nodiscard]] GlobalCost global_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask);
[[nodiscard]] SharedCost shared_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask,
                                     bool load);
// Local memory: lane-private offsets that the hardware interleaves, so that word w of lane l lies beside word
// w of lane l + 1. Assumption after the CUDA C++ Programming Guide ("Local Memory"): 4-byte words are
// interleaved.
[[nodiscard]] GlobalCost local_cost(const std::uint64_t* offset, unsigned width_bytes, Mask mask);

// Constant stride: lane i of a run of neighbouring lanes touches first_address + (i - first lane) *
// stride_bytes. Closed forms, a few nanoseconds. False when there is none (lanes with gaps, odd strides of
// narrow accesses); then `cost` is unchanged and the exact path above has the answer.
[[nodiscard]] bool global_cost_of_stride(std::uint64_t first_address, std::int64_t stride_bytes,
                                         unsigned width_bytes, Mask mask, GlobalCost& cost);
[[nodiscard]] bool shared_cost_of_stride(std::int64_t stride_bytes, unsigned width_bytes, Mask mask,
                                         bool load, SharedCost& cost);

// The cost of an access that the interpreter reported, by the cheapest way that is exact.
[[nodiscard]] GlobalCost global_cost(const Access& access);
[[nodiscard]] SharedCost shared_cost(const Access& access);

// True when wide loads with these addresses merge: groups of lanes are twice as large. False for up to 4
// bytes.
[[nodiscard]] bool wide_load_merges(const std::uint64_t* address, unsigned width_bytes, Mask mask);

}  // namespace lab::sim

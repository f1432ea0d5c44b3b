// What one warp access costs: sectors of global memory, wavefronts of shared memory.
//
// Enters: the addresses of 32 lanes, how many bytes each lane touches, which lanes act. Leaves: counts. Pure
// functions, no state. The rules were measured on an NVIDIA H200 (driver 580.159, Nsight Compute 2025.3), one
// warp and one instruction at a time; tests/golden/h200_single_warp_accesses.csv and access_patterns.csv hold
// the measurements, and every rule here is tested against all of them.
//
//   sector     32 bytes of global memory. A request takes the distinct sectors that its active lanes touch.
//   wavefront  one pass through the 32 banks of shared memory, each 4 bytes wide. Lanes form groups: 32 for
//              up to 4 bytes per lane, 16 for 8 bytes, 8 for 16 bytes. A group takes as many wavefronts as
//              the largest number of distinct 4-byte words in one bank; groups with no active lane take none.
//   merge      8- and 16-byte *loads*: if in the whole warp every lane reads what lane ^ 1 reads, or every
//              lane what lane ^ 2 reads (an inactive lane counts as agreeing), groups double in size. Not
//              through generic addresses.
//   atomics    see atomic_sectors and shared_atomic_cost.
//
// Preconditions of all functions: a width of 1, 2, 4, 8 or 16 bytes; addresses of active lanes are multiples
// of the width (the interpreter and the calculators refuse others before).
#pragma once

#include <cstdint>
#include <optional>

#include "common/sim/base/observer.h"

namespace lab::sim {

inline constexpr unsigned kSectorBytes = 32;
inline constexpr unsigned kBanks = 32;
inline constexpr unsigned kBankBytes = 4;

struct GlobalCost {
  std::uint64_t sectors = 0;
  std::uint64_t ideal_sectors = 0;  // ceil(distinct bytes / 32)
  bool operator==(const GlobalCost&) const = default;
};

struct SharedCost {
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal_wavefronts = 0;  // groups with an active lane: one each, when no bank has two words
  bool operator==(const SharedCost&) const = default;
};

// Any addresses: exact, some tens of nanoseconds. `merging`: loads, which may merge; stores never do.
[[nodiscard]] GlobalCost global_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask);
[[nodiscard]] SharedCost shared_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask,
                                     bool load);
// Local memory: word w of lane l lies beside word w of lane l + 1. Wide accesses are one request per word.
[[nodiscard]] GlobalCost local_cost(const std::uint64_t* offset, unsigned width_bytes, Mask mask);
[[nodiscard]] constexpr unsigned local_requests(unsigned width_bytes) {
  return width_bytes <= 4 ? 1 : width_bytes / 4;
}

// Atomics on global memory: lanes of one address wait for each other. Pass k serves the k-th lane of each
// distinct address; the sectors of all passes add up.
[[nodiscard]] GlobalCost global_atomic_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask);

// Atomics on shared memory: a bank serves one *lane* at a time, even for one word. What the hardware has no
// instruction for (adds of floating point, 64-bit adds) is a loop around a compare-and-swap. Exact for 32
// bits, exchange and compare-and-swap; loops on 64 bits with lanes of both half-warps at one address take a
// few rounds more.
enum class AtomicRule : std::uint8_t {
  Direct,          // 32-bit integers; exchange
  CompareAndSwap,  // two wavefronts instead of one
  Loop,            // as compare-and-swap, and one request a round
};
struct SharedAtomicCost {
  std::uint32_t requests = 0;
  std::uint32_t wavefronts = 0;
  std::uint32_t ideal_wavefronts = 0;  // ceil(distinct 4-byte words / 32)
  bool operator==(const SharedAtomicCost&) const = default;
};
[[nodiscard]] SharedAtomicCost shared_atomic_cost(const std::uint64_t* address, unsigned width_bytes,
                                                  Mask mask, AtomicRule rule);

// Constant stride: lane i of a run of neighbouring lanes touches first_address + (i - first lane) *
// stride_bytes. Closed forms, a few nanoseconds. Nothing when there is none (lanes with gaps, but for words
// in shared memory; odd strides of narrow accesses): the exact path above has the answer.
[[nodiscard]] std::optional<GlobalCost> global_cost_of_stride(std::uint64_t first_address,
                                                              std::int64_t stride_bytes, unsigned width_bytes,
                                                              Mask mask);
[[nodiscard]] std::optional<SharedCost> shared_cost_of_stride(std::int64_t stride_bytes, unsigned width_bytes,
                                                              Mask mask, bool load);

// The cost of a load or store that the interpreter reported, by the cheapest way that is exact. `merging`: of
// the shared window, not through a generic address.
[[nodiscard]] GlobalCost global_cost(const Access& access);
[[nodiscard]] SharedCost shared_cost(const Access& access, bool merging = true);

// True when wide loads with these addresses merge: groups of lanes are twice as large. False for up to 4
// bytes.
[[nodiscard]] bool wide_load_merges(const std::uint64_t* address, unsigned width_bytes, Mask mask);

}  // namespace lab::sim

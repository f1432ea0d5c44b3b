// Functions that the device runtime provides: printf, assert, malloc and free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/sim/execute/block.h"

namespace lab::sim {

// Runs a call without a body of its own for the lanes of w.mask.
void run_builtin(BlockRun& block, WarpContext& w, const CallSite& site, const Inst& inst);

// The k-th argument of a lane: its bytes, or up to eight of them as a number.
void copy_argument(BlockRun& block, const WarpContext& w, const CallSite& site, std::size_t k, int lane,
                   std::span<std::byte> to);
[[nodiscard]] std::uint64_t argument_of(BlockRun& block, const WarpContext& w, const CallSite& site,
                                        std::size_t k, int lane);
void set_result(BlockRun& block, const WarpContext& w, const CallSite& site, int lane, std::uint64_t value);

}  // namespace lab::sim

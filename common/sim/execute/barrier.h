// The kinds of block-wide barrier: who waits, and what the threads learn.
#pragma once

#include <cstdint>

namespace lab::sim {

enum class BarrierAction : std::uint8_t { Sync, Arrive, Popc, And, Or };

}  // namespace lab::sim

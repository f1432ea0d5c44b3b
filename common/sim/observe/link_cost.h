// What an access moves between GPUs: the part of it that lies in another GPU's memory.
//
// Enters: accesses and bulk copies of a launch, and whose memory is whose. Leaves: requests, sectors and
// bytes over the link. Every sector of 32 bytes that lanes touch counts once a request, whole or not; caches
// are not modelled, as in every counter here (assumption: docs/model.md).
#pragma once

#include "common/sim/base/access.h"
#include "common/sim/memory/memory.h"
#include "common/sim/observe/counters.h"

namespace lab::sim {

[[nodiscard]] constexpr Path link_path(Direction direction) {
  return direction == Direction::Read    ? Path::LinkLoad
         : direction == Direction::Write ? Path::LinkStore
                                         : Path::LinkAtomic;
}

// All zero when nothing of it lies there.
[[nodiscard]] PathCounters link_cost(const Memory& memory, const Access& access);
[[nodiscard]] PathCounters link_cost(const Memory& memory, const BulkCopy& copy);

}  // namespace lab::sim

// Bytes of global memory. See moved_bytes.h.
#include "common/course/judge/moved_bytes.h"

namespace lab::judge {

// An atomic reads and writes, and counts as one, as in the counters. Where an atomic meets another block's,
// no order of blocks shows.
void MovedBytes::access(std::uint32_t /*slot*/, const sim::Access& access) {
  if (access.space == sim::Space::Global)
    bytes_ += static_cast<std::uint64_t>(std::popcount(access.mask)) * access.width_bytes;
}

void MovedBytes::bulk(std::uint32_t /*slot*/, const sim::BulkCopy& copy) {
  for (const sim::BulkPiece& piece : copy.pieces) bytes_ += piece.last - piece.first;
}

}  // namespace lab::judge

// The stable codes of faults: what JSON prints and what `lab explain` takes.
//
// Enters: a kind. Leaves: its code.
#include "common/sim/base/fault.h"

#include <iterator>

namespace lab::sim {

std::string_view code(FaultKind kind) {
  constexpr std::string_view kCodes[] = {"out-of-bounds",
                                         "misaligned",
                                         "write-to-const",
                                         "shared-race",
                                         "missing-syncwarp",
                                         "global-race",
                                         "uninitialised-shared",
                                         "uninitialised-local",
                                         "poisoned-global",
                                         "async-early",
                                         "proxy-fence",
                                         "peer-gone",
                                         "no-peer-access",
                                         "barrier-divergence",
                                         "warp-sync",
                                         "deadlock",
                                         "budget-exceeded",
                                         "invalid-launch",
                                         "too-much-shared",
                                         "too-much-memory",
                                         "stack-overflow",
                                         "unsupported",
                                         "trap",
                                         "bad-ptx"};
  static_assert(std::size(kCodes) == static_cast<std::size_t>(FaultKind::BadPtx) + 1);
  return kCodes[static_cast<std::size_t>(kind)];
}

Message Fault::sentence() const {
  Message all = message;
  return all.then(went_into).then(decides).then(advice).line(after);
}

}  // namespace lab::sim

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

std::string_view code(Fix::Act act) {
  constexpr std::string_view kCodes[] = {
      "none",       "syncthreads",  "syncwarp",      "cluster-sync",  "guard",        "own-element",
      "initialise", "wait",         "fence",         "threadfence",   "bulk-wait",    "grid-sync",
      "atomic",     "atomic-store", "atomic-result", "volatile-read", "device-scope", "own-mask",
      "align",      "move-barrier", "hold-lock",     "release",       "two-launches"};
  static_assert(std::size(kCodes) == static_cast<std::size_t>(Fix::Act::TwoLaunches) + 1);
  return kCodes[static_cast<std::size_t>(act)];
}

bool Fix::is_one_edit() const {
  switch (act) {
    case Act::None:
    case Act::OwnElement:
    case Act::Align:
    case Act::HoldLock:
    case Act::Release:
    case Act::TwoLaunches:
      return false;
    case Act::BlockBarrier:
    case Act::WarpBarrier:
    case Act::ClusterBarrier:
      return after != before || in_loop;  // else the statement must be split first
    default:
      return true;
  }
}

Message Fault::sentence() const {
  Message all = message;
  return all.then(went_into).then(decides).then(advice).line(after);
}

}  // namespace lab::sim

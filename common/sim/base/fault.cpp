// The stable codes of faults: what JSON prints and what `lab explain` takes.
//
// Enters: a kind. Leaves: its code.
#include "common/sim/base/fault.h"

namespace lab::sim {

std::string_view code(FaultKind kind) {
  switch (kind) {
    case FaultKind::OutOfBounds:
      return "out-of-bounds";
    case FaultKind::Misaligned:
      return "misaligned";
    case FaultKind::WriteToConst:
      return "write-to-const";
    case FaultKind::SharedRace:
      return "shared-race";
    case FaultKind::MissingSyncwarp:
      return "missing-syncwarp";
    case FaultKind::GlobalRace:
      return "global-race";
    case FaultKind::UninitialisedShared:
      return "uninitialised-shared";
    case FaultKind::UninitialisedLocal:
      return "uninitialised-local";
    case FaultKind::PoisonedGlobal:
      return "poisoned-global";
    case FaultKind::AsyncEarly:
      return "async-early";
    case FaultKind::ProxyFence:
      return "proxy-fence";
    case FaultKind::PeerGone:
      return "peer-gone";
    case FaultKind::NoPeerAccess:
      return "no-peer-access";
    case FaultKind::BarrierDivergence:
      return "barrier-divergence";
    case FaultKind::WarpSync:
      return "warp-sync";
    case FaultKind::Deadlock:
      return "deadlock";
    case FaultKind::BudgetExceeded:
      return "budget-exceeded";
    case FaultKind::InvalidLaunch:
      return "invalid-launch";
    case FaultKind::TooMuchShared:
      return "too-much-shared";
    case FaultKind::TooMuchMemory:
      return "too-much-memory";
    case FaultKind::StackOverflow:
      return "stack-overflow";
    case FaultKind::Unsupported:
      return "unsupported";
    case FaultKind::Trap:
      return "trap";
    case FaultKind::BadPtx:
      return "bad-ptx";
  }
  return {};  // no such kind
}

Message Fault::sentence() const {
  Message all = message;
  return all.then(went_into).then(decides).then(advice).line(after);
}

}  // namespace lab::sim

// What lanes of one warp do together: shuffles, votes, matches, reductions, __syncwarp.
//
// Enters: the operands of every lane that takes part. Leaves: a result for each. These are pure functions:
// waiting for the lanes is the scheduler's work (exec_sync.cpp).
#pragma once

#include <cstdint>

#include "common/sim/base/observer.h"

namespace lab::sim {

struct Inst;
struct WarpContext;

enum class SyncOp : std::uint8_t {
  SyncWarp,
  ShflUp,
  ShflDown,
  ShflBfly,
  ShflIdx,
  VoteAll,
  VoteAny,
  VoteUni,
  VoteBallot,
  MatchAny,
  MatchAll,
  ReduxAdd,
  ReduxMin,
  ReduxMax,
  ReduxAnd,
  ReduxOr,
  ReduxXor,
  ReduxMinF32,  // of magnitudes where the exchange is not signed
  ReduxMaxF32,
  ReduxMinNan,  // the same, and NaN wins
  ReduxMaxNan,
  Elect,
};

// One operation of the lanes in `lanes`, all with the same member mask.
struct Exchange {
  SyncOp op = SyncOp::SyncWarp;
  Mask lanes = 0;
  bool is_signed = false;
  Mask votes = 0;             // a, where it is a predicate
  std::uint64_t numbers = 0;  // of the launch: which lane is elected is the hardware's choice
  std::uint64_t a[kWarpLanes] = {};
  std::uint32_t b[kWarpLanes] = {}, c[kWarpLanes] = {};
  std::uint64_t result[kWarpLanes] = {};
  Mask predicate = 0;
  int reads_absent = -1;   // first lane that read from a lane outside `lanes`
  int absent_source = -1;  // and which
};
void perform(Exchange& exchange);

void exec_sleep(WarpContext& w, const Inst& inst);
void exec_wait_for_kernels(WarpContext& w, const Inst& inst);

}  // namespace lab::sim

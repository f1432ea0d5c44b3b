// The arithmetic of warp-wide operations, as the PTX ISA defines it (sections 9.7.9 and 9.7.13).
#include <bit>

#include "common/sim/base/lanes.h"
#include "common/sim/execute/exec_sync.h"

namespace lab::sim {
namespace {

bool is_in(Mask mask, std::uint64_t lane) { return lane < kWarpLanes && ((mask >> lane) & 1u) != 0; }

// shfl: c holds the clamp value in bits 0–4 and the segment mask in bits 8–12.
void shuffle(Exchange& x) {
  for (const int lane : lanes_of<int>(x.lanes)) {
    const int b = static_cast<int>(x.b[lane] & 31);
    const int clamp = static_cast<int>(x.c[lane] & 31);
    const int segment = static_cast<int>((x.c[lane] >> 8) & 31);
    const int max_lane = (lane & segment) | (clamp & ~segment);
    const int min_lane = lane & segment;
    int from = lane;
    bool inside = false;
    switch (x.op) {
      case SyncOp::ShflUp:
        from = lane - b;
        inside = from >= max_lane;
        break;
      case SyncOp::ShflDown:
        from = lane + b;
        inside = from <= max_lane;
        break;
      case SyncOp::ShflBfly:
        from = lane ^ b;
        inside = from <= max_lane;
        break;
      default:
        from = min_lane | (b & ~segment);
        inside = from <= max_lane;
        break;
    }
    if (!inside) from = lane;
    if (!is_in(x.lanes, static_cast<std::uint64_t>(from)) && x.reads_absent < 0) {
      x.reads_absent = lane;
      x.absent_source = from;
    }
    x.result[lane] = x.a[from & 31];
    if (inside) x.predicate |= 1u << lane;
  }
}

void vote(Exchange& x) {
  Mask ballot = 0;
  for (const int lane : lanes_of<int>(x.lanes)) ballot |= Mask{x.a[lane] != 0} << lane;
  bool holds = false;
  if (x.op == SyncOp::VoteAll) holds = ballot == x.lanes;
  if (x.op == SyncOp::VoteAny) holds = ballot != 0;
  if (x.op == SyncOp::VoteUni) holds = ballot == 0 || ballot == x.lanes;
  x.predicate = holds ? x.lanes : 0;
  for (std::uint64_t& r : x.result) r = ballot;
}

void match(Exchange& x) {
  for (const int lane : lanes_of<int>(x.lanes)) {
    Mask same = 0;
    for (const int other : lanes_of<int>(x.lanes)) same |= Mask{x.a[other] == x.a[lane]} << other;
    const bool all = same == x.lanes;
    x.result[lane] = x.op == SyncOp::MatchAny ? same : all ? x.lanes : 0;
    if (all) x.predicate |= 1u << lane;
  }
}

std::uint32_t reduce(const Exchange& x, std::uint32_t left, std::uint32_t right) {
  const auto smaller = [&](std::uint32_t p, std::uint32_t q) {
    return x.is_signed ? static_cast<std::int32_t>(p) < static_cast<std::int32_t>(q) : p < q;
  };
  switch (x.op) {
    case SyncOp::ReduxAdd:
      return left + right;
    case SyncOp::ReduxMin:
      return smaller(right, left) ? right : left;
    case SyncOp::ReduxMax:
      return smaller(left, right) ? right : left;
    case SyncOp::ReduxAnd:
      return left & right;
    case SyncOp::ReduxOr:
      return left | right;
    default:
      return left ^ right;
  }
}

void redux(Exchange& x) {
  auto total = static_cast<std::uint32_t>(x.a[std::countr_zero(x.lanes)]);
  for (const int lane : lanes_of<int>(x.lanes & (x.lanes - 1)))
    total = reduce(x, total, static_cast<std::uint32_t>(x.a[lane]));
  for (std::uint64_t& r : x.result) r = total;
}

}  // namespace

void perform(Exchange& x) {
  switch (x.op) {
    case SyncOp::SyncWarp:
      break;
    case SyncOp::ShflUp:
    case SyncOp::ShflDown:
    case SyncOp::ShflBfly:
    case SyncOp::ShflIdx:
      shuffle(x);
      break;
    case SyncOp::VoteAll:
    case SyncOp::VoteAny:
    case SyncOp::VoteUni:
    case SyncOp::VoteBallot:
      vote(x);
      break;
    case SyncOp::MatchAny:
    case SyncOp::MatchAll:
      match(x);
      break;
    case SyncOp::Elect:
      for (std::uint64_t& r : x.result) r = static_cast<std::uint64_t>(std::countr_zero(x.lanes));
      x.predicate = x.lanes & (~x.lanes + 1);
      break;
    default:
      redux(x);
      break;
  }
}

}  // namespace lab::sim

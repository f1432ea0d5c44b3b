// The arithmetic of warp-wide operations, as the PTX ISA defines it (sections 9.7.9 and 9.7.13).
#include <bit>

#include "common/sim/base/float_bits.h"
#include "common/sim/base/lanes.h"
#include "common/sim/execute/block.h"
#include "common/sim/execute/exec.h"
#include "common/sim/execute/exec_sync.h"

namespace lab::sim {
namespace {

// shfl: c holds the clamp value in bits 0–4 and the segment mask in bits 8–12.
template <SyncOp op>
void shuffle(Exchange& x) {
  int source[kWarpLanes];
  Mask insiders = 0;
  LAB_LANES
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const int b = static_cast<int>(x.b[lane] & 31);
    const int clamp = static_cast<int>(x.c[lane] & 31);
    const int segment = static_cast<int>((x.c[lane] >> 8) & 31);
    const int max_lane = (lane & segment) | (clamp & ~segment);
    const int from = op == SyncOp::ShflUp     ? lane - b
                     : op == SyncOp::ShflDown ? lane + b
                     : op == SyncOp::ShflBfly ? lane ^ b
                                              : (lane & segment) | (b & ~segment);
    const bool inside = op == SyncOp::ShflUp ? from >= max_lane : from <= max_lane;
    insiders |= inside ? kLaneBit[static_cast<std::size_t>(lane)] : 0;
    source[lane] = inside ? from : lane;
  }
  x.predicate |= insiders & x.lanes;
  LAB_LANES
  for (int lane = 0; lane < kWarpLanes; ++lane) x.result[lane] = x.a[source[lane] & 31];
  if (x.lanes == kFullMask) return;
  for (const int lane : lanes_of<int>(x.lanes)) {
    if (lane_in(x.lanes, source[lane])) continue;
    x.reads_absent = lane;
    x.absent_source = source[lane];
    return;
  }
}

void vote(Exchange& x) {
  Mask ballot = x.votes;
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane) ballot |= x.a[lane] != 0 ? kLaneBit[lane] : 0;
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

constexpr bool is_of_floats(SyncOp op) { return op >= SyncOp::ReduxMinF32 && op <= SyncOp::ReduxMaxNan; }

float reduce_floats(SyncOp op, float left, float right) {
  const bool nan_wins = op == SyncOp::ReduxMinNan || op == SyncOp::ReduxMaxNan;
  const bool least = op == SyncOp::ReduxMinF32 || op == SyncOp::ReduxMinNan;
  if (nan_wins && (std::isnan(left) || std::isnan(right))) return std::bit_cast<float>(kNanF32);
  return canonical(least ? extreme<false>(left, right) : extreme<true>(left, right));
}

std::uint32_t reduce(const Exchange& x, std::uint32_t left, std::uint32_t right) {
  if (is_of_floats(x.op))
    return std::bit_cast<std::uint32_t>(
        reduce_floats(x.op, std::bit_cast<float>(left), std::bit_cast<float>(right)));
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
  const bool absolute = is_of_floats(x.op) && !x.is_signed;
  const auto value = [&](int lane) {
    return static_cast<std::uint32_t>(x.a[lane]) & (absolute ? 0x7fffffffu : 0xffffffffu);
  };
  const int first = std::countr_zero(x.lanes) & 31;  // some lane takes part
  std::uint32_t total = value(first);
  if (is_of_floats(x.op)) total = reduce(x, total, total);  // NaN as a GPU writes it
  for (const int lane : lanes_of<int>(x.lanes & (x.lanes - 1))) total = reduce(x, total, value(lane));
  for (std::uint64_t& r : x.result) r = total;
}

// The lowest lane, as on a GPU; in a drawn order any, the same one whenever the same lanes elect.
int elected(Mask lanes, std::uint64_t numbers) {
  if (numbers == 0) return std::countr_zero(lanes);
  std::uint64_t state = numbers + lanes;
  for (std::uint64_t skip = draw(state) % static_cast<std::uint64_t>(std::popcount(lanes)); skip != 0; --skip)
    lanes &= lanes - 1;
  return std::countr_zero(lanes);
}

}  // namespace

void perform(Exchange& x) {
  switch (x.op) {
    case SyncOp::SyncWarp:
      break;
    case SyncOp::ShflUp:
      return shuffle<SyncOp::ShflUp>(x);
    case SyncOp::ShflDown:
      return shuffle<SyncOp::ShflDown>(x);
    case SyncOp::ShflBfly:
      return shuffle<SyncOp::ShflBfly>(x);
    case SyncOp::ShflIdx:
      return shuffle<SyncOp::ShflIdx>(x);
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
    case SyncOp::Elect: {
      const int leader = elected(x.lanes, x.numbers);
      for (std::uint64_t& r : x.result) r = static_cast<std::uint64_t>(leader);
      x.predicate = Mask{1} << leader;
      break;
    }
    default:
      redux(x);
      break;
  }
}

}  // namespace lab::sim

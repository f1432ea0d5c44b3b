// Counting, per instruction.
//
// Enters: accesses and asynchronous copies. Leaves: sums. A copy is a global load, as in a profiler's
// `op_ld`, and a shared store, which a profiler counts apart (`op_ldgsts`). Constant memory has its own cache
// and no sectors.
#include "common/sim/observe/counter_observer.h"

#include <bit>
#include <map>
#include <string_view>
#include <tuple>

#include "common/sim/observe/access_analysis.h"
#include "common/sim/observe/copy_cost.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"global_atomic", "global_load", "global_store",
                                                    "local_load",    "local_store", "shared_atomic",
                                                    "shared_load",   "shared_store"};

AtomicRule rule_of(const AtomicInfo& info) {
  if (info.op == AtomicOp::Exch) return AtomicRule::Direct;
  if (info.op == AtomicOp::Cas) return AtomicRule::CompareAndSwap;
  const bool integer_of_32 =
      info.type == ptx::Type::U32 || info.type == ptx::Type::S32 || info.type == ptx::Type::B32;
  return integer_of_32 ? AtomicRule::Direct : AtomicRule::Loop;
}

}  // namespace

std::unique_ptr<Observer> CounterObserver::clone() const { return std::make_unique<CounterObserver>(); }

void CounterObserver::launch_begin(const LaunchInfo& info) {
  program_ = info.program;
  rows_.assign(info.program->instruction_count(), Rows{});
}

void CounterObserver::merge(const Observer& other) {
  const auto& from = dynamic_cast<const CounterObserver&>(other).rows_;
  if (rows_.size() < from.size()) rows_.resize(from.size());
  for (std::size_t pc = 0; pc < from.size(); ++pc) {
    for (std::size_t kind = 0; kind < from[pc].size(); ++kind) {
      Row& to = rows_[pc][kind];
      to.requests += from[pc][kind].requests;
      to.cost += from[pc][kind].cost;
      to.ideal_cost += from[pc][kind].ideal_cost;
      to.active_lanes += from[pc][kind].active_lanes;
    }
  }
}

CounterObserver::Kind CounterObserver::kind_of(const Access& access) {
  if (access.op == AccessOp::AsyncCopy) return None;  // copy() has both of its sides
  const bool load = access.op == AccessOp::Load, store = access.op == AccessOp::Store;
  switch (access.space) {
    case Space::Global:
      return load ? GlobalLoad : store ? GlobalStore : GlobalAtomic;
    case Space::Shared:
      return load ? SharedLoad : store ? SharedStore : SharedAtomic;
    case Space::Local:
      return load ? LocalLoad : LocalStore;
    default:
      return None;
  }
}

void CounterObserver::access(std::uint32_t /*slot*/, const Access& access) {
  const Kind kind = kind_of(access);
  if (kind == None) return;
  Row& row = rows_[access.pc][kind];
  row.active_lanes += static_cast<std::uint64_t>(std::popcount(access.mask));
  if (access.space == Space::Shared) return add_shared(row, access);
  GlobalCost cost;
  if (access.space == Space::Local) {
    row.requests += local_requests(access.width_bytes);
    cost = local_cost(access.address, access.width_bytes, access.mask);
  } else {
    row.requests += 1;
    cost = kind == GlobalAtomic ? global_atomic_cost(access.address, access.width_bytes, access.mask)
                                : global_cost(access);
  }
  row.cost += cost.sectors;
  row.ideal_cost += cost.ideal_sectors;
}

void CounterObserver::copy(std::uint32_t /*slot*/, const Copy& copy) {
  const CopyCost cost = copy_cost(copy);
  const auto add = [&](Row& row, Mask lanes, std::uint64_t counted, std::uint64_t ideal) {
    if (lanes == 0) return;
    row.requests += 1;
    row.cost += counted;
    row.ideal_cost += ideal;
    row.active_lanes += static_cast<std::uint64_t>(std::popcount(lanes));
  };
  add(rows_[copy.pc][GlobalLoad], copy.reads, cost.global.sectors, cost.global.ideal_sectors);
  add(rows_[copy.pc][SharedStore], copy.mask, cost.shared.wavefronts, cost.shared.ideal_wavefronts);
}

void CounterObserver::add_shared(Row& row, const Access& access) const {
  const Inst& inst = program_->data().code[access.pc];
  if (access.op == AccessOp::Atomic || access.op == AccessOp::Reduction) {
    const SharedAtomicCost cost = shared_atomic_cost(access.address, access.width_bytes, access.mask,
                                                     rule_of(program_->data().atomics[inst.extra]));
    row.requests += cost.requests;
    row.cost += cost.wavefronts;
    row.ideal_cost += cost.ideal_wavefronts;
    return;
  }
  const SharedCost cost = shared_cost(access, inst.space != Space::Generic);
  row.requests += 1;
  row.cost += cost.wavefronts;
  row.ideal_cost += cost.ideal_wavefronts;
}

void CounterObserver::add(Counters& counters, Kind kind, const Row& row) {
  const GlobalCounters global{row.requests, row.cost, row.ideal_cost, row.active_lanes};
  const SharedCounters shared{row.requests, row.cost, row.ideal_cost, row.active_lanes};
  switch (kind) {
    case GlobalLoad:
      counters.global_load += global;
      break;
    case GlobalStore:
      counters.global_store += global;
      break;
    case GlobalAtomic:
      counters.global_atomic += global;
      break;
    case LocalLoad:
      counters.local_load += global;
      break;
    case LocalStore:
      counters.local_store += global;
      break;
    case SharedLoad:
      counters.shared_load += shared;
      break;
    case SharedStore:
      counters.shared_store += shared;
      break;
    case SharedAtomic:
      counters.shared_atomic += shared;
      break;
    case None:
      break;
  }
}

Counters CounterObserver::totals() const {
  Counters sum;
  for (const Rows& rows : rows_) {
    for (std::size_t kind = 0; kind < rows.size(); ++kind) add(sum, static_cast<Kind>(kind), rows[kind]);
  }
  return sum;
}

std::vector<LineCounters> CounterObserver::lines(const Program& program) const {
  std::map<std::tuple<std::string, int, int>, Counters> sums;  // kinds stand in the order of their names
  for (std::size_t pc = 0; pc < rows_.size(); ++pc) {
    for (std::size_t kind = 0; kind < rows_[pc].size(); ++kind) {
      if (rows_[pc][kind].requests == 0) continue;
      const InstSource source = program.source(static_cast<std::uint32_t>(pc));
      Counters& sum = sums[{program.file_name(source.file), source.line, static_cast<int>(kind)}];
      add(sum, static_cast<Kind>(kind), rows_[pc][kind]);
    }
  }
  std::vector<LineCounters> result;
  result.reserve(sums.size());
  for (const auto& [key, counters] : sums) {
    const auto& [file, line, kind] = key;
    result.push_back({file, line, std::string(kNames[static_cast<std::size_t>(kind)]), counters});
  }
  return result;
}

}  // namespace lab::sim

// Counting, per instruction and path.
//
// Enters: accesses and asynchronous copies. Leaves: sums. An access of cp.async or cp.async.bulk is priced as
// a whole copy, since its cost depends on both sides. cp.async is also part of the loads, as in a profiler's
// `op_ld`, and of the shared stores.
#include "common/sim/observe/counter_observer.h"

#include <bit>
#include <map>
#include <string_view>
#include <tuple>

#include "common/sim/analysis/merge_plan.h"
#include "common/sim/observe/access_analysis.h"
#include "common/sim/observe/copy_cost.h"
#include "common/sim/observe/link_cost.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {
namespace {

AtomicRule rule_of(const AtomicInfo& info) {
  if (info.op == AtomicOp::Exch) return AtomicRule::Direct;
  if (info.op == AtomicOp::Cas) return AtomicRule::CompareAndSwap;
  const bool integer_of_32 =
      info.type == ptx::Type::U32 || info.type == ptx::Type::S32 || info.type == ptx::Type::B32;
  return integer_of_32 ? AtomicRule::Direct : AtomicRule::Loop;
}

// The column of the table that is read for every access, side by side.
constexpr std::array<Rule, kPaths> kRules = [] {
  std::array<Rule, kPaths> rules{};
  for (std::size_t k = 0; k < kPaths; ++k) rules[k] = kPathTable[k].rule;
  return rules;
}();

}  // namespace

std::unique_ptr<Observer> CounterObserver::clone() const { return std::make_unique<CounterObserver>(of_); }

void CounterObserver::launch_begin(const LaunchInfo& info) {
  program_ = info.program;
  memory_ = info.shared_memory;
  if (of_ == Of::MachineCode) plan_ = &info.program->merge_plan();
  rows_.assign(info.program->instruction_count(), Rows{});
  ramps_.assign(info.program->instruction_count(), {});
  shapes_.assign(info.program->instruction_count(), {});
}

void CounterObserver::merge(const Observer& other) {
  const auto& from = dynamic_cast<const CounterObserver&>(other);
  if (rows_.size() < from.rows_.size()) rows_.resize(from.rows_.size()), ramps_.resize(from.rows_.size());
  for (std::size_t pc = 0; pc < from.rows_.size(); ++pc) {
    for (const PathInfo& path : kPathTable)
      rows_[pc][static_cast<std::size_t>(path.path)] += from.at(pc, path.path);
  }
}

void CounterObserver::access(std::uint32_t /*slot*/, const Access& access) {
  if (plan_ == nullptr || !plan_->changes(access.pc)) return count(access);
  const std::uint64_t any = access.address[std::countr_zero(access.mask)];
  for (const MergedAccess& part : plan_->instead(access.pc, any)) {
    std::array<std::uint64_t, kWarpLanes> address;
    for (std::size_t i = 0; i < address.size(); ++i)
      address[i] = access.address[i] + static_cast<std::uint64_t>(std::int64_t{part.delta});
    Access made = access;
    made.address = address.data();
    made.width_bytes = part.bytes;
    count(made);
  }
}

// Copies of the TMA unit are counted in bulk().
void CounterObserver::count_link(const Access& access) {
  if (access.space != Space::Global || access.path == Path::GlobalBulkLoad ||
      access.path == Path::GlobalBulkStore || access.path == Path::GlobalBulkReduce)
    return;
  rows_[access.pc][static_cast<std::size_t>(link_path(info(access.path).direction))] +=
      link_cost(*memory_, access);
}

PathCounters CounterObserver::at(std::size_t pc, Path path) const {
  PathCounters row = rows_[pc][static_cast<std::size_t>(path)];
  const RampCost& last = ramps_[pc];
  if (last.of.path != path || last.of.times == 0) return row;
  const auto each = numbers_of(last.each);
  const auto sum = numbers_of(row);
  for (std::size_t k = 0; k < sum.size(); ++k) *sum[k] += last.of.times * *each[k];
  return row;
}

void CounterObserver::add(const Access& access, Rule rule, PathCounters& sum) const {
  const auto lanes = static_cast<std::uint64_t>(std::popcount(access.mask));
  const std::uint64_t bytes = lanes * access.width_bytes;
  const auto sectors = [&](const GlobalCost& cost, std::uint64_t requests = 1) {
    sum += {requests, cost.sectors, cost.ideal_sectors, lanes, bytes};
  };
  const auto wavefronts = [&](const auto& cost, std::uint64_t requests = 1) {
    sum += {requests, cost.wavefronts, cost.ideal_wavefronts, lanes, bytes};
  };
  const Inst& inst = program_->data().code[access.pc];
  switch (rule) {
    case Rule::Sectors:
      return sectors(global_cost(access));
    case Rule::AtomicSectors:
      return sectors(global_atomic_cost(access.address, access.width_bytes, access.mask));
    case Rule::LocalSectors:
      return sectors(local_cost(access.address, access.width_bytes, access.mask),
                     local_requests(access.width_bytes));
    case Rule::Wavefronts:
      return wavefronts(shared_cost(access, inst.space != Space::Generic));
    case Rule::AtomicWavefronts: {
      const SharedAtomicCost cost = shared_atomic_cost(access.address, access.width_bytes, access.mask,
                                                       rule_of(program_->data().atomics[inst.extra]));
      return wavefronts(cost, cost.requests);
    }
    case Rule::RowsOfMatrix:
      return wavefronts(matrix_cost(access.address, access.mask));
    case Rule::ClusterLines:
      return wavefronts(cluster_cost(access.address, access.width_bytes, access.mask,
                                     info(access.path).direction == Direction::Update));
    default:
      sum += {1, 0, 0, lanes, bytes};
  }
}

// What the last access of this shape cost; of no request: it was another one. Null: lanes too far apart.
PathCounters* CounterObserver::price_of_shape(const Access& access) {
  const std::uint64_t first = access.address[0];
  std::array<std::uint32_t, kWarpLanes> behind_first;
  std::uint64_t far = 0;  // lanes that do not fit 32 bits
  for (std::size_t k = 0; k < kWarpLanes; ++k) {
    far |= (access.address[k] - first + (std::uint64_t{1} << 31)) >> 32;
    behind_first[k] = static_cast<std::uint32_t>(access.address[k] - first);
  }
  if (far != 0) return nullptr;
  const auto in_word = static_cast<std::uint8_t>(first % kBankBytes);
  Shape& last = shapes_[access.pc];
  if (last.width_bytes != access.width_bytes || last.in_word != in_word || last.path != access.path ||
      last.behind_first != behind_first)
    last = {behind_first, access.width_bytes, in_word, access.path, {}};
  return &last.each[access.space == Space::Shared ? 0 : first % kSectorBytes / kBankBytes];
}

void CounterObserver::count(const Access& access) {
  if (memory_ != nullptr) count_link(access);
  const Rule rule = kRules[static_cast<std::size_t>(access.path)];
  if (rule == Rule::BothSides || rule == Rule::Lines128) return;  // see copy(), product()
  const bool global = rule == Rule::Sectors, by_shape = global || rule == Rule::Wavefronts;
  if (!access.known() || !(by_shape || rule == Rule::LocalSectors)) {
    PathCounters& row = rows_[access.pc][static_cast<std::size_t>(access.path)];
    PathCounters* const price = by_shape && access.mask == kFullMask ? price_of_shape(access) : nullptr;
    if (price == nullptr) return add(access, rule, row);
    if (price->requests == 0) add(access, rule, *price);
    row += *price;
    return;
  }
  const std::uint64_t first = access.address[std::countr_zero(access.mask)];
  const auto in_sector = static_cast<std::uint8_t>(first % (global ? kSectorBytes : kBankBytes));
  RampCost& last = ramps_[access.pc];
  if (last.of.lanes != access.ramps() || last.of.mask != access.mask || last.of.in_sector != in_sector ||
      last.of.width_bytes != access.width_bytes || last.of.path != access.path) {
    rows_[access.pc][static_cast<std::size_t>(last.of.path)] = at(access.pc, last.of.path);
    last = {{access.ramps(), access.mask, access.width_bytes, in_sector, access.path, 0}, {}};
    add(access, rule, last.each);
  }
  ++last.of.times;
}

void CounterObserver::copy(std::uint32_t /*slot*/, const Copy& copy) {
  const CopyCost cost = copy_cost(copy);
  const auto add = [&](Path path, Mask lanes, std::uint64_t bytes) {
    if (lanes == 0) return;
    const bool global = sim::info(path).space == Space::Global;
    rows_[copy.pc][static_cast<std::size_t>(path)] +=
        PathCounters{1, global ? cost.global.sectors : cost.shared.wavefronts,
                     global ? cost.global.ideal_sectors : cost.shared.ideal_wavefronts,
                     static_cast<std::uint64_t>(std::popcount(lanes)), bytes};
  };
  add(Path::GlobalAsync, copy.reads, copy.read_bytes);
  add(Path::SharedAsync, copy.mask,
      std::uint64_t{copy.width_bytes} * static_cast<std::uint64_t>(std::popcount(copy.mask)));
}

void CounterObserver::bulk(std::uint32_t /*slot*/, const BulkCopy& copy) {
  const CopyCost cost = bulk_cost(copy);
  std::uint64_t inside = 0;
  for (const BulkPiece& piece : copy.pieces) inside += piece.last - piece.first;
  for (const Path path : {copy.read, copy.written}) {
    const bool global = sim::info(path).space == Space::Global;
    rows_[copy.pc][static_cast<std::size_t>(path)] +=
        PathCounters{1, global ? cost.global.sectors : cost.shared.wavefronts,
                     global ? cost.global.ideal_sectors : cost.shared.ideal_wavefronts, 1,
                     global ? inside : std::uint64_t{copy.shared_bytes} * copy.destinations};
    if (global && memory_ != nullptr)
      rows_[copy.pc][static_cast<std::size_t>(link_path(sim::info(path).direction))] +=
          link_cost(*memory_, copy);
  }
}

void CounterObserver::product(std::uint32_t /*slot*/, const ProductRead& read) {
  rows_[read.pc][static_cast<std::size_t>(Path::SharedProductLoad)] +=
      PathCounters{1, read.wavefronts, read.wavefronts, kWarpLanes, read.bytes};
}

Counters CounterObserver::totals() const {
  Counters sum;
  for (std::size_t pc = 0; pc < rows_.size(); ++pc) {
    for (const PathInfo& path : kPathTable) {
      const PathCounters row = at(pc, path.path);
      if (row.requests == 0) continue;
      sum[path.path] += row;
      if (is_part(path.path)) sum[path.part_of] += row;
    }
  }
  return sum;
}

std::vector<LineCounters> CounterObserver::lines(const Program& program) const {
  std::map<std::tuple<std::string, int, std::string_view>, Counters> sums;  // sorted by file, line, key
  for (std::size_t pc = 0; pc < rows_.size(); ++pc) {
    for (const PathInfo& path : kPathTable) {
      const PathCounters row = at(pc, path.path);
      if (row.requests == 0 || path.rule == Rule::Free) continue;
      const InstSource source = program.source(static_cast<std::uint32_t>(pc));
      Counters& sum = sums[{std::string(source.file), source.line, sim::info(path.part_of).key}];
      sum[path.path] += row;
      if (is_part(path.path)) sum[path.part_of] += row;
    }
  }
  std::vector<LineCounters> result;
  result.reserve(sums.size());
  for (const auto& [key, counters] : sums) {
    const auto& [file, line, name] = key;
    result.push_back({file, line, *path_with_key(name), counters});
  }
  return result;
}

}  // namespace lab::sim

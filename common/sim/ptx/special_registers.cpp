// The table of special registers. See special_registers.h.
#include "common/sim/ptx/special_registers.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>

namespace lab::sim::ptx {
namespace {

constexpr std::uint32_t of(WarpRow row) { return static_cast<std::uint32_t>(row); }
constexpr std::uint32_t of(BlockRow row) { return static_cast<std::uint32_t>(row); }

std::uint32_t itself(std::uint32_t lane) { return lane; }
std::uint32_t equal(std::uint32_t lane) { return 1u << lane; }
std::uint32_t less(std::uint32_t lane) { return equal(lane) - 1; }
std::uint32_t less_or_equal(std::uint32_t lane) { return less(lane) | equal(lane); }
std::uint32_t greater(std::uint32_t lane) { return ~less_or_equal(lane); }
std::uint32_t greater_or_equal(std::uint32_t lane) { return ~less(lane); }

}  // namespace

std::span<const SpecialRegister> special_registers() {
  using enum Kept;
  constexpr bool kXyz = true, kOne = false, kInBank = true, kWide = true;
  using F = Follows;
  static constexpr SpecialRegister kRows[] = {
      {"%tid", Warp, of(WarpRow::TidX), kXyz, F::Lane},
      {"%warpid", Warp, of(WarpRow::WarpId), kOne, F::Warp},
      {"%ntid", Block, of(BlockRow::NtidX), kXyz, F::Launch, kInBank},
      {"%nwarpid", Block, of(BlockRow::NWarpId), kOne, F::Launch},
      {"%ctaid", Block, of(BlockRow::CtaidX), kXyz, F::Block},
      {"%nctaid", Block, of(BlockRow::NctaidX), kXyz, F::Grid, kInBank},
      {"%smid", Block, of(BlockRow::SmId), kOne, F::Block},
      {"%nsmid", Block, of(BlockRow::NSmId), kOne, F::Gpu},
      {"%envreg1", Block, of(BlockRow::EnvReg1), kOne, F::Launch},
      {"%envreg2", Block, of(BlockRow::EnvReg2), kOne, F::Launch},
      {"%dynamic_smem_size", Block, of(BlockRow::DynamicShared), kOne, F::Launch, kInBank},
      {"%total_smem_size", Block, of(BlockRow::TotalShared), kOne, F::Launch},
      {"%cluster_ctaid", Block, of(BlockRow::ClusterCtaidX), kXyz, F::Block},
      {"%cluster_nctaid", Block, of(BlockRow::ClusterNctaidX), kXyz, F::Launch},
      {"%clusterid", Block, of(BlockRow::ClusterIdX), kXyz, F::Block},
      {"%nclusterid", Block, of(BlockRow::NClusterIdX), kXyz, F::Grid},
      {"%cluster_ctarank", Block, of(BlockRow::ClusterRank), kOne, F::Block},
      {"%cluster_nctarank", Block, of(BlockRow::ClusterBlocks), kOne, F::Launch},
      {"%is_explicit_cluster", BlockPredicate, of(BlockRow::IsExplicitCluster), kOne, F::Launch},
      {"%reserved_smem_offset_begin", Block, of(BlockRow::ReservedBegin), kOne, F::Launch},
      {"%reserved_smem_offset_0", Block, of(BlockRow::ReservedBegin), kOne, F::Launch},
      {"%reserved_smem_offset_1", Block, of(BlockRow::ReservedMiddle), kOne, F::Launch},
      {"%reserved_smem_offset_end", Block, of(BlockRow::ReservedEnd), kOne, F::Launch},
      {"%reserved_smem_offset_cap", Constant, kReservedSharedBytes, kOne, F::Gpu},
      {"%tid.w", Constant, 0, kOne, F::Gpu},
      {"%ntid.w", Constant, 0, kOne, F::Gpu},
      {"%ctaid.w", Constant, 0, kOne, F::Gpu},
      {"%nctaid.w", Constant, 1, kOne, F::Gpu},
      {"%clusterid.w", Constant, 0, kOne, F::Gpu},
      {"%nclusterid.w", Constant, 1, kOne, F::Gpu},
      {"%cluster_ctaid.w", Constant, 0, kOne, F::Gpu},
      {"%cluster_nctaid.w", Constant, 1, kOne, F::Gpu},
      {"%gridid", Block, of(BlockRow::GridId), kOne, F::Launch, false, nullptr, 1, kWide},
      {"%current_graph_exec", Block, of(BlockRow::Driver), kOne, F::Launch, false, nullptr, 1, kWide},
      {"%aggr_smem_size", Block, of(BlockRow::AllShared), kOne, F::Launch},
      {"%laneid", Lanes, 0, kOne, F::Lane, false, itself},
      {"%lanemask_eq", Lanes, 0, kOne, F::Lane, false, equal},
      {"%lanemask_lt", Lanes, 0, kOne, F::Lane, false, less},
      {"%lanemask_le", Lanes, 0, kOne, F::Lane, false, less_or_equal},
      {"%lanemask_gt", Lanes, 0, kOne, F::Lane, false, greater},
      {"%lanemask_ge", Lanes, 0, kOne, F::Lane, false, greater_or_equal},
      {"%clock", Clock, 0, kOne, F::Time},
      {"%clock_hi", Clock, 32, kOne, F::Time},
      {"%clock64", Clock, 0, kOne, F::Time, false, nullptr, 1, kWide},
      {"%globaltimer", Clock, 0, kOne, F::Time, false, nullptr, 1, kWide},
      {"%globaltimer_lo", Clock, 0, kOne, F::Time},
      {"%globaltimer_hi", Clock, 32, kOne, F::Time},
      {"%envreg0", Block, of(BlockRow::Driver), kOne, F::Launch, false, nullptr, 32},
      {"%pm0", Block, of(BlockRow::Driver), kOne, F::Time, false, nullptr, 8},
      {"%pm0_64", Block, of(BlockRow::Driver), kOne, F::Time, false, nullptr, 8, kWide},
  };
  return kRows;
}

namespace {

const SpecialRegister* row_named(std::string_view name) {
  static const std::unordered_map<std::string_view, const SpecialRegister*> rows = [] {
    std::unordered_map<std::string_view, const SpecialRegister*> made;
    for (const SpecialRegister& row : special_registers()) made.emplace(row.name, &row);
    return made;
  }();
  const auto found = rows.find(name);
  return found == rows.end() ? nullptr : found->second;
}

}  // namespace

const SpecialRegister* special_register(std::string_view name) {
  if (!name.starts_with('%')) return nullptr;
  if (const SpecialRegister* whole = row_named(name)) return whole;
  if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) {
    const bool member = name.size() == dot + 2 && name[dot + 1] >= 'x' && name[dot + 1] <= 'z';
    const SpecialRegister* of_all = row_named(name.substr(0, dot));
    return member && of_all != nullptr && of_all->has_members ? of_all : nullptr;
  }
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t from = std::min(name.find_first_of(kDigits), name.size());
  const std::size_t end = std::min(name.find_first_not_of(kDigits, from), name.size());
  std::uint32_t number = 0;
  if (from == end || end - from > 2 || (name[from] == '0' && end - from > 1)) return nullptr;
  std::from_chars(name.data() + from, name.data() + end, number);
  const SpecialRegister* first =
      row_named(std::string(name.substr(0, from)).append("0").append(name.substr(end)));
  return first != nullptr && number < first->numbers ? first : nullptr;
}

}  // namespace lab::sim::ptx

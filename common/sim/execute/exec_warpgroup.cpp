// wgmma: each warp computes its 16 rows of the product of its warpgroup, when all four have reached the
// instruction: so it is on an H100, whose warps wait for each other there (tools/golden/warpgroup_order.cu).
// Shared memory counts as read until one of the four has waited for the group of the product.
//
// Enters: registers and descriptors of matrices in shared memory. Leaves: registers of D. How sums are
// rounded: tensor_sum.h.
#include "common/sim/execute/exec_warpgroup.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_matrix.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/tensor_sum.h"

namespace lab::sim {
namespace {

constexpr std::uint32_t kRowsOfWarp = 16, kColumnsAtOnce = 8, kWavefrontBytes = 128;
using Line = std::array<std::byte, kFactorBytes>;

// Reads `count` lines of a matrix from line `first` on, and notifies observers.
class LineReader {
 public:
  LineReader(WarpContext& w, const Inst& inst, std::uint64_t descriptor, bool across)
      : w_(w), inst_(inst), place_(MatrixPlace::of(descriptor)), across_(across) {}

  void read(std::uint32_t first, std::uint32_t count, Line* lines) {
    for (std::uint32_t done = 0; done < 2 * count; done += kWarpLanes) {
      const std::uint32_t units = std::min<std::uint32_t>(2 * count - done, kWarpLanes);
      AddressRow row;
      for (std::uint32_t u = 0; u < units; ++u) row.at[u] = address_of(first, done + u);
      const Mask all = w_.mask;
      w_.mask = units == kWarpLanes ? kFullMask : (Mask{1} << units) - 1;
      describe_row(row, w_.mask);
      const HostBase base = resolve(w_, inst_, Space::Shared, row, kUnitBytes, Direction::Read).value();
      for (std::uint32_t u = 0; u < units; ++u) take(base.at(row.at[u]), done + u, lines);
      if (w_.block->observed())
        report_access(w_, inst_, Space::Shared, Path::SharedProductLoad, row, kUnitBytes, nullptr);
      low_ = std::min<std::uint64_t>(low_, row.low);
      high_ = std::max<std::uint64_t>(high_, row.high + kUnitBytes);
      w_.mask = all;
    }
  }
  // All that was read lies there.
  [[nodiscard]] std::uint32_t low() const { return static_cast<std::uint32_t>(low_); }
  [[nodiscard]] std::uint32_t high() const { return static_cast<std::uint32_t>(high_); }

 private:
  static constexpr std::uint32_t kAcrossK = 16;  // elements of 2 bytes in a line
  [[nodiscard]] std::uint32_t address_of(std::uint32_t first, std::uint32_t unit) const {
    return across_ ? place_.across(first / 8 + unit / kAcrossK, unit % kAcrossK)
                   : place_.along(first + unit / 2, unit % 2);
  }
  void take(const std::byte* from, std::uint32_t unit, Line* lines) const {
    if (!across_) return void(std::memcpy(lines[unit / 2].data() + unit % 2 * kUnitBytes, from, kUnitBytes));
    for (std::uint32_t e = 0; e < 8; ++e)
      std::memcpy(lines[unit / kAcrossK * 8 + e].data() + unit % kAcrossK * 2, from + 2 * e, 2);
  }

  WarpContext& w_;
  const Inst& inst_;
  MatrixPlace place_;
  bool across_;
  std::uint64_t low_ = ~std::uint64_t{0}, high_ = 0;
};

// Element k of a line, as bits; of b1 a word of 32.
std::uint32_t element_of(const Line& line, Element type, int k) {
  const std::size_t bytes = type == Element::B1 ? 4 : static_cast<std::size_t>(bits_of(type)) / 8;
  std::uint32_t bits = 0;
  std::memcpy(&bits, line.data() + static_cast<std::size_t>(k) * bytes, bytes);
  return bits;
}

std::uint32_t sign_of(Element type) { return 1u << (bits_of(type) - 1); }

// Lines of one matrix, as sums want them.
class Lines {
 public:
  Lines(Element type, int k, bool negated)
      : type_(type), k_(type == Element::B1 ? k / 32 : k), flip_(negated ? sign_of(type) : 0) {}
  void decode(const Line* lines, std::uint32_t count) {
    const bool floats = type_ != Element::S8 && type_ != Element::U8 && type_ != Element::B1;
    for (std::uint32_t i = 0; i < count; ++i) {
      factors_[i].special = false;
      for (int k = 0; k < k_; ++k) {
        const std::uint32_t bits = element_of(lines[i], type_, k) ^ flip_;
        if (floats)
          factors_[i].set(k, type_, bits);
        else
          integers_[i][k] =
              type_ == Element::S8 ? static_cast<std::int8_t>(bits) : static_cast<std::int32_t>(bits);
      }
    }
  }
  [[nodiscard]] const FactorLine& factors(std::uint32_t i) const { return factors_[i]; }
  [[nodiscard]] const std::int32_t* integers(std::uint32_t i) const { return integers_[i]; }
  [[nodiscard]] int count() const { return k_; }

 private:
  Element type_;
  int k_;
  std::uint32_t flip_;
  FactorLine factors_[kRowsOfWarp];
  std::int32_t integers_[kRowsOfWarp][kFactorBytes];
};

// A's lines from registers: of each lane words `lane % 4` and that plus 4, of rows lane / 4 and that plus 8.
void lines_of_registers(const WarpContext& w, const RowRef* registers, Line* lines) {
  for (std::size_t r = 0; r < 4; ++r) {
    const std::uint32_t* row = w.row<std::uint32_t>(registers[r]);
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
      std::memcpy(lines[lane / 4 + 8 * (r % 2)].data() + 4 * (lane % 4) + 16 * (r / 2), &row[lane], 4);
  }
}

std::uint32_t sum_of(const WarpgroupProductInfo& p, const Lines& a, std::uint32_t i, const Lines& b,
                     std::uint32_t j, std::uint32_t d) {
  if (p.d != Element::S32)
    return warpgroup_sum(a.factors(i), b.factors(j), a.count(), p.a, d, p.d == Element::F16);
  std::int64_t sum = static_cast<std::int32_t>(d);
  for (int k = 0; k < a.count(); ++k) {
    const std::int32_t x = a.integers(i)[k], y = b.integers(j)[k];
    sum += p.a == Element::B1 ? std::popcount(static_cast<std::uint32_t>(x & y)) : std::int64_t{x} * y;
  }
  if (p.saturates) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
  return static_cast<std::uint32_t>(sum);
}

// Eight columns of D, two neighbours a lane, of rows lane / 4 and that plus 8.
void multiply(const WarpContext& w, const WarpgroupProductInfo& p, const Lines& a, const Lines& b,
              const RowRef* results, bool adds) {
  const bool halves = p.d == Element::F16;
  for (std::uint32_t half = 0; half < 2; ++half) {
    for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane) {
      for (std::uint32_t e = 0; e < 2; ++e) {
        std::uint32_t& at = w.row<std::uint32_t>(results[halves ? half : 2 * half + e])[lane];
        const std::uint32_t shift = halves ? 16 * e : 0, mask = halves ? 0xffffu << shift : ~0u;
        const std::uint32_t before = adds ? (at & mask) >> shift : 0;
        const std::uint32_t sum = sum_of(p, a, lane / 4 + 8 * half, b, 2 * (lane % 4) + e, before);
        at = (at & ~mask) | sum << shift;
      }
    }
  }
}

std::uint32_t rank_in_group(const WarpContext& w) { return w.place->warp % kWarpgroupWarps; }
std::uint64_t object_of(const WarpContext& w) { return kWarpgroups + w.place->warp / kWarpgroupWarps; }

// The lanes of the warp that wait for its warpgroup; the end when none do.
std::vector<Split>::iterator waiting_at_product(Warp& warp) {
  return std::find_if(warp.splits.begin(), warp.splits.end(),
                      [](const Split& s) { return s.state == SplitState::AtProduct; });
}

// From here on shared memory is read, until the warp has waited.
void report_begin_of(WarpContext& w, const Inst& inst, const LineReader& read) {
  if (!w.block->observed()) return;
  w.block->report(EngineEvent{.pc = inst.pc,
                              .lanes = Mask{1},
                              .place = w.place,
                              .by_warpgroup = true,
                              .low = read.low(),
                              .bytes = read.high() - read.low(),
                              .groups = w.block->warp_of(w).product_groups});
}

std::uint64_t descriptor_of(const WarpContext& w, const RowRef& row) { return w.row<std::uint64_t>(row)[0]; }

}  // namespace

void exec_whole_warpgroup(WarpContext& w, const Inst& inst) {
  all_lanes_or_fault(w, inst);
  const std::uint32_t last = w.place->warp / kWarpgroupWarps * kWarpgroupWarps + kWarpgroupWarps - 1;
  if (last < w.block->warps().size()) return;
  w.block->fault(FaultKind::WarpSync, w, inst.pc, 0, 0,
                 msg("{} executes wgmma in a group of fewer than four warps. A warpgroup has 128 threads: "
                     "let their numbers begin at a multiple of 128.",
                     w.block->thread_name(w, 0)));
}

void exec_warpgroup_product(WarpContext& w, const Inst& inst) {
  const ProgramData& program = *w.block->launch().program;
  const WarpgroupProductInfo& p = program.warpgroup_products[inst.extra];
  const auto n = static_cast<std::uint32_t>(p.n);
  Line lines[kRowsOfWarp];
  ProductRead read{inst.pc, w.place, 0, 0};
  if (p.a_in_registers) {
    lines_of_registers(w, program.vectors[p.a_registers].data(), lines);
  } else {
    LineReader from(w, inst, descriptor_of(w, inst.a), p.a_across);
    from.read(kRowsOfWarp * rank_in_group(w), kRowsOfWarp, lines);
    report_begin_of(w, inst, from);
    read.bytes += kRowsOfWarp * kFactorBytes;
  }
  Lines a(p.a, p.k, p.a_negated), b(p.b, p.k, p.b_negated);
  a.decode(lines, kRowsOfWarp);
  std::vector<Line> columns(n);
  LineReader from(w, inst, descriptor_of(w, inst.b), p.b_across);
  from.read(0, n, columns.data());
  report_begin_of(w, inst, from);
  if (rank_in_group(w) == 0) read.bytes += n * kFactorBytes;  // once for the four warps
  read.wavefronts = read.bytes / kWavefrontBytes;
  w.block->notify<&Observer::product>(read);
  const bool adds = (w.predicate(inst.c) & 1u) != 0;
  const RowRef* results = program.vectors[p.results].data();
  const std::uint32_t registers = p.d == Element::F16 ? 2 : 4;  // of eight columns
  for (std::uint32_t j = 0; j < n; j += kColumnsAtOnce) {
    b.decode(columns.data() + j, kColumnsAtOnce);
    multiply(w, p, a, b, results + j / kColumnsAtOnce * registers, adds);
  }
  constexpr std::uint64_t kUnitsPerColumn = 40;
  w.block->charge(w, inst, n * kUnitsPerColumn);
}

void BlockRun::wait_for_warpgroup(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting) {
  warp.context.mask = acting;
  exec_whole_warpgroup(warp.context, inst);
  warp.splits[index].state = SplitState::AtProduct;
  warp.spins = 0;
}

bool BlockRun::complete_products() {
  bool any = false;
  if (program_.warpgroup_products.empty()) return any;
  for (std::size_t first = 0; first + kWarpgroupWarps <= warps_.size(); first += kWarpgroupWarps) {
    const std::span<Warp> group = std::span(warps_).subspan(first, kWarpgroupWarps);
    const auto waits = [](Warp& warp) { return waiting_at_product(warp) != warp.splits.end(); };
    if (!std::all_of(group.begin(), group.end(), waits)) continue;
    multiply(group);
    any = true;
  }
  return any;
}

// A thread that waited for the product knows that all four warps have read.
void BlockRun::multiply(std::span<Warp> group) {
  for (Warp& warp : group) {
    const auto at = waiting_at_product(warp);
    bind(warp, *at);
    warp.context.mask = at->mask;
    exec_warpgroup_product(warp.context, program_.code[at->pc]);
    at->state = SplitState::Ready;
    if (++at->pc == at->meet) join_if_met(warp, static_cast<std::uint32_t>(at - warp.splits.begin()));
  }
  const std::uint64_t object = object_of(group[0].context);
  for (const Warp& warp : group) meet(Meeting::Act::Arrive, object, warp.place.warp, kFullMask);
  meet(Meeting::Act::Turn, object, group[0].place.warp, 0);
}

void exec_commit_products(WarpContext& w, const Inst& inst) {
  exec_whole_warpgroup(w, inst);
  ++w.block->warp_of(w).product_groups;
}

void exec_wait_products(WarpContext& w, const Inst& inst) {
  exec_whole_warpgroup(w, inst);
  if (!w.block->observed()) return;
  const std::uint32_t groups = w.block->warp_of(w).product_groups;
  const std::uint32_t done = groups - std::min(groups, static_cast<std::uint32_t>(inst.immediate));
  w.block->report(EngineEvent{.act = EngineEvent::Act::Waited,
                              .pc = inst.pc,
                              .lanes = w.mask,
                              .place = w.place,
                              .by_warpgroup = true,
                              .groups = done});
  w.block->meet(Meeting::Act::Leave, object_of(w), w.place->warp, w.mask);
}

}  // namespace lab::sim

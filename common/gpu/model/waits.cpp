// Rounds of loads. See waits.h.
#include "common/gpu/model/waits.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "common/sim/program/program_data.h"
#include "common/sim/ptx/modifiers.h"

namespace lab::model {
namespace {

using Key = std::pair<sim::RowFile, std::uint32_t>;

using sim::ptx::Instruction;
using sim::ptx::OpcodeRow;
using sim::ptx::Unit;

bool is_read(const OpcodeRow& row) {
  return row.moves.direction == sim::Direction::Read &&
         (row.moves.unit == Unit::Lanes || row.moves.unit == Unit::Matrix);
}
bool is_write(const OpcodeRow& row) {
  return row.moves.direction == sim::Direction::Write &&
         (row.moves.unit == Unit::Lanes || row.moves.unit == Unit::Matrix);
}

// A value that comes from memory, and takes its time.
bool loads_memory(const sim::ProgramData& program, std::size_t pc) {
  const OpcodeRow& row = program.opcode(pc);
  const sim::Inst& in = program.code[pc];
  return (is_read(row) && in.space != sim::Space::Param && !in.passes_argument) || row.fetches();
}

// Which loads stores before them in their stretch of the text cannot have changed.
void find_passing(const sim::ProgramData& program, std::vector<LoadChain>& chains) {
  std::vector<bool> is_target(program.code.size() + 1, false);
  const auto mark = [&](std::uint32_t pc) {
    is_target[std::min<std::size_t>(pc, program.code.size())] = true;
  };
  for (const sim::Inst& in : program.code)
    if (in.control == sim::Control::Branch) mark(in.target);
  for (const std::vector<std::uint32_t>& table : program.branch_tables)
    for (const std::uint32_t target : table) mark(target);
  struct Stored {
    Key base;
    std::uint64_t written = 0;  // how often the register had been
    std::int64_t begin = 0, end = 0;
    sim::Space space{};
  };
  std::vector<Stored> stored;
  std::map<Key, std::uint64_t> written;
  std::uint32_t stretch = 0;
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const sim::Inst& in = program.code[pc];
    const OpcodeRow& row = program.opcode(pc);
    if (is_target[pc]) ++stretch, stored.clear();
    chains[pc].stretch = stretch;
    const Key base{in.a.file, in.a.offset_bytes};
    const Stored own{base, written[base], in.immediate, in.immediate + in.elem_bytes * in.vector, in.space};
    if (is_read(row))
      chains[pc].passes_stores = std::all_of(stored.begin(), stored.end(), [&](const Stored& one) {
        return own.base == one.base && own.written == one.written && own.space == one.space &&
               (own.end <= one.begin || one.end <= own.begin);
      });
    if (is_write(row) || row.is_atomic()) stored.push_back(own);
    for (const sim::RowRef& made : {in.dst, in.dst2})
      if (sim::is_register(made)) ++written[{made.file, made.offset_bytes}];
    if (is_read(row) && in.extra < program.vectors.size() && in.vector > 1)
      for (const sim::RowRef& made : program.vectors[in.extra]) ++written[{made.file, made.offset_bytes}];
    if (in.control != sim::Control::Plain) ++stretch, stored.clear();
  }
}

}  // namespace

std::vector<LoadChain> load_chains(const sim::ProgramData& program) {
  std::vector<LoadChain> chains(program.code.size());
  find_passing(program, chains);
  std::map<Key, std::uint64_t> made_of;  // register → loads
  const auto of = [&](const sim::RowRef& row) {
    const auto found = made_of.find({row.file, row.offset_bytes});
    return sim::is_set(row) && found != made_of.end() ? found->second : 0;
  };
  const auto set = [&](const sim::RowRef& row, std::uint64_t loads, bool guarded) {
    if (!sim::is_set(row) || row.file == sim::RowFile::Constant) return;
    std::uint64_t& now = made_of[{row.file, row.offset_bytes}];
    now = guarded ? now | loads : loads;
  };
  std::uint32_t count = 0;
  for (std::uint32_t pc = 0; pc < program.code.size(); ++pc) {
    const sim::Inst& in = program.code[pc];
    const OpcodeRow& row = program.opcode(pc);
    const bool loads = loads_memory(program, pc);
    std::uint64_t result = of(in.a) | of(in.b) | of(in.c) | of(in.d);
    const auto list = [&](bool has_one) -> std::span<const sim::RowRef> {
      if (!has_one || in.extra >= program.vectors.size()) return {};
      return program.vectors[in.extra];
    };
    for (const sim::RowRef& source : list(is_write(row))) result |= of(source);
    chains[pc].needs = loads ? of(in.a) : result;
    chains[pc].guard = in.has_guard ? of(in.guard) : 0;
    if (loads) result = chains[pc].own = std::uint64_t{1} << count++ % 64;
    // A register that is put together from parts takes an instruction here for each of them.
    const bool more = in.has_guard || program.continues(pc);
    set(in.dst, result, more);
    set(in.dst2, result, more);
    for (const sim::RowRef& made : list(is_read(row))) set(made, result, more);
  }
  return chains;
}

std::vector<AtomicKind> atomic_kinds(const sim::ProgramData& program) {
  std::set<Key> varying;  // registers that lanes may hold different values in
  const auto varies = [&](const sim::RowRef& row) {
    return sim::is_set(row) &&
           (row.file == sim::RowFile::WarpSpecial || row.file == sim::RowFile::BlockSpecial ||
            varying.contains({row.file, row.offset_bytes}));
  };
  for (std::size_t known = ~std::size_t{0}; known != varying.size();) {
    known = varying.size();
    for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
      const sim::Inst& in = program.code[pc];
      const OpcodeRow& row = program.opcode(pc);
      const bool makes_own =
          loads_memory(program, pc) || row.sees == sim::ptx::Sees::Lanes || row.next == sim::ptx::Next::Call;
      if (!makes_own && !varies(in.a) && !varies(in.b) && !varies(in.c) && !varies(in.d)) continue;
      for (const sim::RowRef& made : {in.dst, in.dst2})
        if (sim::is_set(made) && made.file != sim::RowFile::Constant)
          varying.insert({made.file, made.offset_bytes});
      if (is_read(row) && in.extra < program.vectors.size())
        for (const sim::RowRef& made : program.vectors[in.extra])
          varying.insert({made.file, made.offset_bytes});
    }
  }
  std::vector<AtomicKind> kinds(program.code.size());
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    if (!program.opcode(pc).is_atomic()) continue;
    const Instruction& in = program.text(pc);
    const sim::ptx::Type type = last_type(in);
    kinds[pc].of_floats = has(in, "add") && is_float(type);
    kinds[pc].added_up_first = size_bytes(type) == 4 && !is_float(type) && !has(in, "cas") &&
                               !has(in, "exch") && !varies(program.code[pc].a);
  }
  return kinds;
}

void WarpWaits::Open::load(const LoadChain& chain, bool apart, Reach far) {
  if (loads != 0 && (apart || (chain.needs & loads) != 0)) {
    ++rounds[static_cast<std::size_t>(reach)];
    reach = Reach::Near;
    loads = 0;
  }
  loads |= chain.own == 0 ? 1 : chain.own;
  reach = std::max(reach, far);
}

Rounds WarpWaits::Open::end() const {
  Rounds all = rounds;
  if (loads != 0) ++all[static_cast<std::size_t>(reach)];
  return all;
}

void WarpWaits::load(const LoadChain& chain, std::uint32_t pc, bool global, Reach reach,
                     const LoadPlace& place) {
  constexpr std::uint32_t kTurns = 4;
  const bool next_turn = pc <= last_pc_;
  Behind& stores = global ? global_ : shared_;
  stores.of_others = stores.of_others || next_turn || stores.stretch != chain.stretch;
  const bool passes = chain.passes_stores && !stores.of_others;
  const bool left = place.region != last_.region || (next_turn && !place.is_loop);
  const bool behind = behind_barrier_ || (stores.any && !passes) || (last_.used && left);
  if (next_turn) ++turns_;
  as_text_.load(chain, behind || next_turn, reach);
  // A load of the turn before is another one there: an address that is made of it comes one round later.
  written_out_.load(chain, behind || (next_turn && (!place.written_out || turns_ % kTurns == 0)), reach);
  const Behind kept = stores.any && passes && !behind_barrier_ ? stores : Behind{};
  global_ = shared_ = {};
  behind_barrier_ = false;
  stores = kept;
  last_pc_ = pc;
  last_ = place;
}

void WarpWaits::store(bool global, std::uint32_t stretch) {
  Behind& stores = global ? global_ : shared_;
  stores.of_others = stores.of_others || (stores.any && stores.stretch != stretch);
  stores.any = true;
  stores.stretch = stretch;
}

WarpWaits::Both WarpWaits::end() {
  const Both all{as_text_.end(), written_out_.end()};
  *this = WarpWaits{};
  return all;
}

}  // namespace lab::model

// Where variables are while a kernel is stepped through. See code.h.
//
// A stop is put in front of each statement and says what reads of its variables would read there. The passes
// treat it as such a reader where they rename, and do not see it where they decide: so the instructions are the
// same with and without. At the end each register must have been written on every way to the stop. What the
// passes drop leaves its place behind: a stop computes it from the registers that it would have read, as long as
// they hold the same. A register that is written behind a stop no longer holds what the statement began with.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "common/compile/builtin/code.h"

namespace lab::cucc {
namespace {

using Effects = Instruction::Effect;
// What some registers hold at a place: nothing that is known, what an instruction wrote, or from 0 on the number
// of a dropped instruction that would have written it, whose operands are as they were. One that no way to the
// place writes is not there.
constexpr int kNothing = -2, kWritten = -1;
using Held = std::map<std::string, int>;

// Registers, as far as stops or dropped instructions name them, on all ways to a place.
class Ways {
 public:
  Ways(const std::vector<Instruction>& dropped, std::set<std::string> names)
      : dropped_(dropped), names_(std::move(names)) {
    for (std::size_t n = 0; n < dropped.size(); ++n)
      for (const std::string& r : dropped[n].read()) readers_[r].push_back(static_cast<int>(n));
  }
  // Until nothing changes; then calls `at` with what is held before each instruction.
  template <class At>
  void run(const std::vector<Instruction>& code, const Held& first, const At& at) {
    while (walk(code, first, [](const Instruction&, const Held&) {})) {
    }
    (void)walk(code, first, at);
  }

 private:
  template <class At>
  bool walk(const std::vector<Instruction>& code, Held state, const At& at) {
    bool changed = false, comes_here = true;
    for (const Instruction& i : code) {
      if (i.effect == Effects::Label) {
        if (comes_here) changed |= join(i.op, state);
        comes_here = labels_.contains(i.op);
        if (comes_here) state = labels_.at(i.op);
      }
      if (!comes_here) continue;
      at(i, state);
      pass(i, state);
      if (i.effect != Effects::Jump) continue;
      if (!i.from.empty()) changed |= join(i.from[0], state);
      comes_here = !i.guard.empty();
    }
    return changed;
  }
  void pass(const Instruction& i, Held& state) const {
    if (i.dropped >= 0) {
      const Instruction& dropped = dropped_[static_cast<std::size_t>(i.dropped)];
      for (const std::string& r : dropped.to) forget_readers(r, state);
      const bool holds = is_known(dropped, state);
      for (const std::string& r : dropped.to) {
        state[r] = holds ? i.dropped : kNothing;
        if (dropped.op.empty()) state.erase(r);
      }
    }
    for (const std::string& r : i.written()) {
      if (!names_.contains(r)) continue;
      forget_readers(r, state);
      state[r] = kWritten;
    }
  }
  // It only computes, from registers that hold something and numbers, or loads a parameter of the kernel.
  static bool is_known(const Instruction& dropped, const Held& state) {
    const bool computes = dropped.effect == Effects::Pure || dropped.effect == Effects::Assign;
    if (dropped.op.starts_with("ld.param.")) return dropped.to.size() == 1;
    if (!computes || dropped.to.size() != 1 || !dropped.guard.empty() || dropped.from.empty()) return false;
    for (const std::string& operand : dropped.from) {
      const bool is_number = std::isdigit(static_cast<unsigned char>(operand[0])) != 0 || operand[0] == '-';
      const auto held = state.find(operand);
      if (!is_number && (held == state.end() || held->second == kNothing || operand == dropped.to[0]))
        return false;
    }
    return true;
  }
  void forget_readers(const std::string& reg, Held& state) const {
    const auto readers = readers_.find(reg);
    if (readers == readers_.end()) return;
    for (const int n : readers->second) {
      const std::string& made = dropped_[static_cast<std::size_t>(n)].to[0];
      if (const auto held = state.find(made); held != state.end() && held->second == n) {
        held->second = kNothing;
        forget_readers(made, state);
      }
    }
  }
  bool join(const std::string& label, const Held& state) {
    const auto [all, is_new] = labels_.try_emplace(label, state);
    if (is_new) return true;
    bool changed = false;
    for (const auto& [reg, held] : state) changed |= all->second.try_emplace(reg, kNothing).second;
    for (auto& [reg, held] : all->second) {
      const auto other = state.find(reg);
      if (held == kNothing || (other != state.end() && other->second == held)) continue;
      held = kNothing, changed = true;
      forget_readers(reg, all->second);
    }
    return changed;
  }

  const std::vector<Instruction>& dropped_;
  std::set<std::string> names_;
  std::map<std::string, std::vector<int>> readers_;
  std::map<std::string, Held> labels_;
};

constexpr std::size_t kMostRecomputed = 400;      // letters
constexpr const char* kLocalSymbol = "__local_";  // walk_variables.cpp

bool names(const std::string& where, const std::string& reg) {
  if (where.find(reg) == std::string::npos) return false;
  const Registers named = registers_in(where);
  return std::find(named.begin(), named.end(), reg) != named.end();
}

bool may_store_local(const Instruction& i) {
  return i.is_assembly() || (i.is_store() && i.op.find(".global") == std::string::npos &&
                             i.op.find(".shared") == std::string::npos);
}

bool is_register(const std::string& where) { return where.starts_with("%"); }

}  // namespace

void Code::add_stop(Stop stop) {
  if (is_dead_) return;
  instructions_.push_back({Effects::Stop, "", {}, {}, "", -1});
  instructions_.back().stop = static_cast<int>(stops_.size());
  stops_.push_back(std::move(stop));
}

void Code::note_dropped_in(std::vector<Instruction>& code, Instruction i) {
  if (stops_.empty()) return;
  code.push_back({Effects::Stop, "", {}, {}, "", -1});
  code.back().dropped = static_cast<int>(dropped_.size());
  dropped_.push_back(std::move(i));
}

void Code::note_unwritten(std::vector<std::string> registers) {
  if (!is_dead_) note_dropped_in(instructions_, {Effects::Stop, "", std::move(registers), {}, "", -1});
}

// Stops in the branches of an `if` that became a selection are dropped: neither branch is executed alone.
void Code::forget_stops_since(const Mark& mark) {
  for (std::size_t n = mark.size; n < instructions_.size(); ++n) instructions_[n].stop = -1;
}

bool Code::is_nothing_since(std::size_t size) const {
  return std::all_of(instructions_.begin() + static_cast<std::ptrdiff_t>(size), instructions_.end(),
                     [](const Instruction& i) { return i.effect == Effects::Stop; });
}

void Code::rename_stop(const Instruction& i, const Names& names) {
  if (i.stop < 0 || names.empty()) return;
  for (Stop::Part& part : stops_[static_cast<std::size_t>(i.stop)].parts)
    if (const auto other = names.find(part.where);
        other != names.end() && letters_of(other->second) == letters_of(part.where))
      part.where = other->second;
}

// Stops from there on stand behind an instruction that now writes elsewhere: what was in those registers is
// gone.
void Code::retarget_stops(std::size_t from, const Registers& values, const Registers& registers) {
  for (std::size_t n = from; n < instructions_.size(); ++n) {
    if (instructions_[n].stop < 0) continue;
    for (Stop::Part& part : stops_[static_cast<std::size_t>(instructions_[n].stop)].parts) {
      const auto value = std::find(values.begin(), values.end(), part.where);
      if (value != values.end())
        part.where = registers[static_cast<std::size_t>(value - values.begin())];
      else if (std::find(registers.begin(), registers.end(), part.where) != registers.end())
        part.where.clear();
    }
  }
}

// The instructions that make what a register would hold, before it: "%r3 = …"; empty where they are too many.
std::string Code::recomputed(const std::string& reg, const std::map<std::string, int>& held) const {
  std::string text;
  std::set<std::string> made;
  const auto add = [&](const auto& self, const std::string& r) -> void {
    const auto found = held.find(r);
    if (found == held.end() || found->second < 0 || text.size() > kMostRecomputed || !made.insert(r).second)
      return;
    const Instruction& i = dropped_[static_cast<std::size_t>(found->second)];
    for (const std::string& operand : i.from) self(self, operand);
    std::string line = text_of(i);
    std::replace(line.begin(), line.end(), '\t', ' ');
    text += line.substr(0, line.size() - 1);
  };
  add(add, reg);
  return text.size() > kMostRecomputed ? "" : reg + " =" + text;
}

void Code::prove_stops() {
  std::set<std::string> names;
  for (const Instruction& i : instructions_)
    if (i.stop >= 0)
      for (const Stop::Part& part : stops_[static_cast<std::size_t>(i.stop)].parts)
        if (is_register(part.where)) names.insert(part.where);
  for (const Instruction& i : dropped_)
    for (std::string& r : i.read()) names.insert(std::move(r));
  if (names.empty()) return;
  Held first;
  for (const auto& [special, reg] : at_entry) first[reg] = kWritten;
  for (const std::string& reg : unread_specials_) first[reg] = kNothing;
  Ways(dropped_, std::move(names)).run(instructions_, first, [&](const Instruction& i, const Held& held) {
    if (i.stop < 0) return;
    for (Stop::Part& part : stops_[static_cast<std::size_t>(i.stop)].parts) {
      if (!is_register(part.where)) continue;
      const auto found = held.find(part.where);
      if (found == held.end())
        part.where = "?";
      else if (found->second == kNothing)
        part.where.clear();
      else if (found->second != kWritten)
        part.where = recomputed(part.where, held);
    }
  });
}

// The same without what lies at places that are gone.
template <class IsGone>
int Code::stop_without(int stop, const IsGone& is_gone) {
  const Stop& before = stops_[static_cast<std::size_t>(stop)];
  const auto gone = [&](const Stop::Part& part) { return is_gone(part.where); };
  if (std::none_of(before.parts.begin(), before.parts.end(), gone)) return stop;
  Stop after = before;
  for (Stop::Part& part : after.parts)
    if (gone(part)) part.where.clear();
  stops_.push_back(std::move(after));
  first_of_.push_back(first_of_[static_cast<std::size_t>(stop)]);
  return static_cast<int>(stops_.size()) - 1;
}

// An instruction belongs to the last stop of its line and call, as long as no other way leads in between.
void Code::find_stops(const Places& places) {
  first_of_.resize(stops_.size());
  for (std::size_t k = 0; k < first_of_.size(); ++k) first_of_[k] = static_cast<int>(k);
  std::map<std::pair<int, int>, int> last;  // by line and call
  for (const Instruction& i : instructions_) {
    if (i.effect == Effects::Label) last.clear();
    if (i.stop >= 0) {
      const Stop& stop = stops_[static_cast<std::size_t>(i.stop)];
      last[{stop.at.line, stop.call}] = i.stop;
    }
    if (i.effect == Effects::Label || i.effect == Effects::Stop) continue;
    int holds = -1;
    if (i.place >= 0) {
      const Places::Place& place = places.at(i.place);
      const auto found = last.find({place.at.line, place.call});
      if (found != last.end() && stops_[static_cast<std::size_t>(found->second)].at.file == place.at.file)
        holds = found->second;
    }
    stop_of_.push_back(holds);
    const Registers written = i.written();
    for (auto& [where, stop] : last)
      stop = stop_without(stop, [&](const std::string& place) {
        if (place.starts_with(kLocalSymbol)) return may_store_local(i);
        return std::any_of(written.begin(), written.end(), [&](const auto& r) { return names(place, r); });
      });
  }
}

std::string Code::stops_text(int lines_before) const {
  std::string text;
  std::vector<int> numbers(stops_.size(), -1);
  int count = 0, current = -1;
  for (std::size_t n = 0; n < stop_of_.size(); ++n) {
    const int holds = stop_of_[n];
    if (holds == current) continue;
    current = holds;
    if (holds >= 0 && numbers[static_cast<std::size_t>(holds)] < 0) {
      const Stop& stop = stops_[static_cast<std::size_t>(holds)];
      numbers[static_cast<std::size_t>(holds)] = count++;
      text += "//@stop " + std::to_string(first_of_[static_cast<std::size_t>(holds)]) + " " +
              std::to_string(stop.at.line);
      for (const Stop::Part& part : stop.parts)
        text += "\t" + part.name + "\t" + part.type + "\t" + part.where;
      text += "\n";
    }
    text += "//@at " + std::to_string(lines_before + line_of_[n]) + " " +
            std::to_string(holds < 0 ? -1 : numbers[static_cast<std::size_t>(holds)]) + "\n";
  }
  return text;
}

}  // namespace lab::cucc

// Where variables are while a kernel is stepped through. See code.h.
//
// A stop is put in front of each statement and says what reads of its variables would read there. The passes
// treat it as such a reader where they rename, and do not see it where they decide: so the instructions are the
// same with and without. What they drop is not computed here, and at the end each register must have been
// written on every way to the stop. A register that is written behind it no longer holds what the statement
// began with.
#include <algorithm>
#include <cstdint>
#include <map>

#include "common/compile/builtin/code.h"

namespace lab::cucc {
namespace {

using Effects = Instruction::Effect;
using Bits = std::vector<bool>;

void keep_common(Bits& a, const Bits& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = a[k] && b[k];
}

// Which of some registers are written on all ways to a place.
class Written {
 public:
  explicit Written(std::map<std::string, std::size_t> numbers) : numbers_(std::move(numbers)) {}
  [[nodiscard]] bool has(const Bits& state, const std::string& reg) const { return state[numbers_.at(reg)]; }
  void add(Bits& state, const std::string& reg) const {
    if (const auto found = numbers_.find(reg); found != numbers_.end()) state[found->second] = true;
  }
  // Calls `at` with what is written before each instruction; until nothing changes.
  template <class At>
  void run(const std::vector<Instruction>& code, const Bits& first, const At& at) {
    for (bool changed = true; std::exchange(changed, false);) {
      Bits state = first;
      bool comes_here = true;
      for (const Instruction& i : code) {
        if (i.effect == Effects::Label) {
          Bits& all = labels_.try_emplace(i.op, numbers_.size(), true).first->second;
          if (comes_here) keep_common(all, state);
          state = all, comes_here = true;
        }
        if (comes_here) at(i, state);
        for (const std::string& r : i.written()) add(state, r);
        if (i.effect != Effects::Jump) continue;
        if (!i.from.empty()) {
          Bits& all = labels_.try_emplace(i.from[0], numbers_.size(), true).first->second;
          const Bits before = all;
          if (comes_here) keep_common(all, state);
          changed |= all != before;
        }
        comes_here = comes_here && !i.guard.empty();
      }
    }
  }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::map<std::string, Bits> labels_;
};

bool is_register(const std::string& where) { return where.starts_with("%"); }

}  // namespace

void Code::add_stop(Stop stop) {
  if (is_dead_) return;
  instructions_.push_back({Effects::Stop, "", {}, {}, "", -1});
  instructions_.back().stop = static_cast<int>(stops_.size());
  stops_.push_back(std::move(stop));
}

// What was in both ways of a selection is come by in neither.
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

void Code::prove_stops() {
  std::map<std::string, std::size_t> numbers;
  for (const Instruction& i : instructions_)
    if (i.stop >= 0)
      for (const Stop::Part& part : stops_[static_cast<std::size_t>(i.stop)].parts)
        if (is_register(part.where)) numbers.try_emplace(part.where, numbers.size());
  if (numbers.empty()) return;
  Bits first(numbers.size());
  Written written(numbers);
  for (const auto& [special, reg] : at_entry) written.add(first, reg);
  written.run(instructions_, first, [&](const Instruction& i, const Bits& state) {
    if (i.stop < 0) return;
    for (Stop::Part& part : stops_[static_cast<std::size_t>(i.stop)].parts)
      if (is_register(part.where) && !written.has(state, part.where)) part.where.clear();
  });
}

// The same without what is in this register.
int Code::stop_without(int stop, const std::string& reg) {
  const auto is_there = [&](const Stop::Part& part) { return part.where == reg; };
  const Stop& before = stops_[static_cast<std::size_t>(stop)];
  if (std::none_of(before.parts.begin(), before.parts.end(), is_there)) return stop;
  Stop after = before;
  for (Stop::Part& part : after.parts)
    if (is_there(part)) part.where.clear();
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
    for (const std::string& r : i.written())
      for (auto& [where, stop] : last) stop = stop_without(stop, r);
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

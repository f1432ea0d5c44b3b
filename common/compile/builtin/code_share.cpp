// The same computation is made once, and what a thread has stored or loaded is not loaded again: what NVRTC's
// optimiser does across the blocks of a kernel, and what checks of the course count. See code.h.
#include <algorithm>
#include <map>
#include <optional>

#include "common/compile/builtin/code.h"

namespace lab::cucc {
namespace {

using Effects = Instruction::Effect;

// What a load or a store touches: of one base register some bytes.
struct Access {
  std::string space, base;  // ".shared"; "" is any
  std::int64_t first = 0, bytes = 0;
};

// None of what may touch everything, as barriers and inline assembly do.
std::optional<Access> access_of(const Instruction& i) {
  const bool stores = i.is_store();
  if (!stores && !i.is_load()) return {};
  Access a;
  for (const char* space : {".global", ".shared", ".local", ".param", ".const"})
    if (i.op.find(space) != std::string::npos) a.space = space;
  const std::string& place = i.from[0];
  const std::size_t plus = std::min(place.find('+'), place.size() - 1);
  a.base = place.substr(1, plus - 1);
  if (plus < place.size() - 1) a.first = std::stoll(place.substr(plus + 1));
  const std::string bits = i.op.substr(i.op.find_last_not_of("0123456789") + 1);
  const auto parts = static_cast<std::int64_t>(stores ? i.from.size() - 1 : i.to.size());
  a.bytes = parts * std::stoll(bits) / 8;
  return a;
}

bool may_meet(const Access& a, const Access& b, bool any_is_shared) {
  const auto is_any = [&](const Access& x, const Access& y) {
    return x.space.empty() && (any_is_shared || y.space != ".shared");
  };
  if (a.space != b.space && !is_any(a, b) && !is_any(b, a)) return false;
  return a.base != b.base || (a.first < b.first + b.bytes && b.first < a.first + a.bytes);
}

// What holds at each place, in the order in which it was computed: registers by what they were made of. At a
// label only that is left which was computed before every jump to it, and nothing of memory where a loop
// begins.
class Known {
 public:
  // Whether pointers to anywhere may point to shared memory.
  explicit Known(bool any_is_shared) : any_is_shared_(any_is_shared) {}
  const Registers* find(const std::string& key) const {
    const auto found = made_.find(key);
    return found == made_.end() ? nullptr : &found->second.registers;
  }
  void add(const std::string& key, Registers registers, const std::optional<Access>& of) {
    made_[key] = {std::move(registers), of};
    order_.push_back(key);
  }
  void jump(const std::string& label) { before_.emplace(label, order_.size()); }
  void label(const std::string& name) {
    const auto found = before_.find(name);
    if (found == before_.end()) return;
    const std::size_t most = found->second;
    for (; order_.size() > most; order_.pop_back()) made_.erase(order_.back());
    before_.erase(found);
    for (auto& [other, count] : before_) count = std::min(count, most);
  }
  // What is known of memory where `i` may write.
  void forget_written(const Instruction& i) {
    if (i.effect != Effects::Lasting || i.is_load()) return;
    const std::optional<Access> to = access_of(i);
    std::erase_if(made_, [&](const auto& entry) {
      return entry.second.of && (!to || may_meet(*entry.second.of, *to, any_is_shared_));
    });
  }

 private:
  struct Made {
    Registers registers;
    std::optional<Access> of;  // of a load
  };
  bool any_is_shared_;
  std::map<std::string, Made> made_;
  std::vector<std::string> order_;
  std::map<std::string, std::size_t> before_;  // of labels that come: how much holds at all jumps to them
};

// base + a + b is base + (a + b), and what lies at base + a is [base+a].
class Sums {
 public:
  // Rewrites `i`; what it makes is a sum from here on if it is one of a steady register.
  void take(Instruction& i, bool is_steady) {
    for (std::string& f : i.from) address(f);
    const bool subtracts = i.op.starts_with("sub.");
    if (i.effect != Effects::Pure || i.from.size() != 2 || !(subtracts || i.op.starts_with("add."))) return;
    if (i.op[4] == 'f') return;
    if (!subtracts && is_short_number(i.from[0])) std::swap(i.from[0], i.from[1]);
    if (i.from[0][0] != '%' || !is_short_number(i.from[1])) return;
    Sum sum{i.from[0], (subtracts ? -1 : 1) * std::stoll(i.from[1])};
    if (const auto inner = sums_.find(sum.base); inner != sums_.end())
      sum = {inner->second.base, inner->second.more + sum.more};
    if (std::abs(sum.more) >= kFar) return;
    i.op = "add." + i.op.substr(4);
    i.from = {sum.base, std::to_string(sum.more)};
    if (is_steady) sums_[i.to[0]] = sum;
  }

 private:
  static constexpr std::int64_t kFar = 1 << 24;
  struct Sum {
    std::string base;
    std::int64_t more;
  };
  void address(std::string& f) const {
    if (f[0] != '[') return;
    const std::size_t plus = std::min(f.find('+'), f.size() - 1);
    const auto sum = sums_.find(f.substr(1, plus - 1));
    if (sum == sums_.end()) return;
    const std::string offset = f.substr(plus + 1, f.size() - plus - 1);
    const std::int64_t more = sum->second.more + (offset.empty() ? 0 : std::stoll(offset));
    f = "[" + sum->second.base + (more == 0 ? "" : "+" + std::to_string(more)) + "]";
  }
  std::map<std::string, Sum> sums_;
};

// What is the same for the same instruction: its text, and the kinds of registers that it writes.
std::string key_of(const std::string& op, const std::vector<std::string>& from,
                   const std::vector<std::string>& to) {
  std::string key = op;
  for (const std::string& f : from) key += " " + f;
  for (const std::string& r : to) key += " " + letters_of(r);
  return key;
}

// One walk through a kernel. A register is steady from where it is written on, if one instruction writes it.
class Sharing {
 public:
  Sharing(const std::vector<Instruction>& code, std::set<std::string> steady)
      : steady_(std::move(steady)), known_(may_point_to_shared(code)) {
    std::set<std::string> labels;
    for (const Instruction& i : code) {
      for (const std::string& r : i.written()) writers_[r] += i.is_assembly() ? 2 : 1;
      if (i.effect == Effects::Label) labels.insert(i.op);
      if (i.effect == Effects::Jump && !i.from.empty() && labels.contains(i.from[0])) ends_[i.from[0]] = &i;
    }
  }
  // Puts the next instruction into `out`, or what stands for it.
  void take(const Instruction& next, Code& code) {
    Instruction i = next;
    rename_read(i, same_);
    code.rename_stop(i, same_);
    if (i.effect == Effects::Jump && !i.from.empty()) known_.jump(i.from[0]);
    if (i.effect == Effects::Label) begin(next);
    const bool reads_steady =
        std::all_of(i.from.begin(), i.from.end(), [&](const auto& f) { return is_steady(f); });
    sums_.take(i, is_single(i) && reads_steady);
    for (const std::string& r : i.to)
      if (writers_[r] == 1) steady_.insert(r);
    const bool is_load = i.effect == Effects::Load && is_steady(i.from[0]);
    if (is_load || (i.effect == Effects::Pure && is_single(i) && reads_steady)) return share(i, code);
    out.push_back(i);
    known_.forget_written(i);
    if (i.is_store() && is_steady(i.from[0])) remember_stored(i, code);
  }
  std::vector<Instruction> out;

 private:
  static bool may_point_to_shared(const std::vector<Instruction>& code) {
    return std::any_of(code.begin(), code.end(),
                       [](const Instruction& i) { return i.op.find("cvta.shared") != std::string::npos; });
  }
  bool is_steady(const std::string& text) const {
    const Registers registers = registers_in(text);
    return std::all_of(registers.begin(), registers.end(),
                       [&](const auto& r) { return steady_.contains(r); });
  }
  bool is_single(const Instruction& i) {
    return !i.to.empty() && i.guard.empty() &&
           std::all_of(i.to.begin(), i.to.end(), [&](const std::string& r) { return writers_[r] == 1; });
  }
  // What a loop stores is not known where its turns begin.
  void begin(const Instruction& label) {
    known_.label(label.op);
    if (const auto loop = ends_.find(label.op); loop != ends_.end())
      for (const Instruction* inside = &label; inside != loop->second; ++inside)
        known_.forget_written(*inside);
  }
  void share(Instruction& i, Code& code) {
    const std::string key = key_of(i.op, i.from, i.to);
    const std::vector<std::string>* before = known_.find(key);
    if (before == nullptr) {
      out.push_back(i);
      return known_.add(key, kept(i.to, code), access_of(i));
    }
    if (is_single(i)) code.note_dropped_in(out, i);
    for (std::size_t r = 0; r < i.to.size(); ++r)
      if (is_single(i))
        same_[i.to[r]] = (*before)[r];
      else
        out.push_back({Effects::Assign, move_to(i.to[r]), {i.to[r]}, {(*before)[r]}, "", i.place});
  }
  void remember_stored(const Instruction& i, Code& code) {
    const std::optional<Access> access = access_of(i);
    const std::vector<std::string> values(i.from.begin() + 1, i.from.end());
    const bool is_whole = access->bytes / static_cast<std::int64_t>(values.size()) >= 4;
    if (!is_whole || i.op.find(".volatile") != std::string::npos) return;
    known_.add(key_of("ld" + i.op.substr(2), {i.from[0]}, values), kept(values, code), access);
  }
  // The registers themselves, or copies of what is in them now.
  std::vector<std::string> kept(std::vector<std::string> registers, Code& code) {
    for (std::string& r : registers) {
      if (steady_.contains(r)) continue;
      const std::string copy = code.new_register(letters_of(r));
      out.push_back({Effects::Pure, move_to(r), {copy}, {r}, "", out.back().place});
      r = *steady_.insert(copy).first;
    }
    return registers;
  }

  std::map<std::string, int> writers_;
  std::map<std::string, const Instruction*> ends_;  // of loops, by their labels: the last jump back
  std::set<std::string> steady_;
  Known known_;
  Sums sums_;
  Names same_;
};

}  // namespace

// Wherever a computation came before, it holds.
void Code::share_computations() {
  std::set<std::string> steady;
  for (const auto& [special, reg] : at_entry) steady.insert(reg);
  Sharing sharing(instructions_, std::move(steady));
  for (const Instruction& i : instructions_) sharing.take(i, *this);
  instructions_ = std::move(sharing.out);
}

}  // namespace lab::cucc

// The same computation is made once, and a comparison with the choice behind it is a minimum: what NVRTC's
// optimiser does across the blocks of a kernel, and what checks of the course count. See code.h.
#include <algorithm>
#include <cctype>
#include <map>

#include "common/cucc/code.h"

namespace lab::cucc {
namespace {

using Effects = Instruction::Effect;
using Names = std::map<std::string, std::string>;

void rename(std::string& text, const Names& names) {
  for (std::size_t i = text.find('%'); i != std::string::npos; i = text.find('%', i + 1)) {
    std::size_t end = i + 1;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (const auto other = names.find(text.substr(i, end - i)); other != names.end())
      text.replace(i, end - i, other->second);
  }
}

// What holds at each place, in the order in which it was computed. At a label only that is left which was
// computed before every jump to it.
class Known {
 public:
  const std::string* find(const std::string& key) const {
    const auto found = made_.find(key);
    return found == made_.end() ? nullptr : &found->second;
  }
  void add(const std::string& key, const std::string& reg) {
    made_[key] = reg;
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

 private:
  Names made_;
  std::vector<std::string> order_;
  std::map<std::string, std::size_t> before_;  // of labels that come: how much holds at all jumps to them
};

bool is_number(const std::string& text) {
  return text.size() < 10 &&
         text.find_first_not_of("0123456789", text[0] == '-' ? 1 : 0) == std::string::npos &&
         text.size() > (text[0] == '-' ? 1u : 0u);
}

// base + a + b is base + (a + b), and what lies at base + a is [base+a].
class Sums {
 public:
  // Rewrites `i`; what it makes is a sum from here on if it is one of a steady register.
  void take(Instruction& i, bool is_steady) {
    for (std::string& f : i.from) address(f);
    const bool subtracts = i.op.starts_with("sub.");
    if (i.effect != Effects::Pure || i.from.size() != 2 || !(subtracts || i.op.starts_with("add."))) return;
    if (i.op[4] == 'f') return;
    if (!subtracts && is_number(i.from[0])) std::swap(i.from[0], i.from[1]);
    if (i.from[0][0] != '%' || !is_number(i.from[1])) return;
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

}  // namespace

// Of registers that one instruction writes, which stands before: wherever that computation came before, it
// holds.
void Code::share_computations() {
  std::map<std::string, int> writers;
  for (const Instruction& i : instructions_) {
    for (const std::string& r : i.to) ++writers[r];
    if (i.effect == Effects::Lasting && i.from.empty())  // inline assembly
      for (const std::string& r : registers_in(i.op)) writers[r] += 2;
  }
  std::set<std::string> steady;
  for (const auto& [special, reg] : at_entry) steady.insert(reg);
  const auto is_steady = [&](const std::string& text) {
    const std::vector<std::string> registers = registers_in(text);
    return std::all_of(registers.begin(), registers.end(), [&](const auto& r) { return steady.contains(r); });
  };
  Known known;
  Sums sums;
  Names same;
  std::size_t kept = 0;
  for (Instruction& i : instructions_) {
    rename(i.guard, same);
    for (std::string& f : i.from) rename(f, same);
    if (i.from.empty() && i.effect != Effects::Label) rename(i.op, same);
    if (i.effect == Effects::Jump && !i.from.empty()) known.jump(i.from[0]);
    if (i.effect == Effects::Label) known.label(i.op);
    const bool is_one = i.to.size() == 1 && i.guard.empty() && writers[i.to[0]] == 1;
    sums.take(i, is_one && std::all_of(i.from.begin(), i.from.end(), is_steady));
    std::string key = i.op;
    bool shares = i.effect == Effects::Pure && is_one;
    for (const std::string& f : i.from) shares = shares && is_steady(f), key += " " + f;
    for (const std::string& r : i.to)
      if (writers[r] == 1) steady.insert(r);
    if (shares) {
      key += " " + i.to[0].substr(0, i.to[0].find_first_of("0123456789"));
      if (const std::string* before = known.find(key)) {
        same[i.to[0]] = *before;
        continue;
      }
      known.add(key, i.to[0]);
    }
    if (&instructions_[kept] != &i) instructions_[kept] = std::move(i);
    ++kept;
  }
  instructions_.resize(kept);
}

// a < b ? a : b is a minimum, a < 0 ? -a : a an absolute value. Integers alone: of floats NaN and -0 differ.
void Code::make_minima() {
  std::map<std::string, const Instruction*> compared, negated;
  const auto changed = [&](const std::string& reg) {
    for (auto* known : {&compared, &negated})
      std::erase_if(*known, [&](const auto& entry) {
        const std::vector<std::string>& from = entry.second->from;
        return entry.first == reg || std::find(from.begin(), from.end(), reg) != from.end();
      });
  };
  for (Instruction& i : instructions_) {
    if (i.effect == Effects::Label) compared.clear(), negated.clear();
    const auto by = i.op.starts_with("selp.b") ? compared.find(i.from[2]) : compared.end();
    if (by != compared.end()) {
      const Instruction& c = *by->second;
      const std::string type = c.op.substr(8), &a = c.from[0], &b = c.from[1];
      const bool is_less = c.op[5] == 'l';
      const auto minus = negated.find(i.from[0]);
      if (i.op.substr(6) == type.substr(1) && i.from[0] == a && i.from[1] == b)
        i.op = (is_less ? "min." : "max.") + type, i.from = {a, b};
      else if (i.op.substr(6) == type.substr(1) && i.from[0] == b && i.from[1] == a)
        i.op = (is_less ? "max." : "min.") + type, i.from = {a, b};
      else if (c.op == "setp.lt." + type && type[0] == 's' && b == "0" && i.from[1] == a &&
               minus != negated.end() && minus->second->from[0] == a)
        i.op = "abs." + type, i.from = {a};
    }
    for (const std::string& r : i.to) changed(r);
    if (i.effect == Effects::Lasting && i.from.empty())
      for (const std::string& r : registers_in(i.op)) changed(r);
    const bool is_order = i.op.starts_with("setp.l") || i.op.starts_with("setp.g");
    if (is_order && i.op[8] != 'f' && i.guard.empty()) compared[i.to[0]] = &i;
    if (i.op.starts_with("neg.s")) negated[i.to[0]] = &i;
  }
}

// A jump to what follows anyway.
void Code::drop_short_jumps() {
  std::set<std::string> next;
  for (std::size_t n = instructions_.size(); n-- > 0;) {
    Instruction& i = instructions_[n];
    if (i.effect == Effects::Label)
      next.insert(i.op);
    else if (i.effect == Effects::Jump && !i.from.empty() && next.contains(i.from[0]))
      i.effect = Effects::Pure, i.to.clear();
    else
      next.clear();
  }
  std::erase_if(instructions_,
                [](const Instruction& i) { return i.effect == Effects::Pure && i.op == "bra"; });
}

}  // namespace lab::cucc

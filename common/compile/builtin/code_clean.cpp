// What an optimiser would not have written: taken out of a kernel's instructions before they become text. See
// code.h.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "common/compile/builtin/code.h"

namespace lab::cucc {
namespace {

using Effects = Instruction::Effect;

// What is known of registers in a stretch of code without labels, as long as nothing changes what it is known
// by.
template <class Fact>
class KnownHere {
 public:
  const Fact* find(const std::string& reg) const {
    const auto found = facts_.find(reg);
    return found == facts_.end() ? nullptr : &found->second.first;
  }
  void add(const std::string& reg, Fact fact, std::vector<std::string> by) {
    facts_.insert_or_assign(reg, std::pair(std::move(fact), std::move(by)));
  }
  // Behind `i`.
  void pass(const Instruction& i) {
    if (i.effect == Effects::Label) facts_.clear();
    for (const std::string& r : i.written())
      std::erase_if(facts_, [&](const auto& entry) {
        const std::vector<std::string>& by = entry.second.second;
        return entry.first == r || std::find(by.begin(), by.end(), r) != by.end();
      });
  }

 private:
  std::map<std::string, std::pair<Fact, std::vector<std::string>>> facts_;
};

}  // namespace

void Code::hoist(std::size_t begin) {
  std::set<std::string> written;
  for (std::size_t n = begin; n < instructions_.size(); ++n) {
    const Instruction& i = instructions_[n];
    for (std::string& r : i.written()) written.insert(std::move(r));
  }
  std::vector<Instruction> before, inside;
  for (std::size_t n = begin; n < instructions_.size(); ++n) {
    Instruction& i = instructions_[n];
    const bool is_alike = i.effect == Effects::Pure && none_in(i.read(), written);
    if (is_alike)
      for (const std::string& r : i.to) written.erase(r);
    (is_alike ? before : inside).push_back(std::move(i));
  }
  instructions_.resize(begin);
  for (std::vector<Instruction>* part : {&before, &inside})
    for (Instruction& i : *part) instructions_.push_back(std::move(i));
}

// Until the next label, what reads a copy reads the original; a copy back through another kind of register is
// none.
void Code::follow_copies() {
  KnownHere<std::string> originals;
  for (Instruction& i : instructions_) {
    const bool is_move = i.op.starts_with("mov.") && i.to.size() == 1 && i.from.size() == 1 &&
                         i.from[0][0] == '%' && i.guard.empty();
    for (std::string& f : i.from)
      for (const std::string& r : registers_in(f)) {
        const std::string* original = originals.find(r);
        const bool fits = original != nullptr && (letters_of(*original) == letters_of(r) ||
                                                  (is_move && letters_of(*original) == letters_of(i.to[0])));
        if (!fits) continue;
        f.replace(f.find(r), r.size(), *original);
        if (is_move && letters_of(i.to[0]) != letters_of(r) && letters_of(i.to[0]) == letters_of(*original))
          i.op = move_to(i.to[0]);
      }
    if (i.stop >= 0) {
      Names names;
      for (const Stop::Part& part : stops_[static_cast<std::size_t>(i.stop)].parts)
        if (const std::string* original = originals.find(part.where);
            original != nullptr && letters_of(*original) == letters_of(part.where))
          names[part.where] = *original;
      rename_stop(i, names);
    }
    originals.pass(i);
    if (is_move && i.from[0] != i.to[0] && registers_in(i.from[0]).size() == 1)
      originals.add(i.to[0], i.from[0], {i.from[0]});
  }
}

// Bytes that are cut out of one register and put into another move by one permutation, and x >> k << k is a
// mask: until the next label, and as long as nothing writes to what was read.
void Code::join_bits() {
  struct Shifted {
    std::string from;
    int bits = 0;
    bool is_byte = false, is_long = false;
  };
  KnownHere<Shifted> known;
  const auto number = [](const std::string& text) { return std::atoi(text.c_str()); };
  for (Instruction& i : instructions_) {
    const Shifted* shifted = i.from.empty() ? nullptr : known.find(i.from[0]);
    if (shifted != nullptr && i.op == "bfi.b32" && i.from[3] == "8" && !shifted->is_long &&
        shifted->bits % 8 == 0) {
      const int from = shifted->bits / 8, place = number(i.from[2]) / 2;
      const int selector = (0x3210 & ~(0xf << place)) | (4 + from) << place;
      i.op = "prmt.b32";
      i.from = {i.from[1], shifted->from, std::to_string(selector)};
    } else if (shifted != nullptr && i.op == "shl.b64" && shifted->is_long && !shifted->is_byte &&
               i.from[1] == std::to_string(shifted->bits)) {
      i.op = "and.b64";
      i.from = {shifted->from, std::to_string(-(std::int64_t{1} << shifted->bits))};
    }
    Shifted made;
    const bool is_long = i.op == "shr.u64";
    if (i.op == "cvt.u32.u8")
      made = shifted != nullptr && !shifted->is_long ? *shifted : Shifted{i.from[0], 0}, made.is_byte = true;
    else if ((i.op == "shr.u32" || is_long) && i.from[0][0] == '%' && is_short_number(i.from[1]))
      made = {i.from[0], number(i.from[1]), false, is_long};
    known.pass(i);
    const bool holds =
        !made.from.empty() && i.guard.empty() && made.from != i.to[0] && made.bits < (is_long ? 62 : 32);
    if (holds) known.add(i.to[0], made, {made.from});
  }
}

// a < b ? a : b is a minimum, a < 0 ? -a : a an absolute value. Integers alone: of floats NaN and -0 differ.
void Code::make_minima() {
  KnownHere<Instruction> compared, negated;
  for (Instruction& i : instructions_) {
    const Instruction* c = i.op.starts_with("selp.b") ? compared.find(i.from[2]) : nullptr;
    if (c != nullptr) {
      const std::string type = c->op.substr(8), &a = c->from[0], &b = c->from[1];
      const bool is_less = c->op[5] == 'l', is_same = i.op.substr(6) == type.substr(1);
      const Instruction* minus = negated.find(i.from[0]);
      if (is_same && i.from[0] == a && i.from[1] == b)
        i.op = (is_less ? "min." : "max.") + type, i.from = {a, b};
      else if (is_same && i.from[0] == b && i.from[1] == a)
        i.op = (is_less ? "max." : "min.") + type, i.from = {a, b};
      else if (c->op == "setp.lt." + type && type[0] == 's' && b == "0" && i.from[1] == a &&
               minus != nullptr && minus->from[0] == a)
        i.op = "abs." + type, i.from = {a};
    }
    compared.pass(i), negated.pass(i);
    const bool is_order = i.op.starts_with("setp.l") || i.op.starts_with("setp.g");
    if (is_order && i.op[8] != 'f' && i.guard.empty()) compared.add(i.to[0], i, i.from);
    if (i.op.starts_with("neg.s")) negated.add(i.to[0], i, i.from);
  }
}

// a * b + c in one instruction, where nothing else reads the product.
void Code::fuse_products() {
  std::map<std::string, int> readers;
  std::map<std::string, std::size_t> products;
  for (std::size_t n = 0; n < instructions_.size(); ++n) {
    const Instruction& i = instructions_[n];
    for (const std::string& r : i.read()) ++readers[r];
    const bool is_steady = none_in(i.from, changing_);
    if (i.effect == Effects::Pure && i.op.starts_with("mul.lo.") && is_steady) products[i.to[0]] = n;
  }
  for (Instruction& i : instructions_) {
    const bool adds = (i.effect == Effects::Pure || i.effect == Effects::Assign) &&
                      (i.op.starts_with("add.s") || i.op.starts_with("add.u"));
    for (std::size_t side = 0; adds && side < 2; ++side) {
      const auto product = products.find(i.from[side]);
      if (product == products.end() || readers[i.from[side]] != 1) continue;
      const Instruction& mul = instructions_[product->second];
      if (mul.op.substr(mul.op.size() - 2) != i.op.substr(i.op.size() - 2)) continue;
      i.from = {mul.from[0], mul.from[1], i.from[1 - side]};
      i.op = "mad.lo." + i.op.substr(4);
      break;
    }
  }
}

// From the end: an instruction is needed if it lasts, or if one that is needed reads what it writes. In a
// loop the reader may stand before, so this goes on until nothing changes.
void Code::drop_unused() {
  std::set<std::string> read;
  std::vector<bool> needed(instructions_.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t n = instructions_.size(); n-- > 0;) {
      const Instruction& i = instructions_[n];
      if (needed[n]) continue;
      if (!i.lasts() && none_in(i.to, read)) continue;
      needed[n] = changed = true;
      for (std::string& r : i.read()) read.insert(std::move(r));
    }
  }
  std::vector<Instruction> kept;
  for (std::size_t n = 0; n < instructions_.size(); ++n)
    if (needed[n])
      kept.push_back(std::move(instructions_[n]));
    else
      note_dropped_in(kept, std::move(instructions_[n]));
  instructions_ = std::move(kept);
  std::erase_if(at_entry, [&](const auto& entry) {
    const bool is_unread = !read.contains(entry.second);
    if (is_unread) unread_specials_.insert(entry.second);
    return is_unread;
  });
}

// A jump to what follows anyway.
void Code::drop_short_jumps() {
  std::set<std::string> next;
  for (std::size_t n = instructions_.size(); n-- > 0;) {
    Instruction& i = instructions_[n];
    if (i.effect == Effects::Stop) continue;
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

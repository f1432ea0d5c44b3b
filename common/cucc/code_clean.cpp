// What an optimiser would not have written: taken out of a kernel's instructions before they become text. See
// code.h.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "common/cucc/code.h"

namespace lab::cucc {
namespace {

using Effects = Instruction::Effect;

std::vector<std::string> registers_read(const Instruction& i) {
  std::vector<std::string> read = registers_in(i.guard);
  const std::vector<std::string> text = {i.op};  // inline assembly names them there
  for (const std::string& f : i.from.empty() ? text : i.from)
    for (std::string& r : registers_in(f)) read.push_back(std::move(r));
  return read;
}

}  // namespace

void Code::hoist(std::size_t begin) {
  std::set<std::string> written;
  for (std::size_t n = begin; n < instructions_.size(); ++n) {
    const Instruction& i = instructions_[n];
    written.insert(i.to.begin(), i.to.end());
    if (i.effect == Effects::Lasting)  // inline assembly
      for (std::string& r : registers_in(i.op)) written.insert(std::move(r));
  }
  std::vector<Instruction> before, inside;
  for (std::size_t n = begin; n < instructions_.size(); ++n) {
    Instruction& i = instructions_[n];
    const std::vector<std::string> read = registers_read(i);
    const bool is_alike =
        i.effect == Effects::Pure &&
        std::none_of(read.begin(), read.end(), [&](const std::string& r) { return written.contains(r); });
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
  std::map<std::string, std::string> originals;
  const auto letters = [](const std::string& reg) { return reg.substr(0, reg.find_first_of("0123456789")); };
  const auto changed = [&](const std::string& reg) {
    std::erase_if(originals, [&](const auto& copy) { return copy.first == reg || copy.second == reg; });
  };
  for (Instruction& i : instructions_) {
    if (i.effect == Effects::Label) originals.clear();
    const bool is_move = i.op.starts_with("mov.") && i.to.size() == 1 && i.from.size() == 1 &&
                         i.from[0][0] == '%' && i.guard.empty();
    for (std::string& f : i.from)
      for (const std::string& r : registers_in(f)) {
        const auto original = originals.find(r);
        const bool fits =
            original != originals.end() && (letters(original->second) == letters(r) ||
                                            (is_move && letters(original->second) == letters(i.to[0])));
        if (!fits) continue;
        const std::size_t at = f.find(r);
        f.replace(at, r.size(), original->second);
        if (is_move && letters(i.to[0]) != letters(r) && letters(i.to[0]) == letters(original->second))
          i.op = i.to[0].starts_with("%f") ? (i.op.ends_with("64") ? "mov.f64" : "mov.f32")
                                           : (i.op.ends_with("64") ? "mov.u64" : "mov.u32");
      }
    for (const std::string& r : i.to) changed(r);
    if (i.effect == Effects::Lasting && i.from.empty())
      for (const std::string& r : registers_in(i.op)) changed(r);
    if (is_move && i.from[0] != i.to[0] && registers_in(i.from[0]).size() == 1)
      originals[i.to[0]] = i.from[0];
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
  std::map<std::string, Shifted> known;
  const auto changed = [&](const std::string& reg) {
    std::erase_if(known, [&](const auto& entry) { return entry.first == reg || entry.second.from == reg; });
  };
  const auto number = [](const std::string& text) { return std::atoi(text.c_str()); };
  for (Instruction& i : instructions_) {
    if (i.effect == Effects::Label) known.clear();
    const auto found = i.from.empty() ? known.end() : known.find(i.from[0]);
    const bool is_shifted = found != known.end();
    if (is_shifted && i.op == "bfi.b32" && i.from[3] == "8" && !found->second.is_long &&
        found->second.bits % 8 == 0) {
      const int from = found->second.bits / 8, to = number(i.from[2]) / 8, place = 4 * to;
      const int selector = (0x3210 & ~(0xf << place)) | (4 + from) << place;
      i.op = "prmt.b32";
      i.from = {i.from[1], found->second.from, std::to_string(selector)};
    } else if (is_shifted && i.op == "shl.b64" && found->second.is_long && !found->second.is_byte &&
               i.from[1] == std::to_string(found->second.bits)) {
      i.op = "and.b64";
      i.from = {found->second.from, std::to_string(-(std::int64_t{1} << found->second.bits))};
    }
    Shifted made;
    const bool is_long = i.op == "shr.u64";
    if (i.op == "cvt.u32.u8")
      made = is_shifted && !found->second.is_long ? found->second : Shifted{i.from[0], 0},
      made.is_byte = true;
    else if ((i.op == "shr.u32" || is_long) && i.from[0][0] == '%' && i.from[1][0] != '%' &&
             !i.from[1].empty())
      made = {i.from[0], number(i.from[1]), false, is_long};
    for (const std::string& r : i.to) changed(r);
    if (i.effect == Effects::Lasting && i.from.empty())
      for (const std::string& r : registers_in(i.op)) changed(r);
    const bool holds =
        !made.from.empty() && i.guard.empty() && made.from != i.to[0] && made.bits < (is_long ? 62 : 32);
    if (holds) known[i.to[0]] = made;
  }
}

// a * b + c in one instruction, where nothing else reads the product.
void Code::fuse_products() {
  std::map<std::string, int> readers;
  std::map<std::string, std::size_t> products;
  for (std::size_t n = 0; n < instructions_.size(); ++n) {
    const Instruction& i = instructions_[n];
    for (const std::string& r : registers_read(i)) ++readers[r];
    const bool is_steady = std::none_of(i.from.begin(), i.from.end(),
                                        [&](const std::string& f) { return changing_.contains(f); });
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
      const bool lasts =
          i.effect == Effects::Lasting || i.effect == Effects::Jump || i.effect == Effects::Label;
      if (!lasts &&
          std::none_of(i.to.begin(), i.to.end(), [&](const std::string& r) { return read.contains(r); }))
        continue;
      needed[n] = changed = true;
      for (std::string& r : registers_read(i)) read.insert(std::move(r));
    }
  }
  std::size_t kept = 0;
  for (std::size_t n = 0; n < instructions_.size(); ++n)
    if (needed[n]) {
      if (kept != n) instructions_[kept] = std::move(instructions_[n]);
      ++kept;
    }
  instructions_.resize(kept);
  std::erase_if(at_entry, [&](const auto& entry) { return !read.contains(entry.second); });
}

}  // namespace lab::cucc

// See code.h.
#include "common/compile/builtin/code.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace lab::cucc {
namespace {

using Effect = Instruction::Effect;

bool is_name_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string joined(const std::vector<std::string>& words, std::size_t first = 0) {
  std::string text;
  for (std::size_t i = first; i < words.size(); ++i) text += (i > first ? ", " : "") + words[i];
  return text;
}
std::string braced(const std::vector<std::string>& words, std::size_t first) {
  return words.size() - first > 1 ? "{" + joined(words, first) + "}" : joined(words, first);
}

struct RegisterClass {
  const char *letters, *declared, *move;
};
constexpr RegisterClass kClasses[] = {{"%p", ".pred", "mov.pred"}, {"%f", ".f32", "mov.f32"},
                                      {"%fd", ".f64", "mov.f64"},  {"%rd", ".b64", "mov.u64"},
                                      {"%rs", ".b16", "mov.u16"},  {"%r", ".b32", "mov.u32"}};

// How many lines a text that grows has.
class Lines {
 public:
  explicit Lines(const std::string& text) : text_(text) {}
  int count() {
    const auto from = text_.begin() + static_cast<std::ptrdiff_t>(std::exchange(seen_, text_.size()));
    return count_ += static_cast<int>(std::count(from, text_.end(), '\n'));
  }

 private:
  const std::string& text_;
  std::size_t seen_ = 0;
  int count_ = 0;
};

const RegisterClass& class_of(const std::string& reg) {
  const std::string letters = letters_of(reg);
  return *std::find_if(std::begin(kClasses), std::end(kClasses) - 1,
                       [&](const RegisterClass& c) { return letters == c.letters; });
}

}  // namespace

// A vector's registers stand in braces: those that a load writes, a store writes to memory, or `mov` puts
// together.
std::string text_of(const Instruction& i) {
  if (i.effect == Effect::Label) return i.op + ":\n";
  if (i.is_text()) return "\t" + i.op + "\n";
  if (i.to.empty() && i.from.empty()) return "\t" + i.guard + i.op + ";\n";
  const bool is_store = i.is_store();
  const bool packs = i.op == "mov.b64" && i.from.size() > 1;
  std::string text = "\t" + i.guard + i.op + " \t";
  if (!i.to.empty()) text += braced(i.to, 0) + ", ";
  if (is_store)
    text += i.from[0] + ", " + braced(i.from, 1);
  else
    text += packs ? braced(i.from, 0) : joined(i.from);
  return text + ";\n";
}

std::vector<std::string> registers_in(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t i = text.find('%'); i != std::string::npos; i = text.find('%', i + 1)) {
    std::size_t end = i + 1;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    found.push_back(text.substr(i, end - i));
  }
  return found;
}

bool is_short_number(const std::string& text) {
  const std::size_t sign = text[0] == '-' ? 1 : 0;
  return text.size() < 10 && text.size() > sign &&
         text.find_first_not_of("0123456789", sign) == std::string::npos;
}

std::string letters_of(const std::string& reg) { return reg.substr(0, reg.find_first_of("0123456789")); }

std::string move_to(const std::string& reg) { return class_of(reg).move; }

bool none_in(const Registers& registers, const std::set<std::string>& set) {
  return std::none_of(registers.begin(), registers.end(), [&](const auto& r) { return set.contains(r); });
}

void rename(std::string& text, const Names& names) {
  for (std::size_t i = text.find('%'); i != std::string::npos; i = text.find('%', i + 1)) {
    std::size_t end = i + 1;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    if (const auto other = names.find(text.substr(i, end - i)); other != names.end())
      text.replace(i, end - i, other->second);
  }
}

void rename_read(Instruction& i, const Names& names) {
  rename(i.guard, names);
  for (std::string& f : i.from) rename(f, names);
  if (i.from.empty() && i.effect != Effect::Label) rename(i.op, names);
}

std::vector<std::string> Instruction::read() const {
  std::vector<std::string> registers = registers_in(guard);
  const std::vector<std::string> text = {op};  // inline assembly names them there
  for (const std::string& f : from.empty() ? text : from)
    for (std::string& r : registers_in(f)) registers.push_back(std::move(r));
  return registers;
}

std::vector<std::string> Instruction::written() const { return is_assembly() ? registers_in(op) : to; }

// ---- places

int Places::number_of(Position at, int call) {
  const auto [found, is_new] = numbers_.try_emplace(Place{at, call}, static_cast<int>(places_.size()));
  if (is_new) places_.push_back({at, call});
  return found->second;
}

int Places::add_call(int from, const std::string& function) {
  const Call call{places_[static_cast<std::size_t>(from)], function};
  if (const auto known = std::find(calls_.begin(), calls_.end(), call); known != calls_.end())
    return static_cast<int>(known - calls_.begin());
  labels_.try_emplace(function, static_cast<int>(labels_.size()));
  calls_.push_back(call);
  return static_cast<int>(calls_.size()) - 1;
}

void Places::name(int place, std::set<int>& named, std::string& out) {
  const auto [at, call] = places_[static_cast<std::size_t>(place)];
  const auto row = [](Position p) {
    return std::to_string(p.file) + " " + std::to_string(p.line) + " " + std::to_string(p.column);
  };
  std::string text = "\t.loc\t" + row(at);
  if (call >= 0) {
    const Call& c = calls_[static_cast<std::size_t>(call)];
    const int from = number_of(c.from.at, c.from.call);
    if (!named.contains(from)) name(from, named, out);
    text += ", function_name $L__info_string" + std::to_string(labels_.at(c.function)) + ", inlined_at " +
            row(c.from.at);
  }
  named.insert(place);
  out += text + "\n";
}

std::string Places::files(const Sources& sources) const {
  std::set<int> files;
  for (const Place& p : places_) files.insert(p.at.file);
  std::string text;
  for (const int file : files)
    text +=
        "\t.file\t" + std::to_string(file) + " \"" + sources[static_cast<std::size_t>(file)].path + "\"\n";
  return text;
}

std::string Places::function_names() const {
  std::string text;
  for (const auto& [name, label] : labels_) {
    text += "$L__info_string" + std::to_string(label) + ":\n.b8 ";
    for (const char c : name) text += std::to_string(static_cast<int>(static_cast<unsigned char>(c))) + ", ";
    text += "0\n";
  }
  return text.empty() ? "" : "\t.section\t.debug_str\n\t{\n" + text + "\n\t}\n";
}

// ---- instructions

std::string Code::new_register(const std::string& register_class, bool changes) {
  std::string r = register_class + std::to_string(++counts_[register_class]);
  if (changes) changing_.insert(r);
  return r;
}

void Code::add(Effect effect, std::string op, std::vector<std::string> to, std::vector<std::string> from) {
  if (!is_dead_) instructions_.push_back({effect, std::move(op), std::move(to), std::move(from), "", place});
}

void Code::add_assembly(const std::string& text, std::vector<std::string> results, bool is_pure) {
  if (is_dead_) return;
  for (const std::string& r : results) forget_users_of(r);
  if (!is_pure) results.clear();
  instructions_.push_back(
      {is_pure ? Effect::Assembly : Effect::Lasting, text, std::move(results), {}, "", place});
}

Code::Computed Code::compute(const std::string& register_class, const std::string& op,
                             std::vector<std::string> from) {
  const std::string key = register_class + " " + op + " " + joined(from);
  if (const auto known = made_.find(key); known != made_.end()) return {known->second.reg, true};
  const std::string r = new_register(register_class);
  add(Effect::Pure, op, {r}, from);
  made_[key] = {r, std::move(from)};
  log_.push_back(key);
  return {r};
}

void Code::assign(const std::string& reg, const std::string& op, std::vector<std::string> from) {
  forget_users_of(reg);
  add(Effect::Assign, op, {reg}, std::move(from));
}

void Code::forget_users_of(const std::string& reg) {
  std::erase_if(made_, [&](const auto& entry) {
    const Made& m = entry.second;
    return m.reg == reg || std::any_of(m.from.begin(), m.from.end(), [&](const std::string& f) {
             return f == reg || (f.size() > reg.size() && f.find(reg) != std::string::npos);
           });
  });
}

bool Code::retarget_last(const std::vector<std::string>& values, const std::vector<std::string>& registers) {
  std::size_t size = instructions_.size();
  while (size > 0 && instructions_[size - 1].effect == Effect::Stop) --size;
  if (is_dead_ || size <= retarget_from_) return false;
  Instruction& last = instructions_[size - 1];
  const bool fits = (last.effect == Effect::Pure || last.effect == Effect::Load) && last.to == values &&
                    last.place == place;
  if (!fits) return false;
  for (const std::string& r : values) forget_users_of(r);
  for (const std::string& r : registers) forget_users_of(r);
  last.to = registers;
  last.effect = last.effect == Effect::Pure ? Effect::Assign : Effect::Load;
  retarget_stops(size, values, registers);
  return true;
}

// ---- control

std::string Code::new_label() { return "$L__BB_" + std::to_string(++labels_); }

void Code::jump(const std::string& label, const std::string& guard) {
  if (is_dead_) return;
  used_labels_.insert(label);
  instructions_.push_back({Effect::Jump, "bra", {}, {label}, guard, place});
  if (guard.empty()) is_dead_ = true;
}

bool Code::place_label(const std::string& label) {
  if (!used_labels_.contains(label)) return false;
  instructions_.push_back({Effect::Label, label, {}, {}, "", -1});
  is_dead_ = false;
  return true;
}

// What a loop changes is not known where it begins.
void Code::place_loop_label(const std::string& label) {
  if (is_dead_) return;
  std::erase_if(made_, [&](const auto& entry) {
    for (const std::string& f : entry.second.from)
      for (const std::string& r : registers_in(f))
        if (changing_.contains(r)) return true;
    return false;
  });
  used_labels_.insert(label);
  place_label(label);
}

void Code::end_here() {
  add(Effect::Jump, "ret", {}, {});
  is_dead_ = true;
}

void Code::back_to(const Mark& mark) {
  instructions_.resize(mark.size);
  is_dead_ = mark.is_dead;
  forget_since(mark);
}

void Code::forget_since(const Mark& mark) {
  for (; log_.size() > mark.made; log_.pop_back()) made_.erase(log_.back());
}

bool Code::is_pure_since(const Mark& mark) const {
  return is_dead_ == mark.is_dead &&
         std::all_of(
             instructions_.begin() + static_cast<std::ptrdiff_t>(mark.size), instructions_.end(),
             [](const Instruction& i) { return i.effect == Effect::Pure || i.effect == Effect::Stop; });
}

std::string Code::text(Places& places, const std::string& variables) {
  follow_copies();
  share_computations();
  drop_unused();  // copies of what is stored
  join_bits();
  make_minima();
  fuse_products();
  drop_unused();
  prove_stops();  // by the jumps past what was dropped, too
  drop_short_jumps();
  find_stops(places);
  std::string out;
  for (const auto& [register_class, count] : counts_)
    out += std::string("\t.reg ") + class_of(register_class).declared + " \t" + register_class + "<" +
           std::to_string(count + 1) + ">;\n";
  out += variables;
  std::set<int> named;
  int current = -1;
  bool entered = false;
  Lines lines(out);
  for (const Instruction& i : instructions_) {
    if (i.effect == Effect::Stop) continue;
    if (i.effect != Effect::Label && i.place >= 0 && i.place != current)
      places.name(current = i.place, named, out);
    if (!entered && i.effect != Effect::Label) {
      for (const auto& [special, reg] : at_entry) out += "\tmov.u32 \t" + reg + ", " + special + ";\n";
      entered = true;
    }
    if (i.effect != Effect::Label) line_of_.push_back(lines.count());
    out += text_of(i);
  }
  return out;
}

}  // namespace lab::cucc

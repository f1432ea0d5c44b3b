// Decisions by shape and block. See shape_choices.h.
#include "common/sim/decode/shape_choices.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <utility>

#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

using ptx::Computes;
using ptx::Instruction;
using ptx::OperandKind;
using ptx::Type;

constexpr std::uint32_t kFirstRegister = 16;
constexpr int kTableShift = 40;  // table k begins at k + 1 times as much
constexpr std::array<std::string_view, 4> kGiven = {"%tid.", "%ntid.", "%ctaid.", "%nctaid."};

std::uint64_t cut(std::uint64_t value, int bytes) {
  return bytes >= 8 || bytes == 0 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1);
}

std::int64_t as_signed(std::uint64_t value, int bytes) {
  const int unused = 64 - 8 * (bytes == 0 ? 8 : bytes);
  return static_cast<std::int64_t>(value << unused) >> unused;
}

bool is_choice(const Instruction& in) {
  if (in.row->computes == Computes::Compare) return true;
  if (ptx::last_type(in) == Type::Pred) return true;
  // (a - b) >> 31: all ones or nothing.
  const bool shifts = in.row->computes == Computes::ShiftRight && ptx::is_signed(ptx::last_type(in));
  const auto most = static_cast<std::uint64_t>(8 * ptx::size_bytes(ptx::last_type(in)) - 1);
  return shifts && in.operands.size() == 3 && in.operands[2].kind == OperandKind::Immediate &&
         in.operands[2].bits == most;
}

// Which of two whole numbers is less: whether, and the other way round.
template <class Number>
std::pair<bool, bool> order(Number a, Number b) {
  return {a < b, b < a};
}

bool is_known_kind(const Instruction& in) {
  switch (in.row->computes) {
    case Computes::Multiply:
    case Computes::MultiplyAdd:
      return !ptx::has(in, "hi") || ptx::size_bytes(ptx::last_type(in)) == 4;
    case Computes::Copy:
    case Computes::Address:
    case Computes::Convert:
    case Computes::Negate:
    case Computes::Add:
    case Computes::Subtract:
    case Computes::Divide:
    case Computes::Remainder:
    case Computes::And:
    case Computes::Or:
    case Computes::Xor:
    case Computes::Invert:
    case Computes::CountOnes:
    case Computes::ShiftLeft:
    case Computes::ShiftRight:
    case Computes::Select:
    case Computes::Compare:
      return true;
    default:
      return false;
  }
}

}  // namespace

ShapeChoices::ShapeChoices(const ptx::Module& module, const ptx::Function& text)
    : module_(module), tables_(module.variables) {
  std::uint32_t number = 0;
  for (const ptx::Variable& parameter : text.parameters)
    if (!parameter.is_array && parameter.size_bytes == 4 && number < ShapePlace().integers.size())
      integers_[parameter.name] = ++number;
  follow(text, 0);
  values_.resize(steps_.size());
  for (const std::size_t choice : choices_) cones_.push_back(cone_of({choice}));
  all_ = cone_of(choices_);
}

// In the order of the text: of a loop that is its first round.
void ShapeChoices::follow(const ptx::Function& text, int depth) {
  for (const Instruction& in : text.body) {
    if (in.row->next == ptx::Next::Call) follow_call(in, depth);
    if (in.row->stores()) note_store(in);
    const ptx::Operand* const to = ptx::written_operand(in);
    if (to == nullptr) continue;
    const std::optional<std::int32_t> made =
        to->kind == OperandKind::Register && in.guard.empty() ? add(in) : std::nullopt;
    forget(*to);
    if (made) known_[to->name] = *made;
  }
}

// call (results), function, (arguments)
void ShapeChoices::follow_call(const Instruction& in, int depth) {
  constexpr int kDeepest = 4;
  constexpr std::size_t kMostSteps = 16'384;
  const auto callee = std::find_if(in.operands.begin(), in.operands.end(), [](const ptx::Operand& operand) {
    return operand.kind != OperandKind::Group;
  });
  if (callee == in.operands.end() || depth == kDeepest || steps_.size() > kMostSteps) return;
  const ptx::Function* const function = module_.find_function(callee->name);
  if (function == nullptr || function->is_declaration) return;
  const auto pass = [this](const std::string& from, const std::string& to) {
    const auto found = cells_.find(from + "+0");
    if (found == cells_.end()) {
      cells_.erase(to + "+0");
    } else {
      const Source passed = found->second;
      cells_[to + "+0"] = passed;
    }
  };
  const auto group = [&](std::ptrdiff_t at) -> const std::vector<ptx::Operand>& {
    static const std::vector<ptx::Operand> kNone;
    const bool is_there = at >= 0 && at < std::ssize(in.operands);
    return is_there ? in.operands[static_cast<std::size_t>(at)].elements : kNone;
  };
  const std::ptrdiff_t place = callee - in.operands.begin();
  const std::vector<ptx::Operand>&results = group(place - 1), &arguments = group(place + 1);
  for (std::size_t k = 0; k < std::min(arguments.size(), function->parameters.size()); ++k)
    pass(arguments[k].name, function->parameters[k].name);
  const auto callers = known_;
  follow(*function, depth + 1);
  known_ = callers;
  for (std::size_t k = 0; k < std::min(results.size(), function->returns.size()); ++k)
    pass(function->returns[k].name, results[k].name);
}

void ShapeChoices::note_store(const Instruction& in) {
  const ptx::Operand* const address = ptx::address_operand(in);
  if (address == nullptr || address->base_is_register || in.operands.size() != 2) return;
  const std::string cell = address->name + "+" + std::to_string(address->offset);
  if (const std::optional<Source> stored = source(in.operands[1]))
    cells_[cell] = *stored;
  else
    cells_.erase(cell);
}

// What was last stored there.
std::optional<std::int32_t> ShapeChoices::add_cell(const Instruction& in, const ptx::Operand& address) {
  const Type type = ptx::last_type(in);
  const auto found = cells_.find(address.name + "+" + std::to_string(address.offset));
  if (found == cells_.end() || address.base_is_register || ptx::is_float(type)) return std::nullopt;
  Step step;
  step.does = Computes::Convert;
  step.bytes = ptx::size_bytes(type), step.made_bytes = std::max(4, step.bytes);
  step.is_signed = ptx::is_signed(type);
  step.from[0] = found->second;
  return push(step);
}

// The steps that these need, in their order.
std::vector<std::size_t> ShapeChoices::cone_of(const std::vector<std::size_t>& ends) const {
  std::vector<bool> needed(steps_.size(), false);
  for (const std::size_t end : ends) needed[end] = true;
  std::vector<std::size_t> cone;
  for (std::size_t k = steps_.size(); k-- > 0;) {
    if (!needed[k]) continue;
    cone.push_back(k);
    for (const Source& from : steps_[k].from)
      if (from.step >= 0) needed[static_cast<std::size_t>(from.step)] = true;
  }
  std::reverse(cone.begin(), cone.end());
  return cone;
}

std::optional<ShapeChoices::Source> ShapeChoices::given(std::uint32_t which, bool by_block) {
  Step step;
  step.place = which, step.by_block = by_block;
  steps_.push_back(step);
  return Source{static_cast<std::int32_t>(steps_.size() - 1), 0};
}

std::optional<std::uint64_t> ShapeChoices::begin_of(std::string_view table) const {
  for (std::size_t k = 0; k < tables_.size(); ++k)
    if (tables_[k].name == table && !tables_[k].initial.empty()) return (k + 1) << kTableShift;
  return std::nullopt;
}

std::uint64_t ShapeChoices::loaded(std::uint64_t address, const Step& step) const {
  const std::uint64_t table = (address >> kTableShift) - 1;
  if (step.high) address = 0;
  std::uint64_t bits = 0;
  for (std::uint64_t k = 0; table < tables_.size() && k < static_cast<std::uint64_t>(step.bytes); ++k) {
    const std::uint64_t at = cut(address + k, kTableShift / 8);
    const std::vector<std::uint8_t>& from = tables_[table].initial;
    if (at < from.size()) bits |= std::uint64_t{from[at]} << (8 * k);
  }
  return step.is_signed ? static_cast<std::uint64_t>(as_signed(bits, step.bytes)) : bits;
}

std::optional<ShapeChoices::Source> ShapeChoices::source(const ptx::Operand& operand) {
  if (operand.kind == OperandKind::Immediate && !ptx::is_float(operand.literal))
    return Source{-1, operand.bits};
  if (operand.kind == OperandKind::Symbol)
    if (const std::optional<std::uint64_t> begin = begin_of(operand.name))
      return Source{-1, *begin + static_cast<std::uint64_t>(operand.offset)};
  if (operand.kind != OperandKind::Register || operand.negated) return std::nullopt;
  if (const auto found = known_.find(operand.name); found != known_.end()) return Source{found->second, 0};
  for (std::uint32_t k = 0; k < kGiven.size(); ++k)
    if (operand.name.size() == kGiven[k].size() + 1 && operand.name.starts_with(kGiven[k])) {
      const auto axis = static_cast<std::uint32_t>(operand.name.back() - 'x');
      return axis > 2 ? std::nullopt : given(kFirstRegister + 3 * k + axis, k % 2 == 0);
    }
  return std::nullopt;
}

void ShapeChoices::forget(const ptx::Operand& written) {
  known_.erase(written.name);
  if (!written.predicate_or.empty()) known_.erase(written.predicate_or);
  for (const ptx::Operand& element : written.elements) forget(element);
}

std::optional<std::int32_t> ShapeChoices::add(const Instruction& in) {
  const ptx::Operand* const address = ptx::address_operand(in);
  if (in.row->loads() && address != nullptr && ptx::has(in, "param")) {
    const auto found = integers_.find(address->name);
    if (found != integers_.end() && address->offset == 0 && ptx::size_bytes(ptx::last_type(in)) == 4)
      return given(found->second, false)->step;
    return add_cell(in, *address);
  }
  if (in.row->loads() && address != nullptr && ptx::has(in, "shared")) return add_cell(in, *address);
  if (in.row->loads() && address != nullptr) return add_load(in, *address);
  const std::optional<Step> kind = kind_of(in);
  if (!kind) return std::nullopt;
  Step step = *kind;
  for (std::size_t k = 0; k + 1 < in.operands.size(); ++k) {
    const std::optional<Source> from = source(in.operands[k + 1]);
    if (!from) return std::nullopt;
    step.from[k] = *from;
  }
  const std::int32_t made = push(step);
  if (is_choice(in)) choices_.push_back(static_cast<std::size_t>(made));
  return made;
}

// What it computes, of whole numbers. Most kinds are written out here, which is fast; the rest takes the simulator's forms.
std::optional<ShapeChoices::Step> ShapeChoices::kind_of(const Instruction& in) {
  const Type type = ptx::last_type(in);
  const std::size_t sources = in.operands.size() - 1;
  Step step;
  if (!in.row->is_pure() || sources == 0 || ptx::is_float(type)) return std::nullopt;
  if (!is_known_kind(in) || sources > 3 || (in.row->computes == Computes::Compare && sources > 2)) {
    const std::optional<ScalarForm> form = ScalarForm::of(in);
    if (!form) return std::nullopt;
    step.form = static_cast<std::int32_t>(forms_.size());
    forms_.push_back(*form);
    return step;
  }
  if (in.row->computes == Computes::Convert && ptx::is_float(ptx::made_type(in))) return std::nullopt;
  step.does = in.row->computes;
  step.bytes = ptx::size_bytes(type), step.is_signed = ptx::is_signed(type);
  step.made_bytes = step.does == Computes::Convert ? ptx::size_bytes(ptx::made_type(in))
                    : ptx::has(in, "wide")         ? 2 * step.bytes
                                                   : step.bytes;
  step.high = ptx::has(in, "hi") && step.does != Computes::Compare;
  if (step.does == Computes::Compare) step.relation = relation_of(in);
  return step;
}

std::int32_t ShapeChoices::push(const Step& step) {
  steps_.push_back(step);
  for (const Source& from : step.from)
    if (from.step >= 0) steps_.back().by_block |= steps_[static_cast<std::size_t>(from.step)].by_block;
  return static_cast<std::int32_t>(steps_.size() - 1);
}

// What a table holds decides, compared or not: whether it is what it holds where it begins.
std::optional<std::int32_t> ShapeChoices::add_load(const Instruction& in, const ptx::Operand& address) {
  ptx::Operand base = address;
  base.kind = address.base_is_register ? OperandKind::Register : OperandKind::Symbol, base.offset = 0;
  const std::optional<Source> from = source(base);
  const Type type = ptx::last_type(in);
  if (!from || ptx::is_float(type)) return std::nullopt;
  Step load, compare;
  load.loads = true, load.bytes = ptx::size_bytes(type), load.is_signed = ptx::is_signed(type);
  load.from[0] = *from, load.from[1].number = static_cast<std::uint64_t>(address.offset);
  const std::int32_t made = push(load);
  load.high = true;
  compare.does = Computes::Compare, compare.bytes = 8, compare.relation = Relation::Other;
  compare.from[0].step = made, compare.from[1].step = push(load);
  choices_.push_back(static_cast<std::size_t>(push(compare)));
  return made;
}

ShapeChoices::Relation ShapeChoices::relation_of(const Instruction& in) {
  struct Named {
    std::string_view word;
    Relation relation;
  };
  static constexpr Named kAll[] = {{"eq", Relation::Equal},      {"ne", Relation::Other},
                                   {"lt", Relation::Less},       {"lo", Relation::Less},
                                   {"ge", Relation::NotLess},    {"hs", Relation::NotLess},
                                   {"gt", Relation::Greater},    {"hi", Relation::Greater},
                                   {"le", Relation::NotGreater}, {"ls", Relation::NotGreater}};
  const auto* const found = std::find_if(std::begin(kAll), std::end(kAll),
                                         [&](const Named& one) { return ptx::has(in, one.word); });
  return found == std::end(kAll) ? Relation::Equal : found->relation;
}

bool ShapeChoices::holds(const Step& step, std::uint64_t a, std::uint64_t b) {
  const auto [less, more] =
      step.is_signed ? order(as_signed(a, step.bytes), as_signed(b, step.bytes)) : order(a, b);
  switch (step.relation) {
    case Relation::Equal:
      return a == b;
    case Relation::Other:
      return a != b;
    case Relation::Less:
      return less;
    case Relation::NotLess:
      return !less;
    case Relation::Greater:
      return more;
    case Relation::NotGreater:
      return !more;
  }
  return false;
}

std::uint64_t ShapeChoices::result(const Step& step) const {
  if (step.form >= 0)
    return forms_[static_cast<std::size_t>(step.form)].result(
        {value(step.from[0]), value(step.from[1]), value(step.from[2]), value(step.from[3])});
  const std::uint64_t third = value(step.from[2]);
  const std::uint64_t a = cut(value(step.from[0]), step.bytes), b = cut(value(step.from[1]), step.bytes);
  const auto signed_of = [&](std::uint64_t n) { return as_signed(n, step.bytes); };
  const auto bits = static_cast<std::uint64_t>(8 * step.bytes);
  const auto product = [&] {
    const std::uint64_t all =
        step.is_signed ? static_cast<std::uint64_t>(signed_of(a)) * static_cast<std::uint64_t>(signed_of(b))
                       : a * b;
    return step.high ? all >> 32 : all;
  };
  switch (step.does) {
    case Computes::Convert:
      return cut(step.is_signed ? static_cast<std::uint64_t>(signed_of(a)) : a, step.made_bytes);
    case Computes::Negate:
      return cut(std::uint64_t{0} - a, step.bytes);
    case Computes::Add:
      return cut(a + b, step.bytes);
    case Computes::Subtract:
      return cut(a - b, step.bytes);
    case Computes::Multiply:
      return cut(product(), step.made_bytes);
    case Computes::MultiplyAdd:
      return cut(product() + third, step.made_bytes);
    case Computes::Divide:
    case Computes::Remainder: {
      const bool rest = step.does == Computes::Remainder, negative = step.is_signed && signed_of(b) == -1;
      if (b == 0 || negative) return rest ? 0 : cut(std::uint64_t{0} - a, step.bytes);
      if (!step.is_signed) return rest ? a % b : a / b;
      return cut(static_cast<std::uint64_t>(rest ? signed_of(a) % signed_of(b) : signed_of(a) / signed_of(b)),
                 step.bytes);
    }
    case Computes::And:
      return a & b;
    case Computes::Or:
      return a | b;
    case Computes::Xor:
      return a ^ b;
    case Computes::Invert:
      return step.bytes == 0 ? a ^ 1 : cut(~a, step.bytes);
    case Computes::CountOnes:
      return static_cast<std::uint64_t>(std::popcount(a));
    case Computes::ShiftLeft:
      return b >= bits ? 0 : cut(a << b, step.bytes);
    case Computes::ShiftRight:
      if (!step.is_signed) return b >= bits ? 0 : a >> b;
      return cut(static_cast<std::uint64_t>(signed_of(a) >> std::min(b, bits - 1)), step.bytes);
    case Computes::Select:
      return third != 0 ? a : b;
    case Computes::Compare:
      return holds(step, a, b) ? 1 : 0;
    default:
      return a;
  }
}

void ShapeChoices::run(const ShapePlace& place, const std::vector<std::size_t>& cone) {
  const auto given = [&](std::uint32_t which) -> std::uint64_t {
    if (which < kFirstRegister) return static_cast<std::uint32_t>(place.integers[which - 1]);
    const std::uint32_t k = which - kFirstRegister;
    const std::array<const std::array<std::uint32_t, 3>*, 4> of = {&place.tid, &place.ntid, &place.ctaid,
                                                                   &place.nctaid};
    return (*of[k / 3])[k % 3];
  };
  for (const std::size_t k : cone)
    values_[k] = steps_[k].place != 0 ? given(steps_[k].place)
                 : steps_[k].loads    ? loaded(value(steps_[k].from[0]) + steps_[k].from[1].number, steps_[k])
                                      : result(steps_[k]);
}

void ShapeChoices::ways(const ShapePlace& place, std::vector<bool>& found) {
  run(place, all_);
  found.resize(choices_.size());
  for (std::size_t k = 0; k < choices_.size(); ++k) found[k] = values_[choices_[k]] != 0;
}

bool ShapeChoices::way(std::size_t choice, const ShapePlace& place) {
  run(place, cones_[choice]);
  return values_[choices_[choice]] != 0;
}

std::optional<std::int64_t> ShapeChoices::distance(std::size_t choice, const ShapePlace& place) {
  const Step& step = steps_[choices_[choice]];
  const bool shifts = step.does == Computes::ShiftRight;
  if (step.does != Computes::Compare && !shifts) return std::nullopt;
  run(place, cones_[choice]);
  const std::uint64_t right = shifts ? 0 : value(step.from[1]);
  const std::int64_t difference = as_signed(cut(value(step.from[0]) - right, step.bytes), step.bytes);
  if (shifts || step.relation == Relation::Less || step.relation == Relation::NotLess) return difference + 1;
  return step.relation == Relation::Greater || step.relation == Relation::NotGreater ? difference - 1
                                                                                     : difference;
}

}  // namespace lab::sim

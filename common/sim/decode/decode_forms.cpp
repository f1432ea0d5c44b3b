// Which form of an operand may stand where, as `ptxas` has it: what a function of the decoder does not take is
// refused, and never read as another form. tests/sim/test_statements.cpp holds it to the verdicts of `ptxas`.
//
// Enters: an operand. Leaves: nothing, or a fault that says what may not stand there.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <span>

#include "common/sim/decode/decoder.h"

namespace lab::sim {
namespace {

bool is_float_literal(ptx::Type type) { return type == ptx::Type::F32 || type == ptx::Type::F64; }

Message needs_sm(int sm, const char* alone = "") { return msg("it needs sm_{}{} or newer", sm, alone); }

bool is_whole(ptx::Type type) { return type >= ptx::Type::U8 && type <= ptx::Type::S64; }

}  // namespace

void Decoder::refuse_what_was_not_taken(const ptx::Instruction& in, const ptx::Operand& operand) const {
  const auto left = [&](const void* part) {
    return std::find(scope_->taken.begin(), scope_->taken.end(), part) == scope_->taken.end();
  };
  if (left(&operand)) fail(in, FaultKind::BadPtx, "it has an operand that it does not take");
  if (operand.negated && left(&operand.negated))
    fail(in, FaultKind::BadPtx, msg("`{}` may not have a sign here", operand.name));
  if (!operand.part.empty() && left(&operand.part))
    fail(in, FaultKind::BadPtx,
         msg("`{}` may not be a part of a register here", operand.name + "." + operand.part));
  if (!operand.predicate_or.empty() && left(&operand.predicate_or))
    fail(in, FaultKind::BadPtx, "this instruction has one destination, not two");
  if (operand.kind == ptx::OperandKind::Symbol && operand.offset != 0 && left(&operand.offset))
    fail(in, FaultKind::BadPtx, msg("`{}` may not have an offset here", operand.name));
  for (const ptx::Operand& element : operand.elements) refuse_what_was_not_taken(in, element);
}

// The memory that a variable lies in and the one that the instruction names.
void Decoder::check_space(const ptx::Instruction& in, std::string_view name, Space space) const {
  const auto of = [&](const std::vector<ptx::Variable>& variables) {
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const ptx::Variable& v) { return v.name == name; });
    return found == variables.end() ? Space::Register : found->space;
  };
  Space lies = of(scope_->function->variables);
  if (lies == Space::Register) lies = of(scope_->function->parameters);
  if (lies == Space::Register) lies = of(scope_->function->returns);
  if (lies == Space::Register) lies = of(module_.variables);
  const bool unfit = in.opcode == "prefetchu"  ? lies != Space::Global
                     : space == Space::Generic ? lies == Space::Const || lies == Space::Param
                                               : lies != space;
  if (lies != Space::Register && unfit)
    fail(in, FaultKind::BadPtx, msg("`{}` does not lie in the memory that this instruction names", name));
}

// A number that the text gives.
std::int64_t Decoder::constant(const ptx::Instruction& in, const ptx::Operand& operand) {
  if (operand.kind != ptx::OperandKind::Immediate || is_float_literal(operand.literal))
    fail(in, FaultKind::BadPtx, "a whole number that is a constant is needed here");
  take(&operand);
  return static_cast<std::int64_t>(operand.bits);
}

const std::string& Decoder::label(const ptx::Instruction& in, const ptx::Operand& operand) {
  if (operand.kind != ptx::OperandKind::Symbol) fail(in, FaultKind::BadPtx, "a name is needed here");
  take(&operand);
  return operand.name;
}

void Decoder::cache_policy(const ptx::Instruction& in) {
  if (ptx::has(in, "L2::cache_hint")) source(in, in.operands.back(), ptx::Type::B64);
}

namespace {

// Whether an operand is a count, a place or a sum that is added: what `ptxas` takes for numbers alone.
bool is_count(const ptx::Instruction& in, const ptx::Operand& operand) {
  constexpr std::pair<std::string_view, std::ptrdiff_t> kUpTo[] = {
      {"bfe", 2},  {"bfi", 3}, {"bmsk", 1}, {"dp2a", 3},  {"dp4a", 3}, {"match", 2}, {"redux", 0}, {"shf", 3},
      {"shfl", 4}, {"shl", 2}, {"shr", 2},  {"szext", 2}, {"vset", 3}, {"vote", 0},  {"elect", 0}};
  const auto* const upto = std::find_if(std::begin(kUpTo), std::end(kUpTo),
                                        [&](const auto& one) { return one.first == in.opcode; });
  return upto != std::end(kUpTo) && &operand - in.operands.data() >= upto->second;
}

// Whether `ptxas` calls a function of its own for it, whose arguments are plain registers and numbers.
bool is_called(const ptx::Instruction& in, ptx::Type type) {
  const bool divides =
      in.row->computes == ptx::Computes::Divide || in.row->computes == ptx::Computes::Remainder;
  if (!is_float(type)) return divides && ptx::size_bytes(type) == 8;
  const auto& costs = in.row->machine.costs;
  return (ptx::has(in, "rz") || ptx::has(in, "rm") || ptx::has(in, "rp")) &&
         (divides || std::any_of(costs.begin(), costs.end(), [&](const ptx::MachineCost& cost) {
            return cost.calls && type == ptx::Type::F64 && cost.type == type;
          }));
}

// Whether the name of a function may stand in place of a number, as `ptxas` has it.
bool takes_functions(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type) {
  using enum ptx::Reader;
  constexpr std::string_view kNot[] = {"bfe", "bfi", "bmsk", "cvt", "shf", "istypep"};
  const bool divides =
      in.row->computes == ptx::Computes::Divide || in.row->computes == ptx::Computes::Remainder;
  const bool narrow = std::any_of(in.modifiers.begin(), in.modifiers.end(),
                                  [](const std::string& m) { return m.starts_with("bf16"); });
  return in.row->reader == Move || in.row->reader == Store || in.row->reader == TensorMap ||
         (in.row->reader == Atomic && ptx::size_bytes(type) < 16) ||
         (in.row->reader == LaneWise && !narrow && !is_called(in, type) && !is_count(in, operand) &&
          !(divides && ptx::size_bytes(type) == 2) &&
          std::find(std::begin(kNot), std::end(kNot), in.opcode) == std::end(kNot));
}

// Whether `tab+4` may stand in place of a number, as `ptxas` has it.
bool takes_address_sum(const ptx::Instruction& in, ptx::Type type) {
  using enum ptx::Reader;
  constexpr ptx::Reader kTake[] = {LaneWise, Barrier,     Sleep,    Store,    Atomic,
                                   Warp,     WarpBarrier, Mbarrier, AsyncCopy};
  return std::find(std::begin(kTake), std::end(kTake), in.row->reader) != std::end(kTake) &&
         !(in.row->reader == Mbarrier && ptx::size_bytes(type) == 8) && !is_float(type) &&
         (in.row->reader != LaneWise || ptx::last_type(in) != ptx::Type::None) && !in.modifiers.empty() &&
         !in.modifiers.back().ends_with("x2") && !is_called(in, type);
}

}  // namespace

// Whether a register of more bits may stand in a sum: not in place of a number of bits and the like.
bool Decoder::takes_wide_sum(const ptx::Instruction& in, const ptx::Operand& operand, ptx::Type type) const {
  const auto& costs = in.row->machine.costs;
  const bool calls =
      std::any_of(costs.begin(), costs.end(), [](const ptx::MachineCost& c) { return c.calls; });
  if (is_float(type) && (type != ptx::Type::F32 || calls)) return false;
  constexpr ptx::Reader kTake[] = {ptx::Reader::LaneWise, ptx::Reader::Move, ptx::Reader::Atomic,
                                   ptx::Reader::Warp};
  const bool is_address = in.row->reader == ptx::Reader::PeerAddress && &operand == &in.operands[1];
  return (is_address || std::find(std::begin(kTake), std::end(kTake), in.row->reader) != std::end(kTake)) &&
         !is_count(in, operand);
}

// Addresses of variables and special registers are for moves and conversions; others read a register.
void Decoder::check_source(const ptx::Instruction& in, const ptx::Operand& operand, bool is_special,
                           ptx::Type type) const {
  const bool moves = in.row->reader == ptx::Reader::Move || in.row->reader == ptx::Reader::Convert;
  const bool is_peer = in.row->reader == ptx::Reader::PeerAddress && &operand == &in.operands[1] &&
                       shared_offsets_.contains(operand.name);
  const bool is_function =
      takes_functions(in, operand, type) && module_.find_function(operand.name) != nullptr;
  const bool is_sum = ptx::is_sum(operand) && takes_address_sum(in, type);
  if (is_sum) check_sum(in, type);
  if (in.row->reader == ptx::Reader::Move && ptx::size_bytes(type) == 4 && !ptx::is_sum(operand) &&
      target() >= ptx::kOldestCompiled &&
      std::any_of(module_.variables.begin(), module_.variables.end(),
                  [&](const ptx::Variable& v) { return v.name == operand.name && v.space == Space::Global; }))
    fail(in, FaultKind::BadPtx, "an address of global memory has 64 bits");
  if (operand.kind == ptx::OperandKind::Symbol && (!moves || is_float(type)) && !is_peer && !is_function &&
      !is_sum)
    fail(in, FaultKind::BadPtx, msg("the address of `{}` must be moved to a register first", operand.name));
  const bool real = std::any_of(in.modifiers.begin(), in.modifiers.end(),
                                [](const std::string& m) { return is_float(ptx::type_named(m)); });
  if (is_special && !moves &&
      (real || in.row->computes != ptx::Computes::Convert || ptx::has(in, "pack") || ptx::has(in, "rs")))
    fail(in, FaultKind::BadPtx, msg("`{}` must be moved to a register first", operand.name));
}

// The table of `lop3` is a number of the text; places and lengths of fields have 8 bits.
void Decoder::check_table(const ptx::Instruction& in) {
  if (in.opcode == "lop3" && in.operands.size() == 5) constant(in, in.operands[4]);
  const std::size_t first = in.opcode == "bfe" ? 2 : in.opcode == "bfi" ? 3 : in.operands.size();
  for (std::size_t k = first; k < in.operands.size(); ++k)
    if (in.operands[k].kind == ptx::OperandKind::Immediate && in.operands[k].bits > 255)
      fail(in, FaultKind::BadPtx, "a place or length of a field is a number from 0 to 255");
}

// A sum, or a member of a vector, in place of an operand of what lanes do together, or of what is called.
void Decoder::check_sum(const ptx::Instruction& in, ptx::Type type) const {
  if (is_called(in, type)) fail(in, FaultKind::BadPtx, "a register or a number is needed as source");
  const bool together = (ptx::has(in, "sync") || in.opcode == "barrier") && !ptx::has(in, "aligned") &&
                        (in.opcode != "bar" || ptx::has(in, "warp"));
  if (together && target() < 90) fail(in, FaultKind::BadPtx, needs_sm(90));
}

// Registers without a kind (.b32) fit every type.
void Decoder::check_kind(const ptx::Instruction& in, std::string_view name, ptx::Type declared,
                         ptx::Type type) const {
  const bool differs =
      (is_whole(declared) && is_float(type)) || (is_float(declared) && is_whole(type)) ||
      (is_float(declared) && is_float(type) && declared != type) ||
      (is_float(declared) && type == ptx::Type::B32 && in.row->computes == ptx::Computes::Convert &&
       !ptx::has(in, "ue8m0x2") && !ptx::has(in, "pack") &&
       !(declared == ptx::Type::F16x2 && ptx::has(in, "f16x2"))) ||
      (is_float(declared) && type == ptx::Type::B32 && !in.modifiers.empty() &&
       (in.opcode == "bmsk" || in.modifiers.back() == "s16x2" || in.modifiers.back() == "u16x2")) ||
      (type == ptx::Type::B8 && in.row->reader == ptx::Reader::LaneWise && ptx::size_bytes(declared) != 1);
  if (differs)
    fail(in, FaultKind::BadPtx,
         msg("`{}` is declared .{}, and a .{} is needed here", name, ptx::name(declared), ptx::name(type)));
}

// `_` in place of the one register that it writes: for what does something else besides.
void Decoder::check_dropped(const ptx::Instruction& in, const ptx::Operand& operand) const {
  const bool may = in.row->is_atomic() ||
                   (in.row->reader == ptx::Reader::Mbarrier && in.row->orders == ptx::Orders::Arrive) ||
                   in.row->computes == ptx::Computes::Compare || in.opcode == "lop3" ||
                   (in.opcode == "match" && ptx::has(in, "all")) || !operand.predicate_or.empty();
  if (!may && !in.operands.empty() && &operand == &in.operands[0])
    fail(in, FaultKind::BadPtx, "the destination must be a register");
}

int Decoder::target() const {
  return std::atoi(module_.target.c_str() + std::min<std::size_t>(module_.target.size(), 3));
}

void Decoder::check_architecture(const ptx::Instruction& in) const {
  const bool named = module_.target.ends_with('a') || module_.target.ends_with('f');
  const auto [sm, alone] = ptx::first_architecture(*in.row, in.modifiers, in.operands.size());
  if ((sm > ptx::kOldestSm && target() < sm) || (alone && !named))
    fail(in, FaultKind::BadPtx, needs_sm(sm, alone ? "a" : ""));
}

// What is wrong with the modifiers as a whole; empty: nothing.
Message Decoder::wrong_modifiers(const ptx::Instruction& in) const {
  check_architecture(in);
  if (const std::string_view word = ptx::repeated(*in.row, in.modifiers); !word.empty())
    return msg("the modifier .{} is one too many", std::string(word));
  if (const std::string_view word = ptx::stranger(*in.row, in.modifiers); !word.empty())
    unsupported(in, msg("the modifier .{}", std::string(word)));
  const bool of_lanes = in.row->moves.unit == ptx::Unit::Lanes || in.row->is_atomic();
  if (of_lanes && std::count_if(in.modifiers.begin(), in.modifiers.end(),
                                [](const std::string& m) { return space_named(m) != Space::Generic; }) > 1)
    return "these modifiers together";
  // cp.reduce.async.bulk.tensor has the row of cp.async.bulk.tensor.
  const bool reduces = !in.modifiers.empty() && in.modifiers[0] == "reduce" &&
                       in.row->text.find("reduce") == std::string_view::npos;
  std::string text = in.opcode;
  for (const std::string& m : std::span(in.modifiers).subspan(reduces ? 1 : 0))
    if (m != "cta") text += "." + m;
  const bool converts_to =
      in.row->reader == ptx::Reader::Convert && ptx::has(in, "to") && in.modifiers[0] != "to";
  const bool cta_behind =
      ptx::has(in, "cta") && in.row->reader == ptx::Reader::Barrier && in.modifiers[0] != "cta";
  if (converts_to || cta_behind) return "the order of its modifiers";
  if (!text.starts_with(in.row->text)) return msg("`{}` are words that belong together", in.row->text);
  return {};
}

std::uint64_t Decoder::immediate_bits(const ptx::Instruction& in, const ptx::Operand& operand,
                                      ptx::Type type) const {
  const bool literal_float = is_float_literal(operand.literal);
  const bool of_bits = (operand.literal == (type == ptx::Type::B32 ? ptx::Type::F32 : ptx::Type::F64) ||
                        (in.row->reader == ptx::Reader::Tensor && operand.bits == 0)) &&
                       (type == ptx::Type::B32 || type == ptx::Type::B64);
  if (is_float(type) && !is_float_literal(type))
    fail(in, FaultKind::BadPtx, "pairs and numbers of 16 bits must stand in registers");
  if (in.row->reader == ptx::Reader::LaneWise && !in.modifiers.empty() &&
      in.modifiers.back().ends_with("16x2"))
    fail(in, FaultKind::BadPtx, "numbers of 16 bits must stand in registers");
  if (literal_float != is_float(type) && !of_bits)
    fail(in, FaultKind::BadPtx,
         literal_float ? Message("a whole number is needed here")
                       : Message("a number with a point is needed here, as in 1.0"));
  if (!literal_float) return operand.bits;
  if (operand.literal == ptx::Type::F32) {
    if (type == ptx::Type::F64) {
      return std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))));
    }
    return operand.bits;
  }
  if (ptx::size_bytes(type) == 8) return operand.bits;
  if (ptx::size_bytes(type) == 4) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  }
  fail(in, FaultKind::BadPtx, msg("a floating-point number does not fit a .{}", ptx::name(type)));
}

// The order and the caches that a load or store asks for, as far as they go together; empty: they do.
Message Decoder::wrong_order_words(const ptx::Instruction& in) const {
  constexpr std::string_view kOrders[] = {"relaxed", "acquire", "release", "volatile",
                                          "weak",    "acq_rel", "sc"};
  constexpr std::string_view kCaches[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt"};
  const auto of = [&](const auto& words) {
    return std::count_if(in.modifiers.begin(), in.modifiers.end(), [&](const std::string& m) {
      return std::find(std::begin(words), std::end(words), m) != std::end(words);
    });
  };
  const auto has = [&](std::string_view m) { return ptx::has(in, m); };
  const auto orders = of(kOrders), caches = of(kCaches);
  const bool scoped = has("cta") || has("gpu") || has("sys") || has("cluster");
  const bool wants_scope = has("relaxed") || has("acquire") || has("release");
  const bool hints = std::any_of(in.modifiers.begin(), in.modifiers.end(),
                                 [](const std::string& m) { return m.starts_with("L1::"); });
  const auto beginning = [&](std::string_view stem) {
    return std::count_if(in.modifiers.begin(), in.modifiers.end(),
                         [&](const std::string& m) { return m.starts_with(stem); });
  };
  const auto evicts = beginning("L2::evict"), policies = beginning("L2::cache_hint");
  const Space space = space_of(in);
  if (beginning("L1::") > 1 || evicts > 1 || beginning("L2::") - evicts - policies > 1 ||
      (has("mmio") && !(has("relaxed") && has("sys"))))
    return "these modifiers together";
  if (beginning("L2::") > 0 && space != Space::Global && space != Space::Generic)
    return "a hint with these modifiers";
  const bool shares = space == Space::Global || space == Space::Shared || space == Space::Generic;
  const bool here = in.row->loads() ? has("release") || has("wb") || has("wt")
                                    : has("acquire") || has("ca") || has("lu") || has("cv") || has("nc");
  if (orders > 1 || caches > 1 || here || has("acq_rel") || has("sc")) return "these modifiers together";
  if (scoped != wants_scope)
    return scoped ? Message("a scope without an order") : Message("an order without a scope");
  if (orders > 0 && (has("nc") || (!has("weak") && (caches > 0 || !shares)) || (has("volatile") && hints)))
    return "an order with these modifiers";
  if (hints && (caches > 0 || space != Space::Global) && space != Space::Generic)
    return "a hint with these modifiers";
  if (has("nc") && space != Space::Global) return "the modifier .nc outside of global memory";
  return {};
}

void Decoder::check_memory_modifiers(const ptx::Instruction& in) {
  for (const std::string& m : in.modifiers) {
    const bool known = is_hint(m) || ptx::type_named(m) != ptx::Type::None || m == "v2" || m == "v4" ||
                       m == "v8" || space_named(m) != Space::Generic;
    if (!known) unsupported(in, msg("the modifier .{}", m));
  }
  if (const Message wrong = wrong_order_words(in); !wrong.empty()) unsupported(in, wrong);
  const ptx::Type type = ptx::last_type(in);
  const int bytes = ptx::size_bytes(type) * vector_length(in);
  if (bytes == 0 || (ptx::is_float(type) && type != ptx::Type::F32 && type != ptx::Type::F64))
    unsupported(in);
  const Space space = space_of(in);
  const bool global = space == Space::Global || space == Space::Generic;
  const bool wide = bytes == 32 && target() >= 100 && global && vector_length(in) >= 4 && in.opcode != "ldu";
  const bool evicts = std::any_of(in.modifiers.begin(), in.modifiers.end(),
                                  [](const std::string& m) { return m.starts_with("L2::evict"); });
  if (evicts && !wide) unsupported(in, "a hint with these modifiers");
  if (bytes > 16 && !wide)
    unsupported(in, "an access of more than 16 bytes but of v4 and v8 to global memory from sm_100 on");
  if (in.row->stores() && space_of(in) == Space::Const) unsupported(in, "a store to constant memory");
  const std::size_t operands = ptx::has(in, "L2::cache_hint") ? 3 : 2;
  expect_operands(in, operands, operands);
  cache_policy(in);
}

}  // namespace lab::sim

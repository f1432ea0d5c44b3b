// Decisions by shape and block, run. See decision_probe.h.
#include "common/course/judge/decision_probe.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>

#include "common/course/judge/split_trial.h"
#include "common/sim/ptx/modifiers.h"
#include "common/sim/ptx/special_registers.h"

namespace lab::judge {
namespace {

using sim::ptx::Computes;
using sim::ptx::Function;
using sim::ptx::Instruction;
using sim::ptx::Next;
using sim::ptx::Operand;
using sim::ptx::OperandKind;
using sim::ptx::Sees;
using sim::ptx::Type;
using sim::ptx::Writes;

constexpr std::uint32_t kProbedLanes = 32, kDecisionsOfWord = 16;
constexpr std::size_t kMostDecisions = 256;
constexpr std::uint64_t kMostRounds = 256;         // of all loops of a thread
constexpr std::uint64_t kWorkOfProbe = 6'000'000;  // units (sim/program/work.h)
constexpr std::size_t kPlacesAtOnce = 1024;        // places of a launch
constexpr device::Address kNowhere = 0x7f00'0000'0000;
constexpr std::string_view kEnd = "%lab_end";

// What the place gives, a word each, in front of the parameters.
struct Given {
  std::string_view name;
  bool by_block;
};
constexpr std::array<Given, 13> kGiven = {{{"%ctaid.x", true},
                                           {"%ctaid.y", true},
                                           {"%ctaid.z", true},
                                           {"%nctaid.x", false},
                                           {"%nctaid.y", false},
                                           {"%nctaid.z", false},
                                           {"%clusterid.x", true},
                                           {"%clusterid.y", true},
                                           {"%nclusterid.x", false},
                                           {"%nclusterid.y", false},
                                           {"%cluster_ctaid.x", true},
                                           {"%cluster_ctaid.y", true},
                                           {"%cluster_ctarank", true}}};
constexpr std::uint64_t kParametersAt = 64;  // bytes

std::string given_register(std::size_t which) { return "%lab_given" + std::to_string(which); }

Operand operand(OperandKind kind, std::string name) {
  Operand made;
  made.kind = kind, made.name = std::move(name);
  return made;
}
Operand reg(std::string_view name) { return operand(OperandKind::Register, std::string(name)); }
Operand number(std::uint64_t bits) {
  Operand made;
  made.kind = OperandKind::Immediate, made.bits = bits, made.literal = Type::S64;
  return made;
}
Operand at(std::string_view base, std::int64_t offset) {
  Operand made = operand(OperandKind::Address, std::string(base));
  made.base_is_register = true, made.offset = offset;
  return made;
}
Instruction made(std::string_view opcode, std::vector<Operand> operands,
                 const Instruction* beside = nullptr) {
  Instruction in;
  sim::ptx::set_opcode(in, opcode);
  in.operands = std::move(operands);
  if (beside != nullptr) in.guard = beside->guard, in.guard_negated = beside->guard_negated;
  return in;
}

using Names = std::unordered_set<std::string_view>;

template <class Body>
void for_written(const Instruction& in, const Body& body) {
  if (const Operand* const to = sim::ptx::written_operand(in)) sim::ptx::for_names(*to, body);
}
template <class Body>
void for_read(const Instruction& in, const Body& body) {
  const Operand* const to = sim::ptx::written_operand(in);
  for (const Operand& one : in.operands)
    if (&one != to || in.row->writes == Writes::Adds) sim::ptx::for_names(one, body);
  if (!in.guard.empty()) body(std::string_view(in.guard));
}

bool is_param(const Instruction& in) {
  return sim::ptx::has(in, "param") || sim::ptx::has(in, "param::func");
}
bool reads_memory(const Instruction& in) { return in.row->loads() || in.row->is_atomic(); }
bool writes_memory(const Instruction& in) { return in.row->stores() || in.row->is_atomic(); }

// Makes one function compute what it decides, and no more.
class Pruned {
 public:
  Pruned(const sim::ptx::Module& module, const Function& text, bool is_entry, const LaunchShape& shape)
      : module_(module), text_(text), is_entry_(is_entry), shape_(shape) {
    for (const sim::ptx::Variable& parameter : text.parameters) parameters_.insert(parameter.name);
    unknown_ = closure([this](const Instruction& in) { return is_unknown_source(in); });
    by_block_ = closure([](const Instruction& in) {
      bool any = false;
      for_read(in, [&](std::string_view name) {
        const sim::ptx::SpecialRegister* const special = sim::ptx::special_register(name);
        any |= special != nullptr && special->follows == sim::ptx::Follows::Block;
      });
      return any;
    });
    varies_ = closure([this](const Instruction& in) {
      if (is_entry_ && in.row->loads() && is_param(in)) return true;
      bool any = false;
      for_read(in, [&](std::string_view name) {
        any |= std::any_of(kGiven.begin(), kGiven.end(), [&](const Given& one) { return one.name == name; });
      });
      return any || in.row->next == Next::Call || (in.row->loads() && is_param(in));
    });
    find_live();
  }

  // `table`: a row for each block; `found`: a word of 16 decisions, and so on, for each thread.
  Function rewritten(std::uint64_t table, std::uint64_t row_bytes, std::uint64_t found,
                     const std::vector<std::uint64_t>& parameter_at, std::vector<bool>& by_block) {
    table_ = table, row_bytes_ = row_bytes, parameter_at_ = &parameter_at;
    Function to = text_;
    to.body.clear(), to.labels.clear(), to.no_unroll.clear();
    std::fill(std::begin(to.required_threads), std::end(to.required_threads), 0);
    std::fill(std::begin(to.required_cluster), std::end(to.required_cluster), 0);
    to.blocks_are_clusters = false;
    std::vector<Instruction> body;
    std::vector<std::size_t> places;
    for (const Instruction& in : text_.body) {
      places.push_back(body.size());
      rewrite(in, body, by_block);
    }
    places.push_back(body.size());
    const std::size_t words = (by_block.size() + kDecisionsOfWord - 1) / kDecisionsOfWord;
    begin(to.body, words);
    const std::size_t first = to.body.size();
    for (Instruction& in : body) to.body.push_back(std::move(in));
    for (const auto& [label, place] : text_.labels) to.labels[label] = first + places[place];
    to.labels[std::string(kEnd)] = to.body.size();
    if (is_entry_) end(to.body, words, found);
    to.body.push_back(made("ret", {}));
    to.registers.push_back({"%lab_given", Type::B32, static_cast<int>(kGiven.size()), 0});
    to.registers.push_back({"%lab_word", Type::B32, static_cast<int>(words) + 1, 0});
    for (const char* name : {"%lab_number", "%lab_made", "%lab_left"})
      to.registers.push_back({name, Type::B32, 0, 0});
    for (const char* name : {"%lab_row", "%lab_found"}) to.registers.push_back({name, Type::B64, 0, 0});
    to.registers.push_back({"%lab_holds", Type::Pred, 0, 0});
    return to;
  }

 private:
  Names closure(const std::function<bool(const Instruction&)>& begins) const {
    Names known;
    for (std::size_t before = ~std::size_t{0}; before != known.size();) {
      before = known.size();
      for (const Instruction& in : text_.body) {
        bool any = begins(in);
        for_read(in, [&](std::string_view name) { any |= known.contains(name); });
        if (any) for_written(in, [&](std::string_view name) { known.insert(name); });
      }
    }
    return known;
  }

  // Its result follows from what it reads: numbers, other lanes, memory of the kernel's own.
  static bool is_computed(const Instruction& in) {
    if (in.row->is_pure() || in.row->computes == Computes::Carry) return true;
    if (reads_memory(in)) return true;
    return in.row->writes == Writes::First && !in.row->moves_bytes() &&
           (in.row->sees == Sees::Warp || in.row->sees == Sees::Lanes);
  }
  bool is_entry_parameter(std::string_view name) const { return is_entry_ && parameters_.contains(name); }
  bool is_unknown_source(const Instruction& in) const {
    if (in.row->next != Next::Through) return false;
    if (in.row->loads() && is_param(in)) {
      const Operand* const address = sim::ptx::address_operand(in);
      return is_entry_ && address != nullptr && sim::ptx::size_bytes(sim::ptx::last_type(in)) == 8;
    }
    return !is_computed(in);
  }
  bool is_unknown(const Operand& one) const {
    bool any = false;
    sim::ptx::for_names(one, [&](std::string_view name) { any |= unknown_.contains(name); });
    return any;
  }
  bool has_known_place(const Instruction& in) const {
    const Operand* const address = sim::ptx::address_operand(in);
    return address != nullptr && !is_unknown(*address);
  }
  bool is_kept_store(const Instruction& in) const {
    return has_known_place(in) && std::none_of(in.operands.begin() + 1, in.operands.end(),
                                               [&](const Operand& one) { return is_unknown(one); });
  }

  void find_live() {
    bool reads_own = false;
    const auto add = [&](std::string_view name) { live_.insert(name); };
    for (const Instruction& in : text_.body)
      if (is_decision(in)) for_read(in, add), for_written(in, add);
    for (std::size_t before = ~std::size_t{0}; before != live_.size();) {
      before = live_.size();
      for (const Instruction& in : text_.body) {
        const bool own_store = writes_memory(in) && (is_param(in) || reads_own) && is_kept_store(in);
        if (in.row->next == Next::Through && !is_live(in) && !own_store) continue;
        for_read(in, add);
        if (reads_memory(in) && !is_param(in) && has_known_place(in) && !reads_own)
          reads_own = true, before = 0;
      }
    }
    reads_own_ = reads_own;
  }
  bool is_live(const Instruction& in) const {
    bool any = in.row->computes == Computes::Carry;
    for_written(in, [&](std::string_view name) { any |= live_.contains(name); });
    return any;
  }

  bool is_decision(const Instruction& in) const {
    const Operand* const to = sim::ptx::written_operand(in);
    if (!is_entry_ || to == nullptr || to->kind != OperandKind::Register || !is_computed(in)) return false;
    if (unknown_.contains(to->name) || !varies_.contains(to->name)) return false;
    if (is_predicate(to->name)) return true;
    const Type type = sim::ptx::last_type(in);
    if (sim::ptx::is_float(type) || sim::ptx::size_bytes(type) > 8) return false;
    if (in.row->loads()) return !is_param(in);
    switch (in.row->computes) {
      case Computes::And:
      case Computes::ShiftRight:
      case Computes::Funnel:
      case Computes::Extract:
      case Computes::Divide:
      case Computes::Remainder:
        return true;
      default:
        return false;
    }
  }

  Type type_of(std::string_view name) const {
    const sim::ptx::RegisterDeclaration* found = nullptr;
    for (const sim::ptx::RegisterDeclaration& one : text_.registers) {
      const bool fits = one.count == 0
                            ? name == one.name
                            : name.starts_with(one.name) && name.size() > one.name.size() &&
                                  std::all_of(name.begin() + static_cast<std::ptrdiff_t>(one.name.size()),
                                              name.end(), [](char c) { return c >= '0' && c <= '9'; });
      if (fits && (found == nullptr || found->name.size() < one.name.size())) found = &one;
    }
    return found == nullptr ? Type::None : found->type;
  }
  bool is_predicate(std::string_view name) const { return type_of(name) == Type::Pred; }

  void rewrite(const Instruction& in, std::vector<Instruction>& body, std::vector<bool>& by_block) {
    Instruction kept = in;
    replace_given(kept);
    if (in.row->next == Next::Call) {
      if (calls_text(in)) body.push_back(kept);
      return;
    }
    if (in.row->next != Next::Through) return control(in, kept, body);
    if (is_entry_ && is_param(in) && in.row->loads()) {
      if (is_live(in)) load_parameter(kept, body);
      return;
    }
    if (is_param(in)) {
      if (is_kept_store(in) || is_live(in)) body.push_back(kept);
      return;
    }
    const bool is_memory = reads_memory(in) || writes_memory(in);
    const bool can_be = is_computed(in) || writes_memory(in);
    const bool known =
        can_be && (!is_memory || (has_known_place(in) && (!writes_memory(in) || is_kept_store(in))));
    const bool needed = is_live(in) || (writes_memory(in) && reads_own_);
    if (!needed) return;
    if (!known) return put_zeros(in, body);
    body.push_back(std::move(kept));
    if (is_decision(in) && by_block.size() < kMostDecisions) record(in, body, by_block);
  }

  bool calls_text(const Instruction& in) const {
    return std::any_of(in.operands.begin(), in.operands.end(), [&](const Operand& one) {
      const Function* const callee =
          one.kind == OperandKind::Group ? nullptr : module_.find_function(one.name);
      return callee != nullptr && !callee->is_declaration;
    });
  }

  // A way back has an end; so has the thread, where what it decided is kept.
  void control(const Instruction& in, Instruction& kept, std::vector<Instruction>& body) const {
    if (in.row->next == Next::Return || in.row->next == Next::Exit || in.row->next == Next::Trap) {
      body.push_back(made("bra", {operand(OperandKind::Symbol, std::string(kEnd))}, &in));
      return;
    }
    const auto to = in.row->next == Next::Jump && !in.operands.empty()
                        ? text_.labels.find(in.operands[0].name)
                        : text_.labels.end();
    const bool goes_back =
        in.row->next == Next::JumpIndexed ||
        (to != text_.labels.end() && to->second <= static_cast<std::size_t>(&in - text_.body.data()));
    if (goes_back) {
      body.push_back(made("add.s32", {reg("%lab_left"), reg("%lab_left"), number(~std::uint64_t{0})}));
      body.push_back(made("setp.lt.s32", {reg("%lab_holds"), reg("%lab_left"), number(0)}));
      Instruction leave = made("bra", {operand(OperandKind::Symbol, std::string(kEnd))});
      leave.guard = "%lab_holds";
      body.push_back(leave);
    }
    body.push_back(kept);
  }

  void load_parameter(Instruction& kept, std::vector<Instruction>& body) const {
    std::replace(kept.modifiers.begin(), kept.modifiers.end(), std::string("param"), std::string("global"));
    std::replace(kept.modifiers.begin(), kept.modifiers.end(), std::string("param::entry"),
                 std::string("global"));
    for (Operand& one : kept.operands)
      if (one.kind == OperandKind::Address && !one.base_is_register)
        one = at("%lab_row", one.offset + static_cast<std::int64_t>(place_of(one.name)));
    body.push_back(kept);
  }
  std::uint64_t place_of(std::string_view parameter) const {
    for (std::size_t k = 0; k < text_.parameters.size(); ++k)
      if (text_.parameters[k].name == parameter) return (*parameter_at_)[k];
    return kParametersAt;
  }

  void replace_given(Instruction& in) const {
    for (Operand& one : in.operands) {
      for (std::size_t k = 0; k < kGiven.size(); ++k)
        if (one.name == kGiven[k].name) one.name = given_register(k);
      if (one.name == "%ntid.x") one = number(static_cast<std::uint64_t>(shape_.block.x));
      if (one.name == "%ntid.y") one = number(static_cast<std::uint64_t>(shape_.block.y));
      if (one.kind == OperandKind::Symbol && is_entry_parameter(one.name)) one = reg("%lab_row");
    }
  }

  void put_zeros(const Instruction& in, std::vector<Instruction>& body) const {
    for_written(in, [&](std::string_view name) {
      const Type type = type_of(name);
      if (type == Type::Pred) body.push_back(made("setp.eq.u32", {reg(name), number(0), number(0)}, &in));
      const int bytes = sim::ptx::size_bytes(type);
      if (bytes == 2 || bytes == 4 || bytes == 8)
        body.push_back(made("mov.b" + std::to_string(8 * bytes), {reg(name), number(0)}, &in));
    });
  }

  void record(const Instruction& in, std::vector<Instruction>& body, std::vector<bool>& by_block) const {
    const Operand& to = in.operands[0];
    std::string_view holds = to.name;
    if (!is_predicate(holds)) {
      const int bytes = std::max(2, sim::ptx::size_bytes(type_of(to.name)));
      body.push_back(
          made("setp.ne.u" + std::to_string(8 * bytes), {reg("%lab_holds"), reg(to.name), number(0)}, &in));
      holds = "%lab_holds";
    }
    const std::string word = "%lab_word" + std::to_string(by_block.size() / kDecisionsOfWord);
    const std::size_t shift = 2 * (by_block.size() % kDecisionsOfWord);
    body.push_back(made(
        "selp.b32",
        {reg("%lab_made"), number(std::uint64_t{1} << shift), number(std::uint64_t{2} << shift), reg(holds)},
        &in));
    body.push_back(made("or.b32", {reg(word), reg(word), reg("%lab_made")}, &in));
    by_block.push_back(by_block_.contains(to.name));
  }

  void begin(std::vector<Instruction>& body, std::size_t words) const {
    body.push_back(made("mov.u32", {reg("%lab_number"), reg("%ctaid.x")}));
    body.push_back(made("mul.wide.u32", {reg("%lab_row"), reg("%lab_number"), number(row_bytes_)}));
    body.push_back(made("add.s64", {reg("%lab_row"), reg("%lab_row"), number(table_)}));
    for (std::size_t k = 0; k < kGiven.size(); ++k)
      if (is_read(kGiven[k].name))
        body.push_back(made("ld.global.u32",
                            {reg(given_register(k)), at("%lab_row", static_cast<std::int64_t>(4 * k))}));
    for (std::size_t k = 0; k < words; ++k)
      body.push_back(made("mov.u32", {reg("%lab_word" + std::to_string(k)), number(0)}));
    body.push_back(made("mov.u32", {reg("%lab_left"), number(kMostRounds)}));
  }
  bool is_read(std::string_view given) const {
    bool any = false;
    for (const Instruction& in : text_.body)
      for_read(in, [&](std::string_view name) { any |= name == given; });
    return any;
  }
  static void end(std::vector<Instruction>& body, std::size_t words, std::uint64_t found) {
    const std::uint64_t bytes = 4 * words;
    body.push_back(made("mov.u32", {reg("%lab_left"), reg("%laneid")}));
    body.push_back(
        made("mad.lo.u32", {reg("%lab_made"), reg("%lab_number"), number(kProbedLanes), reg("%lab_left")}));
    body.push_back(made("mul.wide.u32", {reg("%lab_found"), reg("%lab_made"), number(bytes)}));
    body.push_back(made("add.s64", {reg("%lab_found"), reg("%lab_found"), number(found)}));
    for (std::size_t k = 0; k < words; ++k)
      body.push_back(made("st.global.u32", {at("%lab_found", static_cast<std::int64_t>(4 * k)),
                                            reg("%lab_word" + std::to_string(k))}));
  }

  const sim::ptx::Module& module_;
  const Function& text_;
  const bool is_entry_;
  const LaunchShape& shape_;
  Names parameters_, unknown_, by_block_, varies_, live_;
  bool reads_own_ = false;
  std::uint64_t table_ = 0, row_bytes_ = 0;
  const std::vector<std::uint64_t>* parameter_at_ = nullptr;
};

}  // namespace

DecisionProbe::DecisionProbe(const sim::ptx::Module& module, std::string_view entry, const LaunchShape& shape)
    : shape_(shape) {
  const Function* const text = module.find_function(entry);
  if (text == nullptr) return;
  std::vector<std::uint64_t> places;
  std::uint64_t end = kParametersAt;
  for (const sim::ptx::Variable& one : text->parameters) {
    const std::uint64_t align = std::max(1u, one.align_bytes);
    places.push_back((end + align - 1) / align * align);
    end = places.back() + one.size_bytes;
    parameters_.push_back({places.back(), one.size_bytes});
  }
  row_bytes_ = (end + 63) / 64 * 64;
  table_ = memory_.allocate(row_bytes_ * kPlacesAtOnce, sim::Fill::Written);
  found_ =
      memory_.allocate(std::uint64_t{kProbedLanes} * kPlacesAtOnce * kMostDecisions / kDecisionsOfWord * 4,
                       sim::Fill::Written);
  sim::ptx::Module pruned = module;
  for (Function& one : pruned.functions) {
    const bool is_entry = one.name == entry;
    if (one.is_declaration || one.is_entry != is_entry) continue;
    const Function& from = *module.find_function(one.name);
    one = Pruned(module, from, is_entry, shape).rewritten(table_, row_bytes_, found_, places, by_block_);
  }
  if (by_block_.empty()) return;
  try {
    image_ = sim::load_module(std::move(pruned), memory_);
    program_ = sim::decode(*image_, entry);
  } catch (const sim::FaultError&) {
    by_block_.clear();
  }
}

void DecisionProbe::lay_out(const sim::ShapePlace& place, std::span<std::byte> row) const {
  const std::uint32_t width = static_cast<std::uint32_t>(std::max(1, shape_.cluster.x)),
                      height = static_cast<std::uint32_t>(std::max(1, shape_.cluster.y));
  const std::uint32_t x = place.ctaid[0] % width, y = place.ctaid[1] % height;
  const std::array<std::uint32_t, kGiven.size()> given = {place.ctaid[0],
                                                          place.ctaid[1],
                                                          place.ctaid[2],
                                                          place.nctaid[0],
                                                          place.nctaid[1],
                                                          place.nctaid[2],
                                                          place.ctaid[0] / width,
                                                          place.ctaid[1] / height,
                                                          place.nctaid[0] / width,
                                                          place.nctaid[1] / height,
                                                          x,
                                                          y,
                                                          y * width + x};
  std::memcpy(row.data(), given.data(), sizeof given);
  std::size_t integer = 0;
  for (const Parameter& one : parameters_) {
    std::byte* const to = row.data() + one.at;
    if (one.bytes == 4 && integer < place.integers.size()) {
      const auto value = static_cast<std::int32_t>(place.integers[integer++]);
      std::memcpy(to, &value, sizeof value);
    } else if (one.bytes == sizeof(Gpus) && shape_.gpus > 1) {
      Problem problem;
      problem.rows = place.integers[0], problem.cols = place.integers[1], problem.gpus = shape_.gpus;
      const std::vector<device::Address> out(static_cast<std::size_t>(shape_.gpus), kNowhere);
      const Gpus gpus = gpus_of(problem, 0, out);
      std::memcpy(to, &gpus, sizeof gpus);
    }
  }
}

std::size_t DecisionProbe::run(std::span<const sim::ShapePlace> places, std::vector<std::uint8_t>& ways) {
  ways.assign(places.size() * count(), 0);
  const std::size_t words = (count() + kDecisionsOfWord - 1) / kDecisionsOfWord;
  sim::LaunchConfig config;
  config.block.x = std::min(kProbedLanes, static_cast<std::uint32_t>(shape_.block.x));
  config.block.y = std::min(kProbedLanes / config.block.x, static_cast<std::uint32_t>(shape_.block.y));
  config.dynamic_shared_bytes = static_cast<std::uint32_t>(shape_.dynamic_shared_bytes);
  config.allow_large_shared = true;
  sim::LaunchOptions options;
  options.host_threads = 1;
  options.count = options.check_races = options.check_global_races = options.check_uninitialised = false;
  for (std::size_t first = 0; first < places.size(); first += kPlacesAtOnce) {
    const std::size_t chunk = std::min(kPlacesAtOnce, places.size() - first);
    std::vector<std::byte> rows(chunk * row_bytes_);
    for (std::size_t k = 0; k < chunk; ++k)
      lay_out(places[first + k], std::span(rows).subspan(k * row_bytes_, row_bytes_));
    memory_.write(table_, rows);
    config.grid = {static_cast<std::uint32_t>(chunk), 1, 1};
    options.budget_work = kWorkOfProbe;
    const std::vector<std::byte> none(program_->parameter_bytes());
    const sim::LaunchResult result = sim::launch(memory_, *program_, config, none, options);
    work_ += result.work;
    if (!result.ok()) return first;
    std::vector<std::uint32_t> found(chunk * kProbedLanes * words);
    memory_.read(found_, std::as_writable_bytes(std::span(found)));
    for (std::size_t k = 0; k < chunk; ++k)
      for (std::size_t w = 0; w < words; ++w) {
        std::uint32_t all = 0;
        for (std::size_t lane = 0; lane < config.block.x * config.block.y; ++lane)
          all |= found[(k * kProbedLanes + lane) * words + w];
        for (std::size_t d = w * kDecisionsOfWord; d < std::min(count(), (w + 1) * kDecisionsOfWord);
             ++d, all >>= 2)
          ways[(first + k) * count() + d] = all & 3;
      }
    if (work_ >= kWorkOfProbe) return first + chunk;
  }
  return places.size();
}

}  // namespace lab::judge

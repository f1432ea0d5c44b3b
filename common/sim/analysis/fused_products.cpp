// Products that sums take in. See fused_products.h.
//
// The rule is read from what `ptxas` 13.0 makes of drawn texts (tests/golden/fused_sums.txt.gz). Within a block each
// product notes what reads it. Then sums choose: first those that have a product for themselves alone, then all others
// in the order of the text, of two products the one with fewer readers, else the first operand. A product that stays an
// operand of another's sum has to be computed, so that sums behind it read it, too.
#include "common/sim/analysis/fused_products.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "common/sim/ptx/modifiers.h"

namespace lab::sim {
namespace {

using ptx::has;

struct Product {
  const ptx::Instruction* text = nullptr;
  std::size_t at = 0;    // in the body
  std::size_t sums = 0;  // that read it
  bool is_read = false;  // by what is no sum, behind the block, or as an operand that stays one
};
struct Use {
  std::size_t product = 0;
  bool is_second = false, is_negated = false;
};
struct Sum {
  const ptx::Instruction* text = nullptr;
  std::vector<Use> uses;  // the first operand's first
};
struct Value {  // a product in a register, itself or by a move or a `neg`
  std::size_t product = 0;
  bool is_negated = false;
  std::size_t reads = 0;
};

// f32x2 is not measured.
bool rounds_as_it_likes(const ptx::Instruction& in) {
  const ptx::Type type = ptx::last_type(in);
  return is_float(type) && type != ptx::Type::F32x2 &&
         std::all_of(in.modifiers.begin(), in.modifiers.end(), [](const std::string& m) {
           return m == "ftz" || m == "sat" || ptx::type_named(m) != ptx::Type::None;
         });
}
bool is_product(const ptx::Instruction& in) {
  return in.row->computes == ptx::Computes::Multiply && in.guard.empty() && in.modifiers.size() <= 2 &&
         rounds_as_it_likes(in) && !has(in, "sat") && in.operands.size() == 3 &&
         in.operands[0].kind == ptx::OperandKind::Register;
}
bool is_sum(const ptx::Instruction& in) {
  return (in.row->computes == ptx::Computes::Add || in.row->computes == ptx::Computes::Subtract) &&
         in.operands.size() == 3 && rounds_as_it_likes(in);
}
bool fit(const ptx::Instruction& product, const ptx::Instruction& sum) {
  return ptx::last_type(product) == ptx::last_type(sum) && has(product, "ftz") == has(sum, "ftz") &&
         std::count_if(sum.modifiers.begin(), sum.modifiers.end(),
                       [](const std::string& m) { return ptx::type_named(m) != ptx::Type::None; }) == 1;
}
// The same value, or the negative one.
bool hands_on(const ptx::Instruction& in) {
  return (in.row->computes == ptx::Computes::Copy || in.row->computes == ptx::Computes::Negate) &&
         in.guard.empty() && in.operands.size() == 2 && in.operands[0].kind == ptx::OperandKind::Register &&
         in.operands[1].kind == ptx::OperandKind::Register;
}

// div, rcp, sqrt as IEEE 754 has them, and quotients of 64 bits.
bool calls_library(const ptx::Instruction& in) {
  using enum ptx::Computes;
  const ptx::Computes computes = in.row->computes;
  const bool divides = computes == Divide || computes == Remainder;
  const ptx::Type type = ptx::last_type(in);
  if (!is_float(type)) return divides && ptx::size_bytes(type) == 8;
  return (divides || computes == Other) && (has(in, "rn") || has(in, "rz") || has(in, "rm") || has(in, "rp"));
}

// `ptxas` begins a block behind it: fences, calls of its own library, and what a guard makes a branch around.
bool ends_block(const ptx::Instruction& in) {
  const bool by_branch =
      !in.guard.empty() && in.row->reader != ptx::Reader::LaneWise && in.row->reader != ptx::Reader::Move;
  return in.row->next != ptx::Next::Through || by_branch || calls_library(in) ||
         (in.row->orders == ptx::Orders::Fence && !has(in, "proxy"));
}

template <class Body>
void for_names_read(const ptx::Instruction& in, const Body& body) {
  const ptx::Operand* const written = ptx::written_operand(in);
  for (const ptx::Operand& operand : in.operands)
    if (&operand != written || in.row->writes == ptx::Writes::Adds) ptx::for_names(operand, body);
}

class Search {
 public:
  explicit Search(const ptx::Function& function) : function_(function) {}

  FusedProducts run() {
    const auto& body = function_.body;
    if (std::none_of(body.begin(), body.end(), is_product)) return {};
    for (const ptx::Instruction& in : body)
      for_names_read(in, [&](std::string_view name) { ++reads_[name]; });
    const std::set<std::size_t> targets = jumped_to();
    for (std::size_t at = 0; at < body.size(); ++at) {
      if (targets.contains(at)) close();
      read(body[at]);
      write(body[at], at);
      if (ends_block(body[at])) close();
    }
    close();
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::set<std::size_t> jumped_to() const {
    std::set<std::size_t> targets;
    const auto add = [&](const std::string& label) {
      if (const auto at = function_.labels.find(label); at != function_.labels.end())
        targets.insert(at->second);
    };
    for (const ptx::Instruction& in : function_.body)
      if (in.row->next == ptx::Next::Jump && !in.operands.empty()) add(in.operands[0].name);
    for (const ptx::TargetList& list : function_.branch_targets)
      std::for_each(list.targets.begin(), list.targets.end(), add);
    return targets;
  }

  void read(const ptx::Instruction& in) {
    const bool sums = is_sum(in);
    if (sums) sums_.push_back({&in, {}});
    for_names_read(in, [&](std::string_view name) {
      const auto at = values_.find(name);
      if (at == values_.end()) return;
      Product& product = products_[at->second.product];
      ++at->second.reads;
      if (hands_on(in)) return;
      if (!sums || !fit(*product.text, in) || has_lost_factors(product)) {
        product.is_read = true;
        return;
      }
      std::vector<Use>& uses = sums_.back().uses;
      // Twice in one sum, it is computed.
      product.is_read |= !uses.empty() && uses.back().product == at->second.product;
      uses.push_back({at->second.product, name != in.operands[1].name, at->second.is_negated});
      ++product.sums;
    });
  }

  // A register that it multiplies has another value by now.
  [[nodiscard]] bool has_lost_factors(const Product& product) const {
    const auto is_written = [&](const ptx::Operand& factor) {
      const auto last = written_.find(factor.name);
      return last != written_.end() && last->second >= product.at;
    };
    return is_written(product.text->operands[1]) || is_written(product.text->operands[2]);
  }

  void write(const ptx::Instruction& in, std::size_t at) {
    const ptx::Operand* const to = ptx::written_operand(in);
    if (to == nullptr) return;
    std::optional<Value> value;
    if (const auto from = hands_on(in) ? values_.find(in.operands[1].name) : values_.end();
        from != values_.end())
      value = {from->second.product, from->second.is_negated != (in.row->computes == ptx::Computes::Negate),
               0};
    ptx::for_names(*to, [&](std::string_view name) {
      forget(name, !in.guard.empty());
      written_[name] = at;
    });
    if (is_product(in)) {
      value = {products_.size(), false, 0};
      products_.push_back({&in, at, 0, false});
    }
    if (value) values_[to->name] = *value;
  }

  // The register gets another value, or keeps what it has in some lanes.
  void forget(std::string_view name, bool perhaps) {
    const auto old = values_.find(name);
    if (old == values_.end()) return;
    if (perhaps) products_[old->second.product].is_read = true;
    values_.erase(old);
  }

  void close() {
    for (const auto& [name, value] : values_)
      if (const auto reads = reads_.find(name); reads != reads_.end())
        products_[value.product].is_read |= reads->second > value.reads;
    for (const bool alone : {true, false})
      for (Sum& sum : sums_) choose(sum, alone);
    values_.clear();
    products_.clear();
    sums_.clear();
  }

  void choose(Sum& sum, bool alone) {
    const Use* best = nullptr;
    for (const Use& use : sum.uses) {
      const Product& product = products_[use.product];
      if (product.is_read || (alone && product.sums != 1)) continue;
      if (best == nullptr || product.sums < products_[best->product].sums) best = &use;
    }
    if (best == nullptr) return;
    found_[sum.text] = {products_[best->product].text, best->is_second, best->is_negated};
    for (const Use& use : sum.uses)
      if (&use != best) products_[use.product].is_read = true;
    sum.uses.clear();
  }

  const ptx::Function& function_;
  std::unordered_map<std::string_view, std::size_t> reads_, written_;  // how often, and where last
  std::unordered_map<std::string_view, Value> values_;
  std::vector<Product> products_;
  std::vector<Sum> sums_;
  FusedProducts found_;
};

}  // namespace

FusedProducts fused_products(const ptx::Function& function) { return Search(function).run(); }

}  // namespace lab::sim

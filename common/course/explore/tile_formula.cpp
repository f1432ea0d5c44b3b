// Formulas of a tile: parse once, evaluate for every element.
#include "common/course/explore/tile_formula.h"

#include <fmt/core.h>

#include <cctype>

#include "common/sim/base/expression.h"

namespace lab::explore {
namespace {

constexpr std::size_t kLongestText = 400;
constexpr int kDeepest = 50;  // brackets in brackets

std::int64_t apply(char op, std::int64_t a, std::int64_t b) {
  // Through unsigned numbers: what overflows wraps, nothing is undefined.
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  switch (op) {
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '&':
      return a & b;
    case '+':
      return static_cast<std::int64_t>(ua + ub);
    case '-':
      return static_cast<std::int64_t>(ua - ub);
    case '*':
      return static_cast<std::int64_t>(ua * ub);
    case '<':
    case '>':
      if (b < 0 || b > 62) throw FormulaError(msg("The formula shifts by {}; 0 to 62 is possible.", b));
      return op == '<' ? static_cast<std::int64_t>(ua << ub) : a >> b;
    default:
      if (b == 0) throw FormulaError("The formula divides by zero.");
      if (b == -1) return op == '/' ? static_cast<std::int64_t>(0 - ua) : 0;
      return op == '/' ? a / b : a % b;
  }
}

}  // namespace

class FormulaParser {
 public:
  explicit FormulaParser(TileFormula& formula) : formula_(formula), rest_(formula.text_) {}

  void parse() {
    if (rest_.size() > kLongestText)
      throw FormulaError(msg("The formula is longer than {} characters.", kLongestText));
    sim::parse_expression(*this, sim::kLowestLevel);
    if (skip_blanks(); !rest_.empty()) fail("an operator or the end");
  }

  // What an operand leaves stands on the stack of the formula when it runs; here there is no value.
  struct OnStack {};

  OnStack operand() {
    if (++depth_ > kDeepest) throw FormulaError("The formula has too many brackets in brackets.");
    skip_blanks();
    const char c = rest_.empty() ? '\0' : rest_.front();
    if (c == '-' || c == '~') {
      rest_.remove_prefix(1);
      operand();
      formula_.steps_.push_back({c == '-' ? 'n' : '~', 0});
    } else if (c == '(') {
      rest_.remove_prefix(1);
      sim::parse_expression(*this, sim::kLowestLevel);
      if (skip_blanks(); !rest_.starts_with(')')) fail("a closing bracket");
      rest_.remove_prefix(1);
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      number();
    } else {
      name();
    }
    --depth_;
    return {};
  }

  char peek_operator() {
    skip_blanks();
    return rest_.empty() ? '\0' : rest_.front();
  }
  static int level(char op) { return sim::level_of(op); }
  void take_operator(char op) {
    const bool shift = op == '<' || op == '>';
    if (shift && (rest_.size() < 2 || rest_[1] != op)) fail("<< or >>");
    rest_.remove_prefix(shift ? 2 : 1);
  }
  OnStack combine(char op, OnStack, OnStack) {
    formula_.steps_.push_back({op, 0});
    return {};
  }

 private:
  void number() {
    std::int64_t value = 0;
    for (; !rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0;
         rest_.remove_prefix(1)) {
      value = value * 10 + (rest_.front() - '0');
      if (value > 1'000'000'000) throw FormulaError("The formula has a number above 1 000 000 000.");
    }
    formula_.steps_.push_back({'0', value});
  }

  void name() {
    std::size_t length = 0;
    while (length < rest_.size() && std::isalpha(static_cast<unsigned char>(rest_[length])) != 0) ++length;
    const std::string_view word = rest_.substr(0, length);
    if (word == "x" || word == "col") {
      formula_.steps_.push_back({'x', 0});
    } else if (word == "y" || word == "row") {
      formula_.steps_.push_back({'y', 0});
    } else {
      fail("a number, x, y or a bracket");
    }
    rest_.remove_prefix(length);
  }

  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw FormulaError(msg("\"{}\" is no formula: at character {} I expect {}. An example: x ^ y",
                           formula_.text_, formula_.text_.size() - rest_.size() + 1, expected));
  }

  TileFormula& formula_;
  std::string_view rest_;
  int depth_ = 0;
};

TileFormula::TileFormula(std::string_view text) : text_(text) { FormulaParser(*this).parse(); }

std::int64_t TileFormula::operator()(std::int64_t y, std::int64_t x) const {
  std::vector<std::int64_t> stack;
  for (const Step& step : steps_) {
    if (step.op == '0' || step.op == 'x' || step.op == 'y') {
      stack.push_back(step.op == '0' ? step.number : step.op == 'x' ? x : y);
    } else if (step.op == '~' || step.op == 'n') {
      stack.back() = step.op == '~' ? ~stack.back()
                                    : static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(stack.back()));
    } else {
      const std::int64_t b = stack.back();
      stack.pop_back();
      stack.back() = apply(step.op, stack.back(), b);
    }
  }
  return stack.back();
}

}  // namespace lab::explore

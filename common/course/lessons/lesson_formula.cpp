// Reads a formula from left to right and evaluates it on the way. See the header.
#include "common/course/lessons/lesson_formula.h"
#include "common/base/characters.h"
#include "common/base/text/message.h"

#include <fmt/core.h>

#include <charconv>
#include <stdexcept>

#include "common/sim/base/expression.h"

namespace lab::course {
namespace {

constexpr int kMaxDepth = 20;  // parentheses inside parentheses

bool is_word(char c) {
  return base::is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Reader {
 public:
  Reader(std::string_view text, const FormulaLookup& lookup) : text_(text), lookup_(lookup) {}

  double whole() {
    const double value = sim::parse_expression(*this, sim::kLowestLevel);
    if (peek() != '\0') fail("something is left over");
    return value;
  }

  double operand() {
    if (base::is_digit(peek())) return number();
    return take('(') ? bracket() : source();
  }

  // Numbers that are counted are no bits: of C's operators these four.
  char peek_operator() {
    const char c = peek();
    return c == '+' || c == '-' || c == '*' || c == '/' ? c : '\0';
  }
  static int level(char op) { return sim::level_of(op); }
  void take_operator(char) { ++at_; }
  static double combine(char op, double left, double right) {
    return op == '+' ? left + right : op == '-' ? left - right : op == '*' ? left * right : left / right;
  }

 private:
  [[noreturn]] void fail(const char* what) const {
    throw text::Said<std::runtime_error>(msg("`{}` is no formula: {} at column {}.", text_, what, at_ + 1));
  }

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  std::string word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == start) fail("a name is missing");
    return std::string(text_.substr(start, at_ - start));
  }

  double bracket() {
    if (++depth_ > kMaxDepth) fail("too many parentheses");
    const double value = sim::parse_expression(*this, sim::kLowestLevel);
    if (!take(')')) fail("a parenthesis is not closed");
    --depth_;
    return value;
  }

  double number() {
    double value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) fail("a number cannot be read");
    at_ = static_cast<std::size_t>(stop - text_.data());
    return value;
  }

  double source() {
    FormulaSource s;
    s.name = word();
    if (!take('(')) fail("`(` is missing");
    while (!take(')')) {
      std::string arg;
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')') arg += text_[at_++];
      if (at_ == text_.size()) fail("a parenthesis is not closed");
      take(',');
      arg.erase(0, arg.find_first_not_of(' '));
      arg.erase(arg.find_last_not_of(' ') + 1);
      s.args.push_back(std::move(arg));
    }
    while (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      s.path += (s.path.empty() ? "" : ".") + word();
    }
    return lookup_(s);
  }

  std::string_view text_;
  const FormulaLookup& lookup_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double evaluate_formula(std::string_view text, const FormulaLookup& lookup) {
  return Reader(text, lookup).whole();
}

}  // namespace lab::course

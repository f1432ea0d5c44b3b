// The value of an #if: a climb by precedence over integers. See preprocessor.h.
#include <array>
#include <cstdlib>

#include "common/cucc/preprocessor.h"

namespace lab::cucc {
namespace {

using Integer = long long;
struct Operator {
  const char* sign;
  int level;
  Integer (*apply)(Integer, Integer);
};
constexpr std::array<Operator, 15> kOperators = {{
    {"||", 1, [](Integer a, Integer b) -> Integer { return a != 0 || b != 0 ? 1 : 0; }},
    {"&&", 2, [](Integer a, Integer b) -> Integer { return a != 0 && b != 0 ? 1 : 0; }},
    {"|", 3, [](Integer a, Integer b) { return a | b; }},
    {"&", 4, [](Integer a, Integer b) { return a & b; }},
    {"==", 5, [](Integer a, Integer b) -> Integer { return a == b ? 1 : 0; }},
    {"!=", 5, [](Integer a, Integer b) -> Integer { return a != b ? 1 : 0; }},
    {"<", 6, [](Integer a, Integer b) -> Integer { return a < b ? 1 : 0; }},
    {">", 6, [](Integer a, Integer b) -> Integer { return a > b ? 1 : 0; }},
    {"<=", 6, [](Integer a, Integer b) -> Integer { return a <= b ? 1 : 0; }},
    {">=", 6, [](Integer a, Integer b) -> Integer { return a >= b ? 1 : 0; }},
    {"+", 7,
     [](Integer a, Integer b) {
       return static_cast<Integer>(static_cast<unsigned long long>(a) + static_cast<unsigned long long>(b));
     }},
    {"-", 7,
     [](Integer a, Integer b) {
       return static_cast<Integer>(static_cast<unsigned long long>(a) - static_cast<unsigned long long>(b));
     }},
    {"*", 8,
     [](Integer a, Integer b) {
       return static_cast<Integer>(static_cast<unsigned long long>(a) * static_cast<unsigned long long>(b));
     }},
    {"/", 8, [](Integer a, Integer b) { return b == 0 || b == -1 ? 0 - (b == 0 ? 0 : a) : a / b; }},
    {"%", 8, [](Integer a, Integer b) { return b == 0 || b == -1 ? 0 : a % b; }},
}};
constexpr int kTightest = 9;
constexpr int kDeepestCondition = 200;

class Condition {
 public:
  Condition(const Tokens& tokens, Position at) : tokens_(tokens), at_(at) {}
  Integer whole() {
    const Integer value = parse(0);
    if (i_ < tokens_.size())
      refuse(tokens_[i_].at, "'" + tokens_[i_].text + "' in an #if", "compare numbers and macros");
    return value;
  }

 private:
  [[nodiscard]] const Operator* next_operator() const {
    if (i_ >= tokens_.size() || tokens_[i_].kind != TokenKind::Punctuation) return nullptr;
    for (const Operator& o : kOperators)
      if (tokens_[i_].text == o.sign) return &o;
    return nullptr;
  }
  Integer parse(int least) {
    if (++depth_ > kDeepestCondition) fail(at_, "this #if is nested too deep");
    Integer left = operand();
    for (const Operator* o = next_operator(); o != nullptr && o->level > least; o = next_operator()) {
      ++i_;
      left = o->apply(left, parse(o->level));
    }
    --depth_;
    return left;
  }
  Integer operand() {
    if (i_ >= tokens_.size()) fail(at_, "this #if ends too early: a value is missing");
    const Token& t = tokens_[i_++];
    if (t.kind == TokenKind::Number) return std::strtoll(t.text.c_str(), nullptr, 0);
    if (t.kind == TokenKind::Name) return t.text == "true" ? 1 : 0;  // what is no macro counts as 0
    if (t.text == "!") return parse(kTightest) == 0 ? 1 : 0;
    if (t.text == "-") return -parse(kTightest);
    if (t.text != "(") refuse(t.at, "'" + t.text + "' in an #if", "compare numbers and macros");
    const Integer value = parse(0);
    if (i_ >= tokens_.size() || tokens_[i_].text != ")") fail(t.at, "this ( has no ) in its line");
    ++i_;
    return value;
  }

  const Tokens& tokens_;
  Position at_;
  std::size_t i_ = 0;
  int depth_ = 0;
};

}  // namespace

long long condition_value(const Tokens& tokens, Position at) { return Condition(tokens, at).whole(); }

}  // namespace lab::cucc

// The value of an #if: a climb by precedence over integers. See preprocessor.h.
#include <cstdlib>

#include "common/compile/builtin/operators.h"
#include "common/compile/builtin/preprocessor.h"

namespace lab::cucc {
namespace {

using Integer = long long;
constexpr int kTightest = 11;
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
    return operator_of(tokens_[i_].text);
  }
  Integer parse(int least) {
    if (++depth_ > kDeepestCondition) fail(at_, "this #if is nested too deep");
    Integer left = operand();
    for (const Operator* o = next_operator(); o != nullptr && o->level > least; o = next_operator()) {
      ++i_;
      left = applied(*o, true, left, parse(o->level)).value_or(0);
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

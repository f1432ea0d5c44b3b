// Numbers and constant expressions; see ptx_constant.h. Enters: tokens. Leaves: 64-bit values.
#include "common/sim/ptx/ptx_constant.h"

#include <bit>
#include <charconv>
#include <string>

#include "common/sim/base/expression.h"

namespace lab::sim::ptx {
namespace {

constexpr int kMostNesting =
    64;  // of parentheses and signs: enough for people, too little for a stack overflow

Constant whole(std::uint64_t bits) { return {bits, Type::S64}; }

// Raw float bits: exactly `digits` hexadecimal digits.
Constant float_bits(const Lexer& lexer, const Token& token, std::size_t digits, Type type) {
  const std::string_view text = token.text.substr(2);
  std::uint64_t bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  if (text.size() != digits || error != std::errc{} || end != text.data() + text.size()) {
    lexer.fail(token, msg("a number that starts with `{}` needs exactly {} hexadecimal digits, found {}",
                          std::string(token.text.substr(0, 2)), digits, shown(token)));
  }
  return {bits, type};
}

Constant decimal_float(const Lexer& lexer, const Token& token) {
  double value = 0;
  const char* const text_end = token.text.data() + token.text.size();
  const auto [end, error] = std::from_chars(token.text.data(), text_end, value);
  if (error != std::errc{} || end != text_end)
    lexer.fail(token, msg("{} is no number that PTX knows", shown(token)));
  return {std::bit_cast<std::uint64_t>(value), Type::F64};
}

Constant integer(const Lexer& lexer, const Token& token) {
  std::string_view digits = token.text;
  const bool is_unsigned = digits.back() == 'U' || digits.back() == 'u';
  if (is_unsigned) digits.remove_suffix(1);
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const char mark = static_cast<char>(digits[1] | 32);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    digits.remove_prefix(base == 8 ? 1 : 2);
  }
  std::uint64_t bits = 0;
  const char* const digits_end = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), digits_end, bits, base);
  if (error == std::errc::result_out_of_range && end == digits_end) {
    lexer.fail(token, msg("{} does not fit in 64 bits", shown(token)));
  }
  if (error != std::errc{} || end != digits_end)
    lexer.fail(token, msg("{} is no number that PTX knows", shown(token)));
  return {bits, is_unsigned || bits >> 63 ? Type::U64 : Type::S64};
}

class Expression {
 public:
  explicit Expression(Lexer& lexer) : lexer_(lexer) {}

  Constant operand() {
    if (++depth_ > kMostNesting) lexer_.fail("this constant expression is nested too deeply");
    const Constant value = operand_inside();
    --depth_;
    return value;
  }

  [[nodiscard]] Token peek_operator() const { return lexer_.peek(); }

  static int level(const Token& token) { return token.kind == TokenKind::Punct ? level_of(token.punct) : 0; }

  void take_operator(const Token& token) {
    lexer_.take();
    if (token.punct == '<' || token.punct == '>') lexer_.expect(token.punct, "to make a shift");
  }

  [[nodiscard]] Constant combine(const Token& op, const Constant& left, const Constant& right) const {
    if (left.is_float() || right.is_float())
      lexer_.fail(op, "a constant expression may only contain whole numbers");
    return apply(op, left, right);
  }

 private:
  Constant apply(const Token& op, const Constant& left, const Constant& right) const {
    const std::uint64_t a = left.bits;
    const std::uint64_t b = right.bits;
    const bool is_unsigned = left.literal == Type::U64 || right.literal == Type::U64;
    const auto made = [&](std::uint64_t bits) { return Constant{bits, is_unsigned ? Type::U64 : Type::S64}; };
    switch (op.punct) {
      case '|':
        return made(a | b);
      case '^':
        return made(a ^ b);
      case '&':
        return made(a & b);
      case '+':
        return made(a + b);
      case '-':
        return made(a - b);
      case '*':
        return made(a * b);
      case '<':
        return {b < 64 ? a << b : 0, left.literal};
      case '>':
        return {shifted_right(left, b), left.literal};
      default:
        break;
    }
    if (b == 0) lexer_.fail(op, "a constant expression divides by zero");
    const bool quotient = op.punct == '/';
    if (is_unsigned) return made(quotient ? a / b : a % b);
    if (b == ~std::uint64_t{0}) return made(quotient ? 0 - a : 0);  // INT64_MIN / -1 must not trap
    const auto sa = static_cast<std::int64_t>(a);
    const auto sb = static_cast<std::int64_t>(b);
    return made(static_cast<std::uint64_t>(quotient ? sa / sb : sa % sb));
  }

  static std::uint64_t shifted_right(const Constant& value, std::uint64_t by) {
    const std::uint64_t count = by < 63 ? by : 63;
    if (value.literal == Type::U64) return by < 64 ? value.bits >> count : 0;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value.bits) >> count);
  }

  Constant operand_inside() {
    const Token token = lexer_.peek();
    if (lexer_.accept('+')) return operand();
    if (lexer_.accept('-')) return negated(operand());
    if (lexer_.accept('~')) {
      const Constant value = operand();
      if (value.is_float()) lexer_.fail(token, "`~` needs a whole number");
      return {~value.bits, value.literal};
    }
    if (lexer_.accept('!')) {
      const Constant value = operand();
      if (value.is_float()) lexer_.fail(token, "`!` needs a whole number");
      return whole(value.bits == 0);
    }
    if (lexer_.accept('(')) {
      const Constant value = parse_expression(*this, kLowestLevel);
      lexer_.expect(')', "at the end of a constant expression");
      return value;
    }
    if (token.kind == TokenKind::Word && token.text == "WARP_SZ") {
      lexer_.take();
      return whole(32);
    }
    return parse_number(lexer_);
  }

  static Constant negated(const Constant& value) {
    if (value.literal == Type::F32) return {value.bits ^ 0x8000'0000u, Type::F32};
    if (value.literal == Type::F64) return {value.bits ^ (std::uint64_t{1} << 63), Type::F64};
    return {0 - value.bits, Type::S64};
  }

  Lexer& lexer_;
  int depth_ = 0;
};

}  // namespace

Constant parse_number(Lexer& lexer) {
  const Token token = lexer.peek();
  if (token.kind != TokenKind::Number) lexer.fail(msg("expected a number, found {}", shown(token)));
  lexer.take();
  const std::string_view text = token.text;
  const char mark = text.size() > 1 && text[0] == '0' ? static_cast<char>(text[1] | 32) : ' ';
  if (mark == 'f') return float_bits(lexer, token, 8, Type::F32);
  if (mark == 'd') return float_bits(lexer, token, 16, Type::F64);
  const bool prefixed = mark == 'x' || mark == 'b';
  if (!prefixed && text.find_first_of(".eE") != std::string_view::npos) return decimal_float(lexer, token);
  return integer(lexer, token);
}

Constant parse_constant(Lexer& lexer) {
  Expression expression(lexer);
  return parse_expression(expression, kLowestLevel);
}

std::uint64_t parse_count(Lexer& lexer, std::uint64_t most, const Message& what) {
  const Token token = lexer.peek();
  Expression expression(lexer);
  // No shift: `<` and `>` enclose the count of registers.
  const Constant value = parse_expression(expression, kSumLevel);
  const bool negative = value.literal == Type::S64 && value.bits >> 63;
  if (value.is_float() || negative || value.bits > most) {
    lexer.fail(token, msg("{} must be a whole number from 0 to {}", what, most));
  }
  return value.bits;
}

bool at_constant(const Lexer& lexer) {
  const Token& token = lexer.peek();
  return token.kind == TokenKind::Number || lexer.at('-') || lexer.at('+') || lexer.at('~') ||
         lexer.at('(') || (token.kind == TokenKind::Word && token.text == "WARP_SZ");
}

}  // namespace lab::sim::ptx

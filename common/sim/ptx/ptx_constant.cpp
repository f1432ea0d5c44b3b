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

// What stands after the next token.
Lexer behind(Lexer lexer) {
  lexer.take();
  return lexer;
}
Constant from_double(double value) { return {std::bit_cast<std::uint64_t>(value), Type::F64}; }

// How strongly it binds, as in C. Of two that begin alike the longer one stands first.
struct OperatorRow {
  std::string_view text;
  int level;
};
constexpr int kSumLevel = 9;
constexpr OperatorRow kOperators[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
                                      {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"<", 7},
                                      {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
struct Operator {
  const OperatorRow* row = nullptr;
  Token token;
};

class Expression {
 public:
  explicit Expression(Lexer& lexer) : lexer_(lexer) {}

  Constant operand() { return nested(&Expression::operand_inside); }

  // An operator is one token or two: `<`, `<<`, `<=`.
  [[nodiscard]] Operator peek_operator() const {
    const Token token = lexer_.peek();
    if (token.kind != TokenKind::Punct) return {};
    for (const OperatorRow& row : kOperators) {
      if (row.text[0] == token.punct && (row.text.size() == 1 || behind(lexer_).at(row.text[1])))
        return {&row, token};
    }
    return {};
  }
  static int level(const Operator& op) { return op.row == nullptr ? 0 : op.row->level; }

  void take_operator(const Operator& op) {
    for (std::size_t k = 0; k < op.row->text.size(); ++k) lexer_.take();
  }

  [[nodiscard]] Constant combine(const Operator& op, const Constant& left, const Constant& right) const {
    if (!left.is_float() && !right.is_float()) return apply(op, left, right);
    const std::string_view text = op.row->text;
    const double a = as_double(left), b = as_double(right);
    if (text == "+") return from_double(a + b);
    if (text == "-") return from_double(a - b);
    if (text == "*") return from_double(a * b);
    if (text == "/") return from_double(a / b);
    lexer_.fail(op.token, "a constant expression may only contain whole numbers");
  }

  // `a ? b : c`, and everything that binds stronger.
  Constant all() {
    const Constant value = parse_expression(*this, 1);
    if (!lexer_.accept('?')) return value;
    if (value.is_float()) lexer_.fail("`?` needs a whole number before it");
    const Constant yes = nested(&Expression::all);
    lexer_.expect(':', "between the two values behind `?`");
    const Constant no = nested(&Expression::all);
    return value.bits != 0 ? yes : no;
  }

 private:
  Constant nested(Constant (Expression::*read)()) {
    if (++depth_ > kMostNesting) lexer_.fail("this constant expression is nested too deeply");
    const Constant value = (this->*read)();
    --depth_;
    return value;
  }

  Constant apply(const Operator& op, const Constant& left, const Constant& right) const {
    const std::uint64_t a = left.bits;
    const std::uint64_t b = right.bits;
    const bool is_unsigned = left.literal == Type::U64 || right.literal == Type::U64;
    const auto made = [&](std::uint64_t bits) { return Constant{bits, is_unsigned ? Type::U64 : Type::S64}; };
    const auto less = [&](std::uint64_t x, std::uint64_t y) {
      return is_unsigned ? x < y : static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y);
    };
    const std::string_view text = op.row->text;
    if (text == "||") return whole(a != 0 || b != 0);
    if (text == "&&") return whole(a != 0 && b != 0);
    if (text == "==") return whole(a == b);
    if (text == "!=") return whole(a != b);
    if (text == "<") return whole(less(a, b));
    if (text == ">") return whole(less(b, a));
    if (text == "<=") return whole(!less(b, a));
    if (text == ">=") return whole(!less(a, b));
    if (text == "|") return made(a | b);
    if (text == "^") return made(a ^ b);
    if (text == "&") return made(a & b);
    if (text == "+") return made(a + b);
    if (text == "-") return made(a - b);
    if (text == "*") return made(a * b);
    if (text == "<<") return {b < 64 ? a << b : 0, left.literal};
    if (text == ">>") return {shifted_right(left, b), left.literal};
    if (b == 0) lexer_.fail(op.token, "a constant expression divides by zero");
    const bool quotient = text == "/";
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
    if (lexer_.accept('-')) {
      const std::string_view next = lexer_.peek().text;
      if (next.size() > 1 && next[0] == '0' && ((next[1] | 32) == 'f' || (next[1] | 32) == 'd'))
        lexer_.fail(token, "the bits of a floating-point number have no sign before them");
      return negated(operand());
    }
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
      if (lexer_.at_directive("s64") || lexer_.at_directive("u64")) {  // a cast
        const Type type = type_named(lexer_.take().text);
        lexer_.expect(')', "after the type of a constant expression");
        const Constant value = operand();
        if (value.is_float()) lexer_.fail(token, "only whole numbers have a type before them");
        return {value.bits, type};
      }
      const Constant value = all();
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

double as_double(const Constant& value) {
  if (value.literal == Type::F64) return std::bit_cast<double>(value.bits);
  if (value.literal == Type::F32) return double{std::bit_cast<float>(static_cast<std::uint32_t>(value.bits))};
  return value.literal == Type::U64 ? static_cast<double>(value.bits)
                                    : static_cast<double>(static_cast<std::int64_t>(value.bits));
}

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
  return expression.all();
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
  if (lexer.at('!')) {  // of a number, not of a predicate
    Lexer ahead = behind(lexer);
    while (ahead.accept('!')) continue;
    return at_constant(ahead);
  }
  const Token& token = lexer.peek();
  return token.kind == TokenKind::Number || lexer.at('-') || lexer.at('+') || lexer.at('~') ||
         lexer.at('(') || (token.kind == TokenKind::Word && token.text == "WARP_SZ");
}

}  // namespace lab::sim::ptx

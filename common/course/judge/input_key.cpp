// From a key and a kernel to numbers. See input_key.h.
#include "common/course/judge/input_key.h"

#include <bit>
#include <charconv>
#include <map>
#include <set>

#include "common/base/sha256.h"
#include "common/sim/ptx/opcodes.h"
#include "common/sim/ptx/ptx_constant.h"
#include "common/sim/ptx/ptx_lexer.h"

namespace lab::judge {
namespace {

using sim::ptx::Lexer;
using sim::ptx::Token;
using sim::ptx::TokenKind;

void skip_numbers(Lexer& lexer, int count) {
  for (int i = 0; i < count && lexer.peek().kind == TokenKind::Number; ++i) lexer.take();
}

// Behind `.loc`: `1 31 5, function_name $L__info_string0 + 7, inlined_at 1 40 3`. No token more: an
// instruction may follow on the same line.
void skip_place(Lexer& lexer) {
  skip_numbers(lexer, 3);
  while (lexer.accept(',')) {
    if (lexer.at_word() && lexer.peek().text == "function_name") {
      lexer.take();
      if (lexer.at_word()) lexer.take();
      if (lexer.accept('+')) skip_numbers(lexer, 1);
    } else if (lexer.at_word() && lexer.peek().text == "inlined_at") {
      lexer.take();
      skip_numbers(lexer, 3);
    }
  }
}

// Behind `.file`: `1 "transpose.cu", 1795312, 1663`.
void skip_file(Lexer& lexer) {
  skip_numbers(lexer, 1);
  if (lexer.peek().kind == TokenKind::String) lexer.take();
  while (lexer.accept(',')) skip_numbers(lexer, 1);
}

void append(std::string& kernel, const Token& token) {
  switch (token.kind) {
    case TokenKind::Directive:
      kernel.push_back('.');
      kernel.append(token.text);
      break;
    case TokenKind::String:
      kernel.push_back('"');
      kernel.append(token.text);
      kernel.push_back('"');
      break;
    case TokenKind::Punct:
      kernel.push_back(token.punct);
      break;
    default:
      kernel.append(token.text);
  }
  kernel.push_back('\n');
}

std::string tokens_of(std::string_view ptx) {
  std::string kernel;
  kernel.reserve(ptx.size());
  Lexer lexer(ptx);
  while (!lexer.at_end()) {
    const Token token = lexer.take();
    const bool directive = token.kind == TokenKind::Directive;
    if (directive && token.text == "loc") {
      skip_place(lexer);
    } else if (directive && token.text == "file") {
      skip_file(lexer);
    } else if (directive && token.text == "section" && lexer.at_directive() &&
               lexer.peek().text.starts_with("debug_")) {
      lexer.skip_past('}');
    } else {
      append(kernel, token);
    }
  }
  return kernel;
}

std::array<std::uint8_t, 16> first_bytes(const std::string& hex) {
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, bytes[i], 16);
  return bytes;
}

// The state of SipHash (Aumasson and Bernstein, 2012).
struct Sip {
  std::uint64_t v0, v1, v2, v3;
  void round() {
    v0 += v1, v1 = std::rotl(v1, 13) ^ v0, v0 = std::rotl(v0, 32);
    v2 += v3, v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3, v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1, v1 = std::rotl(v1, 17) ^ v2, v2 = std::rotl(v2, 32);
  }
  void take(std::uint64_t word) {
    v3 ^= word;
    round(), round();
    v0 ^= word;
  }
};

}  // namespace

std::string without_debug_rows(std::string_view ptx) {
  try {
    return tokens_of(ptx);
  } catch (const sim::ptx::ParseError&) {
    return std::string(ptx);  // no device will load it
  }
}

namespace {

using Numbers = std::set<std::uint64_t>;

// Other: an instruction whose numbers are of no matter.
sim::ptx::Computes named_by(std::string_view instruction) {
  using enum sim::ptx::Computes;
  const auto computes = sim::ptx::opcode_row(instruction).computes;
  switch (computes) {
    case Compare:
    case Copy:
    case Xor:
    case Add:
    case Subtract:
    case Multiply:
    case MultiplyAdd:
    case ShiftLeft:
    case ShiftRight:
      return computes;
    default:
      return Other;
  }
}

// What a number of 32 bits, odd, has to be multiplied by to become 1.
std::uint32_t inverse(std::uint32_t odd) {
  std::uint32_t found = odd;
  for (int k = 0; k < 4; ++k) found *= 2 - odd * found;
  return found;
}

// Also what becomes one of the numbers by one step of the kernel's own: a shift, a product, a sum, other bits.
Numbers with_sources(const Numbers& numbers, const std::map<sim::ptx::Computes, Numbers>& by) {
  using enum sim::ptx::Computes;
  constexpr std::uint32_t kShort = 256;  // any draw has those
  Numbers all = numbers;
  for (const auto& [computes, steps] : by)
    for (const std::uint64_t step : steps)
      for (const std::uint64_t n : numbers) {
        const auto low = static_cast<std::uint32_t>(n), by_low = static_cast<std::uint32_t>(step);
        const bool is_short = low < kShort || low > 0u - kShort;
        if (is_short && computes != Multiply && computes != MultiplyAdd) continue;
        if (computes == ShiftRight) all.insert(n << step % 64);
        if (computes == ShiftLeft) all.insert(low >> step % 32);
        if (computes == Add) all.insert(static_cast<std::uint32_t>(low - by_low));
        if (computes == Subtract) all.insert(static_cast<std::uint32_t>(low + by_low));
        if (computes == Xor) all.insert(n ^ step);
        if ((computes == Multiply || computes == MultiplyAdd) && step % 2 != 0)
          all.insert(low * inverse(by_low));
      }
  return all;
}

}  // namespace

std::vector<std::uint64_t> numbers_of(std::string_view ptx) {
  using enum sim::ptx::Computes;
  constexpr std::size_t kMany = 1024;
  Numbers numbers;
  std::map<sim::ptx::Computes, Numbers> by;
  try {
    Lexer lexer(ptx);
    bool begins = false;  // a statement
    sim::ptx::Computes computes = Other;
    while (!lexer.at_end()) {
      if (computes != Other && sim::ptx::at_constant(lexer)) {
        const std::uint64_t number = sim::ptx::parse_constant(lexer).bits;
        if (computes == Compare || computes == Copy || computes == Xor) numbers.insert(number);
        if (computes != Compare && computes != Copy) by[computes].insert(number);
        continue;
      }
      const Token token = lexer.take();
      if (begins && token.kind == TokenKind::Word && !token.text.starts_with('%'))
        computes = named_by(token.text);
      begins = token.kind == TokenKind::Punct &&
               std::string_view(";{}:").find(token.punct) != std::string_view::npos;
    }
  } catch (const sim::ptx::ParseError&) {
    // no device will load it
  }
  for (int steps = 0; steps < 2; ++steps)
    if (Numbers more = with_sources(numbers, by); more.size() <= kMany) numbers = std::move(more);
  return {numbers.begin(), numbers.end()};
}

std::string opcodes_of(std::string_view ptx) {
  std::set<std::string_view> opcodes;
  try {
    Lexer lexer(ptx);
    bool begins = false;  // a statement
    while (!lexer.at_end()) {
      const Token token = lexer.take();
      const bool punct = token.kind == TokenKind::Punct;
      if (begins && punct && token.punct == '@') {  // @%p1, @!%p1
        lexer.accept('!');
        lexer.take();
        continue;
      }
      if (begins && token.kind == TokenKind::Word && !lexer.at(':')) opcodes.insert(token.text);
      begins = punct && std::string_view(";{}:").find(token.punct) != std::string_view::npos;
    }
  } catch (const sim::ptx::ParseError&) {
    return std::string(ptx);  // no device will load it
  }
  std::string text;
  for (const std::string_view opcode : opcodes) text.append(opcode).push_back('\n');
  return text;
}

bool learns_order(std::string_view ptx) {
  try {
    Lexer lexer(ptx);
    while (!lexer.at_end()) {
      const Token token = lexer.take();
      if (token.kind != TokenKind::Word || token.text.find('.') == std::string_view::npos) continue;
      const sim::ptx::OpcodeRow& row = sim::ptx::opcode_row(token.text);  // no name has the dots of an opcode
      if (row.fetches() || row.is(sim::ptx::Unit::Barrier, sim::Direction::Read)) return true;
    }
  } catch (const sim::ptx::ParseError&) {
    // no device will load it
  }
  return false;
}

InputKey::InputKey(std::string_view key, std::string_view ptx)
    : named_(numbers_of(ptx)), learns_order_(judge::learns_order(ptx)) {
  const auto bytes = first_bytes(base::hmac_sha256(key, without_debug_rows(ptx)));
  words_ = {};
  for (std::size_t i = 0; i < bytes.size(); ++i) words_[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
}

std::uint64_t InputKey::draw(std::initializer_list<std::int64_t> of) const {
  Sip sip{words_[0] ^ 0x736f6d6570736575u, words_[1] ^ 0x646f72616e646f6du, words_[0] ^ 0x6c7967656e657261u,
          words_[1] ^ 0x7465646279746573u};
  for (const std::int64_t number : of) sip.take(static_cast<std::uint64_t>(number));
  sip.take(std::uint64_t{8 * of.size()} << 56);
  sip.v2 ^= 0xff;
  for (int i = 0; i < 4; ++i) sip.round();
  return sip.v0 ^ sip.v1 ^ sip.v2 ^ sip.v3;
}

}  // namespace lab::judge

// See split_access.h.
#include "common/course/judge/split_access.h"

#include <algorithm>
#include <charconv>

#include "common/sim/ptx/ptx_lexer.h"

namespace lab::judge {
namespace {

using sim::ptx::Lexer;
using sim::ptx::TokenKind;

// The next part of "ld.global.nc.v4.f32".
std::string_view part(std::string_view& opcode) {
  const std::size_t dot = std::min(opcode.find('.'), opcode.size());
  const std::string_view first = opcode.substr(0, dot);
  opcode.remove_prefix(std::min(dot + 1, opcode.size()));
  return first;
}

int number_behind(std::string_view text, std::size_t letters) {
  int number = 0;
  if (text.size() > letters) std::from_chars(text.data() + letters, text.data() + text.size(), number);
  return number;
}

// Adds a load or store; other opcodes are none.
void add_access(std::string_view opcode, int line, Widths& widths) {
  const std::string_view word = part(opcode);
  if (word != "ld" && word != "st") return;
  std::string space;
  int lanes = 1, bits = 0;
  while (!opcode.empty()) {
    const std::string_view one = part(opcode);
    if (one == "global" || one == "shared" || one == "local" || one == "param" || one == "const")
      space = one;
    else if (one == "v2" || one == "v4" || one == "v8")
      lanes = number_behind(one, 1);
    else if (opcode.empty() && one.size() > 1 && std::string_view("bsuf").find(one[0]) != one.npos)
      bits = number_behind(one, 1);
  }
  if (space == "param" || space == "const" || space == "local" || bits == 0) return;
  Width& known = widths[{space, word == "st", line}];
  const int bytes = lanes * bits / 8;
  if (bytes > known.bytes) known = {bytes, 0};
  known.count += bytes == known.bytes ? 1 : 0;
}

}  // namespace

Widths widths_of(std::string_view ptx) {
  Widths widths;
  try {
    Lexer lexer(ptx);
    int line = 0;
    while (!lexer.at_end()) {
      const sim::ptx::Token token = lexer.take();
      if (token.kind == TokenKind::Directive && token.text == "loc") {
        lexer.take();  // the file
        const int found = number_behind(lexer.peek().text, 0);
        if (found != 0) line = found;
      } else if (token.kind == TokenKind::Word) {
        add_access(token.text, line, widths);  // no name has the dots of an opcode
      }
    }
  } catch (const sim::ptx::ParseError&) {
    return {};  // no device will load it
  }
  return widths;
}

std::optional<SplitAccess> split_access(const Widths& split, const Widths& whole) {
  constexpr int kWide = 8;
  for (const auto& [place, wide] : whole) {
    const auto& [space, stores, line] = place;
    const auto found = split.find(place);
    if (wide.bytes < kWide || found == split.end() || found->second.bytes >= wide.bytes) continue;
    SplitAccess result{line, stores, wide.bytes, found->second.bytes, 0};
    const bool all_there = found->second.count % (wide.bytes / result.split_bytes) == 0;
    for (const auto& [other, narrow] : whole)
      if (!all_there && std::get<0>(other) == space && std::get<1>(other) == stores &&
          narrow.bytes == result.split_bytes)
        result.merged_with = std::get<2>(other);
    return result;
  }
  return std::nullopt;
}

Message words_of(const SplitAccess& split, std::string_view compiler) {
  Message words =
      split.stores
          ? msg("{} splits the store of {} bytes in line {}: the PTX stores {} bytes at a time there.",
                std::string(compiler), split.whole_bytes, split.line, split.split_bytes)
          : msg("{} splits the load of {} bytes in line {}: the PTX loads {} bytes at a time there.",
                std::string(compiler), split.whole_bytes, split.line, split.split_bytes);
  words.line(split.merged_with != 0
                 ? msg("It merged a part of it with line {}, in another branch.", split.merged_with)
                 : "It took the vector apart and did not see that its parts are neighbours again.");
  words.line(split.stores ? "A GPU runs what the compiler made. The store stays whole as "
                            "__stcs(reinterpret_cast<float4*>(p), v)."
                          : "A GPU runs what the compiler made. The load stays whole as "
                            "__ldcs(reinterpret_cast<const float4*>(p)).");
  return words;
}

Message words_of(const UnguardedLoad& load, std::string_view compiler) {
  Message words =
      msg("{} loads in line {} where the guard excludes it: in {} lanes, in place of {}. It selects an "
          "address in place of the branch.",
          std::string(compiler), load.line, big(load.lanes), big(load.guarded_lanes));
  words.line(
      "A GPU runs what the compiler made. The branch was kept where the other value was written as "
      "make_float4(0, 0, 0, 0).");
  return words;
}

}  // namespace lab::judge

// From a key and a kernel to numbers. See input_key.h.
#include "common/judge/input_key.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <vector>

#include "common/base/sha256.h"

namespace lab::judge {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view line) {
  const std::size_t first = line.find_first_not_of(kBlanks);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(kBlanks) - first + 1);
}

// Comments become a blank each; what stands in quotes stays.
std::string without_comments(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view two = text.substr(i, 2);
    if (!quoted && (two == "//" || two == "/*")) {
      const std::size_t end = two == "//" ? text.find('\n', i) : text.find("*/", i + 2);
      clean.push_back(' ');
      if (end == text.npos) break;
      i = two == "//" ? end - 1 : end + 1;
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    clean.push_back(text[i]);
  }
  return clean;
}

bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

// `.loc 1 31 5, function_name $L__info_string0, inlined_at 1 40 3` and nothing behind it: an instruction on the
// same line would be lost.
bool is_place(std::string_view line) {
  if (!line.starts_with(".loc") && !line.starts_with(".file")) return false;
  if (line.starts_with(".file")) {
    const std::size_t open = line.find('"'), close = line.find('"', open + 1);
    if (open == line.npos || close == line.npos) return false;
    line.remove_prefix(close + 1);
  } else {
    line.remove_prefix(4);
  }
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" \t,+"), line.size());
    const std::string_view word = line.substr(0, end);
    const bool known = word.empty() || is_number(word) || word == "function_name" || word == "inlined_at" ||
                       word.starts_with("$L__info_string");
    if (!known) return false;
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return true;
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
  const std::string text = without_comments(ptx);
  std::string kernel;
  kernel.reserve(text.size());
  bool in_debug_section = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const bool section = line.starts_with(".section") && line.find(".debug_") != line.npos;
    if (section || in_debug_section) {
      in_debug_section = line.find('}') == line.npos;
      continue;
    }
    if (line.empty() || is_place(line)) continue;
    kernel.append(line).push_back('\n');
  }
  return kernel;
}

InputKey::InputKey(std::string_view key, std::string_view ptx) {
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

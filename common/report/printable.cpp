// Decodes UTF-8 and lets through what only draws. See printable.h.
#include "common/report/printable.h"

#include <fmt/core.h>

#include <cstdint>
#include <utility>

namespace lab::report {
namespace {

struct Decoded {
  std::uint32_t point = 0;
  std::size_t bytes = 0;  // 0: no valid UTF-8 here
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char head = byte(0);
  if (head < 0x80) return {head, 1};
  const std::size_t size = head >= 0xF0 ? 4 : head >= 0xE0 ? 3 : 2;
  if (head < 0xC2 || head > 0xF4 || text.size() < size) return {};
  std::uint32_t point = head & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < kSmallest[size] || point > 0x10FFFF || is_surrogate) return {};
  return {point, size};
}

// Control characters, marks of direction, line separators, invisible tags.
bool is_harmful(std::uint32_t point) {
  constexpr std::pair<std::uint32_t, std::uint32_t> kRanges[] = {
      {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},      {0x61C, 0x61C},
      {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},  {0x2060, 0x206F},
      {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
  for (const auto& [first, last] : kRanges) {
    if (point >= first && point <= last) return true;
  }
  return false;
}

std::string made_printable(std::string_view text, bool one_line) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (next.bytes == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    const bool keeps = !one_line && (next.point == '\n' || next.point == '\t');
    if (keeps || !is_harmful(next.point)) {
      result.append(text.substr(0, next.bytes));
    } else {
      result +=
          next.point < 0x100 ? fmt::format("\\x{:02x}", next.point) : fmt::format("\\u{:04x}", next.point);
    }
    text.remove_prefix(next.bytes);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return made_printable(text, false); }
std::string printable_line(std::string_view text) { return made_printable(text, true); }

}  // namespace lab::report

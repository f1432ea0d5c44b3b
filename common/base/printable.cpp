// Decodes UTF-8 and lets through what only draws. See printable.h.
#include "common/base/printable.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

namespace lab::base {
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
          next.point < 0x80 ? fmt::format("\\x{:02x}", next.point) : fmt::format("\\u{:04x}", next.point);
    }
    text.remove_prefix(next.bytes);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) { return made_printable(text, false); }
std::string printable_line(std::string_view text) { return made_printable(text, true); }

std::string shell_word(const std::string& text) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./=:,+@").find(static_cast<char>(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return text;
  const bool harmless = printable_line(text) == text;
  std::string quoted = harmless ? "'" : "$'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (!harmless && (byte < 0x20 || byte >= 0x7F)) {
      quoted += fmt::format("\\x{:02x}", byte);
    } else if (!harmless && (c == '\'' || c == '\\')) {
      quoted += std::string("\\") + c;
    } else {
      quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
  }
  return quoted + "'";
}

std::string unprintable(std::string_view shown) {
  const auto digits = [&](std::size_t at, std::size_t count, unsigned& value) {
    const std::string_view text = shown.substr(std::min(at, shown.size()), count);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return text.size() == count && error == std::errc{} && end == text.data() + count;
  };
  std::string raw;
  for (std::size_t at = 0; at < shown.size();) {
    unsigned value = 0;
    if (shown.substr(at).starts_with("\\x") && digits(at + 2, 2, value)) {
      raw += static_cast<char>(value);
      at += 4;
    } else if (shown.substr(at).starts_with("\\u") && digits(at + 2, 4, value)) {
      if (value >= 0x800) raw += static_cast<char>(0xE0 | value >> 12);
      raw += static_cast<char>(value >= 0x800 ? 0x80 | (value >> 6 & 0x3F) : 0xC0 | value >> 6);
      raw += static_cast<char>(0x80 | (value & 0x3F));
      at += 6;
    } else {
      raw += shown[at++];
    }
  }
  return raw;
}

}  // namespace lab::base

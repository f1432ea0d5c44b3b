// Text as editors save it, made what compilers read. See source_text.h.
#include "common/base/source_text.h"

#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "common/base/files.h"

namespace lab::base {
namespace {

enum class Order { None, Little, Big };

// By its mark; or, without one, by the zeros of plain letters.
Order order_of(std::string_view bytes) {
  if (bytes.size() % 2 != 0) return Order::None;
  if (bytes.starts_with("\xFF\xFE")) return Order::Little;
  if (bytes.starts_with("\xFE\xFF")) return Order::Big;
  if (bytes.size() < 4) return Order::None;
  std::size_t even = 0, odd = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) (i % 2 == 0 ? even : odd) += bytes[i] == '\0';
  const std::size_t half = bytes.size() / 2;
  if (even == 0 && odd > half * 9 / 10) return Order::Little;
  return odd == 0 && even > half * 9 / 10 ? Order::Big : Order::None;
}

void append(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

std::optional<std::string> from_utf16(std::string_view bytes, Order order) {
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]),
               second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<std::uint32_t>(order == Order::Little ? second << 8 | first : first << 8 | second);
  };
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    if (code == 0xFEFF && at == 0) continue;
    if (code >= 0xDC00 && code < 0xE000) return std::nullopt;  // half a pair
    if (code >= 0xD800 && code < 0xDC00) {
      at += 2;
      if (at >= bytes.size() || unit(at) < 0xDC00 || unit(at) >= 0xE000) return std::nullopt;
      code = 0x10000 + ((code - 0xD800) << 10) + (unit(at) - 0xDC00);
    }
    append(text, code);
  }
  return text;
}

}  // namespace

std::string as_utf8(std::string bytes) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (bytes.starts_with(kMark)) return bytes.substr(kMark.size());  // some compilers stumble over it
  const Order order = order_of(bytes);
  if (order == Order::None) return bytes;
  auto text = from_utf16(bytes, order);
  return text ? *std::move(text) : bytes;
}

std::string source_text(std::string bytes) {
  const std::string utf8 = as_utf8(std::move(bytes));
  std::string text;
  text.reserve(utf8.size());
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    if (utf8[i] != '\r') {
      text += utf8[i];
    } else if (i + 1 == utf8.size() || utf8[i + 1] != '\n') {
      text += '\n';
    }
  }
  return text;
}

std::optional<std::string> read_source_text(const std::filesystem::path& path) {
  std::optional<std::string> bytes = read_file(path);
  if (bytes) bytes = source_text(*std::move(bytes));
  return bytes;
}

std::vector<std::string> read_source_lines(const std::filesystem::path& path) {
  std::istringstream text(read_source_text(path).value_or(""));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

}  // namespace lab::base

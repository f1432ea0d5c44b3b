// Names that come from outside, made fit for file names, tables and pages. See submission.h.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "common/base/sha256.h"
#include "common/class/grade/submission.h"

namespace lab::grade {
namespace {

constexpr std::size_t kLongestName = 120;  // of 255 that a file system takes; suffixes follow
constexpr std::size_t kFingerprint = 12;

// Bytes of the UTF-8 sequence that starts here; 0 when it is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at);
  const std::size_t length = first < 0x80             ? 1
                             : first >= 0xF0          ? 4
                             : first >= 0xE0          ? 3
                             : (first & 0xE0) == 0xC0 ? 2
                                                      : 0;
  if (length == 0 || first > 0xF4 || first == 0xC0 || first == 0xC1) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  if (length == 3 && ((first == 0xE0 && byte(at + 1) < 0xA0) || (first == 0xED && byte(at + 1) >= 0xA0)))
    return 0;
  if (length == 4 && ((first == 0xF0 && byte(at + 1) < 0x90) || (first == 0xF4 && byte(at + 1) >= 0x90)))
    return 0;
  return length;
}

// Characters that change how the text around them is shown: controls of C1, direction marks, invisible ones.
bool is_treacherous(std::string_view sequence) {
  if (sequence.size() == 2)
    return (sequence[0] == '\xC2' && static_cast<unsigned char>(sequence[1]) < 0xA0) ||
           sequence == "\u00ad" || sequence == "\u061c";
  if (sequence.size() == 4) return sequence.starts_with("\xF3\xA0");  // tags: U+E0000 to U+E0FFF and beyond
  if (sequence.size() != 3) return false;
  const unsigned code = (static_cast<unsigned char>(sequence[0]) & 0x0Fu) << 12 |
                        (static_cast<unsigned char>(sequence[1]) & 0x3Fu) << 6 |
                        (static_cast<unsigned char>(sequence[2]) & 0x3Fu);
  return (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || (code >= 0xFFF9 && code <= 0xFFFB) || code == 0x180E ||
         code == 0xFEFF;
}

// Persian, Hindi and Sinhala write names with an invisible sign between two letters, as emoji do: it stays there, alone.
bool is_joiner(std::string_view raw, std::size_t at) {
  constexpr std::string_view kPunctuation = "\xE2\x80";  // its block, and other invisible ones
  if (at < 3 || (raw.compare(at, 3, "\u200c") != 0 && raw.compare(at, 3, "\u200d") != 0)) return false;
  const std::string_view behind = raw.substr(at + 3, 2);
  const auto is_letter = [](char c) { return (c & 0x80) != 0; };
  return is_letter(raw[at - 1]) && raw.substr(at - 3, 2) != kPunctuation && behind.size() == 2 &&
         is_letter(behind[0]) && behind != kPunctuation;
}

std::string printable(std::string_view raw, bool slashes) {
  std::string text;
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t length = utf8_length(raw, at);
    const std::string_view sequence = raw.substr(at, std::max<std::size_t>(length, 1));
    const char c = raw[at];
    const bool plain = length == 1 ? c >= 0x20 && c != 0x7F && c != '%' && c != '\\' && (slashes || c != '/')
                                   : length > 1 && (!is_treacherous(sequence) || is_joiner(raw, at));
    if (plain) {
      text += sequence;
    } else {
      for (const char byte : sequence) text += fmt::format("%{:02X}", static_cast<unsigned char>(byte));
    }
    at += sequence.size();
  }
  return text;
}

// Cut between characters.
std::string cut(const std::string& text, std::size_t longest, std::string_view raw) {
  if (text.size() <= longest) return text;
  std::size_t end = longest - kFingerprint - 1;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "~" + base::sha256(raw).substr(0, kFingerprint);
}

}  // namespace

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string safe_name(std::string_view raw) {
  std::string name = cut(printable(raw, false), kLongestName, raw);
  if (name.empty()) return "%";
  if (name.front() == '.') name.replace(0, 1, "%2E");  // neither hidden nor a way out
  return name;
}

std::string raw_name(std::string_view safe) {
  std::string raw;
  for (std::size_t at = 0; at < safe.size(); ++at) {
    unsigned char byte = 0;
    const char* const begin = safe.data() + at + 1;
    const bool escaped = safe[at] == '%' && at + 2 < safe.size() &&
                         std::from_chars(begin, begin + 2, byte, 16).ptr == begin + 2;
    raw += escaped ? static_cast<char>(byte) : safe[at];
    if (escaped) at += 2;
  }
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t length = utf8_length(raw, at);
    const auto first = static_cast<unsigned char>(raw[at]);
    if (length == 0 || first < 0x20 || first == 0x7F) return std::string(safe);
    at += length;
  }
  return raw;
}

std::string safe_path(std::string_view raw) { return cut(printable(raw, true), 4 * kLongestName, raw); }

bool is_archive_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> kEnds = {".zip",     ".tar",  ".tar.gz", ".tgz",
                                                     ".tar.bz2", ".tbz2", ".tar.xz", ".txz"};
  const std::string text = lower(name);
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return text.ends_with(end); });
}

std::string archive_stem(std::string name) {
  if (!is_archive_name(name)) return name;
  name.resize(name.rfind('.'));
  if (lower(name).ends_with(".tar")) name.resize(name.size() - 4);
  return name;
}

bool is_other_archive_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> kEnds = {".rar", ".7z",      ".zst", ".tar.lz",
                                                     ".cab", ".tar.lz4", ".ace", ".gz"};
  const std::string text = lower(name);
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) { return text.ends_with(end); });
}

bool is_kernel_name(std::string_view name) { return lower(name).ends_with(".cu"); }

}  // namespace lab::grade

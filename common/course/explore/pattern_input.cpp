// One warp access as a person types it.
#include "common/course/explore/pattern_input.h"

#include <fmt/core.h>

#include <charconv>
#include <vector>

#include "common/base/errors.h"

namespace lab::explore {
namespace {

using base::UsageError;

std::vector<std::string_view> pieces(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    if (end != 0) result.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::uint64_t parse_address(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw UsageError(msg(
        "\"{}\" is no address: write a whole number, 0x… for hexadecimal, or - for an inactive lane.", text));
  }
  return value;
}

AccessPattern start(std::string_view op, unsigned width_bytes) {
  AccessPattern pattern;
  if (op != "load" && op != "store") throw UsageError(msg("The op \"{}\" is neither load nor store.", op));
  if (width_bytes != 1 && width_bytes != 2 && width_bytes != 4 && width_bytes != 8 && width_bytes != 16) {
    throw UsageError(
        msg("A lane cannot access {} bytes at once; 1, 2, 4, 8 and 16 are possible.", width_bytes));
  }
  pattern.load = op == "load";
  pattern.width_bytes = width_bytes;
  return pattern;
}

void set_lane(AccessPattern& pattern, std::size_t lane, std::uint64_t address) {
  if (address % pattern.width_bytes != 0) {
    throw UsageError(
        msg("Lane {}: address {} is no multiple of the {} bytes of the access; a GPU faults there.", lane,
            address, pattern.width_bytes));
  }
  pattern.address[lane] = address;
  pattern.mask |= sim::Mask{1} << lane;
}

AccessPattern from_words(AccessPattern pattern, const std::vector<std::string_view>& words) {
  if (words.empty() || words.size() > sim::kWarpLanes) {
    throw UsageError(msg("A warp has 1 to 32 lanes; there are {} addresses.", words.size()));
  }
  for (std::size_t lane = 0; lane < words.size(); ++lane) {
    if (words[lane] != "-") set_lane(pattern, lane, parse_address(words[lane]));
  }
  if (pattern.mask == 0) throw UsageError("Every lane is inactive: that is no access.");
  return pattern;
}

}  // namespace

AccessPattern pattern_from_list(std::string_view op, unsigned width_bytes, std::string_view addresses) {
  return from_words(start(op, width_bytes), pieces(addresses, ", \t"));
}

AccessPattern pattern_from_step(std::string_view op, unsigned width_bytes, std::uint64_t base,
                                std::int64_t step, int lanes) {
  AccessPattern pattern = start(op, width_bytes);
  if (lanes < 1 || lanes > sim::kWarpLanes)
    throw UsageError(msg("--lanes {}: a warp has 1 to 32 lanes.", lanes));
  for (int lane = 0; lane < lanes; ++lane) {
    std::int64_t address = 0, offset = 0;
    if (__builtin_mul_overflow(step, lane, &offset) ||
        __builtin_add_overflow(static_cast<std::int64_t>(base), offset, &address) || address < 0) {
      throw UsageError(msg("Lane {}: base {} and step {} leave the address space.", lane, base, step));
    }
    set_lane(pattern, static_cast<std::size_t>(lane), static_cast<std::uint64_t>(address));
  }
  return pattern;
}

AccessPattern pattern_from_line(std::string_view line) {
  std::vector<std::string_view> words = pieces(line, ", \t\r");
  if (words.size() < 3)
    throw UsageError("A pattern is: op width address0 … address31, such as load 4 0 4 8 12.");
  unsigned width = 0;
  const auto [end, error] = std::from_chars(words[1].data(), words[1].data() + words[1].size(), width);
  if (error != std::errc() || end != words[1].data() + words[1].size()) {
    throw UsageError(msg("The width \"{}\" is no whole number.", words[1]));
  }
  const AccessPattern pattern = start(words[0], width);
  words.erase(words.begin(), words.begin() + 2);
  return from_words(pattern, words);
}

}  // namespace lab::explore

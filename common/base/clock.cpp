// The time of day. See clock.h.
#include "common/base/clock.h"

#include <array>
#include <ctime>

namespace lab::base {

std::string utc_now(const char* form) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), form, gmtime_r(&now, &utc))};
}

}  // namespace lab::base

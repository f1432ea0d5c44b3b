// Reads times. See times.h.
#include "common/class/grade/times.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "common/base/project.h"
#include "common/class/grade/submission.h"

namespace lab::grade {
namespace {

// A text that is taken from its front.
class Front {
 public:
  explicit Front(std::string_view text) : left_(text) {}
  [[nodiscard]] bool empty() const { return left_.empty(); }
  [[nodiscard]] std::string_view rest() const { return left_; }

  bool take(std::string_view word) {
    const bool there = lower(left_.substr(0, word.size())) == word;
    if (there) left_.remove_prefix(word.size());
    return there;
  }
  void take_blanks() {
    while (take(" ") || take("\u202f")) {  // narrow ones stand before AM in English since 2023
    }
  }
  std::optional<int> number(std::size_t least, std::size_t most) {
    int value = 0;
    std::size_t digits = 0;
    while (digits < std::min(most, left_.size()) && std::isdigit(static_cast<unsigned char>(left_[digits])))
      value = 10 * value + (left_[digits++] - '0');
    if (digits < least) return std::nullopt;
    left_.remove_prefix(digits);
    return value;
  }

 private:
  std::string_view left_;
};

std::optional<std::int64_t> civil_seconds(int year, int month, int day, int hour, int minute, int second) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return std::int64_t{86400} * days + 3600 * hour + 60 * minute + second;
}

// "23:59", "23:59:30.5", "11:59 PM": hour, minute, second.
std::optional<std::array<int, 3>> clock_of(Front& text) {
  const auto hour = text.number(1, 2);
  if (!hour || !text.take(":")) return std::nullopt;
  const auto minute = text.number(2, 2);
  if (!minute) return std::nullopt;
  int second = 0;
  if (text.take(":")) {
    const auto given = text.number(2, 2);
    if (!given) return std::nullopt;
    second = *given;
    if (text.take(".") && !text.number(1, 9)) return std::nullopt;
  }
  Front behind = text;
  behind.take_blanks();
  const bool morning = behind.take("am"), evening = !morning && behind.take("pm");
  if (!morning && !evening) return std::array{*hour, *minute, second};
  if (*hour < 1 || *hour > 12) return std::nullopt;
  text = behind;
  return std::array{*hour % 12 + (evening ? 12 : 0), *minute, second};
}

std::optional<std::int64_t> iso_time(Front& text) {
  const auto year = text.number(4, 4);
  if (!year || !text.take("-")) return std::nullopt;
  const auto month = text.number(2, 2);
  if (!month || !text.take("-")) return std::nullopt;
  const auto day = text.number(2, 2);
  if (!day || (!text.take("t") && !text.take(" "))) return std::nullopt;
  const auto clock = clock_of(text);
  if (!clock) return std::nullopt;
  return civil_seconds(*year, *month, *day, (*clock)[0], (*clock)[1], (*clock)[2]);
}

// "Monday, 1 March 2027, 10:10 PM", as Moodle writes it in English.
std::optional<std::int64_t> english_time(Front& text) {
  constexpr std::array<std::string_view, 12> kMonths = {"january",   "february", "march",    "april",
                                                        "may",       "june",     "july",     "august",
                                                        "september", "october",  "november", "december"};
  for (const std::string_view name :
       {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}) {
    if (text.take(name) && !text.take(", ")) return std::nullopt;
  }
  const auto day = text.number(1, 2);
  if (!day || !text.take(" ")) return std::nullopt;
  int month = 0;
  for (int i = 0; month == 0 && i < 12; ++i) {
    const std::string_view name = kMonths[static_cast<std::size_t>(i)];
    if (text.take(name) || text.take(name.substr(0, 3))) month = i + 1;
  }
  if (month == 0 || !text.take(" ")) return std::nullopt;
  const auto year = text.number(4, 4);
  if (!year || !text.take(", ")) return std::nullopt;
  const auto clock = clock_of(text);
  if (!clock) return std::nullopt;
  return civil_seconds(*year, month, *day, (*clock)[0], (*clock)[1], (*clock)[2]);
}

// "Z", "UTC", "+01:00", "-0800", "+05".
std::optional<int> offset_of(Front text) {
  if (text.take("utc") || text.take("gmt") || text.take("z"))
    return text.empty() ? std::optional(0) : std::nullopt;
  const bool west = text.take("-");
  if (!west && !text.take("+")) return std::nullopt;
  const auto hours = text.number(2, 2);
  text.take(":");
  const auto minutes = text.empty() ? std::optional(0) : text.number(2, 2);
  if (!hours || !minutes || !text.empty() || *hours > 14 || *minutes > 59) return std::nullopt;
  return (west ? -1 : 1) * (3600 * *hours + 60 * *minutes);
}

// Sets the zone of the C library while it lives. Used where no other thread is.
class ZoneOfProcess {
 public:
  explicit ZoneOfProcess(const std::string& zone) : before_(base::environment_variable("TZ")) {
    setenv("TZ", zone.c_str(), 1);
    tzset();
  }
  ~ZoneOfProcess() {
    if (before_.empty())
      unsetenv("TZ");
    else
      setenv("TZ", before_.c_str(), 1);
    tzset();
  }
  ZoneOfProcess(const ZoneOfProcess&) = delete;
  ZoneOfProcess& operator=(const ZoneOfProcess&) = delete;

 private:
  std::string before_;
};

}  // namespace

std::optional<HandInTime> read_time(std::string_view written) {
  Front text(written);
  auto local = iso_time(text);
  if (!local) text = Front(written), local = english_time(text);
  if (!local) {
    if (const auto spelled = spelled_time(written)) return HandInTime{*spelled, std::nullopt};
    return std::nullopt;
  }
  text.take_blanks();
  if (text.empty()) return HandInTime{*local, std::nullopt};
  const auto offset = offset_of(text);
  if (!offset) return std::nullopt;
  return HandInTime{*local, offset};
}

std::string zone_of_machine() {
  const std::string named = base::environment_variable("TZ");
  if (is_time_zone(named)) return named;
  std::error_code error;
  const std::string link = std::filesystem::read_symlink("/etc/localtime", error).string();
  constexpr std::string_view kFolder = "zoneinfo/";
  const std::size_t at = link.find(kFolder);
  const std::string zone = at == std::string::npos ? "" : link.substr(at + kFolder.size());
  return is_time_zone(zone) ? zone : "UTC";
}

bool is_time_zone(const std::string& name) {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '_' || c == '-' || c == '+';
  };
  if (name.empty() || name.front() == '/' || !std::all_of(name.begin(), name.end(), fits)) return false;
  std::error_code error;
  return std::filesystem::is_regular_file(std::filesystem::path("/usr/share/zoneinfo") / name, error);
}

int offset_in(const std::string& zone, std::int64_t local) {
  const ZoneOfProcess here(zone);
  const std::time_t as_if_utc = static_cast<std::time_t>(local);
  std::tm wanted{};
  gmtime_r(&as_if_utc, &wanted);
  std::optional<std::int64_t> first;
  for (const int summer : {1, 0}) {
    std::tm tried = wanted;
    tried.tm_isdst = summer;
    const std::int64_t at = std::mktime(&tried);
    if (tried.tm_hour == wanted.tm_hour && tried.tm_min == wanted.tm_min && (!first || at < *first))
      first = at;
  }
  if (!first) {  // the clock was put on past it
    wanted.tm_isdst = -1;
    first = std::mktime(&wanted);
  }
  return static_cast<int>(local - *first);
}

std::int64_t clock_moved(const std::string& zone, std::int64_t from, std::int64_t until) {
  if (!is_time_zone(zone)) return 0;
  const ZoneOfProcess here(zone);
  const auto ahead = [](std::int64_t seconds) {
    const std::time_t at = static_cast<std::time_t>(seconds);
    std::tm local{};
    return localtime_r(&at, &local) == nullptr ? 0 : std::int64_t{local.tm_gmtoff};
  };
  return ahead(until) - ahead(from);
}

std::string text_of_time(std::int64_t local, int offset) {
  const std::time_t at = static_cast<std::time_t>(local);
  std::tm t{};
  gmtime_r(&at, &t);
  const int minutes = std::abs(offset) / 60;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}{:02}:{:02}", t.tm_year + 1900, t.tm_mon + 1,
                     t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, offset < 0 ? '-' : '+', minutes / 60,
                     minutes % 60);
}

std::optional<std::int64_t> seconds_of(std::string_view text) {
  const auto time = read_time(text);
  if (!time || !time->offset) return std::nullopt;
  return time->local - *time->offset;
}

}  // namespace lab::grade

// Reads a time whose month is a word of some language: "Freitag, 20. November 2026, 20:10". See times.h.
//
// Enters: a text. Leaves: seconds on the clock of the place. The parts are found by what they are: the clock by its
// colon, the year by its four digits, the month by its name, the day by what is left; so their order does not
// matter. A name that is two months (listopad: October in Croatian, November in Polish) is settled by the day of the
// week, or not read.
#include <algorithm>
#include <array>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "common/base/characters.h"
#include "common/base/words.h"
#include "common/class/grade/month_names.h"
#include "common/class/grade/submission.h"
#include "common/class/grade/times.h"

namespace lab::grade {
namespace {

using base::is_digit;

// Digits of other scripts as those of English: each script's stand in a row from its zero.
std::string with_plain_digits(std::string text) {
  constexpr std::array<const char*, 9> kZeros = {"\u0660", "\u06f0", "\u0966", "\u09e6", "\u0ae6",
                                                 "\u0e50", "\u17e0", "\u1040", "\uff10"};
  for (const char* zero : kZeros) {
    std::string digit(zero);
    for (char value = '0'; value <= '9'; ++value, ++digit.back())
      text = base::replaced_all(std::move(text), digit, std::string(1, value));
  }
  return text;
}

// Small letters of Greek and Cyrillic, as alike_form has those of English.
std::string small_letters(const std::string& text) {
  std::string small;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    if (lead == 0xD0 && next >= 0x90 && next <= 0x9F) {  // А to П
      small += {text[i], static_cast<char>(next + 0x20)}, ++i;
    } else if (lead == 0xD0 && next >= 0xA0 && next <= 0xAF) {  // Р to Я
      small += {static_cast<char>(0xD1), static_cast<char>(next - 0x20)}, ++i;
    } else if (lead == 0xCE && next >= 0x91 && next <= 0x9F) {  // Α to Ο
      small += {text[i], static_cast<char>(next + 0x20)}, ++i;
    } else if (lead == 0xCE && next >= 0xA0 && next <= 0xA9) {  // Π to Ω
      small += {static_cast<char>(0xCF), static_cast<char>(next - 0x20)}, ++i;
    } else {
      small += text[i];
    }
  }
  return small;
}

// Words with a blank around each; dots and colons stay for the clock.
std::string folded(std::string_view text) {
  std::string form = small_letters(with_plain_digits(alike_form(text)));
  for (const char* mark :
       {",", "(", ")", "'", "\u2019", "\u00a0", "\u202f", "\u200e", "\u200f", "\u060c", "\t"})
    form = base::replaced_all(std::move(form), mark, " ");
  return " " + form + " ";
}
// "p.m." is pm, "20.11." are two numbers.
std::string without_dots(const std::string& text) {
  std::string words;
  for (const char c : text) {
    const bool apart = c == ' ' || (c == '.' && !words.empty() && is_digit(words.back()));
    if (apart ? !words.ends_with(' ') : c != '.') words += apart ? ' ' : c;
  }
  return words;
}
std::string word_form(const char* word) { return without_dots(folded(word)); }

// The languages' words, folded once.
struct Words {
  std::array<std::vector<std::string>, 12> months;  // with its other form
  std::array<std::string, 7> days;
  std::array<std::string, 2> halves;
};
const std::vector<Words>& languages() {
  static const std::vector<Words> all = [] {
    std::vector<Words> made;
    for (const LanguageNames& names : kLanguageNames) {
      Words& words = made.emplace_back();
      for (std::size_t i = 0; i < 12; ++i)
        words.months[i] = {word_form(names.months[i]), word_form(names.alone[i])};
      for (std::size_t i = 0; i < 7; ++i) words.days[i] = word_form(names.days[i]);
      for (std::size_t i = 0; i < 2; ++i) words.halves[i] = word_form(names.halves[i]);
    }
    return made;
  }();
  return all;
}

std::size_t digits_from(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

struct TimeOfDay {
  int hour = 0, minute = 0, second = 0;
  std::size_t begin = 0, end = 0;
};

// What stands between the hour and the minute; 0: nothing of that kind.
std::size_t between(const std::string& text, std::size_t at, bool colon) {
  if (colon) return text.compare(at, 1, ":") == 0 ? 1 : 0;
  for (const std::string_view mark : {".", " h ", "h", "\u6642", "\u65f6", "\uc2dc "})
    if (text.compare(at, mark.size(), mark) == 0) return mark.size();
  return 0;
}

std::optional<TimeOfDay> clock_at(const std::string& text, std::size_t at, bool colon) {
  const std::size_t hour = digits_from(text, at), gap = between(text, at + hour, colon);
  const std::size_t minute_at = at + hour + gap, minute = digits_from(text, minute_at);
  if (hour == 0 || hour > 2 || gap == 0 || minute != 2) return std::nullopt;
  TimeOfDay clock{std::stoi(text.substr(at, hour)), std::stoi(text.substr(minute_at, 2)), 0, at,
                  minute_at + 2};
  const std::size_t second_gap = between(text, clock.end, colon);
  if (second_gap == 1 && digits_from(text, clock.end + 1) == 2) {
    clock.second = std::stoi(text.substr(clock.end + 1, 2));
    clock.end += 3;
  } else if (second_gap == 1 && digits_from(text, clock.end + 1) > 0) {
    return std::nullopt;  // 20.11.2026
  }
  return clock.hour < 24 && clock.minute < 60 && clock.second < 61 ? std::optional(clock) : std::nullopt;
}

std::optional<TimeOfDay> clock_in(const std::string& text) {
  for (const bool colon : {true, false}) {
    std::optional<TimeOfDay> last;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (!is_digit(text[at]) || (at > 0 && (is_digit(text[at - 1]) || text[at - 1] == '.'))) continue;
      if (const auto clock = clock_at(text, at, colon)) last = clock;
    }
    if (last) return last;
  }
  return std::nullopt;
}

// The numbers of a date without its month's name.
struct Numbers {
  std::optional<int> year, month;
  std::vector<int> others;
};
Numbers date_numbers_in(const std::string& text) {
  Numbers found;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t length = digits_from(text, at);
    if (length == 0) continue;
    if (length > 4) return {};
    const int value = std::stoi(text.substr(at, length));
    at += length;
    const bool month = text.compare(at, 3, "\u6708") == 0 || text.compare(at, 3, "\u1100") == 0;
    const bool korean = text.compare(at, 9, "\u110b\u116f\u11af") == 0;  // 월, taken apart
    if (length == 4) {
      found.year = value;
    } else if (month || korean) {
      found.month = value;
    } else {
      found.others.push_back(value);
    }
  }
  constexpr int kThai = 543;  // years of the Buddha
  if (found.year && *found.year > 2400) *found.year -= kThai;
  return found;
}

std::optional<std::chrono::sys_days> date_of(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  return date.ok() ? std::optional(std::chrono::sys_days(date)) : std::nullopt;
}

// 0: Monday, as the table has them.
std::size_t day_of_week(std::chrono::sys_days date) { return std::chrono::weekday(date).iso_encoding() - 1; }

bool names_this_day(const std::string& text, const Words& words, std::chrono::sys_days date) {
  return text.find(words.days[day_of_week(date)]) != std::string::npos;
}

// What one language makes of it.
std::optional<std::chrono::sys_days> read_in(const std::string& text, const Words& words) {
  for (std::size_t month = 0; month < 12; ++month) {
    for (const std::string& name : words.months[month]) {
      const std::size_t at = text.find(name);
      if (at == std::string::npos) continue;
      std::string rest = text;
      rest.replace(at, name.size(), " ");
      const Numbers numbers = date_numbers_in(rest);
      if (!numbers.year || numbers.others.size() != 1) continue;
      return date_of(*numbers.year, static_cast<int>(month) + 1, numbers.others.front());
    }
  }
  return std::nullopt;
}

// All readings of the date; with those alone that the day of the week agrees with, where there are any.
std::set<std::chrono::sys_days> readings(const std::string& text) {
  std::set<std::chrono::sys_days> all, agreeing;
  const auto add = [&](std::optional<std::chrono::sys_days> date, const Words* words) {
    if (!date) return;
    all.insert(*date);
    const auto fits = [&](const Words& w) { return names_this_day(text, w, *date); };
    if (words != nullptr ? fits(*words) : std::any_of(languages().begin(), languages().end(), fits))
      agreeing.insert(*date);
  };
  for (const Words& words : languages()) add(read_in(text, words), &words);
  const Numbers numbers = date_numbers_in(text);
  if (numbers.year && numbers.month && numbers.others.size() == 1)
    add(date_of(*numbers.year, *numbers.month, numbers.others.front()), nullptr);
  if (numbers.year && !numbers.month && numbers.others.size() == 2) {  // 11/12/2026 is two days
    add(date_of(*numbers.year, numbers.others[0], numbers.others[1]), nullptr);
    add(date_of(*numbers.year, numbers.others[1], numbers.others[0]), nullptr);
  }
  return agreeing.empty() ? all : agreeing;
}

// The languages whose words for morning and evening count: English, whose AM and PM stand beside other languages'
// months, and those that read the date. One language's morning is another's "of": "de" in Hungarian.
std::vector<const Words*> speakers(const std::string& words, std::chrono::sys_days date) {
  std::vector<const Words*> found;
  for (const Words& language : languages())
    if (language.halves[1] == " pm " || read_in(words, language) == date) found.push_back(&language);
  return found;
}

// Half a day later, where the clock has twelve hours and the words say evening; none where they do not fit it.
std::optional<int> hour_of(const TimeOfDay& clock, const std::string& words, std::chrono::sys_days date) {
  bool morning = false, evening = false;
  for (const Words* language : speakers(words, date)) {
    morning |= words.find(language->halves[0]) != std::string::npos;
    evening |= words.find(language->halves[1]) != std::string::npos;
  }
  for (const auto& [word, is_evening] : {std::pair("\u4e0a\u5348", false), std::pair("\u4e0b\u5348", true),
                                         std::pair("\u5348\u524d", false), std::pair("\u5348\u5f8c", true)}) {
    const bool there = words.find(word) != std::string::npos;
    (is_evening ? evening : morning) |= there;
  }
  const std::string korean_morning = alike_form("\uc624\uc804"), korean_evening = alike_form("\uc624\ud6c4");
  morning |= words.find(korean_morning) != std::string::npos;
  evening |= words.find(korean_evening) != std::string::npos;
  if (morning == evening) return clock.hour;
  if (clock.hour < 1 || clock.hour > 12) return clock.hour;
  return clock.hour % 12 + (evening ? 12 : 0);
}

}  // namespace

std::optional<std::int64_t> spelled_time(std::string_view written) {
  const std::string text = folded(written);
  const auto clock = clock_in(text);
  if (!clock) return std::nullopt;
  const std::string words = without_dots(text.substr(0, clock->begin) + " " + text.substr(clock->end));
  const auto dates = readings(words);
  if (dates.size() != 1) return std::nullopt;
  const auto hour = hour_of(*clock, words, *dates.begin());
  if (!hour) return std::nullopt;
  const auto days = dates.begin()->time_since_epoch().count();
  return std::int64_t{86400} * days + 3600 * *hour + 60 * clock->minute + clock->second;
}

}  // namespace lab::grade

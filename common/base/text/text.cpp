// The choice of a language, and the catalogue.
#include "common/base/text/text.h"

#include <algorithm>
#include <cstdlib>

#include "common/base/text/catalogue.h"
// After Entry, which it uses.
#include "common/base/text/zh_catalogue.h"

namespace lab::text {
namespace {

Language chosen = Language::English;  // written once, before any thread starts

}  // namespace

Language language() { return chosen; }
void set_language(Language language) { chosen = language; }

std::optional<Language> language_named(std::string_view name) {
  const std::string_view word = name.substr(0, std::min(name.find_first_of("_-.@"), name.size()));
  if (word == "zh") return Language::Chinese;
  if (word == "en" || word == "C" || word == "POSIX") return Language::English;
  return std::nullopt;
}

Language language_of_environment() {
  for (const char* variable : {"LAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return language_named(value).value_or(Language::English);
  }
  return Language::English;
}

std::span<const Entry> catalogue() {
  if (chosen == Language::English) return {};
  return kChinese;
}

std::string_view form_in_language(std::string_view english) {
  const std::span<const Entry> entries = catalogue();
  const auto at = std::lower_bound(entries.begin(), entries.end(), english,
                                   [](const Entry& e, std::string_view key) { return e.english < key; });
  return at != entries.end() && at->english == english ? at->translation : english;
}

std::string translated_log(std::string_view log) {
  std::string result;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    const std::string_view end =
        log.substr(line.size(), 1);  // a newline, save where the log ends without one
    log.remove_prefix(line.size() + end.size());
    std::size_t begin = std::string_view::npos;
    for (const std::string_view mark : {": error: ", ": warning: "})
      if (const std::size_t at = line.find(mark);
          at != std::string_view::npos && begin == std::string_view::npos)
        begin = at + mark.size();
    begin = std::min(begin, line.size());
    result += std::string(line.substr(0, begin)) + translated_words(line.substr(begin)) + std::string(end);
  }
  return result;
}

std::string translated(const std::exception& error) {
  const auto* const spoken = dynamic_cast<const Spoken*>(&error);
  return spoken != nullptr ? translated(spoken->message()) : error.what();
}

}  // namespace lab::text

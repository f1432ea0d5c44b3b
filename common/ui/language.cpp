// The language of `lab`.
#include "common/ui/language.h"

#include <string_view>

#include "common/ui/old_spellings.h"

namespace lab::cli {

text::Language chosen_language(const Command& lab, const std::vector<std::string>& words) {
  constexpr std::string_view kOption = "--lang";
  // A hint is the lesson's own words, which is one language or the other.
  const std::size_t command = command_place(lab, words);
  const bool of_lesson = command < words.size() && words[command] == "hint";
  text::Language language = text::language_of_environment();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    std::string_view name;
    if (word == "--json" && !of_lesson) return text::Language::English;
    if (word == kOption && i + 1 < words.size()) name = words[i + 1];
    if (word.starts_with("--lang=")) name = word.substr(kOption.size() + 1);
    if (!name.empty())
      language = text::language_named(name).value_or(language);  // the parser refuses what is none
  }
  return language;
}

}  // namespace lab::cli

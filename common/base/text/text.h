// What the user reads, in the language that was chosen.
//
// Enters: an English sentence, which is the key of the catalogue zh.po. Leaves: English or Chinese.
// Rooms that print (cli, report) call tr("{} sectors, {} would do", n, ideal) in the place of fmt::format.
// Rooms below them (sim, device, judge, …) make messages (message.h) and know no language: JSON, records and
// tests use the English text. The code that prints a message calls translated(message).
// The language is chosen once, when the program starts. CONTRIBUTING.md says how to add a message.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/text/message.h"

namespace lab::text {

enum class Language : std::uint8_t { English, Chinese };

[[nodiscard]] Language language();
void set_language(Language language);

// "zh", "zh_CN.UTF-8", "en", "en_US", "C" …; none for a language that we do not speak.
[[nodiscard]] std::optional<Language> language_named(std::string_view name);
// LAB_LANG, else LC_ALL, LC_MESSAGES, LANG as POSIX ranks them: the first that is not empty. English when it
// is none of ours.
[[nodiscard]] Language language_of_environment();

// The form in the chosen language; itself when the catalogue has none, or in English.
[[nodiscard]] std::string_view form_in_language(std::string_view english);

template <typename... T>
[[nodiscard]] std::string tr(fmt::format_string<T...> english, T&&... values) {
  const auto form = fmt::string_view(english);
  return fmt::vformat(fmt::string_view(form_in_language({form.data(), form.size()})),
                      fmt::make_format_args(values...));
}

// Words of another program whose forms the catalogue has: CLI11's. What it has not stays English.
[[nodiscard]] std::string translated_words(std::string_view english);
// What a compiler said: behind "error: " and "warning: " stands a message of ours where the compiler is.
[[nodiscard]] std::string translated_log(std::string_view log);

// The same as text of its own: of a form that stands in a table.
[[nodiscard]] inline std::string translated_form(std::string_view english) {
  return std::string(form_in_language(english));
}

// What an exception says, in the chosen language.
[[nodiscard]] std::string translated(const std::exception& error);
// A message in the chosen language.
[[nodiscard]] inline std::string translated(const Message& message) {
  return rendered(message, form_in_language);
}

}  // namespace lab::text

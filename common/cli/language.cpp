// The language of `lab`.
#include "common/cli/language.h"

#include <string_view>

namespace lab::cli {
namespace {

constexpr std::string_view kOption = "--lang";

void retell_options(CLI::App& app, const std::string& group) {
  for (CLI::Option* option : app.get_options()) {
    option->description(text::retell(option->get_description()));
    if (option->get_group() == "Options") option->group(group);
  }
}

}  // namespace

text::Language chosen_language(int argc, char** argv) {
  text::Language language = text::language_of_environment();
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--") break;  // what follows belongs to the program that `lab run` runs
    std::string_view name;
    if (word == "--json") return text::Language::English;
    if (word == kOption && i + 1 < argc) name = argv[i + 1];
    if (word.starts_with("--lang=")) name = word.substr(kOption.size() + 1);
    if (!name.empty())
      language = text::language_named(name).value_or(language);  // CLI11 refuses what is none
  }
  return language;
}

void add_language(CLI::App& app) {
  app.add_option("--lang", "Language of messages: en or zh (default: LAB_LANG, LC_ALL, LC_MESSAGES, LANG)")
      ->check(CLI::IsMember({"en", "zh"}));
}

void retell_help(CLI::App& app) {
  if (text::language() == text::Language::English) return;
  const std::string options = text::tr("Options");
  app.description(text::retell(app.get_description()));
  retell_options(app, options);
  for (CLI::App* command : app.get_subcommands({})) {
    command->description(text::retell(command->get_description()));
    retell_options(*command, options);
    command->get_formatter()->label("Usage", text::tr("Usage"));
    command->get_formatter()->label("Positionals", text::tr("Positionals"));
  }
  app.get_formatter()->label("Usage", text::tr("Usage"));
}

}  // namespace lab::cli

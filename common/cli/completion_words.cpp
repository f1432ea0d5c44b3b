// CLI11's commands → words to complete.
#include <algorithm>

#include "common/cli/completion.h"
#include "common/judge/checks.h"
#include "common/report/explain.h"

namespace lab::cli {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<std::string> chapter_names() {
  std::vector<std::string> names;
  for (const judge::ChapterInfo* chapter : judge::all_chapters()) names.emplace_back(chapter->name);
  return names;
}

// CLI::IsMember shows its words in the type: "TEXT:{nvcc,clang}".
std::vector<std::string> members(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.find('}');
  std::vector<std::string> words;
  if (open == type.npos || close == type.npos) return words;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(type.find(',', at), close);
    words.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// Names mean the same in every command: "chapter" is a chapter, "--kernel" a file.
Values values_of(const CLI::Option& option) {
  Values values;
  values.words = members(option.get_type_name());
  if (!values.words.empty()) return values;
  const std::string name = option.get_positional() ? option.get_name(true) : option.get_single_name();
  const auto is = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* one) { return name == one; });
  };
  if (is({"chapter", "A", "B", "before"})) {
    values.words = chapter_names();
    values.files = name != "chapter";
  } else if (is({"code"})) {
    for (const report::Explanation& e : report::all_explanations()) values.words.emplace_back(e.code);
  } else if (is({"file", "kernel", "svg", "html"})) {
    values.files = true;
  }
  return values;
}

CommandWords words_of(const CLI::App& command) {
  CommandWords words{command.get_name(), first_line(command.get_description()), {}, {}};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // not for people
    if (option->get_positional()) words.places.push_back(values_of(*option));
    const bool takes_value = option->get_items_expected_max() > 0;
    for (const std::string& name : option->get_lnames())
      words.options.push_back(
          {"--" + name, first_line(option->get_description()), takes_value, values_of(*option)});
  }
  return words;
}

}  // namespace

std::vector<CommandWords> command_words(const CLI::App& app) {
  std::vector<CommandWords> all = {words_of(app)};
  all.front().name.clear();
  for (const CLI::App* command : app.get_subcommands({})) all.push_back(words_of(*command));
  return all;
}

}  // namespace lab::cli

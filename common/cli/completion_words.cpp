// Commands → words to complete.
#include <algorithm>

#include "common/base/text/text.h"
#include "common/cli/completion.h"
#include "common/course/judge/checks.h"
#include "common/ui/explain.h"

namespace lab::cli {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<std::string> chapter_names() {
  std::vector<std::string> names;
  for (const judge::ChapterInfo* chapter : judge::all_chapters()) names.emplace_back(chapter->name);
  return names;
}

// Names mean the same in every command: "chapter" is a chapter, "--kernel" a file.
Values values_of(const Option& option) {
  Values values;
  values.words = option.allowed;
  if (!values.words.empty()) return values;
  const std::string name = option.is_positional() ? option.names : option.long_name().substr(2);
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

CommandWords words_of(const Command& command, const std::string& name) {
  CommandWords words{name, first_line(text::translated_form(command.about)), {}, {}};
  words.options.push_back({"--help", text::translated_form("Print this help message and exit"), false, {}});
  if (name.empty())
    words.options.push_back(
        {"--version", text::translated_form("Display program version information and exit"), false, {}});
  for (const Option& option : command.options) {
    if (option.hidden) continue;  // not for people
    if (option.is_positional()) {
      words.places.push_back(values_of(option));
    } else {
      words.options.push_back({option.long_name(), first_line(text::translated_form(option.help)),
                               !option.is_flag(), values_of(option)});
    }
  }
  return words;
}

// Groups too: "inspect", then "inspect banks".
void add_words(const Command& command, const std::string& name, std::vector<CommandWords>& all) {
  all.push_back(words_of(command, name));
  for (const Command& one : command.commands)
    add_words(one, name.empty() ? one.name : name + " " + one.name, all);
}

}  // namespace

std::vector<CommandWords> command_words(const Command& lab) {
  std::vector<CommandWords> all;
  add_words(lab, "", all);
  return all;
}

}  // namespace lab::cli

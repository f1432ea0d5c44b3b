// What was probably meant.
#include "common/ui/suggest.h"

#include <algorithm>

#include "common/base/nearest.h"
#include "common/base/text/text.h"
#include "common/ui/old_spellings.h"

namespace lab::cli {
namespace {

using Path = std::vector<const Command*>;

// "inspect banks", without `lab`.
std::string name_of(const Path& path) {
  std::string name;
  for (std::size_t i = 1; i < path.size(); ++i) name += (i == 1 ? "" : " ") + path[i]->name;
  return name;
}

std::vector<std::string> options_of(const Path& path) {
  std::vector<std::string> names = {"--help", "--version"};
  for (const Command* command : path) {
    if (command != path.front()) names.emplace_back("--help");
    for (const Option& option : command->options) {
      if (!option.is_positional()) names.push_back(option.long_name());
    }
  }
  return names;
}

std::string no_option(const Path& path, const std::string& word) {
  for (const Option& option : path.back()->options)  // then it stood in front of the command
    if (option.long_name() == word)
      return text::tr("{} belongs behind the command: ./lab {} {}", word, name_of(path),
                      option.is_flag() ? word : word + " …");
  const std::string meant = base::did_you_mean(word, options_of(path));
  return path.size() == 1 ? text::tr("There is no option {}.{}", word, meant)
                          : text::tr("`{}` has no option {}.{}", name_of(path), word, meant);
}

std::string no_command(const Path& path, const std::string& word) {
  std::vector<std::string> names;
  if (path.size() == 1) names = {"test", "setup", "bundle", "site", "workshop"};
  for (const Command& one : path.back()->commands) names.push_back(one.name);
  if (path.size() == 1) {
    for (const std::string& old : old_spellings()) names.push_back(old);
    return text::tr("There is no command \"{}\".{}", word, base::did_you_mean(word, names));
  }
  return text::tr("There is no command \"{}\".{}", name_of(path) + " " + word,
                  base::did_you_mean(word, names));
}

// The first unexpected word, and what may have been meant by it.
std::string unwanted(const Path& path, const std::vector<std::string>& rest) {
  const bool wants_command = !path.back()->commands.empty();
  // Words and options stand mixed: the command is the mistake where there is none, else an option is.
  const auto first = std::find_if(rest.begin(), rest.end(), [&](const std::string& one) {
    return one.starts_with("-") != wants_command;
  });
  std::string word = first == rest.end() ? rest.front() : *first;
  if (word.starts_with("-")) return no_option(path, word.substr(0, word.find('=')));
  return wants_command ? no_command(path, word) : std::string();
}

}  // namespace

std::string usage_words(const Path& path, std::string_view problem,
                        const std::vector<std::string>& unexpected) {
  const std::string help =
      path.size() == 1 ? text::tr("`./lab --help` shows the commands and options.")
                       : text::tr("`./lab {} --help` shows an example and the options.", name_of(path));
  std::string what = unexpected.empty() ? std::string() : unwanted(path, unexpected);
  if (what.empty()) what = text::translated_words(problem);
  return what + "\nlab: " + help;
}

std::string wants_a_command(const Command& group) {
  std::string names;
  for (const Command& one : group.commands) names += (names.empty() ? "" : ", ") + one.name;
  return text::tr("`{}` wants one of its commands: {}.", group.name, names) +
         "\nlab: " + text::tr("`./lab {} --help` shows an example and the options.", group.name);
}

}  // namespace lab::cli

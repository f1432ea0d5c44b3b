// What was probably meant.
#include "common/cli/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "common/base/nearest.h"
#include "common/base/text/text.h"

namespace lab::cli {
namespace {

const CLI::App* chosen_command(const CLI::App& app) {
  const std::vector<const CLI::App*> chosen = app.get_subcommands({});
  const auto parsed =
      std::find_if(chosen.begin(), chosen.end(), [](const CLI::App* c) { return c->parsed(); });
  return parsed == chosen.end() ? nullptr : *parsed;
}

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// The first word that nobody wanted, and what may have been meant by it.
std::string unexpected(const CLI::App& app, const CLI::App* command) {
  const std::vector<std::string> rest = app.remaining(true);
  if (rest.empty()) return {};
  // Words and options stand mixed: the command is the mistake where there is none, else an option is.
  const auto plain =
      std::find_if(rest.begin(), rest.end(), [](const std::string& one) { return !one.starts_with("-"); });
  const auto option =
      std::find_if(rest.begin(), rest.end(), [](const std::string& one) { return one.starts_with("-"); });
  const auto first = command == nullptr ? plain : option;
  std::string word = first == rest.end() ? rest.front() : *first;
  if (word.starts_with("-")) {
    word = word.substr(0, word.find('='));
    std::vector<std::string> names = options_of(app);
    if (command != nullptr) {
      const std::vector<std::string> own = options_of(*command);
      names.insert(names.end(), own.begin(), own.end());
    }
    return command == nullptr ? text::tr("There is no option {}.{}", word, base::did_you_mean(word, names))
                              : text::tr("`{}` has no option {}.{}", command->get_name(), word,
                                         base::did_you_mean(word, names));
  }
  if (command != nullptr) return {};
  std::vector<std::string> names = {"test", "setup"};
  for (const CLI::App* one : app.get_subcommands({})) names.push_back(one->get_name());
  return text::tr("There is no command \"{}\".{}", word, base::did_you_mean(word, names));
}

struct Group {
  const char* title;
  std::vector<std::string_view> commands;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> all = {
      {/* message */ "The course",
       {"tour", "list", "predict", "check", "watch", "hint", "explain", "solution", "progress", "reset"}},
      {/* message */ "Pictures and counters",
       {"show", "diff", "profile", "bench", "limits", "run", "banks", "sectors", "swizzle"}},
      {/* message */ "For a class", {"grade", "similar"}},
      {/* message */ "This machine", {"doctor", "completion", "verify"}}};
  return all;
}

}  // namespace

std::string usage_words(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App* command = chosen_command(app);
  const std::string help =
      command == nullptr
          ? text::tr("`./lab --help` shows the commands and options.")
          : text::tr("`./lab {} --help` shows an example and the options.", command->get_name());
  std::string what;
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) what = unexpected(app, command);
  if (what.empty()) what = error.what();
  return text::retell(what) + "\nlab: " + help;
}

void group_commands(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands({})) {
    for (const Group& group : groups()) {
      const auto& names = group.commands;
      if (std::find(names.begin(), names.end(), command->get_name()) != names.end())
        command->group(text::retell(group.title));
    }
  }
}

}  // namespace lab::cli

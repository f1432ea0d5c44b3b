// What a command is called, which words it takes and what it does, as data.
#include "common/ui/command.h"

namespace lab::cli {

Option& Option::one_of(std::vector<std::string> words) {
  allowed = std::move(words);
  return *this;
}

Option& Option::between(std::int64_t least_value, std::int64_t most_value) {
  least = least_value;
  most = most_value;
  return *this;
}

Option& Option::in_group(std::string_view title) {
  group = title;
  return *this;
}

Option& Option::called(std::string_view what_stands_behind) {
  value = what_stands_behind;
  return *this;
}

Option& Option::notes(bool& was_given) {
  given = &was_given;
  return *this;
}

std::string Option::long_name() const {
  const std::size_t dashes = names.find("--");
  return dashes == names.npos ? names : names.substr(dashes);
}

Option& Command::option(std::string_view names, Place into, std::string_view help) {
  return options.emplace_back(Option{std::string(names), into, std::string(help)});
}

void Command::add(std::string_view heading, std::initializer_list<Command> under) {
  for (const Command& command : under) {
    commands.push_back(command);
    commands.back().group = heading;
  }
}

const Command* Command::find(std::string_view word) const {
  for (const Command& one : commands) {
    if (one.name == word) return &one;
  }
  return nullptr;
}

}  // namespace lab::cli

// Words to complete → a script for each shell.
//
// All three scripts do the same: look for the command on the line, then offer what may follow. bash and zsh
// get one `case` a question (which options has a command, what follows an option, what stands in the n-th
// place); fish has a line for each word.
#include <fmt/core.h>

#include <algorithm>

#include "common/base/errors.h"
#include "common/base/words.h"
#include "common/cli/completion.h"

namespace lab::cli {
namespace {

// "inspect" of "inspect banks"; nothing of what `lab` itself has.
std::string group_of(const CommandWords& command) {
  const std::size_t space = command.name.find(' ');
  return space == std::string::npos ? std::string() : command.name.substr(0, space);
}

std::string last_word(const CommandWords& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

// The commands in a group; in "" those that stand alone, and the groups.
std::vector<std::string> command_names(const std::vector<CommandWords>& commands, const std::string& group) {
  std::vector<std::string> names;
  for (const CommandWords& command : commands) {
    if (!command.name.empty() && group_of(command) == group) names.push_back(last_word(command));
  }
  return names;
}

std::string options_of(const CommandWords& command) {
  std::vector<std::string> names;
  for (const OptionWords& option : command.options) names.push_back(option.name);
  return base::joined(names, " ");
}

// What a `case` sets for one kind of values.
std::string assignment(const Values& values) {
  return fmt::format("choices='{}' files={}", base::joined(values.words, " "), values.files ? 1 : 0);
}

// The part that bash and zsh share: from `command`, `previous` and `place` to `choices` and `files`.
std::string cases(const std::vector<CommandWords>& commands) {
  std::string text = "  case \"$command $previous\" in\n";
  for (const CommandWords& command : commands) {
    for (const OptionWords& option : command.options) {
      if (!option.takes_value) continue;
      // Options of lab itself may stand behind a command too.
      const std::string pattern = command.name.empty() ? fmt::format("*' {}'", option.name)
                                                       : fmt::format("'{} {}'", command.name, option.name);
      text += fmt::format("    {}) {} after_option=1 ;;\n", pattern, assignment(option.values));
    }
  }
  text += "  esac\n  if [ \"$after_option\" = 0 ]; then\n    case \"$command\" in\n";
  for (const CommandWords& command : commands)
    text += fmt::format("      '{}') flags='{}' ;;\n", command.name, options_of(command));
  text += "    esac\n    case \"$command $place\" in\n";
  for (const CommandWords& command : commands) {
    const std::vector<std::string> inside = command_names(commands, command.name);
    if (!inside.empty())
      text += fmt::format("      '{} 0') choices='{}' ;;\n", command.name, base::joined(inside, " "));
  }
  for (const CommandWords& command : commands) {
    for (std::size_t i = 0; i < command.places.size(); ++i)
      text += fmt::format("      '{} {}') {} ;;\n", command.name, i, assignment(command.places[i]));
  }
  return text + "    esac\n  fi\n";
}

// Options that take a value, so that the value is not taken for a place.
std::string options_with_value(const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  for (const CommandWords& command : commands) {
    for (const OptionWords& option : command.options) {
      if (option.takes_value && std::find(names.begin(), names.end(), option.name) == names.end())
        names.push_back(option.name);
    }
  }
  return base::joined(names, "|");
}

// The second word of "inspect banks" belongs to the command.
std::string words_in_groups(const std::vector<CommandWords>& commands) {
  std::string text;
  for (const CommandWords& command : commands) {
    if (!group_of(command).empty()) text += (text.empty() ? "'" : "|'") + command.name + "'";
  }
  return text.empty() ? "" : fmt::format("          {}) command=\"$command $word\" ;;\n", text);
}

// From the words before the cursor to `command`, `previous` and `place`.
std::string walk(const std::vector<CommandWords>& commands, const char* before_cursor) {
  return fmt::format(
      "  local word command='' previous='' place=0 choices='' files=0 flags='' after_option=0\n"
      "  for word in {}; do\n"
      "    case \"$previous\" in {}) previous=''; continue ;; esac\n"
      "    previous=$word\n"
      "    case \"$word\" in\n"
      "      -*) ;;\n"
      "      *)\n"
      "        case \"$command $word\" in\n"
      "          ' '*) command=$word ;;\n"
      "{}          *) place=$((place + 1)) ;;\n"
      "        esac ;;\n"
      "    esac\n"
      "  done\n",
      before_cursor, options_with_value(commands), words_in_groups(commands));
}

std::string bash_script(const std::vector<CommandWords>& commands) {
  return "# Completion of lab for bash. In ~/.bashrc: eval \"$(./lab completion bash)\", or source a file "
         "with this text.\n"
         "_lab() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]}\n" +
         walk(commands, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\"") + cases(commands) +
         "  case \"$current\" in -*) [ \"$after_option\" = 1 ] || choices=$flags; files=0 ;; esac\n"
         "  COMPREPLY=($(compgen -W \"$choices\" -- \"$current\"))\n"
         "  if [ \"$files\" = 1 ]; then\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    COMPREPLY+=($(compgen -f -- \"$current\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _lab lab ./lab\n";
}

std::string zsh_script(const std::vector<CommandWords>& commands) {
  return "#compdef lab\n"
         "# Completion of lab for zsh. In ~/.zshrc, after compinit: eval \"$(./lab completion zsh)\"\n"
         "_lab() {\n"
         "  local -a line\n"
         "  line=(\"${(@)words[2,CURRENT-1]}\")\n"
         "  local current=${words[CURRENT]}\n"
         "  _lab_offer\n"
         "}\n"
         "_lab_offer() {\n" +
         walk(commands, "\"${line[@]}\"") + cases(commands) +
         "  case \"$current\" in -*) [ \"$after_option\" = 1 ] || choices=$flags; files=0 ;; esac\n"
         "  compadd -- ${=choices}\n"
         "  [ \"$files\" = 0 ] || _files\n"
         "}\n"
         "compdef _lab lab\n";
}

std::string quoted_for_fish(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return quoted + "'";
}

std::string fish_words(const Values& values) {
  return values.words.empty() ? "" : " -a " + quoted_for_fish(base::joined(values.words, " "));
}

// Behind an option: -x is a value and no file, -r -F a value that may be one.
std::string fish_value(const OptionWords& option) {
  if (!option.takes_value) return "";
  return (option.values.files ? " -r -F" : " -x") + fish_words(option.values);
}

// When a command is on the line, and no other of its group; `lab` itself: always.
std::string fish_when(const CommandWords& command) {
  const std::string group = group_of(command);
  if (command.name.empty()) return "";
  return (group.empty() ? "" : "__fish_seen_subcommand_from " + group + "; and ") +
         "__fish_seen_subcommand_from " + last_word(command);
}

std::string fish_name(const std::vector<CommandWords>& commands, const CommandWords& command) {
  const std::string group = group_of(command);
  return fmt::format("complete -c lab -n '{}not __fish_seen_subcommand_from {}' -a {} -d {}\n",
                     group.empty() ? "" : "__fish_seen_subcommand_from " + group + "; and ",
                     base::joined(command_names(commands, group), " "), last_word(command),
                     quoted_for_fish(command.about));
}

std::string fish_script(const std::vector<CommandWords>& commands) {
  std::string text =
      "# Completion of lab for fish. ./lab completion fish > ~/.config/fish/completions/lab.fish\n"
      "complete -c lab -f\n";
  for (const CommandWords& command : commands) {
    if (!command.name.empty()) text += fish_name(commands, command);
    const std::string when = fish_when(command);
    const std::string condition = when.empty() ? "" : " -n '" + when + "'";
    for (const OptionWords& option : command.options) {
      text += fmt::format("complete -c lab{} -l {}{} -d {}\n", condition, option.name.substr(2),
                          fish_value(option), quoted_for_fish(option.about));
    }
    for (const Values& place : command.places) {
      if (place.files || !place.words.empty())
        text +=
            fmt::format("complete -c lab{}{}{}\n", condition, place.files ? " -F" : "", fish_words(place));
    }
  }
  return text;
}

}  // namespace

std::string completion_script(const std::string& shell, const std::vector<CommandWords>& commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw base::UsageError(msg("There is no completion for {}; there is one for bash, zsh and fish.", shell));
}

}  // namespace lab::cli

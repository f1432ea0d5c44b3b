// The command line → the command that was chosen. The one file that knows CLI11: its templates cost seconds
// in every file that sees them.
#include "common/ui/parser.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <map>

#include "common/base/text/text.h"
#include "common/ui/old_spellings.h"
#include "common/ui/suggest.h"

namespace lab::cli {
namespace {

using text::tr;

CLI::Option* add_value(CLI::App& app, const Option& option, const std::string& help) {
  const Place& into = option.into;
  switch (into.kind()) {
    case Place::Kind::Flag:
      return app.add_flag(option.names, into.as<bool>(), help);
    case Place::Kind::Int:
      return app.add_option(option.names, into.as<int>(), help);
    case Place::Kind::Unsigned:
      return app.add_option(option.names, into.as<unsigned>(), help);
    case Place::Kind::Int64:
      return app.add_option(option.names, into.as<std::int64_t>(), help);
    case Place::Kind::Unsigned64:
      return app.add_option(option.names, into.as<std::uint64_t>(), help);
    case Place::Kind::Double:
      return app.add_option(option.names, into.as<double>(), help);
    case Place::Kind::Text:
      return app.add_option(option.names, into.as<std::string>(), help);
    case Place::Kind::List:
      return app.add_option(option.names, into.as<std::vector<std::string>>(), help);
  }
  return nullptr;
}

// Numbers with parts are checked here, since CLI::Range would let NaN pass. Empty: it lies inside.
std::string outside(const Option& option, const std::string& word) {
  double value = 0;
  const bool inside =
      CLI::detail::lexical_cast(word, value) && value >= double(option.least) && value <= double(option.most);
  return inside ? "" : fmt::format("Value {} not in range {} to {}", word, option.least, option.most);
}

// CLI11 takes whatever stands behind an option for its value.
std::string option_for_value(const CLI::App& app, const std::string& word) {
  return app.get_option_no_throw(word) == nullptr ? ""
                                                  : fmt::format("a value is missing; {} is an option", word);
}

// The commands of CLI11 beside ours. Options that a command reads itself are there for its help alone.
class Parser {
 public:
  Parser(const Command& lab, std::string_view version, bool for_help)
      : lab_(lab), version_(version), for_help_(for_help), app_(text::translated_form(lab.about), lab.name) {
    app_.set_version_flag("--version", version_);
    fill(app_, lab);
  }

  Parsed parse(const std::vector<std::string>& words) {
    Parsed parsed;
    try {
      app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // it takes them from the back
      parsed.command = settle(app_, lab_);
      if (parsed.command != &lab_ && !parsed.command->run) parsed.wrong = wants_a_command(*parsed.command);
    } catch (const CLI::CallForHelp&) {
      parsed.print = for_help_ ? app_.help() : Parser(lab_, version_, true).parse(words).print;
    } catch (const CLI::CallForVersion& version) {
      parsed.print = std::string(version.what()) + "\n";
    } catch (const CLI::ParseError& error) {
      parsed.wrong = wrong_words(error);
    }
    return parsed;
  }

 private:
  void fill(CLI::App& app, const Command& command) {
    const std::string options = tr("Options");
    for (CLI::Option* own : app.get_options()) {  // --help, --version
      own->description(text::translated_form(own->get_description()));
      own->group(options);
    }
    app.get_formatter()->label("Usage", tr("Usage"));
    app.get_formatter()->label("OPTIONS", tr("OPTIONS"));
    app.get_formatter()->label("SUBCOMMAND", tr("SUBCOMMAND"));
    app.get_formatter()->label("REQUIRED", tr("REQUIRED"));
    if (&command != &lab_) app.get_formatter()->label("Positionals", tr("Positionals"));
    for (const Option& option : command.options) {
      if (command.all_words != nullptr && !for_help_) break;
      CLI::Option* added = add_value(app, option, text::translated_form(option.help));
      if (option.most == Option::kNoMost)
        added->check(CLI::NonNegativeNumber);
      else if (option.least != option.most && option.into.kind() == Place::Kind::Double)
        added->check([&option](const std::string& word) { return outside(option, word); });
      else if (option.least != option.most)
        added->check(CLI::Range(option.least, option.most));
      else if (option.into.kind() == Place::Kind::Text)
        added->check([&app](const std::string& word) { return option_for_value(app, word); });
      if (!option.value.empty()) added->type_name(option.value);
      if (!option.allowed.empty()) added->check(CLI::IsMember(option.allowed));
      if (option.splits_at_commas) added->delimiter(',');
      if (option.one_at_a_time) added->allow_extra_args(false);
      if (option.shows_default) added->capture_default_str();
      added->required(option.needed);
      added->group(option.hidden ? "" : option.group.empty() ? options : option.group);
      ours_[added] = &option;
    }
    if (command.all_words != nullptr) app.prefix_command();
    if (!command.footer.empty()) app.footer(text::translated_form(command.footer));
    for (const Command& one : command.commands) {
      CLI::App* added = app.add_subcommand(one.name, text::translated_form(one.about));
      if (one.all_words == nullptr) added->fallthrough();  // --plain may stand anywhere
      added->group(one.group.empty() ? tr("Commands") : text::translated_form(one.group));
      fill(*added, one);
    }
    if (!command.commands.empty()) app.require_subcommand(0, 1);
  }

  // What was chosen, and which options stood there.
  const Command* settle(const CLI::App& app, const Command& command) {
    for (const CLI::Option* option : app.get_options()) {
      const auto ours = ours_.find(option);
      if (ours != ours_.end() && ours->second->given != nullptr) *ours->second->given = option->count() > 0;
    }
    if (command.all_words != nullptr) *command.all_words = app.remaining();
    for (const CLI::App* chosen : app.get_subcommands())
      return settle(*chosen, *command.find(chosen->get_name()));
    return &command;
  }

  std::string wrong_words(const CLI::ParseError& error) const {
    std::vector<const Command*> path = {&lab_};
    for (const CLI::App* at = &app_; !at->get_subcommands().empty();) {
      at = at->get_subcommands().front();
      path.push_back(path.back()->find(at->get_name()));
    }
    const bool extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError);
    const std::string_view what = error.what();
    const std::string problem = error.get_name() == "ArgumentMismatch"
                                    ? fmt::format("{}: a value is missing", what.substr(0, what.find(':')))
                                    : std::string(what);
    return usage_words(path, problem, extra ? app_.remaining(true) : std::vector<std::string>());
  }

  const Command& lab_;
  const std::string version_;
  const bool for_help_;
  CLI::App app_;
  std::map<const CLI::Option*, const Option*> ours_;
};

}  // namespace

Parsed parse_command_line(const Command& lab, std::string_view version,
                          const std::vector<std::string>& words) {
  return Parser(lab, version, false).parse(in_new_words(lab, words));
}

}  // namespace lab::cli

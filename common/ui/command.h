// What a command is called, which words it takes and what it does, as data.
//
// Enters: each command describes itself, in a file of its own. Leaves: one tree, from which the command line
// is read (parser.cpp, the one file that knows CLI11), help is printed and shells complete. A command that
// cannot do its work throws base::LabError; main turns it into a message and its exit code.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace lab::cli {

// Where a value goes, and so which values there are: a bool is a flag, a list takes several.
class Place {
 public:
  enum class Kind : std::uint8_t { Flag, Int, Unsigned, Int64, Unsigned64, Double, Text, List };
  Place(bool& value) : kind_(Kind::Flag), value_(&value) {}
  Place(int& value) : kind_(Kind::Int), value_(&value) {}
  Place(unsigned& value) : kind_(Kind::Unsigned), value_(&value) {}
  Place(std::int64_t& value) : kind_(Kind::Int64), value_(&value) {}
  Place(std::uint64_t& value) : kind_(Kind::Unsigned64), value_(&value) {}
  Place(double& value) : kind_(Kind::Double), value_(&value) {}
  Place(std::string& value) : kind_(Kind::Text), value_(&value) {}
  Place(std::vector<std::string>& value) : kind_(Kind::List), value_(&value) {}
  [[nodiscard]] Kind kind() const { return kind_; }
  template <class T>
  [[nodiscard]] T& as() const {
    return *static_cast<T*>(value_);
  }

 private:
  Kind kind_;
  void* value_;
};

struct Option {
  std::string names;  // "--json", "-j,--jobs"; a word without dashes: by its place
  Place into;
  std::string help;
  std::vector<std::string> allowed = {};  // none: any
  std::int64_t least = 0, most = 0;       // numbers: both 0: any
  static constexpr std::int64_t kNoMost = INT64_MAX;
  std::string group = {};  // a heading of its own in the help
  std::string value = {};  // what stands behind it, in the help: "FILE"; "": named by its type
  bool* given = nullptr;   // set when it stood on the command line
  bool needed = false, shows_default = false, splits_at_commas = false, one_at_a_time = false, hidden = false;

  Option& one_of(std::vector<std::string> words);
  Option& between(std::int64_t least_value, std::int64_t most_value);
  Option& in_group(std::string_view title);
  Option& called(std::string_view what_stands_behind);
  Option& notes(bool& was_given);
  Option& required() { return needed = true, *this; }
  Option& with_default() { return shows_default = true, *this; }  // the help shows it
  Option& with_commas() { return splits_at_commas = true, *this; }
  Option& one_each() { return one_at_a_time = true, *this; }  // the next word is not this option's too
  Option& kept_quiet() { return hidden = true, *this; }       // works, and no help speaks of it

  [[nodiscard]] bool is_flag() const { return into.kind() == Place::Kind::Flag; }
  [[nodiscard]] bool is_positional() const { return !names.starts_with('-'); }
  [[nodiscard]] std::string long_name() const;  // "--jobs"; the word, of a positional one
};

struct Command {
  std::string name, about;        // about: what it does; an example on a line of its own
  std::function<int()> run = {};  // none: it only holds others
  std::string group = {};         // heading in the help of `lab`
  std::string footer = {};
  std::vector<Option> options = {};
  std::vector<Command> commands = {};
  // Takes whatever stands behind its name, unread: it reads `options` itself, which help and shells list.
  std::vector<std::string>* all_words = nullptr;
  std::string otherwise = {};  // the one of `commands` that is meant when none is named

  Option& option(std::string_view names, Place into, std::string_view help);
  void json(bool& wanted) { option("--json", wanted, "One JSON object"); }
  void add(std::string_view heading, std::initializer_list<Command> under);  // in the help of `lab`
  [[nodiscard]] const Command* find(std::string_view word) const;            // one of `commands`
};

}  // namespace lab::cli

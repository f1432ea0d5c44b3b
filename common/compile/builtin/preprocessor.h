// Tokens → tokens: directives followed, headers taken in, macros replaced. The second stage.
//
// Enters: the kernel file among the sources, and a function that finds headers. Leaves: the tokens that the
// parser reads. What a macro became stands where the macro was called. Throws Error.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/compile/builtin/lexer.h"

namespace lab::cucc {

// A header's text and path, for the path in its #include and the file that includes it; none: there is no
// such file.
using FindHeader = std::function<std::optional<Source>(const std::string& name, const std::string& includer)>;

class Preprocessor {
 public:
  Preprocessor(Sources& sources, FindHeader find_header)
      : sources_(sources), find_header_(std::move(find_header)) {}

  // -DNAME=VALUE.
  void define(const std::string& name, const std::string& value);
  void forget(const std::string& beginning);  // macros by how their names begin
  // Adds the tokens of a source to those before.
  void add(int file);

  // Is called with each name that a condition asks for.
  std::function<void(const Token&)> asked;
  [[nodiscard]] bool is_defined(const std::string& name) const { return macros_.contains(name); }

  // The most of one piece of the text: a macro that doubles itself ends there.
  std::size_t most_tokens = 1 << 20;

  Tokens result;
  std::vector<std::string> headers_read;  // for the cache, which asks whether one of them changed

 private:
  struct Macro {
    bool takes_arguments = false;
    std::vector<std::string> parameters;
    Tokens body;
  };
  enum class Branch { NotYet, Active, Done };  // of an #if
  using Arguments = std::map<std::string, Tokens>;

  [[nodiscard]] bool active() const;
  void directive(Tokens line, Position at);
  bool conditional(const std::string& word, const Tokens& line, Position at);
  void include(const Tokens& line, Position at);
  void define_macro(const Tokens& line, Position at);
  void pragma(Tokens line);
  Tokens expanded(Tokens tokens) const;
  Tokens call(const Macro& macro, const Token& name, Tokens& rest) const;
  Tokens substituted(const Macro& macro, Arguments& arguments) const;
  void check_size(std::size_t tokens, Position at) const;
  bool condition(const Tokens& line, Position at) const;
  bool knows(const Token& name) const;

  Sources& sources_;
  FindHeader find_header_;
  std::map<std::string, Macro> macros_;
  std::vector<Branch> conditions_;
  std::set<std::string> included_;
};

// What an #if asks, macros replaced already and names left over: integers, by precedence.
[[nodiscard]] long long condition_value(const Tokens& tokens, Position at);

}  // namespace lab::cucc

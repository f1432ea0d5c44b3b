// Finds the directives of a file as a preprocessor does (spliced lines, comments, raw strings), and looks at
// each. See source_rules.h.
#include "common/compile/source_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>
#include <vector>

#include "common/base/project.h"
#include "common/base/source_text.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Directive {
  int line = 0;
  std::string text;  // "include <x>": without the #, comments as blanks
};

// Reads characters with spliced lines put together: a backslash, perhaps blanks, a line end.
class Splicer {
 public:
  explicit Splicer(std::string_view text) : text_(text) { skip_splices(); }
  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return done() ? '\0' : text_[at_]; }
  [[nodiscard]] char peek_next() const {
    Splicer ahead = *this;
    ahead.take();
    return ahead.peek();
  }
  [[nodiscard]] int line() const { return line_; }
  char take() {
    const char c = take_raw();
    skip_splices();
    return c;
  }
  // As it stands in the file: inside of raw strings a backslash is only a backslash.
  char take_raw() {
    if (done()) return '\0';
    if (text_[at_] == '\n') ++line_;
    return text_[at_++];
  }

 private:
  void skip_splices() {
    while (at_ < text_.size() && text_[at_] == '\\') {
      std::size_t end = at_ + 1;
      while (end < text_.size() && is_blank(text_[end])) ++end;
      if (end >= text_.size() || text_[end] != '\n') return;
      ++line_;
      at_ = end + 1;
    }
  }
  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

class DirectiveFinder {
 public:
  explicit DirectiveFinder(std::string_view source) : in_(source) {}

  std::vector<Directive> find() {
    bool line_is_blank = true;  // so far
    std::string word;           // that ended right before this character: R, u8R, …
    while (!in_.done()) {
      const char c = in_.peek();
      if (c == '\n') {
        in_.take();
        line_is_blank = true;
        word.clear();
      } else if (is_blank(c) || skip_comment()) {
        if (is_blank(in_.peek())) in_.take();
        word.clear();
      } else if (line_is_blank && (c == '#' || (c == '%' && in_.peek_next() == ':'))) {
        found_.push_back(directive());
      } else {
        line_is_blank = false;
        code(c, word);
      }
    }
    return std::move(found_);
  }

 private:
  // One token's worth of code that is no directive.
  void code(char c, std::string& word) {
    if (c == '"' && (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R")) {
      skip_raw_string();
      word.clear();
    } else if (c == '"' ||
               (c == '\'' && (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) == 0))) {
      skip_quoted(c);
      word.clear();
    } else if (is_word(c) || c == '\'') {  // 1'000'000
      word += in_.take();
    } else {
      in_.take();
      word.clear();
    }
  }

  bool skip_comment() {
    if (in_.peek() != '/') return false;
    if (in_.peek_next() == '/') {
      while (!in_.done() && in_.peek() != '\n') in_.take();
      return true;
    }
    if (in_.peek_next() != '*') return false;
    in_.take(), in_.take();
    while (!in_.done() && !(in_.peek() == '*' && in_.peek_next() == '/')) in_.take();
    in_.take(), in_.take();
    return true;
  }

  void skip_quoted(char quote) {
    in_.take();
    while (!in_.done() && in_.peek() != '\n') {
      const char c = in_.take();
      if (c == '\\' && in_.peek() != '\n') in_.take();
      if (c == quote) return;
    }
  }

  void skip_raw_string() {
    in_.take_raw();
    std::string end = ")";
    while (!in_.done() && in_.peek() != '(' && end.size() < 18) end += in_.take_raw();
    end += '"';
    std::string seen;
    while (!in_.done() && !seen.ends_with(end)) {
      seen += in_.take_raw();
      if (seen.size() > 64) seen.erase(0, 32);
    }
  }

  // A < behind these begins a name, in which // is no comment.
  static bool names_a_file(std::string_view text) {
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text.ends_with('(') || text.ends_with("include") || text.ends_with("include_next") ||
           text.ends_with("import") || text.ends_with("embed");
  }

  void take_name(char close, std::string& text) {
    do text += in_.take();
    while (!in_.done() && in_.peek() != '\n' && in_.peek() != close);
    if (in_.peek() == close) text += in_.take();
  }

  Directive directive() {
    Directive result;
    result.line = in_.line();
    if (in_.take() == '%') in_.take();
    while (!in_.done() && in_.peek() != '\n') {
      const char c = in_.peek();
      if (c == '"' || (c == '<' && names_a_file(result.text))) {
        take_name(c == '"' ? '"' : '>', result.text);
      } else if (skip_comment()) {
        result.text += ' ';
      } else {
        result.text += is_blank(c) ? ' ' : c;
        in_.take();
      }
    }
    const std::size_t first = result.text.find_first_not_of(' ');
    result.text.erase(0, std::min(first, result.text.size()));
    while (result.text.ends_with(' ')) result.text.pop_back();
    return result;
  }

  Splicer in_;
  std::vector<Directive> found_;
};

std::string first_word(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_word);
  return {text.begin(), end};
}

std::string rest_after(std::string_view text, const std::string& word) {
  text.remove_prefix(word.size());
  while (text.starts_with(' ')) text.remove_prefix(1);
  return std::string(text);
}

// Names one way: "common//kernel/./lab.cuh" is common/kernel/lab.cuh.
std::string tidied(std::string_view name) { return fs::path(name).lexically_normal().generic_string(); }

// Looks at the directives of one file.
class Rules {
 public:
  explicit Rules(const fs::path& beside) : beside_(beside) {}
  [[nodiscard]] std::optional<Refusal> refuse(const Directive& directive) const;

 private:
  [[nodiscard]] Message what_is_wrong_with_name(std::string_view name) const;
  [[nodiscard]] std::optional<Message> wrong_header(std::string_view text) const;
  [[nodiscard]] std::optional<Message> wrong_condition(std::string_view text) const;

  const fs::path& beside_;
};

// "" when the name stays where headers are.
Message Rules::what_is_wrong_with_name(std::string_view name) const {
  if (name.starts_with('/') || name.starts_with('~') || name.find(":\\") != std::string_view::npos) {
    return "an absolute path";
  }
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("/\\", start), name.size());
    if (name.substr(start, end - start) == "..") return "a path with ..";
    start = end + 1;
  }
  const std::string path = tidied(name);
  if (path.starts_with("common/kernel/")) return {};
  std::error_code error;
  const fs::path first = base::project_root() / *fs::path(path).begin();
  const bool in_folder = path.find('/') != std::string::npos && fs::is_directory(first, error);
  if (in_folder || fs::exists(base::project_root() / path, error))
    return "a file of the course that is none of common/kernel";
  if (!beside_.empty() && fs::exists(beside_ / path, error)) return "a file beside it";
  return "";
}

// `text` begins with the name: <x> or "x".
std::optional<Message> Rules::wrong_header(std::string_view text) const {
  const char close = text.starts_with('<') ? '>' : text.starts_with('"') ? '"' : '\0';
  if (close == '\0') {
    if (text.starts_with("\u201C") || text.starts_with("\u201D"))
      return "has typographic quotes, as text programs set them; write \"";
    return "names its file through a macro";
  }
  const std::size_t end = text.find(close, 1);
  if (end == std::string_view::npos) return std::nullopt;  // the compiler will say so
  const Message wrong = what_is_wrong_with_name(text.substr(1, end - 1));
  if (wrong.empty()) return std::nullopt;
  return msg("asks for {}", wrong);
}

constexpr std::array<std::string_view, 3> kProbes{"__has_include_next", "__has_include", "__has_embed"};

std::string_view probe_in(std::string_view text) {
  for (const std::string_view probe : kProbes)
    if (text.find(probe) != std::string_view::npos) return probe;
  return {};
}

// A condition asks for files by __has_include alone, spelled out, and names them. What else could name one, a
// string or a < that has nothing before it, hides a question.
std::optional<Message> Rules::wrong_condition(std::string_view text) const {
  std::string rest(text);
  for (std::string_view probe; !(probe = probe_in(rest)).empty();) {
    const std::size_t at = rest.find(probe);
    const std::size_t open = rest.find_first_not_of(' ', at + probe.size());
    std::size_t end = at + probe.size();
    if (open != std::string::npos && rest[open] == '(') {
      const std::size_t name = std::min(rest.find_first_not_of(' ', open + 1), rest.size());
      if (auto wrong = wrong_header(std::string_view(rest).substr(name))) return wrong;
      const std::size_t close = rest.find(rest[name] == '<' ? '>' : '"', name + 1);
      end = close == std::string::npos ? rest.size() : close + 1;
    }
    rest.erase(at, end - at);
  }
  std::erase(rest, ' ');
  if (rest.find('"') != std::string::npos || rest.find("(<") != std::string::npos ||
      rest.find("##") != std::string::npos)
    return "asks for a file through a macro";
  return std::nullopt;
}

bool is_refused_pragma(const std::string& text) {
  constexpr std::array<std::string_view, 6> kReaching{"dependency", "pch_preprocess", "include_alias",
                                                      "module",     "system_header",  "include_instead"};
  std::string word = first_word(text);
  if (word == "GCC" || word == "clang" || word == "nv") word = first_word(rest_after(text, word));
  return std::find(kReaching.begin(), kReaching.end(), word) != kReaching.end();
}

std::optional<Refusal> Rules::refuse(const Directive& directive) const {
  const Message place = msg("line {}: #{}", directive.line, directive.text.substr(0, 100));
  const std::string word = first_word(directive.text);
  const std::string rest = rest_after(directive.text, word);
  if (word == "include" || word == "include_next" || word == "import") {
    if (const auto wrong = wrong_header(rest))
      return Refusal{"include-refused", msg("{} {}{}", place, *wrong, Message(kIncludeRule))};
    if (word != "include")
      return Refusal{"include-refused", msg("{}: write #include{}", place, Message(kIncludeRule))};
  } else if (word == "embed") {
    return Refusal{"include-refused", msg("{} reads a file{}", place, Message(kIncludeRule))};
  } else if (word == "line" || (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0)) {
    return Refusal{
        "source-refused",
        msg("{} gives lines another name or number. Verdicts name lines as the file has them; remove it.",
            place)};
  } else if (word == "pragma" && is_refused_pragma(rest)) {
    return Refusal{"source-refused", msg("{} speaks of other files or hides messages. Remove it.", place)};
  } else if (word == "if" || word == "elif") {
    if (const auto wrong = wrong_condition(rest))
      return Refusal{"include-refused", msg("{} {}{}", place, *wrong, Message(kIncludeRule))};
  } else if (word == "define" && !probe_in(rest).empty()) {
    return Refusal{"include-refused",
                   msg("{} asks for a file through a macro{}", place, Message(kIncludeRule))};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> refuse_source(std::string_view source, const fs::path& beside) {
  const Rules rules(beside);
  const std::string text = base::source_text(std::string(source));
  for (const Directive& directive : DirectiveFinder(text).find()) {
    if (std::optional<Refusal> refusal = rules.refuse(directive)) return refusal;
  }
  return std::nullopt;
}

}  // namespace lab::compile

// Tokens and names. See parser.h.
#include "common/compile/builtin/parser.h"

#include <algorithm>
#include <array>
#include <map>

namespace lab::cucc {
namespace {

constexpr int kDeepest = 400;
constexpr std::size_t kMostErrors = 20;

// Words that begin a statement: after a mistake, parsing goes on there.
constexpr std::array<std::string_view, 10> kStatementWords = {
    "if", "for", "while", "do", "return", "switch", "break", "continue", "const", "constexpr"};

// Words that no file can have that this compiler takes, and what to write instead.
const std::map<std::string, const char*> kRefusedWords = {
    {"new", "declare an array with a size, or a __shared__ one"},
    {"delete", "declare an array with a size, or a __shared__ one"},
    {"goto", "use a loop, an if or a return"},
    {"try", "use a loop, an if or a return"},
    {"throw", "use a loop, an if or a return"},
    {"co_return", "use a loop, an if or a return"},
    {"concept", "write typename, and a static_assert"},
    {"requires", "write typename, and a static_assert"},
    {"__managed__", "take it out"},
    {"thread_local", "take it out"},
    {"virtual", "take it out"},
    {"friend", "take it out"}};

}  // namespace

Parser::Parser(Tokens tokens, Program& program, Messages& messages)
    : tokens_(std::move(tokens)), program_(program), messages_(messages), types_(1) {
  Token end;
  end.at = tokens_.empty() ? Position{1, 1, 1} : tokens_.back().at;
  end.begins_line = true;
  tokens_.push_back(end);
}

// One rule of the grammar further inside; deep nesting ends here and not with the stack.
int Parser::deeper() const {
  if (depth_ == kDeepest) fail(peek().at, "this is nested too deep");
  return depth_ + 1;
}

// ---- tokens

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(i_ + ahead, tokens_.size() - 1)];
}

bool Parser::is(std::string_view text, std::size_t ahead) const {
  const Token& t = peek(ahead);
  return t.text == text && (t.kind == TokenKind::Punctuation || t.kind == TokenKind::Name);
}

bool Parser::accept(std::string_view text) {
  if (!is(text)) return false;
  ++i_;
  return true;
}

std::string Parser::before_next() const {
  const Token& t = peek();
  if (t.kind == TokenKind::End) return " before the end of the file";
  if (t.hidden.empty()) return /* message */ " before '" + t.text + "'";
  return /* message */ " before '" + t.text + "', which the macro '" + t.hidden.back() + "' has";
}

// Behind the token before, where the next one begins a line: there it was forgotten.
void Parser::expect(std::string_view text) {
  if (accept(text)) return;
  Position at = peek().at;
  if (i_ > 0 && peek().begins_line) {
    at = tokens_[i_ - 1].at;
    at.column += static_cast<int>(tokens_[i_ - 1].text.size());
  }
  fail(at, /* message */ "expected '{}'{}", std::string(text), before_next());
}

// The mistake of every beginner, and the only one that harms nothing else: it is reported, and parsing goes
// on.
void Parser::expect_semicolon(const char* after) {
  if (accept(";")) return;
  const Token& last = tokens_[i_ - std::min<std::size_t>(i_, 1)];
  Position at = last.at;
  at.column += static_cast<int>(last.text.size());
  const Error error{at, std::string("expected ';' after ") + after};
  if (!peek().begins_line && !is("}") && peek().kind != TokenKind::End) throw error;
  messages_.push_back({error});
}

Token Parser::take() {
  Token t = peek();
  if (t.kind != TokenKind::End) ++i_;
  return t;
}

std::string Parser::name(const char* what) {
  if (!is_name()) fail(peek().at, "expected {}{}", what, before_next());
  return take().text;
}

// Strings behind each other are one.
std::string Parser::text() {
  std::string all;
  while (peek().kind == TokenKind::String) all += take().text;
  return all;
}

void Parser::add_error(const Error& error) {
  messages_.push_back({error});
  is_whole_ = false;
  if (messages_.size() >= kMostErrors) throw Error{error.at, ""};
}

// To the end of what went wrong: behind its ; or }, or before the word that begins the next statement.
void Parser::skip_statement() {
  for (int depth = 0; peek().kind != TokenKind::End; take()) {
    if (is("{")) ++depth;
    if (is("}") && depth-- == 0) return;
    if (is("}") && depth == 0) return void(take());
    if (is(";") && depth == 0) return void(take());
    const bool begins =
        peek().begins_line && depth == 0 && i_ > 0 &&
        std::find(kStatementWords.begin(), kStatementWords.end(), peek().text) != kStatementWords.end();
    if (begins && tokens_[i_ - 1].at.line < peek().at.line && !is("(")) return;
  }
}

// Asked where a declaration, a statement, a member, a type or an operand begins.
void Parser::refuse_word() const {
  const auto word = is_name() ? kRefusedWords.find(peek().text) : kRefusedWords.end();
  if (word != kRefusedWords.end()) refuse(peek().at, "'" + word->first + "'", word->second);
}

// ---- names

std::string Parser::peek_qualified(std::size_t& end) const {
  std::size_t ahead = is("::") && is_name(1) ? 1 : 0;
  std::string result;
  const auto space = ahead == 0 && is("::", 1) ? other_spaces_.find(peek().text) : other_spaces_.end();
  if (space != other_spaces_.end()) {
    result = space->second + "::";
    ahead = 2;
  }
  while (is_name(ahead)) {
    result += peek(ahead++).text;
    if (!is("::", ahead) || !is_name(ahead + 1)) break;
    result += "::";
    ++ahead;
  }
  end = i_ + ahead;
  return result;
}

std::string Parser::qualified() {
  std::size_t end = 0;
  std::string result = peek_qualified(end);
  if (result.empty()) fail(peek().at, "expected a name{}", before_next());
  i_ = end;
  return result;
}

bool Parser::known_type(const std::string& name) const {
  for (auto scope = types_.rbegin(); scope != types_.rend(); ++scope)
    if (scope->contains(name)) return true;
  if (types_[0].contains(seen_from_here(name))) return true;
  const std::size_t last = name.rfind("::");  // by another name of the struct
  return last != std::string::npos && inner_types_.contains(name.substr(last + 2)) &&
         known_type(name.substr(0, last));
}

bool Parser::known_template(const std::string& name) const {
  return templates_.contains(name) || templates_.contains(seen_from_here(name));
}

// The qualified name of a type or template that is visible here, from the inner namespace outwards.
std::string Parser::seen_from_here(const std::string& name) const {
  const std::string q = program_.qualified(
      name, space_, [&](const std::string& n) { return types_[0].contains(n) || templates_.contains(n); });
  return q.empty() ? name : q;
}

}  // namespace lab::cucc

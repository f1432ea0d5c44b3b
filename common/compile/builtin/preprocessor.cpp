// See preprocessor.h.
#include "common/compile/builtin/preprocessor.h"

#include <algorithm>
#include <utility>

namespace lab::cucc {
namespace {

constexpr std::size_t kDeepestInclude = 64;
const char* const kRest = "__VA_ARGS__";
// Headers of the toolkit and of C++, by how their names begin, and what a kernel writes instead.
constexpr std::pair<const char*, const char*> kRefusedHeaders[] = {
    {"cuda/pipeline", "include <cuda_pipeline.h> and call __pipeline_memcpy_async"},
    {"cuda/std/", "write the types and operators of the language itself"},
    {"cuda/", "write atomicAdd and its like, __syncthreads() or __threadfence()"},
    {"cooperative_groups/", "exchange values with __shfl_sync and its like, or through shared memory"},
    {"cuda_fp16", "move half values as unsigned short: a transpose does not compute with them"},
    {"cuda_bf16", "move bfloat16 values as unsigned short: a transpose does not compute with them"},
    {"mma.h", "a transpose needs no matrix products: move words"},
};

bool is_sign(const Token& t, std::string_view text) {
  return t.kind == TokenKind::Punctuation && t.text == text;
}
bool opens_directive(const Token& t) { return t.begins_line && is_sign(t, "#"); }

Tokens between(const Tokens& tokens, std::size_t begin, std::size_t end) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin),
          tokens.begin() + static_cast<std::ptrdiff_t>(end)};
}
void append(Tokens& to, const Tokens& more) { to.insert(to.end(), more.begin(), more.end()); }

bool hides(const Token& t, const std::string& macro) {
  return std::find(t.hidden.begin(), t.hidden.end(), macro) != t.hidden.end();
}

// `_Pragma("unroll 4")` is `#pragma unroll 4` that a macro can hold.
bool is_unroll(const std::string& text) { return text.substr(0, 6) == "unroll"; }

Token unroll(Position at, std::string count) {
  std::erase_if(count, [](char c) { return c == '(' || c == ')' || c == ' '; });
  return {TokenKind::Unroll, std::move(count), at, true, true, {}};
}

}  // namespace

void Preprocessor::define(const std::string& name, const std::string& value) {
  sources_.push_back({"<command line>", value});
  macros_[name] = {false, {}, tokens_of(sources_.back(), static_cast<int>(sources_.size()) - 1)};
}

void Preprocessor::forget(const std::string& beginning) {
  std::erase_if(macros_, [&](const auto& macro) { return macro.first.starts_with(beginning); });
}

void Preprocessor::add(int file) {
  const Tokens tokens = tokens_of(sources_[static_cast<std::size_t>(file)], file);
  const std::size_t open = conditions_.size();
  for (std::size_t i = 0, end = 0; i < tokens.size(); i = end) {
    end = i + 1;
    const bool is_directive = opens_directive(tokens[i]);
    while (end < tokens.size() && !(is_directive ? tokens[end].begins_line : opens_directive(tokens[end])))
      ++end;
    if (is_directive)
      directive(between(tokens, i + 1, end), tokens[i].at);
    else if (active())
      append(result, expanded(between(tokens, i, end)));
    check_size(result.size(), tokens[i].at);
  }
  if (conditions_.size() != open)
    fail(tokens.empty() ? Position{file, 1, 1} : tokens.back().at, "an #if of this file has no #endif");
}

bool Preprocessor::active() const {
  return std::all_of(conditions_.begin(), conditions_.end(), [](Branch b) { return b == Branch::Active; });
}

void Preprocessor::directive(Tokens line, Position at) {
  if (line.empty()) return;
  const std::string word = line[0].text;
  line.erase(line.begin());
  if (conditional(word, line, at) || !active()) return;
  if (word == "include") return include(line, at);
  if (word == "define") return define_macro(line, at);
  if (word == "pragma") return pragma(std::move(line));
  if (word == "error") {
    std::string text;
    for (const Token& t : line) text += (t.blank_before && !text.empty() ? " " : "") + t.text;
    fail(at, "#error: {}", text);
  }
  if (word == "undef" && line.size() == 1) {
    macros_.erase(line[0].text);
    return;
  }
  if (word == "warning") return;
  refuse(at, "#" + word, "take it out");
}

// #if and its like, which count in parts that are left out too.
bool Preprocessor::conditional(const std::string& word, const Tokens& line, Position at) {
  const auto defined = [&] {
    if (line.empty()) fail(at, "#{} of what? Write a macro's name behind it", word);
    return knows(line[0]);
  };
  if (word == "if" || word == "ifdef" || word == "ifndef") {
    if (!active())
      conditions_.push_back(Branch::Done);
    else
      conditions_.push_back((word == "if" ? condition(line, at) : defined() == (word == "ifdef"))
                                ? Branch::Active
                                : Branch::NotYet);
    return true;
  }
  if (word != "elif" && word != "else" && word != "endif") return false;
  if (conditions_.empty()) fail(at, "#{} without an #if before it", word);
  Branch& branch = conditions_.back();
  if (word == "endif")
    conditions_.pop_back();
  else if (branch != Branch::NotYet)
    branch = Branch::Done;
  else if (word == "else")
    branch = Branch::Active;
  else {
    branch = Branch::Active;  // so that it is asked whether the parts around are
    if (!active() || !condition(line, at)) branch = Branch::NotYet;
  }
  return true;
}

void Preprocessor::include(const Tokens& line, Position at) {
  if (line.empty()) fail(at, "#include of what? Write \"common/kernel/lab.cuh\" behind it");
  std::string name;
  for (const Token& t : line) name += t.text;
  if (is_sign(line[0], "<")) name = name.substr(1, name.find('>') - 1);
  const std::string& includer = sources_[static_cast<std::size_t>(at.file)].path;
  const std::optional<Source> found = find_header_(name, includer);
  if (!found) {
    const auto known = std::find_if(std::begin(kRefusedHeaders), std::end(kRefusedHeaders),
                                    [&](const auto& row) { return name.starts_with(row.first); });
    if (known != std::end(kRefusedHeaders)) refuse(at, "<" + name + ">", known->second);
    fail(at,
         "there is no header {} here. A kernel includes \"common/kernel/lab.cuh\" and what lies beside it",
         name);
  }
  if (!included_.insert(found->path).second) return;  // every header is one of #pragma once
  if (included_.size() > kDeepestInclude) fail(at, "too many headers");
  headers_read.push_back(found->path);
  sources_.push_back(*found);
  add(static_cast<int>(sources_.size()) - 1);
}

void Preprocessor::define_macro(const Tokens& line, Position at) {
  if (line.empty() || line[0].kind != TokenKind::Name)
    fail(at, "#define of what? A macro's name comes first");
  Macro macro;
  std::size_t i = 1;
  if (line.size() > 1 && is_sign(line[1], "(") && !line[1].blank_before) {
    macro.takes_arguments = true;
    for (++i; i < line.size() && !is_sign(line[i], ")"); ++i)
      if (!is_sign(line[i], ",")) macro.parameters.push_back(is_sign(line[i], "...") ? kRest : line[i].text);
    if (i++ == line.size()) fail(line[1].at, "the parameters of this macro do not end: ) is missing");
  }
  macro.body = between(line, i, line.size());
  macros_[line[0].text] = std::move(macro);
}

void Preprocessor::pragma(Tokens line) {
  if (line.empty() || (line[0].text != "unroll" && line[0].text != "nounroll")) return;
  const Position at = line[0].at;
  if (line[0].text == "nounroll") return result.push_back(unroll(at, "1"));
  std::string count;
  line.erase(line.begin());
  for (const Token& t : expanded(line)) count += t.text;
  result.push_back(unroll(at, count));
}

void Preprocessor::check_size(std::size_t tokens, Position at) const {
  if (tokens > most_tokens) fail(at, "the macros of this file make more text than a kernel has");
}

// Macros replaced as C++ says: what comes out is scanned again, together with what follows, but no macro
// inside of itself.
Tokens Preprocessor::expanded(Tokens tokens) const {
  Tokens out, rest;
  rest.assign(tokens.rbegin(), tokens.rend());  // the next one at the back
  for (std::size_t steps = 0; !rest.empty(); ++steps) {
    Token t = std::move(rest.back());
    rest.pop_back();
    check_size(std::max(steps, out.size() + rest.size()), t.at);
    const auto found = t.kind == TokenKind::Name ? macros_.find(t.text) : macros_.end();
    if (t.kind == TokenKind::Name && t.text == "__LINE__") {
      t.kind = TokenKind::Number, t.text = std::to_string(t.at.line);
    } else if (t.kind == TokenKind::Name && t.text == "__FILE__") {
      if (asked) asked(t);
      t.kind = TokenKind::String, t.text = sources_[static_cast<std::size_t>(t.at.file)].path;
    } else if (t.kind == TokenKind::Name && t.text == "_Pragma" && rest.size() >= 3) {
      const Token text = rest[rest.size() - 2];
      rest.resize(rest.size() - 3);
      if (is_unroll(text.text)) out.push_back(unroll(t.at, text.text.substr(6)));
      continue;
    }
    const bool applies = found != macros_.end() && !hides(t, t.text) &&
                         (!found->second.takes_arguments || (!rest.empty() && is_sign(rest.back(), "(")));
    if (!applies) {
      out.push_back(std::move(t));
      continue;
    }
    Tokens body = call(found->second, t, rest);
    if (!body.empty()) body[0].begins_line = t.begins_line, body[0].blank_before = t.blank_before;
    for (auto b = body.rbegin(); b != body.rend(); ++b) {
      b->at = t.at;
      b->hidden.insert(b->hidden.end(), t.hidden.begin(), t.hidden.end());
      b->hidden.push_back(found->first);
      rest.push_back(std::move(*b));
    }
  }
  return out;
}

// What a macro becomes; takes its arguments from `rest`, whose next token is at the back.
Tokens Preprocessor::call(const Macro& macro, const Token& name, Tokens& rest) const {
  Arguments arguments;
  if (!macro.takes_arguments) return substituted(macro, arguments);
  rest.pop_back();
  std::size_t parameter = 0;
  for (int depth = 0;;) {
    if (rest.empty()) fail(name.at, "the arguments of the macro '{}' do not end: ) is missing", name.text);
    Token t = std::move(rest.back());
    rest.pop_back();
    if (is_sign(t, ")") && depth == 0) break;
    if (is_sign(t, "(") || is_sign(t, "[") || is_sign(t, "{")) ++depth;
    if (is_sign(t, ")") || is_sign(t, "]") || is_sign(t, "}")) --depth;
    const bool last = parameter < macro.parameters.size() && macro.parameters[parameter] == kRest;
    if (is_sign(t, ",") && depth == 0 && !last) {
      ++parameter;
      continue;
    }
    if (parameter >= macro.parameters.size())
      fail(t.at, "the macro '{}' takes {} arguments, and here are more", name.text, macro.parameters.size());
    arguments[macro.parameters[parameter]].push_back(std::move(t));
  }
  const std::size_t needed =
      macro.parameters.size() - (macro.parameters.empty() || macro.parameters.back() != kRest ? 0 : 1);
  if (needed > parameter + 1)
    fail(name.at, "the macro '{}' takes {} arguments, and here are {}", name.text, needed, parameter + 1);
  return substituted(macro, arguments);
}

// The body with its arguments in place of the parameters; # makes a string of one, ## one token of two.
Tokens Preprocessor::substituted(const Macro& macro, Arguments& arguments) const {
  Tokens out;
  const auto is_parameter = [&](const Token& t) {
    return t.kind == TokenKind::Name &&
           std::find(macro.parameters.begin(), macro.parameters.end(), t.text) != macro.parameters.end();
  };
  const Tokens& body = macro.body;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool glued_left = i > 0 && is_sign(body[i - 1], "##");
    const bool glued_right = i + 1 < body.size() && is_sign(body[i + 1], "##");
    if (is_sign(body[i], "##")) continue;
    Tokens piece = {body[i]};
    if (is_sign(body[i], "#") && i + 1 < body.size() && is_parameter(body[i + 1])) {
      piece[0].kind = TokenKind::String;
      piece[0].text.clear();
      for (const Token& t : arguments[body[++i].text])
        piece[0].text += (t.blank_before && !piece[0].text.empty() ? " " : "") + t.text;
    } else if (is_parameter(body[i])) {
      piece = glued_left || glued_right ? arguments[body[i].text] : expanded(arguments[body[i].text]);
    }
    if (glued_left && !out.empty() && !piece.empty()) {
      if (is_sign(out.back(), ",")) {  // `, ##__VA_ARGS__`
      } else {
        out.back().text += piece[0].text;
        piece.erase(piece.begin());
      }
    } else if (glued_left && !out.empty() && is_sign(out.back(), ",")) {
      out.pop_back();
    }
    append(out, piece);
  }
  return out;
}

bool Preprocessor::condition(const Tokens& line, Position at) const {
  Tokens tokens;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i].text != "defined") {
      tokens.push_back(line[i]);
      continue;
    }
    const bool bracket = i + 1 < line.size() && is_sign(line[i + 1], "(");
    i += bracket ? 2 : 1;
    if (i >= line.size()) fail(at, "defined what? Write a macro's name behind it");
    tokens.push_back({TokenKind::Number, knows(line[i]) ? "1" : "0", line[i].at, false, false, {}});
    i += bracket ? 1 : 0;
  }
  const Tokens replaced = expanded(std::move(tokens));
  for (const Token& t : replaced)
    if (t.kind == TokenKind::Name) (void)knows(t);
  return condition_value(replaced, at) != 0;
}

// Whether a macro of that name is defined.
bool Preprocessor::knows(const Token& name) const {
  if (asked) asked(name);
  return macros_.contains(name.text);
}

}  // namespace lab::cucc

// The PREDICTIONS of a kernel file, as text.
#include "common/course/lessons/predictions_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "common/base/cpp_text.h"
#include "common/course/judge/predictions.h"

namespace lab::course {
namespace {

using base::in_word;

struct Span {
  std::size_t begin = 0, end = 0;
};

// What stands between the braces behind the word PREDICTIONS.
std::optional<Span> block_of(const std::string& code) {
  constexpr std::string_view kWord = "PREDICTIONS";
  for (std::size_t at = code.find(kWord); at != code.npos; at = code.find(kWord, at + 1)) {
    if ((at != 0 && in_word(code[at - 1])) || in_word(code[at + kWord.size()])) continue;
    const std::size_t open = code.find('{', at), close = code.find('}', at);
    if (open != code.npos && close != code.npos && open < close) return Span{open + 1, close};
  }
  return std::nullopt;
}

struct Field {
  std::string name;
  Span value;  // without blanks around it
};

std::vector<Field> fields_of(const std::string& code, const Span& block) {
  std::vector<Field> fields;
  for (std::size_t at = block.begin; (at = code.find('.', at)) < block.end;) {
    std::size_t end = ++at;
    while (in_word(code[end])) ++end;
    const std::size_t equals = code.find_first_not_of(" \t\r\n", end);
    if (end == at || equals >= block.end || code[equals] != '=') continue;
    Span value{std::min(code.find_first_not_of(" \t\r\n", equals + 1), block.end),
               std::min(code.find(',', equals), block.end)};
    while (value.end > value.begin && std::isspace(static_cast<unsigned char>(code[value.end - 1])) != 0)
      --value.end;
    fields.push_back({code.substr(at, end - at), value});
    at = std::max(value.end, equals);
  }
  return fields;
}

std::size_t place_of(std::string_view name) {
  const auto questions = judge::all_questions();
  return static_cast<std::size_t>(std::find_if(questions.begin(), questions.end(),
                                               [&](const judge::Question& q) { return q.name == name; }) -
                                  questions.begin());
}

}  // namespace

std::vector<std::string> asked_questions(const std::string& source) {
  const std::string code = base::without_comments(source);
  std::vector<std::string> names;
  if (const auto block = block_of(code)) {
    for (const Field& field : fields_of(code, *block)) names.push_back(field.name);
  }
  return names;
}

std::string without_answers(std::string source) {
  for (const std::string& name : asked_questions(source))
    source = with_answer(source, name, 0).value_or(source);
  return source;
}

std::optional<std::string> with_answer(const std::string& source, const std::string& name, int answer) {
  const std::string code = base::without_comments(source);
  const auto block = block_of(code);
  if (!block) return std::nullopt;
  std::string text = source;
  std::size_t at = block->begin;
  for (const Field& field : fields_of(code, *block)) {
    if (field.name == name)
      return text.replace(field.value.begin, field.value.end - field.value.begin, std::to_string(answer));
    if (place_of(field.name) < place_of(name)) at = field.value.end;
  }
  // C++ wants the fields in their order.
  if (at == block->begin) return text.insert(at, fmt::format("\n    .{} = {},", name, answer));
  const bool comma = code[at] == ',';
  return text.insert(at + (comma ? 1 : 0),
                     fmt::format("{}\n    .{} = {}{}", comma ? "" : ",", name, answer, comma ? "," : ""));
}

}  // namespace lab::course

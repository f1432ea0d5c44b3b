// The questions that a lesson asks before the first run. See questions.h.
#include "common/course/lessons/questions.h"

#include <sstream>

namespace lab::course {
namespace {

constexpr std::string_view kItem = "- `", kColon = ":", kWideColon = "：";

// "- `name`: words" → name and words; no name for any other line.
std::pair<std::string, std::string> item_of(std::string_view line) {
  if (!line.starts_with(kItem)) return {};
  line.remove_prefix(kItem.size());
  const std::size_t end = line.find('`');
  if (end == line.npos) return {};
  std::string name(line.substr(0, end));
  line.remove_prefix(end + 1);
  if (line.starts_with(kColon))
    line.remove_prefix(kColon.size());
  else if (line.starts_with(kWideColon))
    line.remove_prefix(kWideColon.size());
  else
    return {};
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return {std::move(name), std::string(line)};
}

}  // namespace

LessonQuestions lesson_questions(std::string_view lesson, std::string_view title) {
  LessonQuestions questions;
  std::istringstream lines{std::string(lesson)};
  std::string line, last;
  const std::string heading = "### " + std::string(title);
  while (std::getline(lines, line) && line != heading) {
  }
  for (bool new_paragraph = false; std::getline(lines, line); new_paragraph = line.empty()) {
    if (line.starts_with('#') || line.starts_with("<details>")) break;
    auto [name, words] = item_of(line);
    if (!name.empty()) {
      questions.words[last = name] = std::move(words);
    } else if (!last.empty() && line.starts_with("  ")) {
      questions.words[last] += line.substr(1);
    } else if (questions.words.empty() && !line.empty()) {
      if (!questions.before.empty()) questions.before += new_paragraph ? '\n' : ' ';
      questions.before += line;
    }
  }
  return questions;
}

}  // namespace lab::course

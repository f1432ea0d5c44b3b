// Every number in the lessons is counted again, as a test of the build: lessons [PART OF A PATH]
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <string_view>

#include "common/base/project.h"
#include "common/course/lessons/lesson_numbers.h"

int main(int argc, char** argv) {
  using namespace lab::base;
  using namespace lab::course;
  try {
    auto lessons = all_lessons(project_root());
    const std::string_view only = argc > 1 ? argv[1] : "";
    std::erase_if(lessons, [&](const auto& file) { return file.string().find(only) == std::string::npos; });
    const LessonReport report = verify_lessons(project_root(), lessons);
    for (const LessonFinding& f : report.findings)
      fmt::print("{}:{}: {}\n", f.file, f.line, f.message.english());
    fmt::print("{} lessons, {} numbers counted again, {} findings\n", report.lessons, report.checked,
               report.findings.size());
    return report.kept() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "lessons: {}\n", error.what());
    return 3;
  }
}

// The course verifies itself, as a test of the build: the same as `lab verify`.
#include <cstdio>
#include <exception>
#include <string_view>

#include "common/report/course.h"

int main(int argc, char** argv) {
  try {
    lab::course::CourseOptions options;
    options.lessons = false;  // a test of its own, beside this one
    const std::string_view only = argc > 1 ? argv[1] : "";
    if (!only.empty()) {
      options.only = [only](const lab::course::CourseItem& item) {
        return item.file.string().find(only) != std::string::npos;
      };
    }
    const lab::course::CourseReport report = lab::course::verify_course(options);
    std::fputs(lab::report::course_text(report, lab::report::style_for_stdout(false)).c_str(), stdout);
    return report.kept() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "verify: %s\n", error.what());
    return 3;
  }
}

// The check of the lessons must notice a wrong number, a number without a source, and a formula that is none.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "common/base/project.h"
#include "common/course/lessons/lesson_formula.h"
#include "common/course/lessons/lesson_numbers.h"
#include "common/course/lessons/lesson_text.h"

using namespace lab::base;
using namespace lab::course;

namespace {

double value_of(const char* formula) {
  return evaluate_formula(formula, [](const FormulaSource& s) {
    if (s.name != "seven") throw std::runtime_error("no such source");
    return 7.0 + static_cast<double>(s.args.size()) * 10 + (s.path == "a.b" ? 100 : 0);
  });
}

LessonReport verify_text(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / "transpose_lab_lesson.md";
  std::ofstream(file) << text;
  LessonReport report = verify_lessons(project_root(), {file});
  std::filesystem::remove(file);
  return report;
}

std::size_t findings(const std::string& text) { return verify_text(text).findings.size(); }

}  // namespace

TEST_CASE("formulas follow the usual rules") {
  CHECK(value_of("1 + 2 * 3 - 8 / 4") == 5);
  CHECK(value_of("(1 + 2) * 3") == 9);
  CHECK(value_of("2.5 * 2") == 5);
  CHECK(value_of("seven(a, b).a.b + 1") == 128);
}

TEST_CASE("what is no formula is refused with words") {
  for (const char* bad :
       {"", "1 +", "(1", "1)", "seven", "seven(", "eight()", "1 2", "-", "seven().", "1..2"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS((void)value_of(bad), std::runtime_error);
  }
  CHECK_THROWS_AS((void)value_of(std::string(1000, '(').c_str()), std::runtime_error);
}

TEST_CASE("numbers are found as a reader sees them") {
  const auto n = lesson_numbers(
      "A size of 1024 × 1024, `4096` in code, [a link](x/2048.md), float4, H200, the 2nd.\n"
      "It takes **1 048 576**<!-- = 1 --> sectors and 12 whole sectors, a 32-way conflict, 2.5 wavefronts.\n"
      "```\n--rows 1024 gives 131 072 of 7\n```\n");
  REQUIRE(n.size() == 5);
  CHECK(n[0].value == 1048576);
  CHECK(n[0].formula.empty());  // the stars stand between
  CHECK(n[1].unit == "sectors");
  CHECK(n[2].unit == "way");
  CHECK(n[3].value == 2.5);
  CHECK(n[4].value == 131072);
  CHECK(n[4].line == 4);
}

TEST_CASE("a right number passes, a wrong one does not") {
  CHECK(findings("32<!-- = stride(shared_load, 4, 128).wavefronts --> wavefronts\n") == 0);
  CHECK(findings("31<!-- = stride(shared_load, 4, 128).wavefronts --> wavefronts\n") == 1);
  CHECK(findings("4<!-- = stride(global, 4, 4).sectors --> sectors\n") == 0);
  CHECK(findings("2.5<!-- = 10 / 4 --> wavefronts\n") == 0);
  CHECK(findings("2.4<!-- = 10 / 4 --> wavefronts\n") == 1);
  CHECK(findings("10<!-- ~ 10.5 --> and 10<!-- ~ 12 -->\n") == 1);
}

TEST_CASE("a number needs a source") {
  CHECK(findings("It takes 4096 bytes. 1<!-- = 1 -->\n") == 1);
  CHECK(findings("It takes 5 sectors. 1<!-- = 1 -->\n") == 1);
  CHECK(findings("5<!-- = 2 + 3 --> sectors are 5 sectors.\n") == 0);
  CHECK(findings("5<!-- = 2 + 3 --> sectors are 5 wavefronts.\n") == 1);  // the unit counts
  CHECK(findings("1<!-- = 1 -->\n```\n131 072 sectors\n```\n") == 1);
  CHECK(findings("0<!-- = 1 / 0 --> sectors\n") == 1);
  CHECK(findings("7<!-- = nothing(1).x --> sectors\n") == 1);
  CHECK(findings("7<!-- = solution(99).sectors --> sectors\n") == 1);
  CHECK(findings("7<!-- = -->\n") == 1);
}

TEST_CASE("a text without any number that was checked is no success") {
  CHECK_FALSE(verify_text("Nothing here.\n").kept());
  CHECK_FALSE(verify_lessons(project_root(), {"/does/not/exist.md"}).kept());
}

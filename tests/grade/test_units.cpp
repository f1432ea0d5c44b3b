// The parts of grading that need no compiler: names, file matching, points, rubrics.
#include <doctest/doctest.h>

#include <algorithm>

#include "common/base/errors.h"
#include "common/class/grade/formats.h"
#include "common/class/grade/match.h"
#include "common/class/grade/rubric.h"
#include "common/class/grade/score.h"

using namespace lab;
using namespace lab::grade;

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  return context.run();
}

namespace {

const judge::ChapterInfo kNaive{.name = "01_naive", .idea = ""}, kFloat4{.name = "03_float4", .idea = ""},
    kTile{.name = "04_shared_tile", .idea = ""}, kPadding{.name = "05_padding", .idea = ""};
const std::vector<const judge::ChapterInfo*> kAll = {&kNaive, &kFloat4, &kTile, &kPadding};

// Which file is taken for the chapter; "" and a state when there is none.
ChapterKernel found(const std::vector<std::pair<std::string, std::string>>& files,
                    const judge::ChapterInfo& chapter = kPadding) {
  Submission submission;
  for (const auto& [path, bytes] : files) submission.files.push_back({path, bytes});
  return find_kernels(submission, {&chapter}, kAll).front();
}

using State = ChapterKernel::State;

judge::CaseResult missed(std::uint64_t value, std::uint64_t goal) {
  judge::CaseResult result;
  result.id = "conflict-free";
  result.name = "no bank conflicts";
  result.kind = judge::CaseKind::Goal;
  result.earns = true;
  result.points = 4;
  judge::Reason reason;
  reason.figures.push_back({"wavefronts", value, goal});
  result.reasons.push_back(reason);
  return result;
}

const CasesOfChapters kCases = {
    {"05_padding", {{"conflict-free", {"no bank conflicts", "free of conflicts"}}}}};

std::int64_t points_of(const judge::CaseResult& result, const std::string& rubric) {
  judge::Evaluation evaluation;
  evaluation.chapter = "05_padding";
  evaluation.cases.push_back(result);
  return score(evaluation, Rubric::parse(rubric, "r", kCases)).points();
}

}  // namespace

TEST_CASE("no case gives points before results are right and a goal of the chapter is met") {
  judge::Evaluation evaluation;
  evaluation.chapter = "05_padding";
  const auto add = [&](judge::CaseKind kind, bool earns, bool passed, int points) {
    judge::CaseResult& c = evaluation.cases.emplace_back();
    c.name = std::to_string(evaluation.cases.size());
    c.kind = kind, c.earns = earns, c.passed = passed, c.points = points;
  };
  const auto earned = [&] {
    const std::int64_t scored = score(evaluation, Rubric()).points();
    CHECK(scored == 100 * evaluation.points());
    return evaluation.points();
  };
  add(judge::CaseKind::Holds, false, true, 4);
  add(judge::CaseKind::Goal, false, true, 1);
  add(judge::CaseKind::Goal, true, false, 4);
  add(judge::CaseKind::Prediction, false, true, 2);
  CHECK(earned() == 0);
  evaluation.cases[2].passed = true;
  CHECK(earned() == 11);
  evaluation.cases[0].passed = false;
  CHECK(earned() == 0);
}

TEST_CASE("kernels are found by name, whatever the layout") {
  for (const char* path :
       {"chapters/05_padding/transpose.cu", "repo-main/chapters/05_padding/transpose.cu", "05_padding.cu",
        "05-Padding.cu", "padding.cu", "Padding/transpose.cu", "transpose05.cu", "transpose_5.cu",
        "chapter5/transpose.cu", "Chapter 05/k.cu", "hw2_05.cu", "ex/ch5.cu", "05/transpose.cu", "5.cu",
        "05_padding_v2.cu", "padding (1).cu", "PADDING.CU"}) {
    CAPTURE(path);
    const ChapterKernel kernel = found({{path, "x"}, {"04_shared_tile.cu", "y"}});
    CHECK(kernel.state == State::Found);
    CHECK(kernel.file.path == path);
  }
}

TEST_CASE("what names no chapter, or another, is not taken") {
  for (const char* path : {"04_padding.cu", "transpose.cu", "group12.cu", "2026.cu", "float4.cu",
                           "transpose_v5.cu", "a(5).cu", "solutions/05_padding/transpose.cu"}) {
    CAPTURE(path);
    const ChapterKernel kernel = found({{path, "x"}, {"chapters/01_naive/transpose.cu", "y"}});
    CHECK(kernel.state == State::Missing);
    CHECK(kernel.file.path.empty());
    CHECK(kernel.reason.english().find("05_padding") != std::string::npos);
  }
  CHECK(found({{"float4.cu", "x"}}, kTile).state == State::Missing);  // its 4 is part of a name
  CHECK(found({{"float4.cu", "x"}}, kFloat4).state == State::Found);
}

TEST_CASE("the plainer name wins, equal ones are ambiguous, equal bytes are not") {
  CHECK(found({{"05_padding.cu", "x"}, {"05_padding_old.cu", "y"}}).file.path == "05_padding.cu");
  CHECK(found({{"chapters/05_padding/transpose.cu", "x"}, {"padding.cu", "y"}}).file.bytes == "x");
  CHECK(found({{"05_padding/other.cu", "y"}, {"05_padding/transpose.cu", "x"}}).file.bytes == "x");
  CHECK(found({{"ch5.cu", "x"}, {"transpose5.cu", "y"}}).state == State::Ambiguous);
  CHECK(found({{"ch5.cu", "x"}, {"transpose5.cu", "y"}}).reason.english().find("ch5.cu, transpose5.cu") !=
        std::string::npos);
  CHECK(found({{"ch5.cu", "x"}, {"transpose5.cu", "x"}}).state == State::Found);
}

TEST_CASE("one file for one chapter needs no name") {
  CHECK(found({{"kernel.cu", "x"}}).state == State::Found);
  CHECK(found({{"kernel.cu", "x"}, {"other.cu", "y"}}).state == State::Missing);
  CHECK(found({{"01_naive.cu", "x"}}).state == State::Missing);
}

TEST_CASE("names are made safe, and stay apart") {
  CHECK(safe_name("Zoë 李") == "Zoë 李");
  CHECK(safe_name("a/b") == "a%2Fb");
  CHECK(safe_name("..") == "%2E.");
  CHECK(safe_name("50%") == "50%25");
  CHECK(safe_name("n\xffme\x1b[31m") == "n%FFme%1B[31m");
  CHECK(safe_name("a\xE2\x80\xAE"
                  "b") == "a%E2%80%AEb");  // text that runs backwards
  CHECK(safe_name("\u0639\u0644\u06cc\u200c\u0631\u0636\u0627") ==
        "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627");
  CHECK(safe_name("\u0639\u200c\u200c\u0631") == "\u0639%E2%80%8C%E2%80%8C\u0631");
  CHECK(safe_name("a\u200db") == "a%E2%80%8Db");
  CHECK(safe_name("\u0639\u200c") == "\u0639%E2%80%8C");
  CHECK(safe_name("\xC0\xAF") == "%C0%AF");  // a slash in disguise
  CHECK(safe_name("") == "%");
  const std::string long_name(250, 'x');
  CHECK(safe_name(long_name).size() <= 120);
  CHECK(safe_name(long_name) != safe_name(long_name + "y"));
}

TEST_CASE("a safe name gives the name back") {
  for (const char* name :
       {"Ty%20 7", "50%", "back\\slash", "\u0645\u06cc\u200c\u062e", "%", "100%25", "%4", "Zo\u00eb"}) {
    CHECK(raw_name(safe_name(name)) == name);
    CHECK(raw_name(safe_path(name)) == name);
  }
  for (const char* name : {"n\xffme", "a\x1b[31m", "a\nb"})
    CHECK(raw_name(safe_name(name)) == safe_name(name));
}

TEST_CASE("an archive's name without its kind, however that is spelled") {
  for (const char* name : {"ada.zip", "ada.ZIP", "ada.tar", "ada.tar.gz", "ada.TAR.GZ", "ada.tgz"})
    CHECK(archive_stem(name) == "ada");
  CHECK(archive_stem("ada.v2.tar.xz") == "ada.v2");
  CHECK(archive_stem("ada.cu") == "ada.cu");
}

TEST_CASE("credit halves with every doubling") {
  CHECK(credit_of(32, 1, 32) == 0);
  CHECK(credit_of(64, 1, 32) == 0);
  CHECK(credit_of(16, 1, 32) == 20);
  CHECK(credit_of(2, 1, 32) == 80);
  CHECK(credit_of(3 * 4, 3, 16) == 50);  // a factor that both have plays no part
  CHECK(credit_of(1'048'576, 32'768, 32) == 0);
  CHECK(credit_of(0, 32'768, 32) == 0);    // nothing was counted: the path was not used
  CHECK(credit_of(100, 32'768, 32) == 0);  // failed below the goal
  CHECK(credit_of(32'769, 32'768, 32) == 99);
  CHECK(credit_of(UINT64_MAX, 1, 32) == 0);
}

TEST_CASE("points: all, part, none") {
  const std::string rubric = "[\"05_padding\"]\n\"conflict-free\" = { points = 2.5, start = 32 }\n";
  CHECK(points_of(missed(65'536, 32'768), rubric) == 200);
  CHECK(points_of(missed(1'048'576, 32'768), rubric) == 0);
  CHECK(points_of(missed(65'536, 32'768), "") == 0);  // no start: all or nothing
  judge::CaseResult passed = missed(1, 1);
  passed.passed = true;
  CHECK(points_of(passed, rubric) == 250);
  CHECK(points_of(passed, "") == 400);  // the check's own points
  judge::CaseResult gated = missed(65'536, 32'768);
  gated.reached = false;
  CHECK(points_of(gated, rubric) == 0);
  judge::CaseResult prediction = missed(2, 1);
  prediction.kind = judge::CaseKind::Prediction;
  CHECK(points_of(prediction, rubric) == 0);
  judge::CaseResult without_scale = missed(65'536, 0);
  CHECK(points_of(without_scale, rubric) == 0);
  without_scale.reasons.push_back(missed(65'536, 32'768).reasons.front());
  CHECK(points_of(without_scale, rubric) == 200);
  judge::CaseResult half_known = missed(65'536, 32'768);
  half_known.reasons.emplace_back();  // a reason without a number
  CHECK(points_of(half_known, rubric) == 0);
}

TEST_CASE("a rubric names a case by its id, its title or a title of before, and once") {
  for (const char* name : {"conflict-free", "no bank conflicts", "free of conflicts"}) {
    const std::string rubric =
        std::string("[\"05_padding\"]\n\"") + name + "\" = { points = 4, start = 4 }\n";
    CHECK(points_of(missed(65'536, 32'768), rubric) == 200);
  }
}

TEST_CASE("points as text") {
  CHECK(points_text(0) == "0");
  CHECK(points_text(1300) == "13");
  CHECK(points_text(920) == "9.2");
  CHECK(points_text(905) == "9.05");
}

TEST_CASE("a rubric with a mistake is refused with its line") {
  const auto refusal = [](const std::string& text) {
    try {
      (void)Rubric::parse(text, "my.toml", kCases);
    } catch (const base::UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("[\"05_padding\"]\n\"conflict-free\" = { points = \"4\" }\n")
            .find("my.toml:2: points must be") != std::string::npos);
  CHECK(refusal("[\"05_padding\"]\n\"conflict-free\" = { points = 1.234 }\n").find("two digits") !=
        std::string::npos);
  CHECK(refusal("[\"05_padding\"]\n\"conflict-free\" = { points = nan }\n").find("points must be") !=
        std::string::npos);
  CHECK(
      refusal("[\"05_padding\"]\n\"conflict-free\" = { points = 1, start = 2.5 }\n").find("start must be") !=
      std::string::npos);
  CHECK(refusal("\n\n[x]\n").find("my.toml:3: there is no chapter \"x\"") != std::string::npos);
  CHECK(refusal("[\"05_padding\"]\nconflict-free = { points = 1 }\n\"no bank conflicts\" = { points = 1 }\n")
            .find("stands here twice") != std::string::npos);
  CHECK(refusal("a = = 1\n").find("my.toml:1: ") != std::string::npos);
  CHECK(refusal("").empty());
}

TEST_CASE("what judging cost comes back from a report as it went in") {
  const UnitCost cost{"a hash", "05_padding", 1.5, 2.5, {0.25, 1.125, 270'000'000}, 33'000'000};
  const UnitCost back = cost_from(cost_json(cost));
  CHECK(back.source == cost.source);
  CHECK(back.chapter == cost.chapter);
  CHECK(back.processor_seconds == cost.processor_seconds);
  CHECK(back.wall_seconds == cost.wall_seconds);
  CHECK(back.parts.compile_seconds == cost.parts.compile_seconds);
  CHECK(back.parts.simulate_seconds == cost.parts.simulate_seconds);
  CHECK(back.parts.work == cost.parts.work);
  CHECK(back.memory_bytes == cost.memory_bytes);
}

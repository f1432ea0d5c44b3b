// The checks API on fake chapters: gates, predictions, reasons, cases that check nothing.
//
// doctest cannot nest runs, so all evaluations are made before doctest starts; the cases look at what they
// left.
#include "common/course/judge/checks.h"

#include <cstdio>

#include "common/course/judge/examine.h"
#include "common/course/report/card.h"
#include "common/course/report/json.h"
#include "tests/judge/small_kernels.h"

using namespace lab;
using namespace lab::judge;

namespace {

std::map<std::string, Evaluation> results;
bool empty_chapter_refused = false, one_id_twice_refused = false;
Examination examined;

Evaluation evaluate_on(const char* chapter, const std::string& ptx) {
  Subject subject(ptx, 2);
  return evaluate(*find_chapter(chapter), subject);
}

void evaluate_all() {
  using test::module_with;
  results["right"] = evaluate_on("90_fake", module_with(test::kRight, 32));
  results["copies"] = evaluate_on("90_fake", module_with(test::kCopies, 32));
  results["unanswered"] = evaluate_on("90_fake", module_with(test::kRight, 0));
  results["misjudged"] = evaluate_on("90_fake", module_with(test::kRight, 4));
  results["beyond"] = evaluate_on("90_fake", module_with(test::kBeyond, 32));
  results["endless"] = evaluate_on("90_fake", module_with(test::kEndless, 32));
  results["bad shape"] = evaluate_on("90_fake", module_with(test::kRight, 32, test::shape_of({64, 32})));
  results["tight"] = evaluate_on("91_tight", module_with(test::kRight, 32));
  results["odd"] = evaluate_on("92_odd", module_with(test::kCopies, 32));
  compile::CompileResult compiled;
  compiled.ok = true;
  compiled.output = module_with(test::kRight, 32);
  examined = examine_compiled(*find_chapter("91_tight"), "kernel.cu", compiled, 1);
  Reason reason;
  reason.code = "does-not-compile";
  results["unreached"] = not_evaluated(*find_chapter("90_fake"), reason);
  Subject subject(module_with(test::kRight, 32));
  try {
    (void)evaluate(*find_chapter("93_no_cases"), subject);
  } catch (const std::logic_error&) {
    empty_chapter_refused = true;
  }
  try {
    (void)evaluate(*find_chapter("94_one_id_twice"), subject);
  } catch (const std::logic_error&) {
    one_id_twice_refused = true;
  }
}

const CaseResult& find_case(const std::string& result, const std::string& name) {
  for (const CaseResult& c : results.at(result).cases) {
    if (c.name == name) return c;
  }
  throw std::logic_error("no case " + name);
}

std::string code_of(const std::string& result, const std::string& name) {
  const CaseResult& c = find_case(result, name);
  return c.reasons.empty() ? "" : c.reasons.front().code;
}

}  // namespace

TEST_CASE("a right kernel passes with all points") {
  const Evaluation& e = results.at("right");
  CHECK(e.passed());
  CHECK(e.points() == 10);
  CHECK(e.points_possible() == 10);
  CHECK(e.cases.size() == 3);
  CHECK(e.first_failure() == nullptr);
  CHECK(find_case("right", "right on every shape").shapes == 4120);
}

TEST_CASE("a wrong kernel fails its HOLDS case, and goals are not reached") {
  const Evaluation& e = results.at("copies");
  CHECK_FALSE(e.passed());
  CHECK(e.points() == 0);
  const Reason& reason = e.first_failure()->reasons.front();
  CHECK(reason.code == "wrong-element");
  CHECK(reason.message.english() ==
        "shape 2×2: out(0,1) holds in(0,1), which belongs at out(1,0); in(1,0) belongs there: row and "
        "column have not changed places.\n"
        "2 of 4 elements are wrong.\n"
        "in(1,0) is read at line 7. The place in `out` is written at line 9.");
  CHECK(reason.line == 9);
  CHECK_FALSE(find_case("copies", "few sectors").reached);
  CHECK(code_of("copies", "few sectors") == "not-reached");
  CHECK(code_of("copies", "store sectors predicted") == "not-reached");
}

TEST_CASE("predictions: missing, wrong") {
  CHECK(code_of("unanswered", "store sectors predicted") == "prediction-missing");
  const Reason& missing = find_case("unanswered", "store sectors predicted").reasons.front();
  CHECK(missing.message.english().find("32") == std::string::npos);  // the answer is not given away
  CHECK(code_of("misjudged", "store sectors predicted") == "prediction-wrong");
  CHECK(find_case("misjudged", "store sectors predicted")
            .reasons.front()
            .message.english()
            .find("= 4; counted: 32") != std::string::npos);
  CHECK(find_case("misjudged", "few sectors").passed);  // a wrong guess costs its own points only
}

TEST_CASE("faults keep their code and line") {
  CHECK(code_of("beyond", "right on every shape") == "out-of-bounds");
  CHECK(find_case("beyond", "right on every shape").reasons.front().line == 9);
  CHECK(code_of("endless", "right on every shape") == "budget-exceeded");
  CHECK(code_of("bad shape", "right on every shape") == "invalid-launch");
}

TEST_CASE(
    "a check loads a kernel once, runs the measured problem once, and keeps what pictures are drawn from") {
  REQUIRE_FALSE(examined.passed());  // a missed goal looks at the pattern of its accesses
  CHECK(examined.work.loads == 1);
  CHECK(examined.work.counted_runs == 1);
  const std::vector<sim::RecordedAccess> stores = examined.watched.on_line(9);
  REQUIRE_FALSE(stores.empty());
  CHECK(stores.front().path == sim::Path::GlobalStore);
  CHECK(stores.front().place.block_index == 0);
  CHECK(stores.front().address[1] - stores.front().address[0] == 4 * 1024);
  CHECK(examined.watched.on_line(8).empty());
}

TEST_CASE("a goal that is missed names the worst line, the number and the bound") {
  const Reason& reason = find_case("tight", "ideal store").reasons.front();
  CHECK(reason.code == "too-many-sectors");
  CHECK(reason.file == "kernel.cu");
  CHECK(reason.line == 9);
  CHECK(reason.path == sim::Path::GlobalStore);
  CHECK(reason.message.english() ==
        "32 sectors per request, 4 would do: neighbouring lanes are 4 096 bytes apart");
  REQUIRE(reason.figures.size() == 1);
  CHECK(reason.figures[0].value == 1'048'576);
  CHECK(reason.figures[0].goal == 131'072);
  CHECK(code_of("tight", "through shared memory") == "not-used");
  CHECK(find_case("tight", "load is ideal").passed);
}

TEST_CASE(
    "cases that check nothing fail, and gate nothing; a HOLDS case behind a goal gates it too; exceptions "
    "fail their case") {
  CHECK(code_of("odd", "checks nothing") == "checked-nothing");
  CHECK_FALSE(find_case("odd", "goal before holds").reached);
  CHECK(code_of("odd", "empty list") == "checked-nothing");
  CHECK(code_of("odd", "throws") == "check");
  CHECK(code_of("odd", "plain doctest") == "check");
  CHECK(code_of("odd", "require leaves the body") == "check");
}

TEST_CASE("a chapter without cases or with one id twice is refused, and so is a kernel that never ran") {
  CHECK(empty_chapter_refused);
  CHECK(one_id_twice_refused);
  for (const CaseResult& c : results.at("unreached").cases) {
    CHECK_FALSE(c.passed);
    CHECK_FALSE(c.reached);
    CHECK(c.reasons.front().code == "does-not-compile");
  }
  CHECK_FALSE(Evaluation{}.passed());
}

TEST_CASE("chapters are found by number, name and short name") {
  CHECK(find_chapter("90") == find_chapter("90_fake"));
  CHECK(find_chapter("fake") == find_chapter("90_fake"));
  CHECK(find_chapter("9") == nullptr);
  CHECK(find_chapter("") == nullptr);
  CHECK(find_chapter("90x") == nullptr);
}

TEST_CASE("the card: first failure in full, the others in a line") {
  Examination e;
  e.chapter = find_chapter("91_tight");
  e.kernel = "kernel.cu";
  e.compiled = true;
  e.evaluation = results.at("tight");
  const std::string text = report::card(e, {"./lab check 91"}, {});
  CAPTURE(text);
  CHECK(text.find("  ✗ ideal store   kernel.cu:9\n      32 sectors per request, 4 would do: "
                  "neighbouring lanes are 4 096 bytes apart\n") != std::string::npos);
  CHECK(text.find("      global store sectors   1 048 576   goal 131 072\n") != std::string::npos);
  CHECK(text.find("  ✓ load is ideal\n") != std::string::npos);
  CHECK(text.find("not yet · 2 of 6 points\n  next   ./lab check 91\n") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(report::card(e, {}, {.colour = true}).find('\x1b') != std::string::npos);
}

TEST_CASE("check --json: every documented key, with its type") {
  Examination e;
  e.chapter = find_chapter("91_tight");
  e.kernel = "kernel.cu";
  e.compiled = true;
  e.evaluation = results.at("tight");
  e.measured.problem = e.chapter->measured;
  const report::Json json = report::Json::parse(report::dump(report::check_json(e, "simulator")));
  for (const char* key :
       {"kernel", "device", "rows", "cols", "correct", "mismatch", "faults", "counters", "lines", "simulated",
        "chapter", "passed", "points", "points_possible", "compile", "cases"}) {
    CHECK_MESSAGE(json.contains(key), key);
  }
  CHECK_FALSE(json["correct"].get<bool>());  // it never ran
  for (const char* op : {"global_load", "global_store"}) {
    for (const char* key : {"requests", "sectors", "ideal_sectors"})
      CHECK(json["counters"][op][key].is_number_integer());
  }
  for (const char* op : {"shared_load", "shared_store"}) {
    for (const char* key : {"requests", "wavefronts", "ideal_wavefronts"}) {
      CHECK(json["counters"][op][key].is_number_integer());
    }
  }
  for (const report::Json& c : json["cases"]) {
    for (const char* key :
         {"name", "kind", "passed", "reached", "points", "points_possible", "reason", "reasons"}) {
      CHECK_MESSAGE(c.contains(key), key);
    }
    CHECK(c["reason"].is_string());
    CHECK_FALSE(c["id"].get<std::string>().empty());
  }
  CHECK(json["cases"][1]["kind"] == "goal");
  CHECK(json["cases"][1]["reasons"][0]["figures"][0]["goal"] == 131'072);
}

TEST_CASE("profile --json of a run") {
  Subject subject(test::module_with(test::kRight));
  const Run& run = subject.run({1024, 1024});
  const report::Json json = report::profile_json("kernel.cu", "simulator", run);
  CHECK(json["correct"] == true);
  CHECK(json["counters"]["global_load"]["sectors"] == 131'072);
  CHECK(json["counters"]["global_store"]["sectors"] == 1'048'576);
  CHECK(json["totals"]["global"]["sectors"] == 131'072 + 1'048'576);
  CHECK(json["totals"]["shared"]["wavefronts"] == 0);
  REQUIRE(json["lines"].size() == 2);
  CHECK(json["lines"][0]["line"] == 7);
  CHECK(json["lines"][0]["op"] == "global_load");
  CHECK(json["lines"][0]["requests"] == 32'768);
  CHECK(json["simulated"]["lane_instructions"].get<std::uint64_t>() > 0);
  Subject wrong(test::module_with(test::kBeyond));
  const report::Json failed = report::profile_json("kernel.cu", "simulator", wrong.run({3, 5}));
  CHECK(failed["correct"] == false);
  REQUIRE(failed["faults"].size() == 1);
  for (const char* key : {"kind", "file", "line", "block", "thread", "message"})
    CHECK(failed["faults"][0].contains(key));
  CHECK(failed["faults"][0]["kind"] == "out-of-bounds");
}

TEST_CASE("the same run gives the same counters with any number of host threads") {
  Subject one(test::module_with(test::kRight), 1), many(test::module_with(test::kRight), 4);
  CHECK(one.run({777, 1000}).counters == many.run({777, 1000}).counters);
}

TEST_CASE("of a large matrix some blocks run, in a grid that is whole") {
  const Problem large{.rows = 3000, .cols = 4000};
  Subject right(test::module_with(test::kRight, 32));
  const Run& found = right.drawn(large, {}, false);
  CHECK(found.correct());
  CHECK(found.sampled);
  CHECK(found.grid == device::Dim3{125, 375, 1});
  CHECK(found.share.covered == 9 * 256);  // blocks of 8 × 32 elements, the middle one among them
  CHECK(found.share.elems == found.share.covered);
  CHECK(found.counters[sim::Path::GlobalStore].bytes == 4 * found.share.elems);
  CHECK_FALSE(right.run({.rows = 64, .cols = 64}).sampled);

  Subject copies(test::module_with(test::kCopies, 32));
  const Run& wrong = copies.drawn({.rows = 1024, .cols = 1100}, {}, false);
  CHECK_FALSE(wrong.sampled);  // the whole launch says what is wrong
  REQUIRE(wrong.mismatch);
  CHECK(wrong.mismatch->code == "wrong-element");
}

TEST_CASE("a run that is made anew for more questions stays where it was handed out") {
  const Problem problem{.rows = 64, .cols = 64};
  Subject right(test::module_with(test::kRight, 32));
  const Run& run = right.drawn(problem, {}, false);
  REQUIRE_FALSE(run.lines.empty());
  const sim::LineCounters* const line = &run.lines.front();
  static_cast<void>(right.watched(problem, {}, true));
  CHECK(right.work().counted_runs == 2);
  CHECK(&run.lines.front() == line);
}

int main(int argc, char** argv) {
  evaluate_all();
  doctest::Context context(argc, argv);
  context.addFilter("test-suite-exclude", "9*");  // the fake chapters run through evaluate() only
  const int status = context.run();
  if (argc == 1 && results.empty()) return 1;
  return status;
}

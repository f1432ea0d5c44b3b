// The chapter checks on top of doctest: registry, case runner, reporter, and the statements a case can make.
//
// Enters: a chapter and a subject. Leaves: an Evaluation. doctest finds and runs the cases; what they found
// goes into the session below, never to doctest's own output.
#include "common/course/judge/checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>

#include "common/course/judge/predictions.h"
#include "common/course/judge/reasons.h"
#include "common/course/judge/tensor_maps.h"
#include "common/sim/memory/memory.h"

namespace lab::judge {
namespace {

// The evaluation that is going on. doctest runs cases one at a time on this thread, so one is enough.
struct Session {
  Subject* subject = nullptr;
  Evaluation evaluation;
  bool holds_failed = false;
  const Reason* unreached = nullptr;  // set: no case runs, each gets this reason
};
Session* session = nullptr;

std::vector<const ChapterInfo*>& registry() {
  static std::vector<const ChapterInfo*> chapters;
  return chapters;
}

// Plain doctest assertions in a case become reasons; nothing is printed.
class LabReporter final : public doctest::IReporter {
 public:
  explicit LabReporter(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException& e) override {
    add(msg("The check itself stopped: {}", std::string(e.error_string.c_str())));
  }
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& a) override {
    if (a.m_failed) add(msg("{} is not so: {}", std::string(a.m_expr), std::string(a.m_decomp.c_str())));
  }
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  static void add(Message message) {
    if (session == nullptr || session->evaluation.cases.empty()) return;
    Reason reason;
    reason.code = "check";
    reason.message = std::move(message);
    CaseResult& current = session->evaluation.cases.back();
    current.passed = false;
    current.reasons.push_back(std::move(reason));
  }
};
REGISTER_REPORTER("lab", 0, LabReporter);

// A case that checked nothing, or stopped by itself, says nothing about the kernel's results.
bool says_wrong_result(const CaseResult& result) {
  return std::any_of(result.reasons.begin(), result.reasons.end(),
                     [](const Reason& r) { return r.code != "checked-nothing" && r.code != "check"; });
}

Reason not_reached() {
  Reason reason;
  reason.code = "not-reached";
  reason.message = "not reached: results are not right yet";
  return reason;
}

}  // namespace

ChapterRegistration::ChapterRegistration(const ChapterInfo& chapter) { registry().push_back(&chapter); }

std::vector<const ChapterInfo*> all_chapters() {
  std::vector<const ChapterInfo*> chapters = registry();
  std::sort(chapters.begin(), chapters.end(),
            [](const ChapterInfo* a, const ChapterInfo* b) { return std::string_view(a->name) < b->name; });
  return chapters;
}

const ChapterInfo* find_chapter(std::string_view wanted) {
  int number = -1;
  const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  const bool is_number = error == std::errc() && end == wanted.data() + wanted.size();
  for (const ChapterInfo* chapter : all_chapters()) {
    const std::string_view name = chapter->name;
    int own = -2;
    std::from_chars(name.data(), name.data() + name.size(), own);
    const std::size_t cut = name.find('_');
    if (is_number ? own == number : name == wanted || name.substr(cut == name.npos ? 0 : cut + 1) == wanted)
      return chapter;
  }
  return nullptr;
}

void CaseRunner::run(const ChapterInfo& chapter, CaseKind kind, bool earns, const CaseWords& words,
                     void (*body)(Check&)) {
  if (session == nullptr) {
    FAIL("a chapter's case runs inside evaluate() only");
    return;
  }
  // In place from the start: an assertion that throws out of the body must find its case here.
  CaseResult& result = session->evaluation.cases.emplace_back();
  result.id = words.id;
  result.name = words.title;
  result.kind = kind;
  result.earns = earns;
  result.points = words.points;
  // What comes after a wrong result says the same again, or something that is not so.
  const bool gated = session->holds_failed;
  if (gated || session->unreached != nullptr) {
    result.reached = false;
    result.reasons.push_back(session->unreached ? *session->unreached : not_reached());
    return;
  }
  result.passed = true;
  Check check(*session->subject, chapter, result);
  try {
    body(check);
  } catch (const std::exception& error) {
    check.that(false, "check", msg("The check itself stopped: {}", text::message_of(error)));
  }
  if (check.statements_ == 0 && result.passed)
    check.that(false, "checked-nothing", "This case checked nothing.");
  if (kind == CaseKind::Holds && says_wrong_result(result)) session->holds_failed = true;
}

namespace {

Evaluation run_session(const ChapterInfo& chapter, Session& mine) {
  mine.evaluation.chapter = chapter.name;
  session = &mine;
  doctest::Context context;
  context.addFilter("test-suite", chapter.name);
  context.addFilter("reporters", "lab");
  context.setOption("order-by", "file");
  context.run();
  session = nullptr;
  if (mine.evaluation.cases.empty()) {
    throw std::logic_error(
        fmt::format("Chapter {} has no case that ran; nothing was checked.", chapter.name));
  }
  std::set<std::string> ids;
  for (const CaseResult& c : mine.evaluation.cases) {
    if (c.id.empty() || !ids.insert(c.id).second)
      throw std::logic_error(fmt::format("Chapter {}: the id of the case \"{}\" is missing or another's too.",
                                         chapter.name, c.name));
  }
  return std::move(mine.evaluation);
}

}  // namespace

Evaluation not_evaluated(const ChapterInfo& chapter, const Reason& reason) {
  Session mine;
  mine.unreached = &reason;
  return run_session(chapter, mine);
}

Evaluation evaluate(const ChapterInfo& chapter, Subject& subject) {
  Session mine;
  mine.subject = &subject;
  if (chapter.exchanges) subject.follow_rows();
  Evaluation result = run_session(chapter, mine);
  const bool right = std::all_of(result.cases.begin(), result.cases.end(),
                                 [](const CaseResult& c) { return c.kind != CaseKind::Holds || c.passed; });
  for (CaseResult& c : result.cases) {  // a HOLDS case that stands behind a goal gates it too
    if (right || c.kind == CaseKind::Holds || !c.reached) continue;
    c.passed = c.reached = false;
    c.reasons = {not_reached()};
    c.answers.clear();
  }
  return result;
}

const Run& Check::measured() {
  Target target;
  target.entry = chapter_.entry;
  return subject_.run(chapter_.measured, target);
}

std::vector<const Run*> Check::measured_runs() {
  Target target;
  target.entry = chapter_.entry;
  std::vector<const Run*> runs;
  const std::vector<Problem> shapes = subject_.measured_shapes(chapter_.measured, target.entry);
  for (const Problem& problem : shapes) {
    // The last and smallest one is watched element by element, and counted in the same run.
    if (chapter_.exchanges && &problem == &shapes.back()) (void)subject_.exchange(problem, target);
    runs.push_back(&subject_.run(problem, target));
  }
  return runs;
}

Reason Check::why_wrong(const Run& run) const {
  Reason reason = reason_of(run);
  constexpr std::int64_t kMostElems = 1 << 20;
  const Problem& p = run.problem;
  const bool whole = !run.sampled && p.batch * p.rows * p.cols <= kMostElems;
  const bool follows = run.mismatch && reason.line == 0 && whole && may_be_followed(*run.mismatch);
  const ElementLines lines =
      follows ? subject_.lines_of_element(p, subject_.target_of(run.entry), *run.mismatch) : ElementLines{};
  explain_mismatch(reason, run, !lines.read.empty());
  if (follows) name_lines(reason, run, lines);
  return reason;
}

void Check::explain_mismatch(Reason& reason, const Run& run, bool is_read) const {
  if (run.mismatch && run.mismatch->code == "wrong-element") {
    Message more = mode_that_fits(subject_, run);
    if (more.empty()) more = about_swizzled_tiles(run);
    if (more.empty()) explain_shifted(reason, run);
    reason.message.line(std::move(more));
  }
  if (!run.mismatch || run.mismatch->code != "never-written") return;
  if (!run.may_write_global) {
    reason.message.line("The kernel has no store to global memory, so nothing arrives in `out`.");
  } else if (chapter_.exchanges && run.shared_bytes == 0 && run.mismatch->batch == 0) {
    reason.facts.emplace_back("no-shared");
    reason.message.line(
        "The kernel has no __shared__ array: what one thread stores, no other thread can load.");
  } else {
    explain_missing(reason, run, is_read);
  }
}

void Check::fail(Reason reason) {
  ++statements_;
  result_.passed = false;
  result_.reasons.push_back(std::move(reason));
}

void Check::that(bool ok, std::string code, Message message) {
  ++statements_;
  if (ok) return;
  Reason reason;
  reason.code = std::move(code);
  reason.message = std::move(message);
  fail(std::move(reason));
}

void Check::leave_out(Message words) {
  ++statements_;
  result_.left_out = std::move(words);
}

void Check::right(const Run& run) {
  ++statements_;
  if (!run.correct()) return fail(why_wrong(run));
  if (!run.left_out) ++result_.shapes;
}

void Check::right_on(std::span<const Problem> problems, const Target& target) {
  if (problems.empty()) return that(false, "checked-nothing", "The list of shapes is empty.");
  ++statements_;
  if (const std::optional<Run> wrong = subject_.first_wrong(problems, target)) return fail(why_wrong(*wrong));
  result_.shapes += static_cast<int>(problems.size());
}

// The reason, and what the lanes of the worst request do.
void Check::fail_counter(const Run& run, Metric metric, std::uint64_t bound, std::string code, Message why) {
  Message pattern;
  if (const sim::LineCounters* line = worst_line(run, metric); line != nullptr && metric.unit == Unit::Cost) {
    // Counted already, so nothing runs again.
    const Watched& watched = subject_.watched(run.problem, subject_.target_of(run.entry), run.sampled);
    pattern = pattern_of(watched.on_line(line->line), metric);
  }
  Reason reason = reason_of(run, metric, bound, std::move(code), std::move(why), pattern);
  if (run.problem != chapter_.measured) {
    reason.problem = run.problem;
    reason.message = msg("{}: {}", msg("shape {}", describe(run.problem)), reason.message);
  }
  if (run.entry != chapter_.entry) reason.entry = run.entry, reason.problem = run.problem;
  fail(std::move(reason));
}

void Check::at_most(const Run& run, Metric metric, std::uint64_t bound, std::string code, Message why) {
  ++statements_;
  if (!run.correct()) return fail(why_wrong(run));
  // Copies of 16 bytes store to shared memory without a wavefront of their own.
  const bool stored_by_copies =
      metric == Metric::SharedStoreWavefronts && run.counters[sim::Path::SharedAsync].requests != 0;
  const bool unused = value(run.counters, metric) == 0 && bound != 0 && !stored_by_copies;
  if (unused || counted(run, metric, bound) > bound)
    fail_counter(run, metric, bound, std::move(code), std::move(why));
}

void Check::exactly(const Run& run, Metric metric, std::uint64_t bound, std::string code, Message why) {
  ++statements_;
  if (!run.correct()) return fail(why_wrong(run));
  if (value(run.counters, metric) != bound) fail_counter(run, metric, bound, std::move(code), std::move(why));
}

void Check::predicted(int Predictions::*question, std::uint64_t counted, const Message& why) {
  ++statements_;
  const auto questions = all_questions();
  const auto found = std::find_if(questions.begin(), questions.end(),
                                  [&](const Question& q) { return q.member == question; });
  const std::string name(found == questions.end() ? "?" : found->name);
  const Predictions predictions = subject_.predictions();
  const int answer = predictions.*question;
  result_.answers.push_back({name, answer, counted, why});
  if (answer == 0) {
    // The number stays hidden: to look it up is not to predict it.
    return that(false, "prediction-missing",
                msg("PREDICTIONS has no answer for .{} yet; write your guess.", name));
  }
  if (answer > 0 && static_cast<std::uint64_t>(answer) == counted) return;
  Reason reason;
  reason.code = "prediction-wrong";
  reason.message = msg("You predicted .{} = {}; counted: {}.", name,
                       big(static_cast<std::uint64_t>(std::max(answer, 0))), big(counted));
  reason.message.line(why);
  fail(std::move(reason));
}

}  // namespace lab::judge

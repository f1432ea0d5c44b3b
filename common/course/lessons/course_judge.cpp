// Judges one item of the course: runs it, compares what happened with what was promised.
#include <fmt/core.h>

#include <algorithm>
#include <ctime>

#include "common/base/words.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/examine.h"
#include "common/course/lessons/course_verify.h"

namespace lab::course {
namespace {

// This process's seconds: other work on the machine does not count.
double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

void take(CourseOutcome& outcome, const judge::CaseResult& failure) {
  const judge::Reason& reason = failure.reasons.front();
  outcome.case_id = failure.id;
  outcome.case_name = failure.name;
  outcome.code = reason.code;
  outcome.message = reason.message;
  outcome.line = reason.line;
}

// "" when an untouched skeleton has no points, and misses every goal that says so.
Message what_a_skeleton_earns(const judge::Evaluation& evaluation) {
  if (evaluation.points() != 0) return msg("The untouched skeleton earns {} points.", evaluation.points());
  for (const judge::CaseResult& c : evaluation.cases) {
    if (c.earns && c.passed)
      return msg("The skeleton meets `{}`: make that a KEEPS instead of a GOAL.", c.name);
    if (c.kind == judge::CaseKind::Goal && !c.earns && c.reached && !c.passed)
      return msg("The skeleton misses `{}`: make that a GOAL instead of a KEEPS.", c.name);
  }
  return {};
}

// A right kernel serves several chapters, each with questions of its own: what it predicts is not judged.
bool speaks(const CourseItem& item, const judge::CaseResult& c) {
  const bool right = item.task == CourseTask::Right || item.task == CourseTask::Open;
  return !right || c.kind != judge::CaseKind::Prediction;
}

// What the checks of a chapter say.
void run_chapter(const CourseItem& item, judge::Subject& subject, CourseOutcome& outcome) {
  const judge::ChapterInfo* chapter = judge::find_chapter(item.chapter);
  if (chapter == nullptr) {
    outcome.wrong = msg("There is no chapter {}.", item.chapter);
    return;
  }
  const judge::Evaluation evaluation = judge::evaluate(*chapter, subject);
  outcome.passed = std::all_of(evaluation.cases.begin(), evaluation.cases.end(),
                               [&](const judge::CaseResult& c) { return c.passed || !speaks(item, c); });
  if (item.task == CourseTask::Skeleton) outcome.wrong = what_a_skeleton_earns(evaluation);
  outcome.points = evaluation.points();
  const judge::CaseResult* failure = evaluation.first_failure();
  if (failure != nullptr && !failure->reasons.empty()) take(outcome, *failure);
  if (item.task != CourseTask::Solution) return;
  judge::Target target;
  target.entry = chapter->entry;
  const judge::Run& run = subject.run(chapter->measured, target);
  for (std::size_t i = 0; i < judge::kMetrics.size(); ++i)
    outcome.counters[i] = judge::value(run.counters, judge::kMetrics[i]);
}

// What one launch says.
void run_fault(const CourseItem& item, judge::Subject& subject, CourseOutcome& outcome) {
  const judge::Run& run = subject.run(item.problem);
  if (run.correct()) {
    outcome.passed = true;
    outcome.code = "none";
    return;
  }
  if (run.faults.empty()) {
    outcome.code = run.mismatch->code;
    outcome.message = run.mismatch->message;
    return;
  }
  const sim::Fault& fault = run.faults.front();
  outcome.code = sim::code(fault.kind);
  outcome.message = fault.sentence();
  outcome.line = fault.line;
}

bool should_earn_all(const CourseItem& item) {
  return item.task == CourseTask::Solution || item.task == CourseTask::Right || item.task == CourseTask::Open;
}

// "" for a kernel that must pass, and does.
Message should_pass(const CourseItem& item, const CourseOutcome& o) {
  if (o.passed) return {};
  const Message finding = msg("`{}` ({}): {}", o.case_name, o.code, o.message);
  if (item.task == CourseTask::Solution) return msg("The solution fails {}", finding);
  if (item.task == CourseTask::Right) return msg("It does what the chapter asks, and fails {}", finding);
  return msg("This bypass is closed now: move the file to tests/mutants/cheats. It fails {}", finding);
}

// "" when the promise was kept.
Message broken_promise(const CourseItem& item, const CourseOutcome& o) {
  if (should_earn_all(item)) return should_pass(item, o);
  const bool clean = item.codes == std::vector<std::string>{"none"};
  if (o.passed && !clean) return "It passes, and must not.";
  if (item.points >= 0 && o.points > item.points)
    return msg("It earns {} points, and should earn {} at most.", o.points, item.points);
  if (!item.case_name.empty() && o.case_id != item.case_name && o.case_name != item.case_name) {
    return msg("It fails `{}` ({}: {}), and should fail `{}`.", o.case_id, o.code, o.message, item.case_name);
  }
  if (!item.codes.empty() && std::find(item.codes.begin(), item.codes.end(), o.code) == item.codes.end()) {
    return msg("The diagnosis is {} ({}), and should be {}.", o.code, o.message,
               base::joined(item.codes, " or "));
  }
  if (!item.says.empty() && o.message.english().find(item.says) == std::string::npos) {
    return msg("The message does not say `{}`: {}", item.says, o.message);
  }
  if (!item.lines.empty() && std::find(item.lines.begin(), item.lines.end(), o.line) == item.lines.end()) {
    return msg("It blames line {}, and should blame line {} ({}).", o.line, item.lines.front(), o.message);
  }
  return {};
}

// Has a goal that this compiler's PTX misses, and the built-in compiler's meets, as `check` asks it?
bool by_both(const CourseItem& item, const compile::CompileResult& compiled, const judge::Inputs& inputs) {
  compile::CompileRequest request;
  request.file = item.file;
  request.kernel_rules = true;
  const judge::Examination both =
      judge::examine_compiled(*judge::find_chapter(item.chapter), item.file.string(), compiled, 1, inputs,
                              judge::with_builtin_compiler(request));
  return std::all_of(both.evaluation.cases.begin(), both.evaluation.cases.end(),
                     [&](const judge::CaseResult& c) { return c.passed || !speaks(item, c); });
}

CourseOutcome judge(const CourseItem& item, judge::Subject& subject) {
  const double start = processor_seconds();
  CourseOutcome outcome;
  if (item.task == CourseTask::Fault) {
    run_fault(item, subject, outcome);
  } else {
    run_chapter(item, subject, outcome);
  }
  if (outcome.wrong.empty()) outcome.wrong = broken_promise(item, outcome);
  outcome.kept = outcome.wrong.empty();
  outcome.seconds = processor_seconds() - start;
  return outcome;
}

// A file that breaks the kernel rules, a module that the device refuses: a diagnosis too.
CourseOutcome refused(const CourseItem& item, const std::string& code, const Message& message, int line = 0) {
  CourseOutcome outcome;
  outcome.code = code;
  outcome.message = message;
  outcome.line = line;
  outcome.wrong = broken_promise(item, outcome);
  outcome.kept = outcome.wrong.empty();
  return outcome;
}

}  // namespace

std::vector<CourseOutcome> judge_items(std::span<const CourseItem> items,
                                       const compile::CompileResult& compiled, const judge::Inputs& inputs) {
  std::vector<CourseOutcome> outcomes;
  if (!compiled.ok) {
    CourseOutcome outcome;
    outcome.wrong = msg("It does not compile: {}", compiled.log);
    for (const CourseItem& item : items)
      outcomes.push_back(compiled.refusal.empty() ? outcome
                                                  : refused(item, compiled.refusal, compiled.refused));
    return outcomes;
  }
  try {
    judge::Subject subject(compiled.ptx(), 1, {}, inputs);
    for (const CourseItem& item : items) {
      outcomes.push_back(judge(item, subject));
      const bool split = should_earn_all(item) && !outcomes.back().kept &&
                         compiled.compiler.kind == compile::CompilerKind::Nvrtc;
      if (split && by_both(item, compiled, inputs)) outcomes.back().kept = true, outcomes.back().wrong = {};
    }
  } catch (const device::LoadError& error) {
    for (std::size_t i = outcomes.size(); i < items.size(); ++i)
      outcomes.push_back(refused(items[i], std::string(sim::code(error.fault.kind)), error.fault.sentence(),
                                 error.fault.line));
  }
  return outcomes;
}

}  // namespace lab::course

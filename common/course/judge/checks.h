// How a chapter's checks are written: doctest cases that judge any kernel file.
//
// Enters: a Subject (skeleton, student's kernel, solution, mutant, submission: the checks do not know).
// Leaves: one CaseResult a case, with the reason when it failed. `lab check N` and the standalone program
// `test_NN_name --kernel FILE` run the same cases. Example, tests/chapters/test_05_padding.cpp:
//
//     #include "common/course/judge/checks.h"
//     using namespace lab::judge;
//
//     CHAPTER(listed_chapter("05_padding"));  // chapters/chapters.toml says the rest
//
//     HOLDS("right", "right on every shape", 4) { check.right_on(every_shape()); }
//
//     GOAL("conflict-free", "conflict-free", 4) {
//       const Run& run = check.measured();  // 1024 × 1024, counted
//
//       // 1024 * 1024 elements / 32 lanes = 32,768 requests: one wavefront each
//       check.at_most(run, Metric::SharedLoadWavefronts, 32'768, "bank-conflict");
//       check.at_most(run, Metric::SharedStoreWavefronts, 32'768, "bank-conflict");
//     }
//
//     GOAL("one-column", "one more column, no more", 2) {
//       check.shared_bytes_at_most(check.measured(), 4'224);
//     }
//
//     PREDICTION("load-wavefronts", "wavefronts of the shared load", 1) {
//       check.predicted(&lab::Predictions::shared_load_wavefronts_per_request, 1,
//                       "32 lanes read 32 different banks: one pass serves them all");
//     }
//
// A GOAL is what the chapter's skeleton misses; a goal that the skeleton meets already, and that must not be
// lost, is a KEEPS. Points count once results are right everywhere and one GOAL is met.
//
// Rules: HOLDS before GOAL and PREDICTION; when a HOLDS case fails the others are not reached, whatever they
// would say. A case that makes no statement (calls none of the methods of Check) fails: it checked nothing.
// A case has an id, which stays, and a title, which may change (the old one then goes into the chapter's
// `former_titles`). Kinds, ids and codes appear in JSON, rubrics and records: keep them stable. Plain doctest
// CHECKs work too; a failing one becomes a reason with code "check".
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/course/judge/problem.h"
#include "common/course/judge/run.h"
#include "common/course/judge/subject.h"
#include "common/course/judge/verdict.h"

namespace lab::judge {

// What a case body gets as `check`.
class Check {
 public:
  Check(Subject& subject, const ChapterInfo& chapter, CaseResult& result)
      : subject_(subject), chapter_(chapter), result_(result) {}

  [[nodiscard]] Subject& subject() { return subject_; }
  [[nodiscard]] const ChapterInfo& chapter() const { return chapter_; }
  // The chapter's measured run, counted. It may be wrong when the body is a HOLDS case: look at
  // run.correct().
  const Run& measured();
  // The same, and runs of other shapes, which come from the key and the kernel: what holds for one size alone
  // earns nothing. All are counted; sides are multiples of 128, of other types than floats of 64.
  std::vector<const Run*> measured_runs();
  // The points of this case.
  [[nodiscard]] int points() const { return result_.points; }
  // Nothing that was asked so far is wrong.
  [[nodiscard]] bool passing() const { return result_.passed; }

  // What is tried of every_shape(), a few shapes from the key, and the measured ones. Where one is wrong, the
  // first of every_shape() that is wrong is reported.
  void right_on_every_shape();

  // Right, without fault, on every problem of the list. The reason names the first shape that is not.
  void right_on(std::span<const Problem> problems, const Target& target = {});
  void right_on(const Problem& problem, const Target& target = {}) { right_on({&problem, 1}, target); }
  // Right on all of the list, of which a part is tried. Where one is wrong, all are, so that the reason names
  // the first.
  void right_on_a_part(std::span<const Problem> problems, const Part& part, const Target& target = {});
  // The same for one Run that is there already.
  void right(const Run& run);

  // A counter of the whole launch against a bound. The failing reason names the source line that wastes most.
  // `why` is one more sentence for the student, may be empty. A counter of 0 where the bound is not 0 fails
  // `at_most` for wavefronts and sectors too: the kernel did not use that path at all (code "not-used").
  void at_most(const Run& run, Metric metric, std::uint64_t bound, std::string code, Message why = {});
  // What `at_most` compares: flags are free, as many as the bound allows requests.
  [[nodiscard]] static std::uint64_t counted(const Run& run, Metric metric, std::uint64_t bound);
  void exactly(const Run& run, Metric metric, std::uint64_t bound, std::string code, Message why = {});
  void shared_bytes_at_most(const Run& run, std::uint32_t bound,
                            const Message& why = {});  // code "too-much-shared"
  // Every block writes something (code "idle-blocks"), and work().
  void no_idle_blocks(const Run& run);
  // Warps share what their block moves (code "idle-threads"; in blocks that the matrix cuts they need not: so
  // many warps are in others), few enough instructions are issued (ChapterInfo::most_instructions; code
  // "many-instructions"), and warps neither wait nor sleep for nothing (code "many-waits"). No statement.
  void work(const Run& run, std::uint64_t whole_warps);
  // Says on which shape, and in which kernel of the file.
  void fail_on(const Run& run, Reason reason);
  // More lanes stand side by side in the rows that are read and in those that are written than a warp can
  // have whose lanes keep what they read (checks_work.cpp); code "short-runs". The chapter says .exchanges =
  // true.
  void rows_both_ways(const Run& run, const Message& why);
  // Elements pass through shared memory from thread to thread (exchange.h); code "not-exchanged". The chapter
  // says .exchanges = true.
  void exchanged();
  // The same for another kernel of the file.
  void exchanged(const Problem& problem, const Target& target);
  // Asks of a drawn shape that half of the elements were exchanged, wherever its tiles end, but for so many.
  void exchanged_in(const ExchangeFindings& found, const Run& run, std::uint64_t apart);
  // A full block stores to every word of its shared memory; code "unused-shared".
  void shared_all_used();
  // The same of a shape that was drawn, on which some block has a whole tile.
  void every_word_used(const ExchangeFindings& found, const Run& run);

  // The student's answer in PREDICTIONS against the number that is right. `why` explains it; printed only
  // when the answer is missing (code "prediction-missing") or wrong ("prediction-wrong").
  void predicted(int Predictions::*question, std::uint64_t counted, const Message& why);
  // The same where `why` is true of one count alone.
  void predicted(int Predictions::*question, std::uint64_t counted, const Message& why,
                 std::uint64_t true_of) {
    predicted(question, counted, counted == true_of ? why : Message());
  }

  // What is said in an exam, right or wrong; a statement about it is still to be made.
  void said(const SaidFinding& finding) { result_.finding = finding; }

  // Anything else. `code` and `message` as in Reason.
  void that(bool ok, std::string code, Message message);
  void fail(Reason reason);
  // What this machine cannot try speaks neither for nor against the kernel; the card says so.
  void leave_out(Message words);

  // Asks something, of which nothing stays when it fails: then it is asked again, in the order of the
  // telling.
  template <class F>
  [[nodiscard]] bool holds(const F& ask) {
    CaseResult before = result_;
    ask();
    if (result_.passed) return true;
    result_ = std::move(before);
    return false;
  }

 private:
  void right_on_tried(const Target& target);
  [[nodiscard]] std::vector<Problem> of_this_chapter(std::vector<Problem> shapes) const;
  // Why a run is not correct.
  [[nodiscard]] Reason why_wrong(const Run& run) const;
  // `is_read`: some thread loads the element that is missing.
  void explain_mismatch(Reason& reason, const Run& run, bool is_read) const;
  struct ExchangeRun {
    Problem problem;
    const ExchangeFindings& found;
    const Run& run;
  };
  // checks_exchange.cpp
  ExchangeRun exchange_run();
  ExchangeRun exchange_run(const Problem& problem, const Target& target);
  void exchanged(const ExchangeRun& watched);
  void fail_counter(const Run& run, Metric metric, std::uint64_t bound, std::string code, Message why);
  Subject& subject_;
  const ChapterInfo& chapter_;
  CaseResult& result_;
  int statements_ = 0;
  friend struct CaseRunner;
};

// The chapters whose checks are linked into this program, by name.
[[nodiscard]] std::vector<const ChapterInfo*> all_chapters();
// "5", "05", "05_padding", "padding" → the chapter, or null.
[[nodiscard]] const ChapterInfo* find_chapter(std::string_view name);
// Runs the cases through doctest. Throws std::logic_error when the chapter has no case: that is never a pass.
[[nodiscard]] Evaluation evaluate(const ChapterInfo& chapter, Subject& subject);
// The same cases, none reached, all for one reason: the kernel could not even be loaded.
[[nodiscard]] Evaluation not_evaluated(const ChapterInfo& chapter, const Reason& reason);

// ---- behind the macros ----
struct ChapterRegistration {
  explicit ChapterRegistration(const ChapterInfo& chapter);
};
struct CaseWords {
  const char *id, *title;
  int points;
};
struct CaseRunner {
  static void run(const ChapterInfo& chapter, CaseKind kind, bool earns, const CaseWords& words,
                  void (*body)(Check&));
};

}  // namespace lab::judge

#define CHAPTER(...)                                                \
  static const lab::judge::ChapterInfo lab_chapter = {__VA_ARGS__}; \
  static const lab::judge::ChapterRegistration lab_chapter_registration { lab_chapter }

#define LAB_CASE(body, kind, earns, id, title, points)                                                      \
  static void body(lab::judge::Check& check);                                                               \
  TEST_CASE((title)*doctest::test_suite(lab_chapter.name)) {                                                \
    lab::judge::CaseRunner::run(lab_chapter, lab::judge::CaseKind::kind, earns, {id, title, points}, body); \
  }                                                                                                         \
  static void body([[maybe_unused]] lab::judge::Check& check)

#define HOLDS(id, title, points) LAB_CASE(DOCTEST_ANONYMOUS(lab_case_), Holds, false, id, title, points)
#define GOAL(id, title, points) LAB_CASE(DOCTEST_ANONYMOUS(lab_case_), Goal, true, id, title, points)
#define KEEPS(id, title, points) LAB_CASE(DOCTEST_ANONYMOUS(lab_case_), Goal, false, id, title, points)
#define PREDICTION(id, title, points) \
  LAB_CASE(DOCTEST_ANONYMOUS(lab_case_), Prediction, false, id, title, points)

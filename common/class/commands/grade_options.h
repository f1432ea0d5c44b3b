// The options of `lab grade`, and what its two ways share: on this machine (grade.cpp), on a cluster
// (grade_slurm.cpp).
#pragma once

#include <string>
#include <vector>

#include "common/class/grade/grading.h"
#include "common/class/grade/slurm/slurm.h"
#include "common/ui/session.h"

namespace lab::cli {

struct GradeOptions {
  std::vector<std::string> places, chapters, formats = {"csv", "json", "html"};
  std::string out = "grades", submitted, rubric, verify, gradescope, gradebook, column, roster;
  unsigned jobs = 0;
  double cpu_seconds = 20;
  bool no_sandbox = false, one = false, anonymous = false, fresh = false, json = false, print_rubric = false;

  grade::SlurmRequest request;
  bool slurm = false, collect = false, resubmit = false, wait = false, dry_run = false;
  unsigned slurm_shard = 0;  // on a node: which shard to judge
  [[nodiscard]] bool by_slurm() const { return slurm || collect; }
};

void add_slurm_options(Command& command, GradeOptions& options);
int grade_by_slurm(const Session& session, const GradeOptions& given, grade::GradingOptions options,
                   const grade::Rubric& rubric);

// A stranger's file goes through a walled-in compiler, or the user says that it need not. Throws
// EnvironmentError.
void settle_sandbox(bool unwanted);
// Ctrl-C and the like set grade::stop_requested.
void stop_on_signals();
// While submissions are read nothing is to be kept: a signal ends the program at once, and it says so.
class Reading {
 public:
  Reading();
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  static void at(const grade::Progress& progress);
};
// What is to be graded, and what an instructor should know about it.
[[nodiscard]] grade::Places submissions_of(const GradeOptions& given, const grade::Rubric& rubric);
// Says that it was interrupted before anything was judged; the exit code.
[[nodiscard]] int report_unread();
// Judgements that do not count, on standard error.
void report_damaged(const grade::ClassResult& result);
// Writes the reports; the table and where they lie, as text.
[[nodiscard]] std::string write_class(const Session& session, const GradeOptions& given,
                                      const grade::GradingOptions& options, const grade::ClassResult& result,
                                      const std::vector<Message>& notes);

}  // namespace lab::cli

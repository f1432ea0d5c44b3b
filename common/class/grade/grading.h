// A class, graded: the whole of `lab grade` except for its words.
//
// Enters: places of submissions, chapters, a rubric. Leaves: one Graded for each submission and chapter, in
// the order of students and chapters, and their records in files. Kernels with the same text are compiled and
// run once; so are kernels with the same PTX. What was judged is kept in the output folder: a run that was
// cut off goes on where it stopped.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/class/grade/match.h"
#include "common/class/grade/record.h"
#include "common/class/grade/submission.h"
#include "common/class/grade/workers.h"

namespace lab::grade {

// The folders and files of --out.
struct OutputFolder {
  std::filesystem::path root;
  [[nodiscard]] std::filesystem::path record(const std::string& student, const std::string& chapter) const;
  [[nodiscard]] std::filesystem::path source(const std::string& sha256) const;
  [[nodiscard]] std::filesystem::path judgements() const;    // what was judged already, by content
  [[nodiscard]] std::filesystem::path rubric() const;        // the rubric that was used
  [[nodiscard]] std::filesystem::path overrides() const;     // points and comments that a person gave
  [[nodiscard]] std::filesystem::path people() const;        // who is who in all runs (labels.h)
  [[nodiscard]] std::filesystem::path fingerprints() const;  // of all records, as they were written
  // What a record said before it said something else.
  [[nodiscard]] std::filesystem::path history(const std::string& student, const std::string& chapter,
                                              const std::string& text) const;
  [[nodiscard]] std::filesystem::path slurm() const;      // what was given to a cluster (slurm.h)
  [[nodiscard]] std::filesystem::path unsettled() const;  // answers from there that limits gave
  [[nodiscard]] std::filesystem::path records() const;
  [[nodiscard]] bool was_graded_into() const;  // a run began to write there
  // Throws UsageError where reports would take the place of files that no run wrote. `rubric`: the one in
  // use.
  void refuse_others_files(const std::string& rubric_text) const;
};

struct GradingOptions {
  std::vector<const judge::ChapterInfo*> chapters;
  std::optional<compile::CompilerKind> compiler;
  bool sandbox = true;  // of the compiler
  std::string rubric_text;
  std::string rubric_name;
  std::string key{judge::kPracticeKey};  // of the inputs: Rubric::key
  OutputFolder out;
  unsigned jobs = 0;   // 0: one a core
  bool fresh = false;  // judge again what was judged already
  WorkerLimits limits;
  bool judge_here = true;           // false: only what was judged already counts, the rest stays open
  bool write_files = true;          // false: nothing is written, for a look ahead
  std::filesystem::path unsettled;  // a store of answers that may come out otherwise next time; "" for none
  // Called now and then while kernels are judged, for tables that are true though not whole.
  std::function<void(const struct ClassResult&)> as_results_come;
};

struct Progress {
  struct Kernel {
    std::string student, chapter;
    double seconds = 0;  // since it was started
  };
  std::size_t read = 0, submissions = 0;  // while submissions are read
  std::size_t done = 0, all = 0;          // then: kernels with different texts
  std::vector<Kernel> running;
};

// What a class costs to grade. Not part of what must be the same everywhere.
struct UnitCost {
  std::string source, chapter;
  double processor_seconds = 0, wall_seconds = 0;
  JudgeCost parts;
  std::uint64_t memory_bytes = 0;
};

// A kernel text of a chapter that is not judged yet, and one student of it.
struct OpenKernel {
  const judge::ChapterInfo* chapter = nullptr;
  std::string source, key;  // SHA-256, name in the store of judgements
  std::string student;
};

// What is known of a person besides the grade.
struct AboutPerson {
  Identity who;  // as platform and roster know the person
  // The name under which the platform takes a file back; the same one for people who handed in together.
  std::string feedback;
  bool absent = false;  // handed in nothing at all: a platform gives its own zero
};

struct ClassResult {
  std::vector<Graded> graded;                            // students × chapters
  std::vector<std::string> students;                     // in order
  std::map<std::string, std::vector<Message>> problems;  // of submissions that had any
  std::map<std::string, AboutPerson> about;              // by student, of this run
  std::vector<UnitCost> costs;                           // of what was judged in this run
  std::size_t kernels = 0;                               // found, in all submissions
  std::size_t different = 0;                             // with different texts
  std::size_t known = 0;                                 // of these, judged in an earlier run
  double seconds = 0;
  std::vector<OpenKernel> open;  // not judged, where that was not to be done here
  std::vector<Message> notes;    // sentences: what changed since an earlier run, what is left from one
  std::vector<Message> damaged;  // sentences: judgements that are not what was written
  std::int64_t drop_lowest = 0;  // of the rubric
  bool complete = true;          // false: interrupted, or something is open
  bool unread = false;           // interrupted before all submissions were read: no table is whole
};

[[nodiscard]] ClassResult grade_class(const std::vector<Place>& places, const GradingOptions& options,
                                      const Rubric& rubric,
                                      const std::function<void(const Progress&)>& progress);

// One kernel's way through the judges.
struct UnitEnd {
  Judgement judgement;
  bool kept = false;  // in the store: it comes out the same every time
  bool killed =
      false;  // ended from outside, or the machine lacks something: nothing is known about the kernel
  UnitCost cost;
};
// Judges kernels whose texts lie in options.out, a few at a time, and keeps their judgements there. False
// when it was stopped. Throws EnvironmentError when a text is not what its name says.
bool judge_kernels(const std::vector<OpenKernel>& kernels, const GradingOptions& options,
                   const compile::Tools& tools, const std::function<void(std::size_t, const UnitEnd&)>& done,
                   const std::function<void(const std::vector<RunningJob>&)>& tick = {});

// The name in the store of judgements.
[[nodiscard]] std::string judgement_key(const judge::ChapterInfo& chapter, const std::string& source,
                                        const compile::Tools& tools, const std::string& key);

// Zero points, and why.
[[nodiscard]] Judgement no_kernel(const ChapterKernel& kernel);
// One kernel judged in a process of its own, or taken from the store.
[[nodiscard]] Judgement judge_alone(const judge::ChapterInfo& chapter, const std::string& source_bytes,
                                    const GradingOptions& options, const compile::Tools& tools);

}  // namespace lab::grade

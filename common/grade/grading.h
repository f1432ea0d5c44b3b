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

#include "common/grade/match.h"
#include "common/grade/record.h"
#include "common/grade/submission.h"
#include "common/grade/workers.h"

namespace lab::grade {

// The folders and files of --out.
struct OutputFolder {
  std::filesystem::path root;
  [[nodiscard]] std::filesystem::path record(const std::string& student, const std::string& chapter) const;
  [[nodiscard]] std::filesystem::path source(const std::string& sha256) const;
  [[nodiscard]] std::filesystem::path judgements() const;  // what was judged already, by content
  [[nodiscard]] std::filesystem::path rubric() const;      // the rubric that was used
};

struct GradingOptions {
  std::vector<const harness::ChapterInfo*> chapters;
  std::optional<harness::CompilerKind> compiler;
  bool sandbox = true;  // of the compiler
  std::string rubric_text;
  std::string rubric_name;
  OutputFolder out;
  unsigned jobs = 0;   // 0: one a core
  bool fresh = false;  // judge again what was judged already
  WorkerLimits limits;
};

struct Progress {
  std::size_t done = 0, all = 0;  // kernels with different texts
  std::string student, chapter;
};

// What a class costs to grade. Not part of what must be the same everywhere.
struct UnitCost {
  std::string source, chapter;
  double processor_seconds = 0, wall_seconds = 0;
  std::uint64_t memory_bytes = 0;
};

struct ClassResult {
  std::vector<Graded> graded;                                // students × chapters
  std::vector<std::string> students;                         // in order
  std::map<std::string, std::vector<std::string>> problems;  // of submissions that had any
  std::vector<UnitCost> costs;                               // of what was judged in this run
  std::size_t kernels = 0;                                   // found, in all submissions
  std::size_t different = 0;                                 // with different texts
  std::size_t known = 0;                                     // of these, judged in an earlier run
  double seconds = 0;
  bool complete = true;  // false: interrupted
};

[[nodiscard]] ClassResult grade_class(const std::vector<Place>& places, const GradingOptions& options,
                                      const Rubric& rubric,
                                      const std::function<void(const Progress&)>& progress);

// Zero points, and why.
[[nodiscard]] Judgement no_kernel(const ChapterKernel& kernel);
// One kernel judged in a process of its own, or taken from the store.
[[nodiscard]] Judgement judge_alone(const harness::ChapterInfo& chapter, const std::string& source_bytes,
                                    const GradingOptions& options, const Tools& tools);

}  // namespace lab::grade

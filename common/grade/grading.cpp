// Grades a class. See grading.h.
#include "common/grade/grading.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "common/harness/checks.h"
#include "common/harness/compile_cache.h"
#include "common/harness/errors.h"
#include "common/harness/project.h"
#include "common/harness/sha256.h"

namespace lab::grade {
namespace fs = std::filesystem;
using harness::ChapterInfo;

namespace {

// A kernel text of a chapter, and whose it is.
struct Unit {
  const ChapterInfo* chapter = nullptr;
  std::string source;                // SHA-256
  std::string key;                   // of the judgement
  std::vector<std::size_t> records;  // places in the list of all
};

void must_write(const fs::path& path, const std::string& bytes) {
  if (!harness::write_file_atomically(path, bytes))
    throw harness::EnvironmentError(
        fmt::format("Cannot write {}. Give --out a folder of yours with room in it.", path.string()));
}

std::string unit_key(const ChapterInfo& chapter, const std::string& source, const Tools& tools) {
  return harness::sha256(fmt::format("source {} {} {}", chapter.name, source, tools.judging()));
}

// Where the compiler finds a kernel: a folder of its own, named by content, so that neither the student's
// names nor other submissions are near it.
fs::path stage(const std::string& source, const std::string& bytes) {
  const fs::path file = harness::cache_root() / "grade" / source / (source + ".cu");
  if (harness::read_file(file) != bytes) must_write(file, bytes);
  return file;
}

Judgement without_answer(const ChapterInfo& chapter, const JobEnd& end, const WorkerLimits& limits) {
  switch (end.kind) {
    case JobEnd::Kind::TooSlow:
      return not_judged(chapter, "stopped", "judge-timeout",
                        fmt::format("Judging it took more than {} s of processor time and was ended.",
                                    limits.processor_time.count()));
    case JobEnd::Kind::TooLarge:
      return not_judged(chapter, "stopped", "judge-memory",
                        fmt::format("Judging it took more than {} MiB of memory and was ended.",
                                    limits.memory_bytes >> 20));
    default:
      return not_judged(chapter, "stopped", "judge-crashed",
                        "The process that judged it ended without an answer: a defect of the lab, not of the "
                        "kernel. Please report it with the file.");
  }
}

class ClassGrader {
 public:
  ClassGrader(const GradingOptions& options, const Rubric& rubric,
              const std::function<void(const Progress&)>& progress)
      : options_(options),
        rubric_(rubric),
        progress_(progress),
        tools_(find_tools(options.compiler, options.rubric_text)),
        course_(harness::all_chapters()) {}

  ClassResult run(const std::vector<Place>& places) {
    const auto start = std::chrono::steady_clock::now();
    must_write(options_.out.rubric(), options_.rubric_text);
    for (const Place& place : places) take_in(place);
    take_known();
    result_.complete = judge_all();
    result_.different = units_.size();
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::move(result_);
  }

 private:
  // Finds the kernels of one submission; the kernels' bytes are not kept in memory.
  void take_in(const Place& place) {
    const Submission submission = read_submission(place);
    result_.students.push_back(submission.student);
    if (!submission.problems.empty()) result_.problems[submission.student] = submission.problems;
    for (const ChapterKernel& kernel : find_kernels(submission, options_.chapters, course_)) {
      Graded entry;
      entry.record = {submission.student, kernel.chapter->name, kernel.file.path, "", tools_, {}};
      if (kernel.state == ChapterKernel::State::Found) {
        entry.record.source = harness::sha256(kernel.file.bytes);
        add_unit(*kernel.chapter, entry.record.source, kernel.file.bytes);
      } else {
        entry.record.judgement = no_kernel(kernel);
      }
      result_.graded.push_back(std::move(entry));
      if (kernel.state != ChapterKernel::State::Found) finish(result_.graded.size() - 1);
    }
  }

  void add_unit(const ChapterInfo& chapter, const std::string& source, const std::string& bytes) {
    ++result_.kernels;
    const std::string key = unit_key(chapter, source, tools_);
    const auto [at, is_new] = by_key_.emplace(key, units_.size());
    if (is_new) {
      units_.push_back({&chapter, source, key, {}});
      must_write(options_.out.source(source), bytes);  // for disputes
      stage(source, bytes);
    }
    units_[at->second].records.push_back(result_.graded.size());
  }

  // Scores and writes the record of one entry.
  void finish(std::size_t index) {
    Graded& entry = result_.graded[index];
    entry = graded(std::move(entry.record), rubric_);
    must_write(options_.out.record(entry.record.student, entry.record.chapter), record_text(entry));
  }

  void finish(const Unit& unit, const Judgement& judgement) {
    for (const std::size_t index : unit.records) {
      result_.graded[index].record.judgement = judgement;
      finish(index);
    }
  }

  void take_known() {
    for (std::size_t i = 0; i < units_.size(); ++i) {
      std::optional<Judgement> known;
      if (!options_.fresh)
        known = load_judgement(options_.out.judgements(), units_[i].key, units_[i].chapter->name);
      if (known) {
        ++result_.known;
        finish(units_[i], *known);
      } else {
        open_.push_back(i);
      }
    }
  }

  std::string work(const Unit& unit) const {
    JudgeOptions judging;
    judging.compiler = options_.compiler;
    judging.sandbox = options_.sandbox;
    judging.store = options_.fresh ? fs::path() : options_.out.judgements();
    judging.store_key = tools_.judging();
    const fs::path file = harness::cache_root() / "grade" / unit.source / (unit.source + ".cu");
    return report::dump(to_json(judge(*unit.chapter, file, judging)));
  }

  void take_answer(const Unit& unit, const JobEnd& end) {
    std::optional<Judgement> judgement;
    if (end.kind == JobEnd::Kind::Answered) judgement = judgement_from(end.answer, unit.chapter->name);
    if (judgement) {
      // What a limit ended may go better next time; all else would come out the same.
      if (judgement->state != "limit") save_judgement(options_.out.judgements(), unit.key, *judgement);
    } else {
      judgement = without_answer(*unit.chapter, end, options_.limits);
    }
    finish(unit, *judgement);
    result_.costs.push_back(
        {unit.source, unit.chapter->name, end.processor_seconds, end.wall_seconds, end.memory_bytes});
  }

  bool judge_all() {
    const unsigned jobs = options_.jobs ? options_.jobs : std::max(1u, std::thread::hardware_concurrency());
    Progress progress{0, open_.size(), "", ""};
    if (!open_.empty()) progress_(progress);
    return run_jobs(
        open_.size(), jobs, options_.limits, [&](std::size_t i) { return work(units_[open_[i]]); },
        [&](std::size_t i, const JobEnd& end) {
          const Unit& unit = units_[open_[i]];
          take_answer(unit, end);
          ++progress.done;
          progress.student = result_.graded[unit.records.front()].record.student;
          progress.chapter = unit.chapter->name;
          progress_(progress);
        });
  }

  const GradingOptions& options_;
  const Rubric& rubric_;
  const std::function<void(const Progress&)>& progress_;
  const Tools tools_;
  const std::vector<const ChapterInfo*> course_;
  ClassResult result_;
  std::vector<Unit> units_;
  std::map<std::string, std::size_t> by_key_;
  std::vector<std::size_t> open_;  // units that are not judged yet
};

}  // namespace

fs::path OutputFolder::record(const std::string& student, const std::string& chapter) const {
  return root / "records" / student / (chapter + ".json");
}
fs::path OutputFolder::source(const std::string& sha256) const { return root / "sources" / (sha256 + ".cu"); }
fs::path OutputFolder::judgements() const { return root / "judgements"; }
fs::path OutputFolder::rubric() const { return root / "rubric.toml"; }

Judgement no_kernel(const ChapterKernel& kernel) {
  const bool missing = kernel.state == ChapterKernel::State::Missing;
  return not_judged(*kernel.chapter, missing ? "missing" : "ambiguous",
                    missing ? "no-kernel" : "ambiguous-kernel", kernel.reason);
}

ClassResult grade_class(const std::vector<Place>& places, const GradingOptions& options, const Rubric& rubric,
                        const std::function<void(const Progress&)>& progress) {
  return ClassGrader(options, rubric, progress).run(places);
}

Judgement judge_alone(const ChapterInfo& chapter, const std::string& source_bytes,
                      const GradingOptions& options, const Tools& tools) {
  JudgeOptions judging;
  judging.compiler = options.compiler;
  judging.sandbox = options.sandbox;
  judging.store_key = tools.judging();
  const fs::path file = stage(harness::sha256(source_bytes), source_bytes);
  Judgement judgement;
  run_jobs(
      1, 1, options.limits, [&](std::size_t) { return report::dump(to_json(judge(chapter, file, judging))); },
      [&](std::size_t, const JobEnd& end) {
        const auto answer = judgement_from(end.answer, chapter.name);
        judgement = answer ? *answer : without_answer(chapter, end, options.limits);
      });
  return judgement;
}

}  // namespace lab::grade

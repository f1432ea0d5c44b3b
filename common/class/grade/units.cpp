// Kernels judged in processes of their own, answers kept by content. See grading.h.
#include <fmt/core.h>
#include <signal.h>

#include <sstream>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/base/threads.h"
#include "common/class/grade/grading.h"

namespace lab::grade {
namespace fs = std::filesystem;
using judge::ChapterInfo;

namespace {

// Where the compiler finds a kernel: a folder of its own, named by content, so that neither the student's
// names nor other submissions are near it.
fs::path staged(const std::string& source) {
  return base::cache_root() / "grade" / source / (source + ".cu");
}

fs::path stage(const std::string& source, const std::string& bytes) {
  const fs::path file = staged(source);
  if (base::read_file(file) != bytes && !base::write_file_atomically(file, bytes)) {
    throw base::EnvironmentError(
        msg("Cannot write {}. Make room, or set LAB_CACHE_DIR to a folder of yours.", file.string()));
  }
  return file;
}

std::string kept_text(const fs::path& file, const std::string& sha256) {
  const auto bytes = base::read_file(file);
  if (bytes && base::sha256(*bytes) == sha256) return *bytes;
  throw base::EnvironmentError(
      msg("{} is not the text that it is named after. Grade again with the same --out: it is written anew.",
          file.string()));
}

Judgement without_answer(const ChapterInfo& chapter, const JobEnd& end, const WorkerLimits& limits) {
  switch (end.kind) {
    case JobEnd::Kind::TooSlow:
      return not_judged(chapter, "stopped", "judge-timeout",
                        msg("Judging it took more than {} s of processor time and was ended: no verdict. The "
                            "same command tries it again; --cpu-seconds gives it more.",
                            limits.processor_time.count()));
    case JobEnd::Kind::TooLarge:
      return not_judged(chapter, "stopped", "judge-memory",
                        msg("Judging it took more than {} MiB of memory and was ended: no verdict. The same "
                            "command tries it again.",
                            limits.memory_bytes >> 20));
    default:
      return not_judged(chapter, "stopped", "judge-crashed",
                        "The process that judged it ended without an answer: a defect of the lab, not of the "
                        "kernel. Please report it with the file.");
  }
}

JudgeOptions judging_options(const GradingOptions& options, const compile::Tools& tools) {
  JudgeOptions judging;
  judging.compiler = options.compiler;
  judging.sandbox = options.sandbox;
  judging.store_key = tools.judging();
  judging.key = options.key;
  return judging;
}

// What a judging process says: a line of costs, then the judgement.
std::string answer_of(const ChapterInfo& chapter, const fs::path& source, const JudgeOptions& judging) {
  JudgeCost cost;
  const Judgement judgement = judge(chapter, source, judging, &cost);
  return fmt::format("{} {} {}\n{}", cost.compile_seconds, cost.simulate_seconds, cost.work,
                     report::dump(to_json(judgement)));
}

std::optional<Judgement> take_answer(const std::string& answer, const std::string& chapter, UnitCost& cost) {
  const std::size_t line_end = answer.find('\n');
  if (line_end == std::string::npos) return std::nullopt;
  std::istringstream(answer.substr(0, line_end)) >> cost.parts.compile_seconds >>
      cost.parts.simulate_seconds >> cost.parts.work;
  return judgement_from(answer.substr(line_end + 1), chapter);
}

UnitEnd end_of(const OpenKernel& kernel, const JobEnd& end, const GradingOptions& options) {
  UnitEnd result;
  result.cost = {kernel.source,    kernel.chapter->name, end.processor_seconds,
                 end.wall_seconds, JudgeCost{},          end.memory_bytes};
  result.killed =
      stop_requested || (end.kind == JobEnd::Kind::Crashed &&
                         (end.code == SIGKILL || end.code == SIGTERM || end.code == kFailedToAnswer));
  std::optional<Judgement> judgement;
  if (end.kind == JobEnd::Kind::Answered)
    judgement = take_answer(end.answer, kernel.chapter->name, result.cost);
  if (!judgement) {
    result.judgement = without_answer(*kernel.chapter, end, options.limits);
    return result;
  }
  result.judgement = *judgement;
  // What a limit ended may go better next time; all else would come out the same.
  result.kept = judgement->state != "limit";
  if (result.killed) result.kept = false;  // the compiler may have been ended first
  if (result.kept) save_judgement(options.out.judgements(), kernel.key, *judgement);
  return result;
}

}  // namespace

std::string judgement_key(const ChapterInfo& chapter, const std::string& source, const compile::Tools& tools,
                          const std::string& key) {
  return base::sha256(
      fmt::format("source2 {} {} {} {}", chapter.name, source, tools.judging(), base::sha256(key)));
}

bool judge_kernels(const std::vector<OpenKernel>& kernels, const GradingOptions& options,
                   const compile::Tools& tools, const std::function<void(std::size_t, const UnitEnd&)>& done,
                   const std::function<void(const std::vector<RunningJob>&)>& tick) {
  const unsigned jobs = options.jobs ? options.jobs : base::usable_cores();
  JudgeOptions judging = judging_options(options, tools);
  if (!options.fresh) judging.store = options.out.judgements();
  for (const OpenKernel& kernel : kernels)
    stage(kernel.source, kept_text(options.out.source(kernel.source), kernel.source));
  return run_jobs(
      kernels.size(), jobs, options.limits,
      [&](std::size_t i) { return answer_of(*kernels[i].chapter, staged(kernels[i].source), judging); },
      [&](std::size_t i, const JobEnd& end) { done(i, end_of(kernels[i], end, options)); }, tick);
}

Judgement no_kernel(const ChapterKernel& kernel) {
  if (kernel.state == ChapterKernel::State::Refused)
    return not_judged(*kernel.chapter, "refused", "not-a-kernel", kernel.reason);
  const bool missing = kernel.state == ChapterKernel::State::Missing;
  return not_judged(*kernel.chapter, missing ? "missing" : "ambiguous",
                    missing ? "no-kernel" : "ambiguous-kernel", kernel.reason);
}

Judgement judge_alone(const ChapterInfo& chapter, const std::string& source_bytes,
                      const GradingOptions& options, const compile::Tools& tools) {
  const JudgeOptions judging = judging_options(options, tools);
  const fs::path file = stage(base::sha256(source_bytes), source_bytes);
  Judgement judgement;
  run_jobs(
      1, 1, options.limits, [&](std::size_t) { return answer_of(chapter, file, judging); },
      [&](std::size_t, const JobEnd& end) {
        UnitCost cost;
        const auto answer = take_answer(end.answer, chapter.name, cost);
        judgement = answer ? *answer : without_answer(chapter, end, options.limits);
      });
  return judgement;
}

}  // namespace lab::grade

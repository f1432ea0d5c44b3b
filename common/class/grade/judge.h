// One kernel of one chapter, judged: compiled in its sandbox, run on the simulator by the chapter's checks.
//
// Enters: source text, a chapter. Leaves: a Judgement, which holds no path and no time of this machine. This
// runs in a process of its own (workers.h), so that nothing a kernel does reaches another submission.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "common/compile/compile.h"
#include "common/course/judge/input_key.h"
#include "common/course/judge/verdict.h"
#include "common/ui/counters_json.h"

namespace lab::grade {

// What became of a kernel. Names are stable: they stand in records.
//   judged            the checks ran, whatever they said
//   does-not-compile  the compiler's words are the reason
//   cannot-load       compiled, but the simulated GPU refuses it
//   refused           no kernel file at all: empty, binary, too large; or one that reaches for other files
//   limit             the compiler ran out of time, memory or output
//   missing, ambiguous  there was no file to judge
// and two that are no verdict:
//   stopped           the process that judged it ended without an answer, or took too long
//   open              not judged yet
struct Judgement {
  std::string state;
  judge::Evaluation evaluation;  // never empty: cases that were not reached say why
  bool untouched = false;        // it compiles to what the chapter's skeleton compiles to
  std::optional<int> seat{};     // that the kernel file names, in a chapter that asks for one
  [[nodiscard]] bool is_verdict() const { return state != "stopped" && state != "open"; }
};

// Whether answers of a chapter depend on the seat: the file that students begin with has one.
[[nodiscard]] bool asks_for_seat(const judge::ChapterInfo& chapter);

inline constexpr const char* kKernelName = "transpose.cu";  // what messages call the kernel, wherever it lay

// The cases of a chapter, none reached, all for one reason.
[[nodiscard]] Judgement not_judged(const judge::ChapterInfo& chapter, const std::string& state,
                                   const std::string& code, const Message& message);

// Where compiled verdicts may be kept between runs: by PTX, so that kernels which differ in comments only
// share one. "" for nowhere.
struct JudgeOptions {
  std::optional<compile::CompilerKind> compiler;
  bool sandbox = true;                   // wall the compiler in (compile/sandbox.h)
  std::filesystem::path store;           // folder of judgements
  std::string store_key;                 // of all that judges: simulator, checks
  std::string key{judge::kPracticeKey};  // of the inputs
};

// Where the processor's time went. No part of a verdict.
struct JudgeCost {
  double compile_seconds = 0, simulate_seconds = 0;
  std::uint64_t work = 0;  // units (sim/program/work.h): the same on every machine
};

// `source` lies in a file of its own, named by its content. Throws EnvironmentError alone.
[[nodiscard]] Judgement judge(const judge::ChapterInfo& chapter, const std::filesystem::path& source,
                              const JudgeOptions& options, JudgeCost* cost = nullptr);

// As kept in files and in records: {"state", "cases": [{"name", "kind", "passed", "reached", "points",
// "shapes", "reasons": [{"code", "message", "line", "op", "figures"}]}]}.
[[nodiscard]] report::Json to_json(const Judgement& judgement);
// {"seat", "line", "cause", "worth", "right"} of a case. Throws Json::exception.
[[nodiscard]] judge::SaidFinding finding_from(const report::Json& json);
// None when the text is damaged.
[[nodiscard]] std::optional<Judgement> judgement_from(const std::string& text, const std::string& chapter);

// A store of judgements: one file a key, each with its own fingerprint, written whole or not at all.
[[nodiscard]] std::optional<Judgement> load_judgement(const std::filesystem::path& store,
                                                      const std::string& key, const std::string& chapter);
// It is there, and is not what was written: cut off, changed, or another one's.
[[nodiscard]] bool is_damaged(const std::filesystem::path& store, const std::string& key,
                              const std::string& chapter);
void save_judgement(const std::filesystem::path& store, const std::string& key, const Judgement& judgement);

}  // namespace lab::grade

// See second_compiler.h.
#include "common/course/judge/second_compiler.h"

#include <algorithm>

#include "common/course/judge/checks.h"
#include "common/course/judge/split_access.h"

namespace lab::judge {
namespace {

bool any_goal_missed(const Evaluation& evaluation) {
  return std::any_of(evaluation.cases.begin(), evaluation.cases.end(),
                     [](const CaseResult& c) { return c.kind == CaseKind::Goal && !c.passed; });
}

// Both evaluations have the same cases in the same order.
void take_what_second_meets(Evaluation& first, const Evaluation& second) {
  for (std::size_t i = 0; i < first.cases.size(); ++i) {
    CaseResult& c = first.cases[i];
    if (c.kind == CaseKind::Holds || c.passed || !second.cases[i].passed) continue;
    c = second.cases[i];
    c.by_second_compiler = true;
  }
}

// The measured shape, by both PTXs.
Message costs_of(const sim::Counters& split, const sim::Counters& whole) {
  const auto global = [](const sim::Counters& c) { return c.global_total(); };
  const auto shared = [](const sim::Counters& c) { return c.shared_total(); };
  if (global(split).requests > global(whole).requests)
    return msg("So it costs {} requests of global memory and {} sectors, in place of {} and {}.",
               big(global(split).requests), big(global(split).cost), big(global(whole).requests),
               big(global(whole).cost));
  return msg("So it costs {} requests of shared memory and {} wavefronts, in place of {} and {}.",
             big(shared(split).requests), big(shared(split).cost), big(shared(whole).requests),
             big(shared(whole).cost));
}

double lane_bytes(const sim::PathCounters& c) {
  return c.active_lanes == 0 ? 0 : double(c.bytes) / double(c.active_lanes);
}

// The line of the measured run whose lanes move fewer bytes at once than by the other PTX; of loops that were
// taken apart some copies may be whole, so that it is counted and not read.
std::optional<SplitAccess> narrower(const Run& first, const Run& second) {
  for (const sim::LineCounters& line : first.lines) {
    const sim::Rule rule = sim::info(line.path).rule;
    if (rule != sim::Rule::Sectors && rule != sim::Rule::Wavefronts) continue;
    const auto same = std::find_if(second.lines.begin(), second.lines.end(), [&](const auto& other) {
      return other.line == line.line && other.path == line.path;
    });
    if (same == second.lines.end()) continue;
    const double split = lane_bytes(line.counters[line.path]), whole = lane_bytes(same->counters[line.path]);
    constexpr double kLeast = 8;
    if (whole < kLeast || split >= whole) continue;
    return SplitAccess{line.line, !sim::reads(line.path), static_cast<int>(whole), static_cast<int>(split),
                       0};
  }
  return std::nullopt;
}

// A line that a missed goal of the chapter's own kernel blames on a shape, where the first PTX loads in more lanes.
std::optional<UnguardedLoad> unguarded(const Evaluation& evaluation, Subject& first, Subject& second,
                                       const Target& target) {
  for (const CaseResult& c : evaluation.cases)
    for (const Reason& reason : c.reasons) {
      const bool blames_load = reason.problem && reason.entry.empty() && reason.path == sim::Path::GlobalLoad;
      if (c.kind != CaseKind::Goal || c.passed || !blames_load) continue;
      // In all lines together: a selected address may have the line of either side of the branch.
      const auto lanes = [&](Subject& subject) {
        return subject.run(*reason.problem, target).counters[*reason.path].active_lanes;
      };
      const std::uint64_t all = lanes(first), guarded = lanes(second);
      if (guarded != 0 && all > guarded) return UnguardedLoad{reason.line, all, guarded};
    }
  return std::nullopt;
}

// The line that is blamed says what became of it.
void explain(Evaluation& evaluation, int line, const Message& words) {
  for (CaseResult& c : evaluation.cases)
    for (Reason& reason : c.reasons)
      if (reason.line == line && reason.path) {
        reason.message.line(words);
        reason.facts.emplace_back("split");
      }
}

}  // namespace

void ask_second_compiler(Examination& e, const std::string& ptx, const Rebuild& rebuild,
                         unsigned host_threads, const Inputs& inputs) {
  if (!rebuild || e.compile.compiler.kind == compile::CompilerKind::Builtin) return;
  if (!e.evaluation.right() || !any_goal_missed(e.evaluation)) return;
  const std::optional<std::string> other = rebuild();
  if (!other) return;
  Subject subject(*other, host_threads, {}, inputs);
  if (e.chapter->exchanges) subject.follow_rows();  // before its first run, which evaluate() finds again
  const Target target = subject.target_of(e.chapter->entry);
  const Run whole_run = subject.run(e.chapter->measured, target);
  if (!whole_run.correct()) return;
  const std::string_view compiler = compile::name(e.compile.compiler.kind);
  int line = 0;
  if (std::optional<SplitAccess> split = narrower(e.measured, whole_run)) {
    if (const auto seen = split_access(widths_of(ptx), widths_of(*other)); seen && seen->line == split->line)
      split->merged_with = seen->merged_with;
    e.split = words_of(*split, compiler);
    e.split.line(costs_of(e.measured.counters, whole_run.counters));
    line = split->line;
  } else {
    Subject first(ptx, host_threads, {}, inputs);
    const std::optional<UnguardedLoad> load = unguarded(e.evaluation, first, subject, target);
    if (!load) return;
    e.split = words_of(*load, compiler);
    line = load->line;
  }
  const Evaluation second = evaluate(*e.chapter, subject);
  if (second.right() && second.cases.size() == e.evaluation.cases.size())
    take_what_second_meets(e.evaluation, second);
  explain(e.evaluation, line, e.split);
}

}  // namespace lab::judge

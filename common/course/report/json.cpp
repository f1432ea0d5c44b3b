// Verdicts and counters as JSON, for tools.
#include "common/course/report/json.h"

#include "common/base/project.h"
#include "common/base/text/message_json.h"

namespace lab::report {
namespace {

// A line that was tried, in the form of other fixes.
Json rewrite_json(const judge::RightLine& right) {
  const std::string file = base::shown_path(right.file);
  const Json edit = {{"what", "replace"}, {"file", file}, {"before_line", right.line}, {"code", right.text}};
  return {{"act", "rewrite"}, {"file", file},   {"after_line", 0},  {"before_line", right.line},
          {"in_loop", false}, {"variable", ""}, {"one_edit", true}, {"edits", Json::array({edit})}};
}

Json reason_json(const judge::Reason& reason) {
  Json object = {
      {"code", reason.code}, {"message", reason.message.english()}, {"said", text::json(reason.message)}};
  if (!reason.file.empty()) object["file"] = base::shown_path(reason.file);
  if (reason.line != 0) object["line"] = reason.line;
  if (reason.problem) object["shape"] = {{"rows", reason.problem->rows}, {"cols", reason.problem->cols}};
  if (reason.path) object["op"] = sim::info(*reason.path).key;
  if (reason.right.line != 0)
    object["fix"] = rewrite_json(reason.right);
  else if (reason.fix.act != sim::Fix::Act::None)
    object["fix"] = fix_json(reason.fix);
  object["figures"] = Json::array();
  for (const judge::Figure& f : reason.figures) {
    object["figures"].push_back({{"name", f.name.english()}, {"value", f.value}, {"goal", f.goal}});
  }
  return object;
}

Json case_json(const judge::CaseResult& c, bool earned) {
  Json object = {{"id", c.id},
                 {"name", c.name},
                 {"kind", name(c.kind)},
                 {"passed", c.passed},
                 {"reached", c.reached},
                 {"points", c.passed && earned ? c.points : 0},
                 {"points_possible", c.points}};
  if (!c.left_out.empty()) object["left_out"] = c.left_out.english();
  if (c.by_second_compiler) object["by"] = "builtin";
  object["reason"] = c.reasons.empty() ? "" : c.reasons.front().message.english();
  object["reasons"] = Json::array();
  for (const judge::Reason& reason : c.reasons) object["reasons"].push_back(reason_json(reason));
  return object;
}

// null: no GPU was asked for.
Json gpu_json(const std::optional<judge::GpuFindings>& gpu) {
  if (!gpu) return nullptr;
  Json object = {{"name", gpu->name},     {"made_by", gpu->made_by},           {"alone", gpu->alone},
                 {"shapes", gpu->shapes}, {"problem", gpu->problem.english()}, {"time", nullptr}};
  if (gpu->time && gpu->time->problem.empty()) {
    object["time"] = {{"rows", gpu->timed_problem.rows},
                      {"cols", gpu->timed_problem.cols},
                      {"elem_bytes", gpu->timed_problem.elem_bytes},
                      {"bytes", gpu->timed_bytes},
                      {"time", timed_json(*gpu->time, gpu->timed_bytes)},
                      {"copy", timed_json(*gpu->copy, gpu->timed_bytes)}};
  }
  return object;
}

}  // namespace

Json timed_json(const judge::Timed& timed, std::uint64_t bytes) {
  if (!timed.problem.empty()) return {{"problem", timed.problem.english()}};
  const judge::Spread& s = timed.seconds;
  return {{"problem", ""},
          {"seconds", s.median},
          {"low", s.low},
          {"high", s.high},
          {"least", s.least},
          {"samples", s.samples},
          {"repeats", timed.repeats},
          {"gigabytes_per_second", judge::gigabytes_per_second(bytes, s.median)}};
}

Json check_json(const judge::Examination& e, const std::string& device) {
  Json object = profile_json(e.kernel, device, e.measured);
  // What never ran is not correct, though it has no mismatch either.
  if (!e.compiled || e.load || e.measured.grid.count() == 0 || e.measured.lane_instructions == 0)
    object["correct"] = false;
  object["chapter"] = e.evaluation.chapter;
  object["passed"] = e.passed();
  object["points"] = e.evaluation.points();
  object["points_possible"] = e.evaluation.points_possible();
  object["compile"] = {
      {"ok", e.compiled},
      {"compiler", std::string(name(e.compile.compiler.kind)) + " " + e.compile.compiler.version},
      {"cached", e.compile.cached},
      {"seconds", e.compile.seconds},
      {"log", e.compile_log}};
  object["seconds"] = {{"compile", e.compile.seconds}, {"simulate", e.simulate_seconds}};
  object["gpu"] = gpu_json(e.gpu);
  if (!e.split.empty()) object["split"] = e.split.english();
  object["cases"] = Json::array();
  for (const judge::CaseResult& c : e.evaluation.cases)
    object["cases"].push_back(case_json(c, e.evaluation.earned()));
  return object;
}

}  // namespace lab::report

// Verdicts and counters as JSON, for tools.
#include "common/report/json.h"

#include "common/base/project.h"
#include "common/base/text/message_json.h"

namespace lab::report {
namespace {

// Counters by the names of the space in which they weigh.
Json counters_json(const sim::PathCounters& c, sim::Space weighs) {
  Json json = {{"requests", c.requests}};
  if (weighs == sim::Space::Shared) {
    json.update({{"wavefronts", c.cost}, {"ideal_wavefronts", c.ideal}});
  } else if (weighs == sim::Space::Global) {
    json.update({{"sectors", c.cost}, {"ideal_sectors", c.ideal}});
  }
  json.update({{"active_lanes", c.active_lanes}, {"bytes", c.bytes}});
  return json;
}

Json path_json(const sim::PathCounters& c, const sim::PathInfo& row) {
  return counters_json(c, row.rule == sim::Rule::Link ? sim::Space::Global : row.weighs);
}

Json place(const sim::Dim3& d) { return Json::array({d.x, d.y, d.z}); }

// Faults and counters, of a judge::Run or a device::LaunchOutcome.
template <class Ran>
void add_counted(Json& object, const Ran& ran) {
  object["faults"] = Json::array();
  for (const sim::Fault& fault : ran.faults) object["faults"].push_back(to_json(fault));
  object["counters"] = to_json(ran.counters);
  object["totals"] = totals_json(ran.counters);
  object["lines"] = Json::array();
  for (const sim::LineCounters& line : ran.lines) object["lines"].push_back(to_json(line));
  object["simulated"] = {{"lane_instructions", ran.lane_instructions}, {"seconds", ran.seconds}};
}

Json mismatch_json(const std::optional<judge::Mismatch>& mismatch) {
  if (!mismatch) return nullptr;
  return {{"code", mismatch->code},   {"message", mismatch->message.english()},
          {"batch", mismatch->batch}, {"row", mismatch->row},
          {"col", mismatch->col},     {"wrong_elems", mismatch->wrong_elems}};
}

Json reason_json(const judge::Reason& reason) {
  Json object = {
      {"code", reason.code}, {"message", reason.message.english()}, {"said", text::json(reason.message)}};
  if (!reason.file.empty()) object["file"] = base::shown_path(reason.file);
  if (reason.line != 0) object["line"] = reason.line;
  if (reason.problem) object["shape"] = {{"rows", reason.problem->rows}, {"cols", reason.problem->cols}};
  if (reason.path) object["op"] = sim::info(*reason.path).key;
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

Json to_json(const sim::Counters& c) {
  Json json = Json::object();
  for (const sim::PathInfo& row : sim::kPathTable) json[std::string(row.key)] = path_json(c[row.path], row);
  return json;
}

Json totals_json(const sim::Counters& c) {
  return {{"global", counters_json(c.global_total(), sim::Space::Global)},
          {"shared", counters_json(c.shared_total(), sim::Space::Shared)}};
}

Json as_ptxas_json(const sim::Counters& counters) {
  Json profiler = Json::object();
  for (const sim::PathInfo& row : sim::kPathTable)
    if (!row.metric.empty()) profiler[std::string(row.metric)] = sim::profiler_value(counters, row.path);
  return {
      {"counters", to_json(counters)}, {"totals", totals_json(counters)}, {"profiler", std::move(profiler)}};
}

// The changes that make a fix, in their order.
Json edits_json(const sim::Fix& fix) {
  Json list = Json::array();
  for (const sim::Edit& edit : fix.edits()) {
    Json one{{"what", sim::code(edit.what)}, {"file", base::shown_path(fix.file)}};
    if (edit.after != 0) one["after_line"] = edit.after;
    if (edit.before != 0) one["before_line"] = edit.before;
    if (edit.in_loop) one["in_loop"] = true;
    if (!edit.code.empty()) one["code"] = edit.code;
    if (!edit.variable.empty()) one["variable"] = edit.variable;
    if (edit.bytes != 0) one["bytes"] = edit.bytes;
    list.push_back(std::move(one));
  }
  return list;
}

// What would fix it, null where nothing but the sentence says so.
Json fix_json(const sim::Fix& fix) {
  if (fix.act == sim::Fix::Act::None) return nullptr;
  return {{"act", sim::code(fix.act)},     {"file", base::shown_path(fix.file)},
          {"after_line", fix.after},       {"before_line", fix.before},
          {"in_loop", fix.in_loop},        {"variable", fix.variable},
          {"one_edit", fix.is_one_edit()}, {"edits", edits_json(fix)}};
}

Json to_json(const sim::Fault& fault) {
  return {{"kind", sim::code(fault.kind)},
          {"file", base::shown_path(fault.file)},
          {"line", fault.line},
          {"block", place(fault.block)},
          {"thread", place(fault.thread)},
          {"message", fault.sentence().english()},
          {"said", text::json(fault.sentence())},
          {"fix", fix_json(fault.fix)}};
}

Json to_json(const sim::LineCounters& line) {
  const sim::PathInfo& row = sim::info(line.path);
  Json object = {{"file", base::shown_path(line.file)}, {"line", line.line}, {"op", row.key}};
  object.update(path_json(line.counters[line.path], row));
  return object;
}

Json profile_json(const std::string& kernel, const std::string& device, const judge::Run& run) {
  Json object = {{"kernel", kernel},
                 {"device", device},
                 {"rows", run.problem.rows},
                 {"cols", run.problem.cols},
                 {"elem_bytes", run.problem.elem_bytes},
                 {"grid", place(run.grid)},
                 {"block", place(run.block)},
                 {"shared_bytes", run.shared_bytes},
                 {"correct", run.correct()},
                 {"mismatch", mismatch_json(run.mismatch)}};
  add_counted(object, run);
  return object;
}

Json launch_json(const std::string& kernel, const device::Launch& launch, std::uint32_t static_shared_bytes,
                 const device::LaunchOutcome& outcome) {
  Json object = {{"kernel", kernel},
                 {"device", "simulator"},
                 {"grid", place(launch.grid)},
                 {"block", place(launch.block)},
                 {"shared_bytes", static_shared_bytes + launch.dynamic_shared_bytes}};
  add_counted(object, outcome);
  object["output"] = outcome.output;
  return object;
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
  object["cases"] = Json::array();
  for (const judge::CaseResult& c : e.evaluation.cases)
    object["cases"].push_back(case_json(c, e.evaluation.earned()));
  return object;
}

std::string dump(const Json& json) { return json.dump(); }

}  // namespace lab::report

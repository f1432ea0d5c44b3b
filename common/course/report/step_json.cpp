// A recording as data. The form stands in docs/json.md; the page of `lab step --html` draws it.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "common/base/text/message_json.h"
#include "common/course/report/json.h"
#include "common/course/report/step_words.h"
#include "common/sim/base/kernel_name.h"
#include "common/sim/base/lanes.h"

namespace lab::report {
namespace {

using explore::StepAccess;
using explore::StepRun;

// One value a lane. Where all 32 act and each is so much more than the one before: {"from", "by"}; else a
// list, null for lanes that do not act.
Json lane_row(sim::Mask mask, const std::array<Json, sim::kWarpLanes>& values) {
  const auto number = [](const Json& v) { return v.is_number_integer(); };
  if (mask == sim::kFullMask && std::all_of(values.begin(), values.end(), number)) {
    const auto at = [&](std::size_t lane) { return values[lane].get<std::int64_t>(); };
    const std::int64_t by = at(1) - at(0);
    bool ramp = true;
    for (std::size_t lane = 2; lane < values.size(); ++lane) ramp &= at(lane) - at(lane - 1) == by;
    if (ramp) return {{"from", at(0)}, {"by", by}};
  }
  Json list = Json::array();
  for (std::size_t lane = 0; lane < values.size(); ++lane)
    list.push_back((mask >> lane & 1u) != 0 ? values[lane] : Json(nullptr));
  return list;
}

// An element of `in` by its number.
Json value_json(const StepRun& run, std::span<const std::byte> bytes) {
  if (const auto element = run.element_of(bytes)) return *element;
  return bytes_words(run, bytes);
}

Json values_of_lane(const StepRun& run, const StepAccess& a, std::size_t lane) {
  const auto elem = static_cast<std::size_t>(run.run.problem.elem_bytes);
  const auto all = std::span(a.value).subspan(lane * a.width_bytes, a.width_bytes);
  if (a.width_bytes <= elem || a.width_bytes % elem != 0) return value_json(run, all);
  Json list = Json::array();
  for (std::size_t k = 0; k < a.width_bytes; k += elem) list.push_back(value_json(run, all.subspan(k, elem)));
  return list;
}

// Which array all lanes touch, as a number of `arrays`: 0 in, 1 out, then those in shared memory. -1: none.
int array_number(const StepRun& run, const StepAccess& a) {
  int number = -1;
  for (const std::size_t lane : sim::lanes_of<std::size_t>(a.mask)) {
    const StepRun::Place place = run.place_of(a, lane);
    const int here = place.of == StepRun::Place::In::In       ? 0
                     : place.of == StepRun::Place::In::Out    ? 1
                     : place.of == StepRun::Place::In::Shared ? 2 + static_cast<int>(place.array)
                                                              : -1;
    if (here < 0 || (number >= 0 && here != number)) return -1;
    number = here;
  }
  return number;
}

const char* cost_name(sim::Path path) {
  return sim::info(path).weighs == sim::Space::Shared ? "wavefronts" : "sectors";
}

Json access_json(const StepRun& run, const StepAccess& a) {
  const int array = array_number(run, a);
  std::array<Json, sim::kWarpLanes> offsets, values, before;
  for (const std::size_t lane : sim::lanes_of<std::size_t>(a.mask)) {
    offsets[lane] = array < 0 ? a.address[lane] : run.place_of(a, lane).bytes;
    if (!a.value.empty()) values[lane] = values_of_lane(run, a, lane);
    if (a.before[lane] != explore::kNoStep) before[lane] = a.before[lane];
  }
  Json json = {{"op", sim::info(a.path).key},
               {"array", array},
               {"bytes", a.width_bytes},
               {"lanes", a.mask},
               {"offset", lane_row(a.mask, offsets)}};
  if (!a.value.empty()) json["value"] = lane_row(a.mask, values);
  if (std::any_of(a.before.begin(), a.before.end(), [](std::int32_t s) { return s != explore::kNoStep; }))
    json["before"] = lane_row(a.mask, before);
  if (a.cost.requests != 0) {
    json["requests"] = a.cost.requests;
    if (a.cost.cost != 0) json[cost_name(a.path)] = a.cost.cost;
  }
  if (run.data.blocks.size() > 1) json["block"] = a.block;
  if (const sim::Mask wrong = run.wrong_lanes(a)) json["wrong"] = wrong;
  return json;
}

// Bytes that lie side by side in an array, or in none.
Json span_json(const StepRun& run, const explore::StepSpan& span, sim::Path path) {
  StepAccess access;
  access.path = path, access.mask = 1, access.address[0] = span.low;
  const int array = array_number(run, access);
  Json json = {{"array", array},
               {"offset", array < 0 ? span.low : run.place_of(access, 0).bytes},
               {"bytes", span.bytes}};
  if (run.data.blocks.size() > 1 && path == sim::Path::SharedLoad) json["block"] = span.block;
  if (span.written) json["written"] = true;
  return json;
}

Json copy_json(const StepRun& run, const explore::StepCopy& copy) {
  const auto side = [](sim::Path path, const sim::PathCounters& c) {
    return Json{
        {"op", sim::info(path).key}, {"bytes", c.bytes}, {"requests", c.requests}, {cost_name(path), c.cost}};
  };
  Json json = {{"read", side(copy.read, copy.reads)}, {"written", side(copy.written, copy.writes)}};
  json["spans"] = Json::array();
  for (const explore::StepSpan& span : copy.global)
    json["spans"].push_back(span_json(run, span, sim::Path::GlobalLoad));
  for (const explore::StepSpan& span : copy.shared)
    json["spans"].push_back(span_json(run, span, sim::Path::SharedLoad));
  const bool by_group = copy.barrier == explore::StepCopy::kNoBarrier;
  if (!by_group) json["barrier"] = copy.barrier;
  json[by_group ? "group" : "phase"] = copy.number;
  return json;
}

// Inner scopes come first; one without a value is not computed here.
Json variables_json(const StepRun& run, const explore::WarpStep& step, std::size_t frame) {
  Json all = Json::array();
  for (const explore::ShownVariable& v : shown_variables(run.variables, step.variables)) {
    if (v.part->frame != frame) continue;
    Json one = {{"name", v.part->name}};
    std::array<Json, sim::kWarpLanes> values;
    if (v.part->unwritten) one["unwritten"] = true;
    if (v.known && v.alike) one["value"] = variable_value(run, *v.part, v.bits[0]);
    if (v.known && !v.alike) {
      for (const std::size_t lane : sim::lanes_of<std::size_t>(step.variables.lanes))
        values[lane] = variable_value(run, *v.part, v.bits[lane]);
      one["values"] = lane_row(step.variables.lanes, values);
    }
    all.push_back(std::move(one));
  }
  return all;
}

Json one_step(const StepRun& run, std::size_t number, const std::vector<explore::StepFlight>& way,
              bool is_alone) {
  const explore::WarpStep& step = run.data.steps[number];
  const bool statement = step.what == explore::WarpStep::What::Statement;
  Json json = {{"step", number},
               {"what", statement                                       ? "statement"
                        : step.what == explore::WarpStep::What::Barrier ? "barrier"
                                                                        : "phase"}};
  if (run.data.blocks.size() > 1) json["block"] = step.block;
  if (statement) {
    json.update({{"warp", step.warp},
                 {"line", step.line},
                 {"active", step.acting},
                 {"waiting", step.live & ~step.acting}});
    if (step.called_from != 0) json["called_from"] = step.called_from;
    if (step.arrives) json["arrives"] = true;
  } else if (step.object != 0) {
    json["object"] = step.object;
    if (step.object >= sim::kInShared) json["phase"] = step.phase;
  }
  if (step.variables.stop >= 0) json["variables"] = variables_json(run, step, 0);
  const std::vector<explore::VariableCall> calls = run.calls_of(step);
  for (std::size_t k = 0; k < calls.size(); ++k) {
    if (k == 0) json["callers"] = Json::array();
    Json& inner = k == 0 ? json : json["callers"].at(k - 1);
    if (!calls[k].function.empty()) inner["function"] = calls[k].function;
    Json caller = {{"line", calls[k].line}};
    if (step.variables.stop >= 0) caller["variables"] = variables_json(run, step, k + 1);
    json["callers"].push_back(std::move(caller));
  }
  for (const StepAccess& a : step.accesses) {
    if (json.find("accesses") == nullptr) json["accesses"] = Json::array();
    json["accesses"].push_back(access_json(run, a));
  }
  for (const explore::StepCopy& copy : step.copies) {
    if (json.find("copies") == nullptr) json["copies"] = Json::array();
    json["copies"].push_back(copy_json(run, copy));
  }
  for (const explore::StepFlight& flight : step.landed) {
    if (json.find("landed") == nullptr) json["landed"] = Json::array();
    json["landed"].push_back({flight.step, flight.copy});
  }
  if (is_alone || !step.copies.empty() || !step.landed.empty())
    json["on_their_way"] = way_sentence(run, way).english();
  json["says"] = step_sentence(run, number).english();
  return json;
}

Json arrays_json(const StepRun& run) {
  const judge::Problem& p = run.run.problem;
  Json arrays = Json::array();
  arrays.push_back({{"name", "in"},
                    {"space", "global"},
                    {"elem_bytes", p.elem_bytes},
                    {"extents", {p.rows, p.in_pitch()}}});
  arrays.push_back({{"name", "out"},
                    {"space", "global"},
                    {"elem_bytes", p.elem_bytes},
                    {"extents", {p.cols, p.out_pitch()}}});
  for (const judge::SharedArray& array : run.arrays) {
    Json extents = Json::array();
    for (const std::uint32_t extent : array.extents) extents.push_back(extent);
    arrays.push_back({{"name", sim::short_name(array.name)},
                      {"space", "shared"},
                      {"elem_bytes", array.elem_bytes},
                      {"extents", extents},
                      {"offset", array.offset_bytes},
                      {"bytes", array.size_bytes}});
  }
  return arrays;
}

}  // namespace

Json step_json(const StepRun& run, std::optional<std::size_t> only) {
  const judge::Problem& p = run.run.problem;
  const auto dim = [](const sim::Dim3& d) { return Json::array({d.x, d.y, d.z}); };
  Json json = {{"kernel", run.kernel},
               {"rows", p.rows},
               {"cols", p.cols},
               {"elem_bytes", p.elem_bytes},
               {"grid", dim(run.run.grid)},
               {"block", dim(run.run.block)},
               {"blocks", Json::array()},
               {"correct", run.run.correct()},
               {"complete", !run.data.full},
               {"notes", english(step_notes(run))},
               {"registers", run.variables.are_registers},
               {"choices", Json::array()},
               {"found", Json::array()},
               {"arrays", arrays_json(run)},
               {"source", run.source},
               {"total_steps", run.data.steps.size()},
               {"steps", Json::array()}};
  for (std::uint32_t k = 0; k < run.data.blocks.size(); ++k) json["blocks"].push_back(dim(run.block(k)));
  for (const auto& [step, warp] : run.turns) json["choices"].push_back({{"step", step}, {"warp", warp}});
  for (const explore::StepFound& found : run.found) {
    Json fault = to_json(found.fault);
    fault["step"] = found.step == explore::kNoStep ? Json(nullptr) : Json(found.step);
    json["found"].push_back(fault);
  }
  std::vector<explore::StepFlight> way;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::size_t, Json>> last_callers;  // by warp
  for (std::size_t k = 0; k < run.data.steps.size() && k <= only.value_or(k); ++k) {
    explore::go_on(way, run.data, k);
    if (k < only.value_or(0)) continue;
    Json step = one_step(run, k, way, only.has_value());
    if (step.contains("callers")) {
      // Where nothing in them has changed: the number of the step that has the list.
      auto& [at, callers] = last_callers[{run.data.steps[k].block, run.data.steps[k].warp}];
      if (step["callers"] == callers)
        step["callers"] = at;
      else
        at = k, callers = step["callers"];
    }
    json["steps"].push_back(std::move(step));
  }
  return json;
}

}  // namespace lab::report

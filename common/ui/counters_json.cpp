// Counters and faults as JSON. See counters_json.h.
#include "common/ui/counters_json.h"

#include <utility>

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

}  // namespace

Json place_json(const sim::Dim3& d) { return Json::array({d.x, d.y, d.z}); }

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

namespace {

// The changes that make a fix, in their order.
Json edits_json(const sim::Fix& fix, FileName name) {
  Json list = Json::array();
  for (const sim::Edit& edit : fix.edits()) {
    Json one{{"what", sim::code(edit.what)}, {"file", name(fix.file)}};
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

}  // namespace

Json fix_json(const sim::Fix& fix, FileName name) {
  if (fix.act == sim::Fix::Act::None) return nullptr;
  return {{"act", sim::code(fix.act)},     {"file", name(fix.file)},        {"after_line", fix.after},
          {"before_line", fix.before},     {"in_loop", fix.in_loop},        {"variable", fix.variable},
          {"one_edit", fix.is_one_edit()}, {"edits", edits_json(fix, name)}};
}

Json to_json(const sim::Fault& fault, FileName name) {
  return {{"kind", sim::code(fault.kind)},
          {"file", name(fault.file)},
          {"line", fault.line},
          {"block", place_json(fault.block)},
          {"thread", place_json(fault.thread)},
          {"message", fault.sentence().english()},
          {"said", text::json(fault.sentence())},
          {"fix", fix_json(fault.fix, name)}};
}

Json to_json(const sim::LineCounters& line, FileName name) {
  const sim::PathInfo& row = sim::info(line.path);
  Json object = {{"file", name(line.file)}, {"line", line.line}, {"op", row.key}};
  object.update(path_json(line.counters[line.path], row));
  return object;
}

std::string dump(const Json& json) { return json.dump(); }

}  // namespace lab::report

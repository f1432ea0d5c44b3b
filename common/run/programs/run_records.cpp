// What the runtime library wrote down about each launch, read back. See run_records.h.
#include "common/run/programs/run_records.h"

#include <fstream>

#include "common/base/project.h"
#include "common/gpu/model/modelled.h"
#include "common/run/cudart/run_notes.h"
#include "common/ui/explain.h"

namespace lab::programs {
namespace {

using cudart::RunNote;
using report::Json;

sim::Dim3 dim3(const Json& list) { return {list.at(0), list.at(1), list.at(2)}; }

sim::Counters counters(const Json& list) {
  sim::Counters c;
  std::size_t k = 0;
  for (const sim::PathInfo& row : sim::kPathTable) {
    sim::PathCounters more;
    for (std::uint64_t* value : numbers_of(more)) *value = list.at(k++);
    c[row.path] += more;
  }
  return c;
}

sim::LineCounters line(const Json& list) {
  const std::string key = list.at(2);
  return {list.at(0), list.at(1), sim::path_with_key(key).value_or(sim::Path::GlobalLoad),
          counters(list.at(3))};
}

model::Work work(const Json& list) {
  model::Work w;
  std::size_t k = 0;
  for (std::uint64_t* value : model::numbers_of(w)) *value = list.at(k++);
  return w;
}

model::Prediction prediction(const Json& list) {
  model::Prediction p;
  std::size_t k = 0;
  p.bound = list.at(k++);
  for (double* value : model::numbers_of(p)) *value = list.at(k++);
  return p;
}

LaunchRow launch(const Json& record) {
  LaunchRow row;
  row.kernel = record.at("kernel");
  row.device = record.at("device");
  row.grid = dim3(record.at("grid"));
  row.block = dim3(record.at("block"));
  row.shared_bytes = record.at("shared_bytes");
  row.stopped = record.at("stopped");
  row.counters = counters(record.at("counters"));
  if (record.contains("as_ptxas")) row.as_ptxas = counters(record.at("as_ptxas"));
  if (record.contains("work")) {
    row.work = work(record.at("work"));
    row.predicted = prediction(record.at("predicted"));
  }
  const auto read = [](const Json& f) {
    return RecordedFault{f.at("kind"),  f.at("message"), f.at("file"), f.at("line"),
                         f.at("block"), f.at("thread"),  f.at("said")};
  };
  for (const Json& f : record.at("faults")) row.faults.push_back(read(f));
  if (record.contains("notes")) {
    for (const Json& f : record.at("notes")) row.notes.push_back(read(f));
  }
  if (record.contains("lines")) {
    for (const Json& l : record.at("lines")) row.lines.push_back(line(l));
  }
  return row;
}

RecordedFault found(const Json& record) {
  RecordedFault made;
  made.kind = record.at("found");
  made.message = record.at("message");
  made.said = record.at("said");
  made.file = record.at("place");
  const std::size_t colon = std::min(made.file.rfind(':'), made.file.size());
  made.line = std::atoi(made.file.c_str() + std::min(colon + 1, made.file.size()));
  made.file.resize(colon);
  return made;
}

void note(RunRecords& records, const Json& record) {
  const std::optional<RunNote> what = cudart::run_note_named(record.at("note").get<std::string>());
  if (!what) return;
  const Json& numbers = record.at("numbers");
  switch (*what) {
    case RunNote::MostLaunches:
      records.was_ended = true;
      return;
    case RunNote::Repeats:
      ++records.repeated;
      return;
    case RunNote::Times:
      records.used_times = true;
      return;
    case RunNote::Textures:
      records.used_textures = true;
      return;
    case RunNote::SawFault:
      records.saw_fault = true;
      return;
    case RunNote::Library:
      ++records.library_calls[record.at("of")];
      return;
    case RunNote::Link:
    case RunNote::Staged:
      records.crossed[{*what == RunNote::Link, numbers.at(0), numbers.at(1)}] +=
          numbers.at(2).get<std::uint64_t>();
      return;
  }
}

}  // namespace

RunRecords read_records(const std::filesystem::path& file) {
  std::ifstream in(file);
  return read_records(in);
}

RunRecords read_records(std::istream& in) {
  RunRecords records;
  for (std::string text; std::getline(in, text);) {
    const Json record = Json::try_parse(text).value_or(nullptr);
    if (!record.is_object()) continue;  // cut off when the program was killed
    try {
      if (record.contains("note")) {
        note(records, record);
      } else if (record.contains("found")) {
        records.found.push_back(found(record));
      } else {
        records.launches.push_back(launch(record));
      }
    } catch (const Json::exception&) {  // the program itself can write into the file: no record of ours
      continue;
    }
  }
  return records;
}

report::Json records_json(const RunRecords& records) {
  Json list = Json::array();
  for (const LaunchRow& row : records.launches) {
    Json faults = Json::array();
    for (const RecordedFault& f : row.faults) {
      faults.push_back({{"kind", f.kind},
                        {"file", base::shown_path(f.file)},
                        {"line", f.line},
                        {"block", f.block},
                        {"thread", f.thread},
                        {"message", f.message},
                        {"said", f.said},
                        {"remedy", report::remedy_for(f.kind, report::KernelOf::Any)}});
    }
    Json notes = Json::array();
    for (const RecordedFault& n : row.notes)
      notes.push_back(
          {{"file", base::shown_path(n.file)}, {"line", n.line}, {"message", n.message}, {"said", n.said}});
    Json object = {{"kernel", row.kernel},
                   {"device", row.device},
                   {"grid", {row.grid.x, row.grid.y, row.grid.z}},
                   {"block", {row.block.x, row.block.y, row.block.z}},
                   {"shared_bytes", row.shared_bytes},
                   {"counters", report::to_json(row.counters)},
                   {"totals", report::totals_json(row.counters)},
                   {"faults", std::move(faults)},
                   {"notes", std::move(notes)},
                   {"stopped", row.stopped}};
    if (!row.lines.empty()) {
      Json lines = Json::array();
      for (const sim::LineCounters& one : row.lines) lines.push_back(report::to_json(one));
      object["lines"] = std::move(lines);
    }
    if (row.as_ptxas) object["as_ptxas"] = report::as_ptxas_json(*row.as_ptxas);
    if (row.work) object["modelled"] = report::modelled_json(*row.work, row.predicted);
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace lab::programs

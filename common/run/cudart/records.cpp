// What each launch did, written down as it happens. See records.h.
//
// Written by hand and not through a JSON library: this runs once a launch, and programs launch a hundred
// thousand times.
#include "common/run/cudart/records.h"
#include "common/run/cudart/request.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

namespace lab::cudart {
namespace {

void add_number(std::string& out, std::uint64_t value) { out += std::to_string(value); }

void add(std::string& out, const char* json) { out += json; }
void add(std::string& out, std::uint64_t value) { add_number(out, value); }
void add(std::string& out, std::string_view text);
void add(std::string& out, const sim::Dim3& d);
void add(std::string& out, const sim::Counters& counters);
// Literals are JSON, other text is quoted.
template <class... Parts>
void put(std::string& out, const Parts&... parts) {
  (add(out, parts), ...);
}

void add(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void add(std::string& out, const sim::Dim3& d) { put(out, "[", d.x, ",", d.y, ",", d.z, "]"); }

void add(std::string& out, const sim::Counters& counters) {
  out += '[';
  for (const sim::PathInfo& row : sim::kPathTable) {
    const sim::PathCounters c = counters[row.path];
    for (const std::uint64_t* value : numbers_of(c)) {
      if (out.back() != '[') out += ',';
      add_number(out, *value);
    }
  }
  out += ']';
}

void add_fault(std::string& out, const sim::Fault& fault) {
  put(out, "{\"kind\":", sim::code(fault.kind), ",\"message\":", fault.sentence().english(),
      ",\"said\":", text::json_of(fault.sentence()).c_str(), ",\"file\":", fault.file,
      ",\"line\":", fault.line, ",\"block\":", fault.block, ",\"thread\":", fault.thread, "}");
}

void add_modelled(std::string& out, const model::Work& work, const model::Prediction& predicted) {
  out += ",\"work\":[";
  for (const std::uint64_t* value : model::numbers_of(work)) {
    if (out.back() != '[') out += ',';
    add_number(out, *value);
  }
  put(out, "],\"predicted\":[", predicted.bound);
  for (const double* value : model::numbers_of(predicted)) {
    char text[32];
    std::snprintf(text, sizeof text, ",%.9e", *value);
    out += text;
  }
  out += ']';
}

template <class List, class Add>
void add_list(std::string& out, const char* key, const List& list, const Add& add) {
  put(out, ",\"", key, "\":[");
  bool first = true;
  for (const auto& entry : list) {
    if (!first) out += ',';
    first = false;
    add(out, entry);
  }
  out += ']';
}

void add_line(std::string& out, const sim::LineCounters& line) {
  put(out, "[", line.file, ",", line.line, ",", sim::info(line.path).key, ",", line.counters, "]");
}

}  // namespace

Records::Records() {
  if (request().records.empty()) return;
  file_ = ::open(request().records.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  lines_ = request().lines;
  as_ptxas_ = request().as_ptxas;
  time_ = request().time;
}

void Records::write(const std::string& line) const {
  // One write a record: the lines of a program and its forked children do not mix.
  if (::write(file_, line.data(), line.size()) < 0) return;
}

void Records::add(const LaunchRecord& record) {
  if (file_ < 0) return;
  std::string out = "{\"kernel\":";
  out.reserve(1024);
  put(out, record.kernel, ",\"device\":", record.device, ",\"grid\":", record.grid,
      ",\"block\":", record.block, ",\"shared_bytes\":", record.shared_bytes,
      ",\"counters\":", record.result == nullptr ? sim::Counters{} : record.result->counters);
  if (as_ptxas_) put(out, ",\"as_ptxas\":", record.as_ptxas.value_or(sim::Counters{}));
  if (record.work) add_modelled(out, *record.work, record.predicted);
  out += record.stopped ? ",\"stopped\":true" : ",\"stopped\":false";
  add_list(out, "faults", record.faults, add_fault);
  if (record.result != nullptr && !record.result->notes.empty())
    add_list(out, "notes", record.result->notes, add_fault);
  if (lines_ && record.result != nullptr) add_list(out, "lines", record.result->lines, add_line);
  out += "}\n";
  write(out);
}

void Records::found(std::string_view kind, const Message& words, const std::string& place) {
  if (file_ < 0) return;
  std::string out;
  put(out, "{\"found\":", kind, ",\"message\":", words.english(), ",\"said\":", text::json_of(words).c_str(),
      ",\"place\":", place, "}\n");
  write(out);
}

void Records::note(RunNote what, std::string_view of, std::initializer_list<std::uint64_t> numbers) {
  if (file_ < 0) return;
  std::string out;
  put(out, "{\"note\":", name(what), ",\"of\":", of);
  add_list(out, "numbers", numbers, add_number);
  out += "}\n";
  write(out);
}

}  // namespace lab::cudart

// Watching a run. See watched.h.
#include "common/course/judge/watched.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::judge {
namespace {

class Blind final : public sim::Observer {
 public:
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override { return std::make_unique<Blind>(); }
};

}  // namespace

std::vector<sim::RecordedAccess> Watched::on_line(int line) const {
  std::vector<sim::RecordedAccess> found;
  std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(found),
               [&](const sim::RecordedAccess& a) { return places.at(a.pc).line == line; });
  return found;
}

// The prototype sees the program; the threads' copies have nothing to add.
std::unique_ptr<sim::Observer> Watch::Sources::clone() const { return std::make_unique<Blind>(); }

void Watch::Sources::launch_begin(const sim::LaunchInfo& info) {
  places.clear();
  for (std::uint32_t pc = 0; pc < info.program->instruction_count(); ++pc) {
    const sim::InstSource source = info.program->source(pc);
    places.push_back({std::string(source.file), source.line});
  }
  arrays.clear();
  for (const sim::SharedVariable& v : info.program->data().shared_variables)
    arrays.emplace_back(v.name, v.offset_bytes, v.size_bytes);
  const std::uint32_t fixed = info.program->static_shared_bytes();
  if (info.shared_bytes > fixed)
    arrays.emplace_back("dynamic shared memory", fixed, info.shared_bytes - fixed);
}

Watch::Watch() : recorder_({.lines = {}, .requests_per_instruction = kRequestsKept}) {}

Watched Watch::seen() {
  std::set<std::string> files;
  for (const Watched::Place& place : sources_.places) files.insert(place.file);
  for (const std::string& file : files) {
    const std::vector<DeclaredArray> declared = declared_in(file);
    for (SharedArray& array : sources_.arrays) take_declaration(array, declared);
  }
  return {recorder_.recorded(), std::move(sources_.places), std::move(sources_.arrays)};
}

}  // namespace lab::judge

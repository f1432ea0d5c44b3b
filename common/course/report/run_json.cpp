// Runs and their counters as JSON: the part of json.h that the ladder prints too.
#include "common/course/report/json.h"

namespace lab::report {
namespace {

Json mismatch_json(const std::optional<judge::Mismatch>& mismatch) {
  if (!mismatch) return nullptr;
  return {{"code", mismatch->code},   {"message", mismatch->message.english()},
          {"batch", mismatch->batch}, {"row", mismatch->row},
          {"col", mismatch->col},     {"wrong_elems", mismatch->wrong_elems}};
}

}  // namespace

Json profile_json(const std::string& kernel, const std::string& device, const judge::Run& run) {
  Json object = {{"kernel", kernel},
                 {"device", device},
                 {"rows", run.problem.rows},
                 {"cols", run.problem.cols},
                 {"elem_bytes", run.problem.elem_bytes},
                 {"grid", place_json(run.grid)},
                 {"block", place_json(run.block)},
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
                 {"grid", place_json(launch.grid)},
                 {"block", place_json(launch.block)},
                 {"shared_bytes", static_shared_bytes + launch.dynamic_shared_bytes}};
  add_counted(object, outcome);
  object["output"] = outcome.output;
  return object;
}

}  // namespace lab::report

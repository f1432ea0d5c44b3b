// Reading requests. See dap_request.h.
#include "common/course/commands/dap_request.h"

#include <algorithm>

#include "common/base/errors.h"
#include "common/course/commands/kernel_options.h"

namespace lab::cli {

using base::UsageError;

constexpr std::int64_t kMostElemBytes = 16;  // what lies beyond is refused as this and one more

const Json* DapRequest::find(std::string_view key) const {
  const Json* value = arguments.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string DapRequest::text(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return "";
  if (!value->is_string()) throw UsageError(msg("`{}` of this request is a text.", std::string(key)));
  return *value;
}

std::int64_t DapRequest::number(std::string_view key, std::int64_t otherwise) const {
  const Json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_number_integer())
    throw UsageError(msg("`{}` of this request is a whole number.", std::string(key)));
  return *value;
}

bool DapRequest::flag(std::string_view key, bool otherwise) const {
  const Json* value = find(key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) throw UsageError(msg("`{}` of this request is true or false.", std::string(key)));
  return *value;
}

std::vector<Json> DapRequest::list(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_array()) throw UsageError(msg("`{}` of this request is a list.", std::string(key)));
  return {value->begin(), value->end()};
}

explore::StepChoice DapRequest::choice() const {
  const std::string program = text("program"), chapter = text("chapter");
  if (program.empty() && chapter.empty())
    throw UsageError("`launch` names a kernel: `program`, a file, or `chapter`.");
  explore::StepChoice choice;
  choice.kernel.name = chapter.empty() ? program : chapter;
  choice.kernel.kernel = chapter.empty() ? "" : program;
  choice.kernel.solution = flag("solution", false);
  choice.kernel.entry = text("entry");
  LaunchOptions launch;
  launch.rows_given = find("rows") != nullptr;
  launch.cols_given = find("cols") != nullptr;
  launch.rows = number("rows", launch.rows);
  launch.cols = number("cols", launch.cols);
  if (launch.rows_given || launch.cols_given) choice.kernel.problem = problem_of(launch, {64, 48});
  choice.shape = {text("block"), text("tile"),
                  static_cast<int>(std::clamp<std::int64_t>(number("elemBytes", 0), -1, kMostElemBytes + 1))};
  choice.at = text("at");
  choice.turns = explore::turns_named(text("choose"));
  return choice;
}

}  // namespace lab::cli

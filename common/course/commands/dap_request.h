// Arguments of a debugger's request, read by type.
//
// Enters: JSON that anyone may have written. Leaves: texts, numbers, a choice of what to record. Throws UsageError
// where a value is of another type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/course/explore/step_run.h"

namespace lab::cli {

using base::Json;

struct DapRequest {
  const Json& arguments;

  [[nodiscard]] const Json* find(std::string_view key) const;  // null: not said
  [[nodiscard]] std::string text(std::string_view key) const;  // "": not said
  [[nodiscard]] std::int64_t number(std::string_view key, std::int64_t otherwise) const;
  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const;
  [[nodiscard]] std::vector<Json> list(std::string_view key) const;  // empty: not said
  // Which kernel, matrix and block `launch` names.
  [[nodiscard]] explore::StepChoice choice() const;
};

}  // namespace lab::cli

// A fix that a finding carries, applied to the source of its kernel.
#pragma once

#include <optional>
#include <string>

#include "common/sim/base/fault.h"

namespace lab::test {

// The changed text, with its lines where they were; none where the fix needs a person, or a statement must be
// split first.
[[nodiscard]] std::optional<std::string> with_fix(const std::string& source, const sim::Fix& fix);

}  // namespace lab::test

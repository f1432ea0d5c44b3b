// Edits that a finding carries, made in the source of its kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/sim/base/fix.h"

namespace lab::test {

// The changed text, with its lines where they were; none where an edit does not fit the way it is written.
// A second launch is a second kernel in it, `kernel_then`.
[[nodiscard]] std::optional<std::string> with_edits(const std::string& source,
                                                    const std::vector<sim::Edit>& edits);

}  // namespace lab::test

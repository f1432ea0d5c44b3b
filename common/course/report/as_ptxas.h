// The two columns of counters side by side: the accesses of the PTX, and those that `ptxas` makes of them.
//
// Enters: both. Leaves: a table with a row for each counter of a profiler that is not zero in both.
#pragma once

#include <string>

#include "common/sim/observe/counters.h"
#include "common/ui/style.h"

namespace lab::report {

[[nodiscard]] std::string as_ptxas_table(const sim::Counters& written, const sim::Counters& made,
                                         const Style& style);

}  // namespace lab::report

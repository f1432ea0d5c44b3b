// Shapes and blocks for which a kernel decides otherwise than nearly everywhere, branch or not.
//
// Enters: a kernel's module and name, its launch shape, the key. Leaves: places to try. What follows from shape and block alone is
// computed for some thousand drawn places; where a decision goes one way at few of them, or where an equality can be
// solved for a side or a block, those are tried; so is where it goes as it does on no shape of which everything is asked.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/course/judge/input_key.h"
#include "common/course/judge/problem.h"
#include "common/course/judge/run.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::judge {

struct RareChoice {
  Problem problem;
  std::int64_t x = 0, y = 0;  // of a block
  bool by_block = false;      // false: it follows from the shape alone
};
// `again`: of a further kernel of the file, which is looked at less closely.
[[nodiscard]] std::vector<RareChoice> rare_choices(const sim::ptx::Module& module, std::string_view entry,
                                                   const LaunchShape& shape, const Problem& like,
                                                   int row_bytes, const InputKey& key,
                                                   const std::vector<Problem>& asked, bool again = false);

}  // namespace lab::judge

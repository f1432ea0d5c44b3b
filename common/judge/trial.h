// One problem on one device: what Subject asks for again and again.
//
// Enters: a loaded kernel, its launch shape, a problem. Leaves: a Run (judge_on, declared in subject.h), and
// the fault of a launch that cannot be.
#pragma once

#include <string>

#include "common/judge/subject.h"

namespace lab::judge {

// A launch that cannot be.
[[nodiscard]] sim::Fault launch_fault(std::string message);

}  // namespace lab::judge

// One problem on one device: what Subject asks for again and again.
//
// Enters: a loaded kernel, its launch shape, a problem. Leaves: a Run (judge_on, declared in subject.h), and
// two small things that Subject needs as well.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/judge/subject.h"

namespace lab::judge {

// A launch that cannot be.
[[nodiscard]] sim::Fault launch_fault(std::string message);
// The kernel's parameters as the target wants them. Throws SignatureError.
[[nodiscard]] std::vector<std::byte> pack(Arguments& arguments, const Target& target);

}  // namespace lab::judge

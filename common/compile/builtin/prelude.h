// What CUDA declares before the first line of a kernel, and headers of the CUDA Toolkit: written in CUDA C++
// itself.
#pragma once

#include <optional>
#include <string>

namespace lab::cucc {

// Vector types, and functions that are one instruction or a few.
[[nodiscard]] const std::string& prelude();
// Text of <cooperative_groups.h> and its like; none: the header is not one of these.
[[nodiscard]] std::optional<std::string> toolkit_header(const std::string& name);

}  // namespace lab::cucc

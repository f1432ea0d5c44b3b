// What to do when nvcc refuses a program that `lab run` was given.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace lab::programs {

// Libraries of the toolkit that ours stand in for, asked for or not; the linker takes those that the program needs.
inline constexpr std::array<std::string_view, 8> kOwnLibraries{"cuda",   "nvrtc", "cublas",   "cublasLt",
                                                               "curand", "cufft", "cusparse", "cusolver"};

// Whether the log complains of a name that an older CUDA had: common/run/cudart/older_cuda.h then has it.
[[nodiscard]] bool misses_older_names(std::string_view log);

// Why a library of the toolkit cannot be linked, by the linker's flag: "-lcudnn"; "" for any other.
[[nodiscard]] std::string library_refusal(std::string_view flag);

// A sentence on what is missing and the fix, for what the simulator cannot have; "" when the compiler's own
// words say all.
[[nodiscard]] std::string hint_for(std::string_view log);

}  // namespace lab::programs

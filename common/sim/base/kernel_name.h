// The names of kernels and variables, as C++ writes them.
//
// Enters: a symbol of PTX, or the name that it stands for. Leaves: a name for people.
#pragma once

#include <string>

namespace lab::sim {

// "transpose(float*, float const*, int)" for a mangled name; others as they are.
[[nodiscard]] std::string demangled(const std::string& symbol);
// "transpose<…>" for "void transpose<Tile<32>, …>(float*, …)": without parameters; long ones without the
// arguments of templates and without what names their room, as far as kWidestName characters want it.
constexpr std::size_t kWidestName = 48;
[[nodiscard]] std::string short_kernel_name(const std::string& name);
// "tile" of `_ZZ9transposeE4tile` or `transpose::tile`: a variable.
[[nodiscard]] std::string short_name(const std::string& symbol);
// For a message: the whole name where it is no longer than a line.
[[nodiscard]] std::string kernel_name_for_message(const std::string& name);

}  // namespace lab::sim

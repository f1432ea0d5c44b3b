// How a kernel is written, in a form that renaming leaves as it is.
//
// Enters: a kernel file's text. Leaves: fingerprints of its runs of eight tokens. Comments, directives, launch
// shape, types and casts are left out; every name but CUDA's own is the same token, and so is every number. So
// other names, types, constants, block shapes and templates change little, and the order of statements, the
// form of conditions and of index arithmetic remain: what one person chooses and two people rarely choose alike.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lab::grade {

using WrittenPrints = std::vector<std::uint64_t>;  // sorted, each once
[[nodiscard]] WrittenPrints written(std::string_view source);

// The part of the smaller one's prints that both have: 0 to 1. A kernel of which hardly anything is left,
// once what everybody has was taken away, counts as if more were left.
[[nodiscard]] double written_alike(const WrittenPrints& a, const WrittenPrints& b);

}  // namespace lab::grade

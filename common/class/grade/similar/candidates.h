// Which kernels of a large class are worth comparing.
//
// Enters: a list of fingerprints for each. Leaves: pairs that have one in common, each once. A fingerprint
// that many have joins each with the next `kNeighbours` of them alone, so that time grows with the class and
// not with its square. Up to kNeighbours + 1 kernels every pair that shares anything is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace lab::grade {

inline constexpr std::size_t kNeighbours = 400;

// Calls body(a, b) with a < b, sorted by a.
void for_each_candidate(const std::vector<std::vector<std::uint64_t>>& prints,
                        const std::function<void(std::size_t, std::size_t)>& body);

}  // namespace lab::grade

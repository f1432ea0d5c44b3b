// Matrices that the key draws and whose last tiles are cut off: what holds for multiples of a tile alone, or
// for small matrices alone, is no idea.
//
// Enters: a Check whose measured shapes have been asked. Leaves: statements of that Check.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/chapters/course_checks.h"

namespace lab::course {

// A matrix that ends a little behind its last whole tiles; its rows are whole sectors, but for odd_cut_off.
struct CutOff {
  judge::Problem problem;
  std::uint64_t inside = 0, edge = 0;  // elements, of tiles that are whole, and of the others
  std::uint64_t eighths = 9;           // of the least inside
};

// Sides of whole tiles are multiples of this.
[[nodiscard]] std::int64_t step_of(int tile, std::int64_t least);

// Two of them, with elements and GPUs as the chapter's: one about as wide as high, and a strip that is longer
// than the shapes that everybody knows. Sides are multiples of the kernel's own tile where that is a larger
// power of two, and some sectors.
[[nodiscard]] std::vector<CutOff> cut_off(judge::Check& check, const judge::Target& target = {});
// The same, the first hardly larger than a tile: for files with many kernels.
[[nodiscard]] std::vector<CutOff> small_cut_off(judge::Check& check, const judge::Target& target);
// Hardly larger than a tile, and its rows start anywhere.
[[nodiscard]] CutOff odd_cut_off(judge::Check& check, const judge::Target& target);
[[nodiscard]] Message why_cut_off(const CutOff& matrix);

// An eighth more inside, twice as much where rows start anywhere, and one access for each element at the
// edges, each way.
[[nodiscard]] std::uint64_t most_when_cut_off(const CutOff& matrix, std::uint64_t for_32_elems);

// Sectors of both sides for 32 elements, an eighth more, and any cost at the edges.
inline constexpr std::uint64_t kBothWays = 8;
void few_sectors_when_cut_off(judge::Check& check, const std::vector<CutOff>& matrices,
                              std::uint64_t for_32_elems, const judge::Target& target = {});

}  // namespace lab::course

// Matrices too large to be run as a whole, of which some blocks run: what these cost for each element is what
// the blocks of a measured shape cost. A kernel that is good where it is measured alone has no idea.
//
// Enters: a Check whose measured shapes have been asked. Leaves: statements of that Check.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/chapters/course_checks.h"

namespace lab::course {

// Where a matrix ends that is no multiple of tiles: with a sector, or the longer one anywhere.
enum class Ends : std::uint8_t { WithSectors, Anywhere };

// Long both ways, 640 to 4,224 elements: multiples of the kernel's tiles, and others that end a little behind
// them. One of each is longer than 2,048.
[[nodiscard]] std::vector<judge::LargeProblem> large_shapes(judge::Check& check, const judge::Target& target,
                                                            Ends ends = Ends::WithSectors);

// One of those that are multiples of tiles, and one of the others: for observers of their own.
template <class Goal>
void on_two_large(judge::Check& check, const Goal& goal) {
  const std::vector<judge::LargeProblem> shapes = large_shapes(check, {});
  const std::size_t longer = shapes.size() < 4 ? 0 : check.subject().input_key().draw({0x74776f}) % 2;
  for (const std::size_t k : {2 * longer, 3 - 2 * longer})
    if (check.passing() && k < shapes.size()) goal(shapes[k]);
}

// Right there; requests, sectors, wavefronts and instructions as on `measured`, an eighth more (of
// instructions a quarter), and any cost for an element in tiles that are cut off; no less of what goes
// through shared memory, through the cluster, by asynchronous copies and by matrix instructions.
// Of each other element type one that is a multiple of tiles and longer than 2,048.
void types_as_good_when_large(judge::Check& check, judge::Target (*target_of)(int elem_bytes));
void as_good_when_large(judge::Check& check, Ends ends = Ends::WithSectors);
void as_good_when_large(judge::Check& check, const std::vector<judge::LargeProblem>& shapes,
                        const judge::Run& measured, const judge::Target& target);

}  // namespace lab::course

// What holds on every shape: the same questions, asked wherever the key has drawn one (sample_shapes.cpp).
//
// Enters: a Check, and what an element may cost in its chapter. Leaves: statements of that Check. Bounds are
// absolute: they follow from shape, element and tile before anything runs, and never from what the kernel
// itself asks for (docs/trust.md has the formulas).
#pragma once

#include <algorithm>
#include <cstdint>

#include "tests/chapters/course_checks.h"

namespace lab::course {

// How the rows of both matrices start, by the one that starts worse; rows that end inside of 16 bytes start
// anywhere too.
enum class Rows : std::uint8_t { WithSectors, With16Bytes, Anywhere };
[[nodiscard]] Rows rows_of(const judge::Problem& problem);

// What carries every element that lies in whole tiles, besides loads and stores.
enum class Carrier : std::uint8_t { Any, AsyncCopies, Matrices, Cluster };

// Eighths of the least that the bytes take, by Rows. 0: not asked. `whole`: in whole tiles, where rows start
// with sectors. There nothing differs from the measured shapes, so this is what their goals allow: no less,
// or what they let pass would count as shown there; and no more, or a kernel could be good there alone.
struct Eighths {
  std::uint64_t with_sectors = 9, with_16_bytes = 12, anywhere = 16, whole = 8;
  [[nodiscard]] std::uint64_t of(Rows rows) const {
    return rows == Rows::WithSectors ? with_sectors : rows == Rows::With16Bytes ? with_16_bytes : anywhere;
  }
  [[nodiscard]] std::uint64_t of_whole(Rows rows) const {
    return rows == Rows::WithSectors ? std::min(whole, with_sectors) : of(rows);
  }
};

struct Cost {
  Eighths sectors{};              // each way
  Eighths both_sectors{0, 0, 0};  // of both ways together, where a way may cost more and the other less
  std::uint64_t lane_bytes = 4;   // of a lane, where rows start on 16 bytes; no less than an element
  // Eighths of what these lanes need; 8 in whole tiles, where a goal counts them on measured shapes.
  std::uint64_t requests = 10;
  bool edges_apart = false;        // tiles that are cut off may go element by element, an access for each
  bool tile = true;                // elements are exchanged in shared memory
  bool every_word = false;         // and no word between them is left out
  Eighths wavefronts{10, 10, 12};  // both ways together
  bool whole_tiles = false;        // what lies outside of the matrix is copied as well
  Carrier carrier = Carrier::Any;
};

enum class Ask : std::uint8_t { Global, Shared, All };

void everywhere(judge::Check& check, const Cost& cost, Ask ask, const judge::Target& target = {});
// Asks each type of other elements on a part of its shapes.
void everywhere_by_type(judge::Check& check, const Cost& cost, Ask ask,
                        judge::Target (*target_of)(int elem_bytes));

// Bounds that the measured shape is above, where its own goals name that: these are not asked again.
using Shown = unsigned;
[[nodiscard]] Shown shown_on_measured(judge::Check& check, const Cost& cost);
// One shape: for chapters whose matrices have pitches, or several GPUs.
void ask_everything(judge::Check& check, const Cost& cost, Ask ask, const judge::Run& run, Shown shown);

// The drawn shapes of this chapter; the rows of some chapters are multiples of 16 bytes.
[[nodiscard]] std::vector<judge::Problem> shapes_everywhere(judge::Check& check, int elem_bytes = 0,
                                                            const judge::Target& target = {});

// Some of them, run whole once more for an observer: sides of `least_side` or more, few elements.
[[nodiscard]] std::vector<judge::Problem> a_few_everywhere(judge::Check& check, std::int64_t least_side);

}  // namespace lab::course

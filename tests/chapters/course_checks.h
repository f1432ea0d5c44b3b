// What several chapters ask: right beyond 32-bit indices, element types, bounds on sectors.
//
// Enters: a Check, or sizes. Leaves: statements of that Check, or numbers that goals compare with.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <vector>

#include "common/course/judge/chapter_list.h"
#include "common/course/judge/checks.h"

namespace lab::course {

// The chapter's threads exchange elements through shared memory: ChapterInfo::exchanges.
inline judge::ChapterInfo exchanging(judge::ChapterInfo chapter) {
  chapter.exchanges = true;
  return chapter;
}

// A lane moves 16 bytes at once: ChapterInfo::most_instructions.
inline judge::ChapterInfo wide(judge::ChapterInfo chapter) {
  chapter.most_instructions = 64;
  chapter.most_instructions_of_narrow = 32;  // right kernels take 8 to 14
  return chapter;
}

// Elements of a run, and the requests that move each once: 32 lanes with one float each, or with four.
inline std::uint64_t elems(const judge::Run& run) {
  return static_cast<std::uint64_t>(run.problem.batch * run.problem.rows * run.problem.cols);
}
inline std::uint64_t scalar_requests(const judge::Run& run) { return elems(run) / 32; }
inline std::uint64_t vector_requests(const judge::Run& run) { return elems(run) / (32 * 4); }
// Sectors of floats, one way: 8 in a sector.
inline std::uint64_t ideal_sectors(const judge::Run& run) { return elems(run) / 8; }

// Asks the same of every measured shape, and stops at the first that fails.
template <class Goal>
void on_measured(judge::Check& check, const Goal& goal) {
  for (const judge::Run* run : check.measured_runs()) {
    goal(*run);
    if (!check.passing()) return;
  }
}

// The same asked of each element type on its measured shapes, until one fails. The square of the floats says
// what the squares of the others do: of these the shapes that the key draws are asked, and the square when
// one of them fails, since it is reported first. The last and smallest is watched element by element
// in the run that counts it.
inline constexpr int kTypeBytes[] = {1, 2, 4, 8, 16};
template <class Goal>
void on_every_type(judge::Check& check, judge::Target (*target_of)(int elem_bytes), const Goal& goal) {
  for (const int bytes : kTypeBytes) {
    const judge::Target target = target_of(bytes);
    const judge::Problem square{.rows = 1024, .cols = 1024, .elem_bytes = bytes};
    const std::vector<judge::Problem> shapes = check.subject().measured_shapes(square, target.entry);
    const auto ask_from = [&](std::size_t k) {
      (void)check.subject().exchange(shapes.back(), target);
      for (; k < shapes.size() && check.passing(); ++k)
        goal(check.subject().run(shapes[k], target), msg("This is a matrix of {}-byte elements.", bytes));
    };
    if (bytes != 4 && shapes.size() > 1 && check.holds([&] { ask_from(1); })) continue;
    ask_from(0);
    if (!check.passing()) return;
  }
}
// Elements of every type pass through shared memory from thread to thread.
void exchanged_by_type(judge::Check& check, judge::Target (*target_of)(int elem_bytes));

// Reads follow the rows of `in`, and writes those of `out`: Check::rows_both_ways.
void rows_on_measured(judge::Check& check);

// Nothing moves on other paths: with both ways at their least, the total of all paths is their sum.
void whole_sectors(judge::Check& check, const judge::Run& run, const Message& why = {});

// Elements go by loads and stores. Atomics are for flags and counters: a sixteenth of the elements' bytes at
// most; those of a warp on one shared word are left out.
void few_atomics(judge::Check& check, const judge::Run& run);

// Right on a matrix of more than 2^32 elements, in a strip of it: only some of its tiles are run, on memory
// that is never filled, so it costs nothing. Rows of `in` are long in one problem, rows of `out` in the
// other.
void right_beyond_32_bits(judge::Check& check, const judge::Target& target = {});
// Right on a matrix of nearly 2^31 elements at most, as far as drawn blocks show it.
void right_on_long(judge::Check& check, const judge::Target& target);

// Sectors of both sides together against a bound. The worse side is blamed.
void sectors_both_ways_at_most(judge::Check& check, const judge::Run& run, std::uint64_t bound,
                               const Message& why);

extern const char* const kAllPaths;   // why a total is bounded
extern const char* const kWholeRows;  // why lanes stand side by side

// Cost a request, rounded to whole numbers, for predictions.
std::uint64_t sectors_per_request(const sim::PathCounters& counters);
std::uint64_t wavefronts_per_request(const sim::PathCounters& counters);

// For further element types of a kernel that every_shape() has judged: sides around 4, 8, 16, 32 and 64, and
// the awkward ones.
std::vector<judge::Problem> typed_shapes(int elem_bytes);
// One in four of these shapes, another one for each type but floats, so that together they try them all.
void right_on_typed_shapes(judge::Check& check, int elem_bytes);
std::vector<judge::Problem> smaller_awkward_shapes(int elem_bytes);

// "transpose_u8" for 1, …; elements of `bytes` bytes. With pitches: out, in, rows, cols, out_pitch, in_pitch.
judge::Target typed_target(int elem_bytes);
judge::Target pitched_target(int elem_bytes);

// The fewest sectors for a matrix of rows × cols elements in memory, when each request covers up to
// `request_elems` neighbours of one row: runs are cut at multiples of `request_elems` columns, and each run
// costs the sectors that it touches. For one matrix that starts on a sector; `pitch` elements from row to
// row.
std::uint64_t sectors_of_rows(std::int64_t rows, std::int64_t cols, std::int64_t pitch, int elem_bytes,
                              int request_elems);

}  // namespace lab::course

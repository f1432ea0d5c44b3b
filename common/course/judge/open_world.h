// What CUDA leaves open in a launch, drawn by the key as shapes and data are.
//
// Enters: the key, a problem. Leaves: the order of blocks and warps, what was never set, where buffers begin,
// which elements are special values. A right kernel cannot depend on any of it: the same draw is right in
// every world, and none is accused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/base/text/message.h"
#include "common/course/judge/input_key.h"
#include "common/course/judge/problem.h"
#include "common/course/judge/run.h"

namespace lab::judge {

// What every chapter promises of the addresses of both matrices, in bytes; 09 promises an element.
inline constexpr std::uint64_t kStartsOn = 16;

// Where both sides are as long, values are followed in launches that are counted: elements are told apart by them.
inline constexpr std::int64_t kLeastFollowedSide = 40;

// A world is plain where everything is zero: then everything is as always.
struct OpenWorld {
  std::uint64_t schedule = 0;                   // the order of blocks and warps, what was never set
  std::uint64_t numbers = 0;                    // of the hardware, and its clocks
  std::uint64_t in_begins = 0, out_begins = 0;  // bytes behind a multiple of 256
  bool swapped = false, high = false,
       apart = false;                     // which of `in` and `out` comes first; in which range, or both
  std::uint64_t in_gap = 0, out_gap = 0;  // bytes in front of each that are no buffer's
  std::uint64_t special = 0;              // draws places and values
  auto operator<=>(const OpenWorld&) const = default;
};

// The world of a launch of which nothing but the result is asked. `starts_on`: bytes of which the addresses of `in` and
// `out` are multiples, as the chapter promises.
[[nodiscard]] OpenWorld open_world(const InputKey& key, const Problem& problem, std::uint64_t starts_on);

// The world of a counted launch: all in it of which no count of a right kernel depends. `is_part`: the kernel takes
// pitches, and expects matrices that begin anywhere.
[[nodiscard]] OpenWorld counted_world(const InputKey& key, const Problem& problem, bool is_part = false);

// The parts of a world, each alone: the first of them in which a kernel is wrong is what decides.
enum class Open : std::uint8_t { Order, Begins, Values };
inline constexpr std::array kOpen = {Open::Order, Open::Begins, Open::Values};
[[nodiscard]] OpenWorld alone(const OpenWorld& world, Open part);
// Says so of a run that is wrong in this part alone.
void decides(Run& run, Open part);
// What is other than always in it, and what does not depend on that.
[[nodiscard]] Message words_of(Open part);

// Puts values that its type treats specially into some elements of a filled `in`: signed zeros, infinities,
// NaN, one, all ones, small integers, and those that the kernel itself names; neighbours get the same one. Matrices of fewer than 256 elements, which
// students are shown, keep theirs.
void put_special_values(const Problem& problem, std::uint64_t drawn, const InputKey& key,
                        std::span<std::byte> in);

}  // namespace lab::judge

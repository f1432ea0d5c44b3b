// The words for a race.
#pragma once

#include <string>

#include "common/sim/base/fault.h"
#include "common/sim/observe/place_text.h"
#include "common/sim/observe/race_shadow.h"

namespace lab::sim {

// What to do: in words, and as data without the file.
struct Advice {
  Message words;
  Fix fix = {};
};

// "thread (3,4) of block (0,0) writes `tile` + 4 bytes at line 21".
[[nodiscard]] Message act_text(Touch touch, const std::string& thread, const std::string& block,
                               const Message& place, const Message& line);
// "which thread (1,2) read at line 27"; of another block: "which thread (1,2) of block (1,0) read at line
// 27".
[[nodiscard]] Message earlier_act_text(Touch touch, const Message& who, const Message& line);
// The message about lanes that store to one place in one instruction.
[[nodiscard]] Message one_instruction_text(const std::string& thread, const std::string& other,
                                           const std::string& block, const Message& place,
                                           const Message& line);
// What to do when threads of two blocks meet. `cooperative`: as LaunchInfo has it.
[[nodiscard]] Advice advice_between_blocks(const Program& program, std::uint32_t pc, std::uint32_t other_pc,
                                           bool both_write, bool cooperative);
// The message about a volatile word that is read for its value, when only another such word shows it was
// written.
[[nodiscard]] Message overtaken_text(const Message& now, const Message& before, bool same_block,
                                     const InstSource& earlier, const InstSource& later);

// The message about a read that does not see stores of its own launch: `ld.global.nc`, textures.
[[nodiscard]] Message stale_text(const Message& now, const Message& before, bool by_texture);

// Where no barrier helps, since one side changes what the other has read: one side reads plainly what its
// thread then advances by an atomic, or both are halves of `x = x + 1`; empty otherwise.
[[nodiscard]] Advice advice_without_barrier(const Program& program, std::uint32_t pc, std::uint32_t other_pc);

// Inside a block, where threads wait for one another by words in memory: by locks, or by flags that they
// watch. Empty where they do not.
[[nodiscard]] Message advice_by_words(const ProgramData& program);

}  // namespace lab::sim

// The race check's record of a block's shared memory: which thread touched each granule last.
//
// Enters: accesses in execution order, barriers, warp synchronisations. Leaves: the earlier access that an access
// collides with, if any. A *granule* is the smallest shared access of the program. A *tag* is number << 10 | thread,
// with numbers of the block's clock. Numbers grow: a tag below `floor` is ordered before the acting warp, one below
// `warp floor` if its own lanes made it; else the clock is asked. A barrier is one assignment.
// Two readers of different threads (`read`, `other_read`) suffice: a later writer collides with one of them if it
// collides with any. No collision: atomics among themselves, equal values stored to one place (`value`).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/observe/block_clock.h"
#include "common/sim/observe/race_kept.h"
#include "common/sim/observe/test_notes.h"
#include "common/sim/program/program.h"

namespace lab::sim {

using Tag = std::uint32_t;
inline constexpr unsigned kThreadBits = 10;
inline constexpr Tag kThreadMask = (1u << kThreadBits) - 1;
inline constexpr std::uint32_t kNumbers = 1u << (32 - kThreadBits);

enum class Touch : std::uint8_t { Read, Write, Atomic };

// Two unordered accesses to one granule. `lane` is the later one's.
struct Collision {
  std::uint32_t lane = 0;
  std::uint32_t granule = 0;
  Touch earlier = Touch::Read;
  std::uint32_t earlier_thread = 0;  // linear in the block
  std::uint32_t earlier_pc = 0;
  bool same_instruction = false;  // two lanes of one store
};

class RaceShadow {
 public:
  RaceShadow(std::uint32_t shared_bytes, std::uint32_t granule_bytes, std::uint32_t sites);

  void begin_block(const BlockClock& clock) {
    barrier(clock);
    is_calm_ = true;
  }
  void barrier(const BlockClock& clock);
  // No two accesses of this block needed a close look: for their order, or for the values that they wrote.
  [[nodiscard]] bool is_calm() const { return is_calm_; }
  // `site` numbers the instructions that touch shared memory, from 0. True when the access collides: then
  // `collision` is filled. With several, one with another warp is reported rather than one inside the warp.
  [[nodiscard]] bool touch(const Access& access, Touch how, const std::vector<Inst>& code, std::uint32_t site,
                           BlockClock& clock, Collision& collision);
  void add_sites(std::uint32_t sites);
  [[nodiscard]] const TestNotes& tests() const { return tests_; }

 private:
  struct Now;  // the order that holds for the warp that acts
  [[nodiscard]] Tag tag_of(std::uint32_t warp, std::uint32_t site, std::uint32_t pc, BlockClock& clock);
  // As tags count; everything below `base_` is forgotten.
  [[nodiscard]] Tag as_tag(Number number) const {
    return number <= base_ ? 0
                           : static_cast<Tag>(std::min<Number>(number - base_, kNumbers - 1)) << kThreadBits;
  }
  [[nodiscard]] bool is_late(Touch how, const Now& now) const;
  void put_down_kept(const std::vector<Inst>& code, const BlockClock& clock);
  [[nodiscard]] bool look(const Access& access, Touch how, Tag tag, Now now, Collision& collision);
  void forget(const BlockClock& clock);
  // Eights: eight granules side by side (vec.h).
  template <class Eights, class Cells>
  void add_plain(Eights& suspect, const Cells& cells, std::uint32_t group, const Eights& mine,
                 const Now& now) const;
  template <class Eights, class Cells>
  void add_atomics(Eights& suspect, const Cells& cells, std::uint32_t group, const Eights& mine,
                   const Now& now) const;
  template <class Cells>
  [[nodiscard]] bool read(const Cells& cells, const Now& now, Collision& collision);
  template <class Cells>
  [[nodiscard]] bool write(const Cells& cells, const Now& now, const Access& access, Collision& collision);
  template <class Cells>
  [[nodiscard]] bool atomic(const Cells& cells, const Now& now, Collision& collision);
  template <class Cells>
  [[nodiscard]] bool remembers(const Cells& cells, const Now& now) const;
  template <class Cells>
  [[nodiscard]] bool collides(const Cells& cells, const Now& now, Touch how, const Access* store,
                              Collision& collision) const;
  template <class Cells>
  void note_tests(const Cells& cells, const Now& now);
  [[nodiscard]] bool both_strong(const Now& now, Touch how, Tag mine, Tag earlier, Touch touch) const;
  template <class Cells>
  [[nodiscard]] bool differing_duplicates(const Cells& cells, const Access& store,
                                          Collision& collision) const;
  [[nodiscard]] const std::byte* stored(const Access& store, std::uint32_t lane, std::uint32_t granule) const;
  template <class Cells>
  void remember_duplicates(const Cells& cells, const Now& now);
  template <class Cells>
  static void put_tags(Tag* to, const Cells& cells);
  template <class Cells>
  [[nodiscard]] static bool holds_tags(const Tag* in, const Cells& cells);
  // Whether something must be checked closely.
  template <class Eights>
  [[nodiscard]] bool is_suspect(const Eights& suspect);
  void keep_values(const Access& store);
  void remember(Tag& first, Tag& other, Tag mine, const Now& now);

  std::uint32_t granule_bytes_, granule_shift_;
  std::vector<Tag> write_, read_, other_read_, atomic_, other_atomic_;  // by granule
  std::vector<std::byte> value_;                                        // what plain stores left, by byte
  std::vector<Tag> current_;                                            // tag in use, by site and warp
  Number base_ = 0;                                                     // tags hold what is above it
  Tag newest_write_ = 0, newest_read_ = 0;                              // plain; of all granules
  KeptAccesses kept_;
  bool others_ = false;   // some `other_read_` tag was set since the barrier
  bool atomics_ = false;  // any since the last barrier
  bool is_calm_ = true;
  bool tested_ = false;  // by plain reads before atomics, ever
  TestNotes tests_;
};

}  // namespace lab::sim

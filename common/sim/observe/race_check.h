// Finds races: two threads, one place, at least one of them writes, and nothing orders them.
//
// Enters: accesses to shared and global memory, and what orders them (block_clock.h). Leaves: findings that name
// both threads, both lines, the place and the missing call; or a FaultError when checks stop the launch.
// One clock serves all memories; each has a shadow (race_shadow.h, global_shadow.h). No races: strong accesses
// within each other's scope, the read before a compare-and-swap loop (cas_reads.h), equal values stored to one
// place. Warps in step order nothing. A copy writes from its start on; an mbarrier is written by its
// initialisation. A race inside a warp is dropped if one across warps shows at the same instruction.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/memory/memory.h"
#include "common/sim/observe/copy_sources.h"
#include "common/sim/observe/copy_targets.h"
#include "common/sim/observe/global_shadow.h"
#include "common/sim/observe/peer_shadow.h"
#include "common/sim/observe/race_shadow.h"

namespace lab::sim {

class RaceCheck final : public Observer, public Policy {
 public:
  enum class Stop : std::uint8_t {
    AtOnce,     // at the first finding
    WithBlock,  // when a block with findings is done, with the one that says most
    Never,
  };
  // Without memory only shared memory is watched.
  // `limit_bytes`: what its notes about global memory may take; 0: the usual.
  explicit RaceCheck(const Memory* memory = nullptr, Stop stop = Stop::AtOnce, std::uint64_t limit_bytes = 0)
      : memory_(memory), stop_(stop), limit_bytes_(limit_bytes) {}
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void merge(const Observer& other) override;
  void launch_begin(const LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const WarpPlace& place) override;
  void texels(std::uint32_t slot, const Access& access) override;
  void access(std::uint32_t slot, const Access& access) override;
  [[nodiscard]] bool band(std::uint32_t slot, const Access& first, const WarpBand& band,
                          std::uint32_t warps) override;
  [[nodiscard]] bool may_wait(bool /*writes*/) override { return true; }
  [[nodiscard]] Policy& policy() override { return *this; }
  [[nodiscard]] Beginnings ignored_range(std::uint32_t pc, Space space, std::uint32_t width_bytes,
                                         std::uint64_t at) override;
  [[nodiscard]] Repeats repeats() const override { return Repeats::SinceBarrier; }
  [[nodiscard]] bool found_nothing(std::uint32_t slot) const override {
    return slots_[slot]->shared == nullptr || slots_[slot]->shared->is_calm();
  }
  void copy(std::uint32_t slot, const Copy& copy) override;
  void copies_arrive(std::uint32_t slot, std::uint32_t warp, Mask lanes, std::uint64_t object) override {
    slots_[slot]->targets.arrive(warp, lanes, object);
  }
  void copies_waited(std::uint32_t slot, std::uint32_t warp, Mask lanes) override {
    slots_[slot]->targets.waited(warp, lanes);
  }
  void engine(std::uint32_t slot, const EngineEvent& event) override;
  void barrier(std::uint32_t slot) override;
  void warp_sync(std::uint32_t slot, std::uint32_t warp, Mask mask) override;
  void fence(std::uint32_t slot, std::uint32_t warp, Mask lanes, bool whole_warp, Scope scope) override;
  void meet(std::uint32_t slot, const Meeting& meeting, bool whole_warp) override;
  void block_end(std::uint32_t slot, const WarpPlace& place) override;

  // The findings of all blocks, the widest first. After the launch.
  [[nodiscard]] std::vector<Fault> findings();
  // What is no mistake and good to know: reads that lean on an atomic behind them, memory that was not
  // watched.
  [[nodiscard]] std::vector<Fault> notes() const;

 private:
  // An instruction that touches shared memory; numbered when first seen, so that tables stay small.
  struct Site {
    std::uint32_t number = 0;  // 0: not seen yet
    bool announced = false;    // its barrier says when: st.async, copies of the unit
  };
  // Both source lines, the present one's first: each by the first of its instructions.
  // Lines of the two, and whether they stand in two blocks.
  using Key = std::tuple<std::uint32_t, std::uint32_t, FaultKind, bool>;
  struct Slot {
    BlockClock clock;
    std::unique_ptr<RaceShadow> shared;
    CopyTargets targets;
    CopySources sources;
    std::unique_ptr<PeerShadow> peers;
    std::unordered_map<std::uint64_t, Offer> offers;  // at words of shared memory
    std::set<std::tuple<std::uint32_t, std::uint32_t, Mask, std::uint64_t>>
        racing_uses;            // of mbarriers: warp, pc, lanes, object. Who polls is not looked at again
    std::map<Key, Fault> kept;  // not reported yet: the widest of them is, when the block is done
  };

  [[nodiscard]] Site& site_of(std::uint32_t pc);
  [[nodiscard]] Key key_of(std::uint32_t pc, std::uint32_t earlier_pc, FaultKind kind,
                           bool between_blocks = false);
  [[nodiscard]] bool meet_by_words(std::uint32_t pc, std::uint32_t other) const;
  [[nodiscard]] Touch touch_of(const Access& access) const;
  [[nodiscard]] std::uint32_t granule_bytes(Space space) const {
    return space == Space::Shared ? launch_.smallest_shared_access_bytes
                                  : launch_.smallest_global_access_bytes;
  }
  void peer_access(Slot& slot, const Access& access);
  void report_peer(Slot& slot, const Access& access, std::uint32_t lane, const PeerShadow::Touch& earlier);
  void touch_parts(std::uint32_t index, const Access& access);
  void shared_access(Slot& slot, const Access& access);
  void global_access(std::uint32_t index, const Access& access);
  void report_early(Slot& slot, const Access& access, const CopyTargets::Early& early);
  void report_source(Slot& slot, const Access& access, const CopySources::Early& early);
  void synchronise(Slot& slot, const Access& access);
  void report_shared(Slot& slot, const Access& access, Touch how, const Collision& collision);
  void report_global(Slot& slot, const Access& access, Touch how, const GlobalCollision& collision);
  [[nodiscard]] bool seen(Slot& slot, const Key& key, const Access& access);
  void found(Slot& slot, const Key& key, Fault fault);
  void note(const Key& key, const Fault& fault);
  void note_unfinished(const RaceCheck& from);
  [[nodiscard]] std::vector<Fault> worth_reporting(const std::map<Key, Fault>& all) const;
  [[nodiscard]] Fix own_element(const Fault& fault, bool in_block) const;
  [[nodiscard]] Fix in_buffer(const Fault& fault, Fix fix) const;
  [[nodiscard]] Fault fault_of(const BlocksMet& met) const;
  [[nodiscard]] Fault note_of(FaultKind kind, std::uint32_t test, std::uint32_t atomic) const;

  const Memory* memory_;
  Stop stop_;
  std::uint64_t limit_bytes_;
  LaunchInfo launch_;
  std::vector<Site> sites_;  // by pc
  std::uint32_t site_count_ = 0;
  std::map<std::pair<int, int>, std::uint32_t> lines_;  // by file and line: the first instruction
  std::vector<std::unique_ptr<Slot>> slots_;
  std::unique_ptr<GlobalShadow> global_;
  std::unordered_map<std::uint64_t, Offer> offers_;  // at words of global memory
  std::map<Key, Fault> found_;
  TestNotes shared_tests_;
  bool peers_ = false;              // blocks touch one another's shared memory
  std::uint64_t cluster_time_ = 1;  // passes at whatever may order blocks
  bool roles_ = false;              // warps arrive at named barriers that others wait at
  Message by_words_;                // what to do where threads wait for words in memory; empty: they do not
  bool takes_data_ = false;         // the program takes data from volatile or relaxed words
};

}  // namespace lab::sim

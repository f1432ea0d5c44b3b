// Finds accesses of threads and of the TMA unit to the same shared memory without an order between them.
//
// Enters: accesses of threads, copies of the unit, what orders the two. Leaves: FaultError (AsyncEarly,
// SharedRace, ProxyFence) that names both lines and what is missing. A copy's target belongs to it until a thread
// has seen its barrier's phase over; its source may not be written before the thread waited for its group
// (.read: the source alone). The unit sees threads' writes, and an mbarrier's initialisation, only behind a proxy
// fence. A wgmma reads shared memory until its group was waited for. A barrier of the block or a phase of an
// mbarrier puts all threads in order, so a race between threads that it does not join may stay unseen.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/observe/store_targets.h"

namespace lab::sim {

class EngineCheck final : public Observer {
 public:
  [[nodiscard]] std::unique_ptr<Observer> clone() const override { return std::make_unique<EngineCheck>(); }
  void launch_begin(const LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const WarpPlace& place) override;
  void access(std::uint32_t slot, const Access& access) override;
  void engine(std::uint32_t slot, const EngineEvent& event) override;
  void bulk(std::uint32_t slot, const BulkCopy& copy) override;
  void barrier(std::uint32_t slot) override;
  // At a named barrier or an mbarrier whose phase turns: as a barrier of the block.
  void meet(std::uint32_t slot, const Meeting& meeting, bool /*whole_warp*/) override {
    if (meeting.act == Meeting::Act::Turn && !of_warpgroup(meeting)) barrier(slot);
  }
  void warp_sync(std::uint32_t slot, std::uint32_t warp, Mask mask) override;
  void block_end(std::uint32_t slot, const WarpPlace& place) override;

 private:
  static constexpr std::uint32_t kMostThreads = 1024, kMostWarps = 32, kGranule = 4, kNoThread = 0xffff;
  using Time = std::uint32_t;
  // By a thread; time 0: never. One number, the time in front, so that rows of them are compared in vector
  // code.
  class Touch {
   public:
    Touch() = default;
    Touch(Time time, std::uint32_t thread, std::uint32_t pc)
        : bits_(std::int64_t{time} << 32 | std::int64_t{thread} << kPcBits | (pc & kMostPc)) {}
    [[nodiscard]] Touch of_lane(std::uint32_t lane) const {
      Touch touch;
      touch.bits_ = bits_ + (std::int64_t{lane} << kPcBits);
      return touch;
    }
    [[nodiscard]] Time time() const { return static_cast<Time>(bits_ >> 32); }
    [[nodiscard]] std::uint32_t thread() const { return bits_ >> kPcBits & (kMostThreads - 1); }
    [[nodiscard]] std::uint32_t pc() const { return static_cast<std::uint32_t>(bits_ & kMostPc); }

   private:
    static constexpr std::uint32_t kPcBits = 22, kMostPc = (1u << kPcBits) - 1;
    std::int64_t bits_ = 0;
  };
  struct Running {  // a copy
    std::uint64_t id = 0;
    std::uint32_t low = 0, high = 0, pc = 0, barrier = 0, group = 0;
    std::uint32_t thread = kNoThread;  // that asked, in this block
    bool writes = false, landed = false, by_warpgroup = false;
    std::array<Mask, kMostWarps> known{};  // threads that know that it is done, by warp
    [[nodiscard]] bool is_known() const {
      return std::any_of(known.begin(), known.end(), [](Mask lanes) { return lanes != 0; });
    }
    [[nodiscard]] bool is_known_to(std::uint32_t thread) const {
      return (known[thread / kWarpLanes] >> thread % kWarpLanes & 1u) != 0;
    }
  };
  struct Slot {
    std::vector<Touch> written, read, other_read;  // by granule
    std::vector<Running> copies;
    std::map<std::uint32_t, Touch> initialised;  // mbarriers, until something put that before the unit
    Time now = 1, barrier = 1, fenced = 0, ready = 0, newest = 0;  // newest: of all touches
    std::array<Time, kMostWarps> warp{}, warp_fenced{};
    std::array<Time, kMostThreads> own_fence{}, own_ready{};
    WarpPlace place;
    std::uint32_t open_group = 0;  // of the copy out of shared memory that began last
  };

  [[nodiscard]] static bool ordered(const Slot& s, const Touch& touch, std::uint32_t thread) {
    if (touch.time() < s.barrier || touch.thread() == thread) return true;
    return touch.thread() / kWarpLanes == thread / kWarpLanes && touch.time() < s.warp[thread / kWarpLanes];
  }
  [[nodiscard]] static bool fenced(const Slot& s, const Touch& touch) {
    return s.own_fence[touch.thread()] > touch.time() || touch.time() < s.fenced ||
           touch.time() < s.warp_fenced[touch.thread() / kWarpLanes];
  }
  [[nodiscard]] static bool settled(const Slot& s, const Running& copy);
  void check_access(const Access& access, std::span<const Running> copies, bool writes) const;
  void check_fences(const Slot& s, const Access& access) const;
  static void note(Slot& s, const Access& access, bool reads, bool writes);
  void begin(Slot& s, const EngineEvent& event);
  void check_start(Slot& s, const Running& copy, const EngineEvent& event);
  void check_barrier(Slot& s, const EngineEvent& event);
  void note_fence(Slot& s, const EngineEvent& event);
  [[nodiscard]] static bool asked(const Running& copy, std::uint32_t thread);
  static void learn(Slot& s, std::uint32_t thread, const EngineEvent& event);
  // --- what is said (engine_report.cpp) ---
  [[noreturn]] void report_unfenced(const Access& access, std::uint32_t lane, std::uint32_t offset,
                                    const Touch& touch) const;
  [[noreturn]] void report_unfenced(const Running& copy, const Touch& touch, std::uint32_t offset,
                                    const EngineEvent& event) const;
  [[noreturn]] void report_overlap(const Running& copy, const Running& other, const EngineEvent& event) const;
  [[noreturn]] void report_race(const Running& copy, const Touch& touch, bool wrote, std::uint32_t offset,
                                const EngineEvent& event) const;
  [[noreturn]] void report_unwaited(const Running& copy, const WarpPlace& place) const;
  [[noreturn]] void report_unwritten(const Access& access, std::uint32_t lane, std::uint32_t copy_pc) const;
  [[noreturn]] void report_early(const Access& access, std::uint32_t lane, const Running& copy) const;
  [[noreturn]] void report_start(FaultKind kind, const EngineEvent& event, std::uint32_t offset,
                                 const Message& message, About about = About::Else) const;
  [[nodiscard]] Message line_of(std::uint32_t pc) const;
  [[nodiscard]] Message name_of(std::uint32_t thread) const;

  LaunchInfo launch_;
  std::vector<Slot> slots_;
  StoreTargets targets_;
};

}  // namespace lab::sim

// Finds reads of unwritten memory: shared memory since the block began, global memory since its allocation.
//
// Enters: accesses. Leaves: FaultError (UninitialisedShared, PoisonedGlobal) that names thread, place and line.
// Shared memory has a mark for each granule (the program's smallest shared access): the number of the block that
// wrote it last, so nothing is cleared between blocks. Global memory has a byte for each byte (Allocation::written).
// Plain loads of unwritten bytes are passed to execution, which follows them through registers and reports them
// only when they matter (execute/undefined.h). Atomics are reported at once. Reads of shared memory that a copy
// has not yet filled are reported by the race check.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/memory/memory.h"

namespace lab::sim {

class InitCheck final : public Observer, public Policy {
 public:
  explicit InitCheck(const Memory& memory) : memory_(memory) {}
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void launch_begin(const LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const WarpPlace& place) override;
  void access(std::uint32_t slot, const Access& access) override;
  [[nodiscard]] Policy& policy() override { return *this; }
  [[nodiscard]] Beginnings ignored_range(std::uint32_t pc, Space space, std::uint32_t width_bytes,
                                         std::uint64_t at) override;
  [[nodiscard]] bool follows_values() const override { return true; }
  [[nodiscard]] bool may_wait(bool writes) override { return writes; }
  [[nodiscard]] Repeats repeats() const override { return Repeats::StoresOfBlock; }
  void copy(std::uint32_t slot, const Copy& copy) override;
  void bulk(std::uint32_t slot, const BulkCopy& copy) override;
  void engine(std::uint32_t slot, const EngineEvent& event) override;
  void frame(std::uint32_t slot, std::uint32_t warp, Mask lanes, const LocalFrame& made) override;
  void barrier(std::uint32_t slot) override { synchronise(slots_[slot]); }
  void warp_sync(std::uint32_t slot, std::uint32_t /*warp*/, Mask /*lanes*/) override {
    if (launch_.block.count() <= kWarpLanes) synchronise(slots_[slot]);
  }

 private:
  struct Slot {
    std::vector<std::uint8_t> written_by;  // by granule: `block` when this block wrote it
    std::uint8_t block = 0;                // counts blocks of this slot, 1 to 255
    std::size_t whole = 0;                 // granules from the first on that are known to be written
    bool synchronised =
        false;  // the block has come through a barrier, or its one warp through one of its own
    std::vector<std::vector<Mask>> local;  // by warp and word: lanes that wrote to it
    // By granule, of stores whose value had come from unwritten memory: what to say of that read.
    std::map<std::uint64_t, std::shared_ptr<const Fault>> passed_on;
    std::map<DeviceAddress, std::shared_ptr<const Fault>> passed_on_global;  // by byte; the first few
  };
  static void synchronise(Slot& slot);
  [[nodiscard]] bool needs_values(const Access& access) const;
  void local(Slot& slot, const Access& access) const;
  [[nodiscard]] bool may_be_narrow(const Access& access) const;
  void updated(std::uint32_t slot, const Access& access);
  void by_space(std::uint32_t slot, const Access& access);
  void swap_part(Slot& slot, const Access& access);
  void shared(Slot& slot, const Access& access) const;
  void pass_on(Slot& slot, const Access& access) const;
  [[nodiscard]] bool holds_stored(const Slot& slot, std::uint64_t address, std::size_t granules) const;
  void pass_on_global(Slot& slot, const Access& access) const;
  void global(Slot& slot, const Access& access);
  [[nodiscard]] const Allocation* allocation_of(const Access& access, std::uint64_t address,
                                                std::uint64_t size_bytes);
  // --- what is said (init_report.cpp). `marks`: of the lane, at least one of them missing. ---
  [[nodiscard]] Fault local_fault(const Access& access, std::uint32_t lane) const;
  [[noreturn]] void report_shared(const Access& access, std::uint32_t lane, const std::uint8_t* marks,
                                  const Slot& slot) const;
  [[nodiscard]] Fault shared_fault(const Access& access, std::uint32_t lane, const std::uint8_t* marks,
                                   const Slot& slot) const;
  [[nodiscard]] Fault global_fault(const Access& access, std::uint32_t lane, const Allocation& allocation,
                                   const std::uint8_t* marks, const Slot& slot) const;
  [[nodiscard]] Message written_so_far(const Fault& fault, const Slot& slot) const;
  [[noreturn]] void report_global(const Access& access, std::uint32_t lane, const Allocation& allocation,
                                  const std::uint8_t* marks, const Slot& slot) const;

  const Memory& memory_;
  LaunchInfo launch_;
  unsigned granule_shift_ = 0;
  std::vector<Slot> slots_;
  std::vector<const Allocation*> last_;  // by pc: an instruction mostly stays in one buffer
  std::vector<DeviceAddress> last_low_;  // by pc: the lowest address of its last access
};

}  // namespace lab::sim

// An observer of a judged run: how much of global memory is requested before a thread waits for it.
//
// Enters: accesses. Leaves: the bytes that a block has in flight at once, and how many such blocks share a
// multiprocessor. A warp's loads are in flight until an access uses the value of one of them, one loads into the same
// register again, a branch or a guard asks for such a value, or the warp fences or sleeps. cp.async loads end at the wait for their group, TMA loads at the next barrier.
// The amount in flight with which most bytes travelled counts: not a single long row of loads, nor
// the last tile of a pipeline.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/gpu/device/gpu_data.h"
#include "common/gpu/model/occupancy.h"
#include "common/gpu/model/waits.h"
#include "common/sim/base/observer.h"

namespace lab::judge {

struct AtOnceFindings {
  std::uint64_t block_bytes = 0, thread_bytes = 0;  // on their way at once
  model::Occupancy occupancy;
  std::string file;  // where most of them are waited for
  int line = 0;
  [[nodiscard]] std::uint64_t multiprocessor_bytes() const { return block_bytes * occupancy.blocks; }
};

class LoadsAtOnce final : public sim::Observer {
 public:
  // Loads stay on their way until a value is used; or, too, until the warp stands still or goes by such a value. The model of
  // time (explore/forecast.cpp) is calibrated with the first.
  enum class Until : std::uint8_t { Used, AnyWait };
  explicit LoadsAtOnce(device::GpuData gpu = device::gpu_named("h200"), Until until = Until::AnyWait)
      : gpu_(std::move(gpu)), until_(until) {}
  [[nodiscard]] AtOnceFindings findings() const;

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<LoadsAtOnce>(gpu_, until_);
  }
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void bulk(std::uint32_t slot, const sim::BulkCopy& copy) override;
  void copies_waited(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes) override;
  void barrier(std::uint32_t slot) override;
  void fence(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes, bool whole_warp,
             sim::Scope scope) override;
  void sleep(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes, std::uint64_t nanoseconds) override;
  // Where a branch asks for a loaded value: transposes have none.
  [[nodiscard]] bool steps() const override { return branches_by_values_; }
  void instruction(std::uint32_t slot, const sim::Stepped& step) override;
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;

 private:
  struct Warp {
    std::uint64_t open = 0;                         // loads whose values were not needed yet
    std::uint64_t bytes = 0, copied = 0, bulk = 0;  // on their way: by loads, by cp.async, by the TMA unit
    std::uint64_t with = 0;                         // on their way when the wait for copies began
    std::vector<std::pair<std::uint64_t, std::uint64_t>> travelled;  // so many together: how many in all
    std::uint32_t last = 0;                                          // the last load or copy
  };
  void wait(Warp& warp, std::uint32_t pc);
  void stand_still(Warp& warp);  // until what it loads has come
  void arrive(Warp& warp, std::uint32_t pc, std::uint64_t bytes, std::uint64_t with);

  device::GpuData gpu_;
  Until until_;
  const sim::Program* program_ = nullptr;
  model::Occupancy occupancy_;
  std::uint64_t threads_ = 0;  // of a block
  std::vector<model::LoadChain> chains_;
  bool branches_by_values_ = false;
  std::vector<std::vector<Warp>> blocks_;  // by slot
  std::uint64_t at_once_ = 0, count_ = 0;  // over all blocks that load
  std::vector<std::uint64_t> waits_;       // bytes that are waited for, by instruction
};

}  // namespace lab::judge

// What a kernel that launches others touches while they may run: nothing orders it before a launch, and a
// kernel cannot wait for what it launched.
//
// Enters: the accesses of the launching kernel, with its barriers and launches. Leaves: a finding where one
// of them meets what a launched kernel, copy or fill touches. Ordered before a launch are earlier accesses of
// its own warp, and those of the block behind which a barrier or a fence stood; of other blocks nothing is
// said.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/run/cudart/touched.h"

namespace lab::cudart {

class Context;

class BesideObserver final : public sim::Observer, public sim::Policy {
 public:
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override;
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override { program_ = info.program; }
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  [[nodiscard]] sim::Policy& policy() override { return *this; }
  [[nodiscard]] sim::Beginnings ignored_range(std::uint32_t /*pc*/, sim::Space space,
                                              std::uint32_t /*width_bytes*/, std::uint64_t /*at*/) override {
    return space == sim::Space::Global ? sim::Beginnings{} : sim::kEverywhere;
  }
  [[nodiscard]] sim::Repeats repeats() const override { return sim::Repeats::SinceBarrier; }
  void barrier(std::uint32_t slot) override;
  void fence(std::uint32_t slot, std::uint32_t warp, sim::Mask lanes, bool whole_warp,
             sim::Scope scope) override;
  void meet(std::uint32_t slot, const sim::Meeting& meeting, bool whole_warp) override;
  void launched(std::uint32_t slot, std::uint32_t warp, std::uint64_t number) override;

  // One access of the launching kernel that a launch is not behind.
  struct Piece {
    sim::DeviceAddress low = 0, high = 0;
    std::uint32_t pc = 0;
    bool writes = false, strong = false;
    bool unsettled =
        false;  // before or behind the launch: another warp made it, and no barrier stands between
    std::uint32_t warp = 0, barriers = 0;  // that made it; of the block before it
  };
  // Reports the first that meets what the launch of this number touches.
  void check(Context& c, const std::string& parent, std::uint64_t number, const std::vector<Touched>& touched,
             const Message& what) const;

 private:
  struct Launch {
    std::uint64_t number = 0;
    std::uint32_t warp = 0, barriers = 0;
    std::vector<Piece> before;
    std::size_t from = 0;  // in the block's list: what follows is behind the launch
  };
  struct Block {
    std::vector<Piece> since_barrier;
    std::vector<Piece> behind;  // the first launch
    std::vector<Launch> launches;
    std::uint32_t barriers = 0;
  };
  static void keep(Block& block, const Piece& piece);

  const sim::Program* program_ = nullptr;
  std::vector<Block> at_;  // by slot
  std::map<std::uint64_t, std::vector<Piece>> of_launch_;
};

}  // namespace lab::cudart

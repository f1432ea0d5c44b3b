// The clock of one block: which accesses are ordered before which threads of it.
//
// Enters: barriers, warp synchronisations, fences, strong accesses and the values they read. Leaves: whether an
// access is ordered before a thread, for every memory space. Each warp numbers its accesses. What all threads know
// is one number (`barrier`); named barriers and mbarriers fill a matrix "warp w knows warp v up to"; what single
// lanes acquired (locks, flags, other blocks) are lists of Published. A release is a fence before a strong write,
// or `.release`; an acquire a strong read before a fence, or `.acquire`. As CUDA's samples assume, a barrier also
// passes on what a thread fenced before it, and acquires as a fence does.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "common/sim/base/order.h"
#include "common/sim/observe/published.h"

namespace lab::sim {

inline constexpr std::uint32_t kMaxWarps = 32;

// What a word that threads synchronise by has on offer: for all, and for the threads of one block.
struct Offer {
  PublishedPtr device, block;
  std::uint64_t of_block = 0;
  PublishedPtr relaxed;  // what its writers did before, which without fences no thread may rely on
};

class BlockClock {
 public:
  void begin(std::uint64_t block);
  [[nodiscard]] std::uint64_t block() const { return block_; }

  [[nodiscard]] Number new_number(std::uint32_t pc);
  [[nodiscard]] Number next() const { return next_; }
  [[nodiscard]] std::uint32_t pc_of(Number number) const;  // since the last barrier
  // A number given before this one must not be given to further accesses of the warp.
  [[nodiscard]] Number fresh(std::uint32_t warp) const { return std::max(barrier_, renewed_[warp]); }

  void barrier();
  void warp_sync(std::uint32_t warp, Mask lanes);
  void fence(std::uint32_t warp, Mask lanes, bool whole_warp, Scope scope);
  void meet(const Meeting& meeting, bool whole_warp);
  // A lane wrote strongly; what stood there before is kept when it read it too.
  void release(std::uint32_t warp, std::uint32_t lane, const Ordering& how, bool updates, Offer& offer) const;
  [[nodiscard]] bool may_release(const Ordering& how) const { return how.release || fences_; }
  void acquire(std::uint32_t warp, std::uint32_t lane, const Ordering& how, const Offer& offer);
  // A lane wrote strongly, whether that releases anything or not; another one waited for it. What it saw so
  // is `relaxed`, and unless it is ordered too, hardware may still show what stood there before.
  void publish_relaxed(std::uint32_t warp, std::uint32_t lane, bool updates, Offer& offer) const;
  void observe_relaxed(std::uint32_t warp, std::uint32_t lane, const Offer& offer);
  [[nodiscard]] bool seen_relaxed(std::uint32_t thread, std::uint64_t block, std::uint32_t earlier,
                                  Number number) const;

  // Whether what is ordered before one thread of the warp is before all, threads of other warps alike.
  [[nodiscard]] bool knows_by_warps(std::uint32_t warp) const {
    return lanes_.empty() && warp_known_[warp].empty();
  }
  // Is the access that `earlier`, another thread of this block, made under this number ordered before
  // `thread`?
  [[nodiscard]] bool ordered(std::uint32_t thread, std::uint32_t earlier, Number number) const;
  [[nodiscard]] bool ordered_elsewhere(std::uint32_t thread, std::uint64_t block, std::uint32_t earlier,
                                       Number number) const;
  // Below it all accesses of other warps are ordered before this one; below the second those of its own.
  [[nodiscard]] Number floor(std::uint32_t warp) const {
    return partial_ ? std::max(barrier_, known_of_all_[warp]) : barrier_;
  }
  [[nodiscard]] Number warp_floor(std::uint32_t warp) const { return std::max(barrier_, synced_[warp]); }

 private:
  static constexpr std::uint32_t kLanes = 32;
  using LaneTimes = std::array<std::array<Number, kLanes>, kLanes>;
  struct Pending {
    PublishedPtr what;
    bool same_block = false;
  };
  struct Lane {  // what lanes know beyond their warp
    std::vector<PublishedPtr> known;
    std::vector<Pending> pending;  // read, and not yet acquired
    std::vector<PublishedPtr> relaxed;
  };
  struct Fence {
    Mask lanes = 0;
    Number when = 0;
    PublishedPtr what;
    bool device = false;
  };
  struct Object {
    Published coming;
    PublishedPtr done;
  };
  [[nodiscard]] PublishedPtr publish(std::uint32_t warp, Mask lanes, bool whole_warp) const;
  [[nodiscard]] PublishedPtr fenced(std::uint32_t thread, Scope scope) const;
  Lane& lane_of(std::uint32_t thread);
  void take(std::uint32_t thread, bool device_too);
  void learn(std::uint32_t warp, Mask lanes, bool whole_warp, const PublishedPtr& what);
  void learn_of_lanes(std::uint32_t warp, Mask lanes);
  void note_known_of_all(std::uint32_t warp);
  [[nodiscard]] bool has_taken(std::uint32_t thread, std::uint64_t block, std::uint32_t earlier,
                               Number number) const;

  std::uint64_t block_ = 0;
  Number next_ = 1, barrier_ = 1, pcs_from_ = 1;
  std::vector<std::uint32_t> pcs_;
  std::array<Number, kMaxWarps> synced_{}, renewed_{};
  std::array<std::unique_ptr<LaneTimes>, kMaxWarps> lane_times_;  // only after a __syncwarp of some lanes
  bool partial_ = false;                                          // some warps met since the last barrier
  std::unique_ptr<std::array<std::array<Number, kMaxWarps>, kMaxWarps>> knows_;
  std::array<Number, kMaxWarps> known_of_all_{};  // by warp: the least of its row, its own place left out
  std::array<std::vector<PublishedPtr>, kMaxWarps> warp_known_;  // what a warp took over as a whole
  std::vector<PublishedPtr> known_;  // by all threads of the block, of other blocks
  std::vector<PublishedPtr> relaxed_;
  std::map<std::uint32_t, Lane> lanes_;
  std::array<std::vector<Fence>, kMaxWarps> fences_of_;  // by warp: the last one of each lane
  bool fences_ = false;
  std::map<std::uint64_t, Object> objects_;
};

}  // namespace lab::sim

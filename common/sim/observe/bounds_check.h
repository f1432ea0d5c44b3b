// Finds accesses that leave the array or buffer they are meant for and land in another one.
//
// Enters: accesses and copies, and for each instruction the buffers that its addresses can be made of (roots,
// by the decoder). Leaves: findings. What lies in no buffer at all stops the kernel before it is observed
// (execute/address.cpp). What cannot be known: addresses that come from memory, from a call or from the
// difference of two pointers, and arrays inside one variable or one allocation.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/memory/memory.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {

class BoundsCheck final : public Observer, public Policy {
 public:
  BoundsCheck(const Memory& memory, std::span<const std::byte> parameters)
      : memory_(memory), parameters_(parameters) {}
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void launch_begin(const LaunchInfo& info) override;
  void access(std::uint32_t slot, const Access& access) override;
  [[nodiscard]] Policy& policy() override { return *this; }
  [[nodiscard]] Beginnings ignored_range(std::uint32_t pc, Space space, std::uint32_t width_bytes,
                                         std::uint64_t at) override;
  void copy(std::uint32_t slot, const Copy& copy) override;
  void bulk(std::uint32_t slot, const BulkCopy& copy) override;

 private:
  using Range = Beginnings;
  struct Site {
    bool known = false, asked = false;
    bool shared = false;
    std::uint32_t width_bytes = 0;  // 0: not asked yet; pieces of a fragment may differ
    Range only;                     // when there is one
    std::vector<Range> ranges;
  };
  [[nodiscard]] static bool all_inside(const std::uint64_t* address, const Range& range);
  // Of accesses so wide; around a part: the words that hold the arrays count as theirs.
  [[nodiscard]] Site find_ranges(std::uint32_t roots, std::uint32_t width_bytes, bool may_be_narrow) const;
  const Site& site_of(std::uint32_t pc, std::uint32_t width_bytes);
  void check_run(const Access& at, std::uint32_t roots, std::uint64_t low, std::uint64_t bytes);
  [[noreturn]] void report(const Access& access, std::uint32_t lane, const Site& site) const;

  const Memory& memory_;
  std::span<const std::byte> parameters_;
  LaunchInfo launch_;
  std::vector<Site> sites_;      // by pc
  std::vector<Site> run_sites_;  // of copies, by their roots
};

}  // namespace lab::sim

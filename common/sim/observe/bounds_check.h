// Finds accesses that leave the array or buffer they are meant for and land in another one.
//
// Enters: accesses, and for each instruction the buffers that its address can be made of (roots, by the
// decoder). Leaves: findings. What lies in no buffer at all stops the kernel before anybody observes it
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

class BoundsCheck final : public Observer {
 public:
  BoundsCheck(const Memory& memory, std::span<const std::byte> parameters)
      : memory_(memory), parameters_(parameters) {}
  [[nodiscard]] std::unique_ptr<Observer> clone() const override;
  void launch_begin(const LaunchInfo& info) override;
  void access(std::uint32_t slot, const Access& access) override;

 private:
  struct Range {
    std::uint64_t low = 0, size = 0;
  };
  struct Site {
    bool known = false, asked = false;
    bool shared = false;
    Range only;  // when there is one
    std::vector<Range> ranges;
  };
  [[nodiscard]] static bool all_inside(const std::uint64_t* address, const Range& range);
  [[nodiscard]] Site find_ranges(const Inst& inst) const;
  [[noreturn]] void report(const Access& access, std::uint32_t lane, const Site& site) const;

  const Memory& memory_;
  std::span<const std::byte> parameters_;
  LaunchInfo launch_;
  std::vector<Site> sites_;  // by pc
};

}  // namespace lab::sim

// Finds accesses that leave the array or buffer they are meant for and land in another one.
//
// Enters: accesses and copies, and for each instruction the buffers that its addresses can be made of (roots,
// by the decoder). Leaves: findings. What lies in no buffer at all stops the kernel before it is observed
// (execute/address.cpp). What cannot be known: addresses that come from memory or from a call, and arrays
// inside one variable or one allocation. A number that is exactly the distance or the XOR of two buffers'
// first bytes takes an address from one to the other; a parameter that points into one buffer, while all
// accesses of the launch that it leads to lie in one other, was meant for that one (`b - first`).
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/memory/memory.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {

class BoundsCheck final : public Observer, public Policy {
 public:
  // `waits`: findings about pointers into the middle of a buffer are kept until the launch is over.
  BoundsCheck(const Memory& memory, std::span<const std::byte> parameters, bool waits = false)
      : memory_(memory), parameters_(parameters), waits_(waits) {}
  void merge(const Observer& other) override;
  // What is found about pointers into the middle of a buffer, after the launch.
  [[nodiscard]] std::vector<Fault> kept() const;
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
    bool inner = false;  // of one parameter, which points behind a buffer's first byte: `offset`
    std::uint32_t offset = 0;
    std::uint32_t width_bytes = 0;  // 0: not asked yet; pieces of a fragment may differ
    Range only;                     // when there is one
    std::vector<Range> ranges;
  };
  [[nodiscard]] static bool all_inside(const std::uint64_t* address, const Range& range);
  // Ranges for accesses so wide; around a part, the words that hold the arrays count as theirs.
  [[nodiscard]] Site find_ranges(std::uint32_t roots, std::uint32_t width_bytes, bool may_be_narrow) const;
  const Site& site_of(std::uint32_t pc, std::uint32_t width_bytes);
  void check_run(const Access& at, std::uint32_t roots, std::uint64_t low, std::uint64_t bytes);
  void note_inner(const Access& access, const Site& site);
  void add_distances(std::uint64_t pointer, std::uint32_t roots, std::uint32_t width_bytes, Site& site) const;
  [[nodiscard]] Fault found(const Access& access, std::uint32_t lane, const Site& site) const;
  // Where the accesses landed to which one parameter leads, and what is to be said if not all lie in one other.
  struct Inner {
    bool own = false;
    std::set<DeviceAddress> others;         // first bytes
    std::map<std::uint32_t, Fault> faults;  // by pc
    void add(std::uint32_t pc, const Fault& fault);
  };

  const Memory& memory_;
  std::span<const std::byte> parameters_;
  bool waits_ = false;
  std::map<std::uint32_t, Inner> inner_;  // by parameter
  LaunchInfo launch_;
  std::vector<Site> sites_;      // by pc
  std::vector<Site> run_sites_;  // of copies, by their roots
};

}  // namespace lab::sim

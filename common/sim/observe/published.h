// What a thread knows when it publishes: whose accesses, up to which, are ordered before whoever takes it
// over.
//
// Enters: entries by block, warp or thread, each with the number below which its accesses are known. Leaves:
// answers to "is this access known". A sparse vector clock: a block whose warps met at a barrier is one
// entry.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lab::sim {

// Accesses of a block are numbered in the order in which they run; numbers only grow.
using Number = std::uint64_t;

class Published {
 public:
  static constexpr std::uint32_t kAllWarps = 0;
  static constexpr std::uint32_t warp_of(std::uint32_t warp) { return 1 + warp; }
  static constexpr std::uint32_t thread_of(std::uint32_t thread) { return 64 + thread; }

  // Accesses of `who` in the block with numbers below `until` are known.
  void know(std::uint64_t block, std::uint32_t who, Number until);
  void join(const Published& other);
  // What all threads of a warp say is said of the warp: shorter, and means the same.
  void gather();
  void gather(std::uint64_t block, std::uint32_t warp);
  [[nodiscard]] bool knows(std::uint64_t block, std::uint32_t thread, Number number) const;
  // Whether a join with the other would change nothing.
  [[nodiscard]] bool includes(const Published& other) const;
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  // by block and who, ascending
  [[nodiscard]] const std::vector<std::pair<std::uint64_t, Number>>& entries() const { return entries_; }
  static constexpr std::uint64_t key(std::uint64_t block, std::uint32_t who) { return block << 12 | who; }

 private:
  [[nodiscard]] Number until(std::uint64_t block, std::uint32_t who) const;
  std::vector<std::pair<std::uint64_t, Number>> entries_;
};
using PublishedPtr = std::shared_ptr<const Published>;

// Adds to a list that stays short: what it holds already is not added, what the new one includes is left out,
// and many become one.
void add_to(std::vector<PublishedPtr>& list, const PublishedPtr& more);

}  // namespace lab::sim

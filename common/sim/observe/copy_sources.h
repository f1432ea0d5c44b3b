// Global memory that asynchronous copies (cp.async) may still be reading.
//
// Enters: copies as they start and land; stores. Leaves: of a store into what a copy may not have read yet,
// the copy: until its thread has waited it may read at any moment.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "common/sim/base/access.h"

namespace lab::sim {

class CopySources {
 public:
  struct Early {
    std::uint32_t lane = 0, copy_pc = 0;
    std::uint64_t address = 0;
  };
  void begin();
  [[nodiscard]] bool any() const { return !reading_.empty(); }
  void start(const Copy& copy);
  void land(const Access& access);  // in shared memory
  [[nodiscard]] std::optional<Early> written(const Access& access) const;

 private:
  // Copies are aligned to their width, 16 bytes at most: each lies in one piece of so many bytes.
  static constexpr std::uint64_t kPieceBytes = 16;
  struct Source {
    std::uint64_t low = 0, to = 0;
    std::uint32_t bytes = 0, pc = 0;
  };
  std::unordered_multimap<std::uint64_t, Source> reading_;     // by piece of the source
  std::unordered_map<std::uint64_t, std::uint64_t> piece_of_;  // by where a copy lands in shared memory
};

}  // namespace lab::sim

// Launches that repeat an earlier one exactly: the same kernel, arguments and shape, and all memory as that
// one found it.
//
// Enters: launches, before they run and after. Leaves: for one that repeats another what that one counted and
// found, and memory as that one left it. A simulated GPU does the same twice, so it is not executed again:
// programs that measure launch a kernel hundreds of times.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "common/run/cudart/touched.h"
#include "common/sim/gpu.h"
#include "common/sim/memory/memory.h"

namespace lab::cudart {

struct LaunchOutcome {
  sim::LaunchResult result;
  std::optional<sim::Counters> as_ptxas;
  std::vector<Touched> touched;
};

class Repeats {
 public:
  // All that decides what a launch does, but memory.
  struct Launch {
    const void* function = nullptr;
    std::array<std::uint32_t, 9> grid_block_cluster{};
    std::uint32_t dynamic_shared_bytes = 0, most_cluster = 0;
    bool allow_large_shared = false, cooperative = false, watches_touches = false, overlaps = false,
         in_order = false;
    std::vector<std::byte> parameters;
    auto operator<=>(const Launch&) const = default;
  };
  // What it comes to, with memory changed as it would: null when it must be executed.
  [[nodiscard]] const LaunchOutcome* find(sim::Memory& memory, const Launch& launch);
  // Around a launch that is executed. `touched`: the observer of its accesses, or null.
  void before(const sim::Memory& memory, const Launch& launch);
  void after(const sim::Memory& memory, const Launch& launch, const sim::LaunchResult& result,
             const std::optional<sim::Counters>& as_ptxas, const TouchObserver* touched);
  void forget();  // kernels were unloaded: others may come in their place

 private:
  struct Piece {  // of memory: an allocation
    sim::DeviceAddress base = 0;
    std::uint64_t size_bytes = 0;
    std::size_t bytes = 0, written = 0;               // hashes of what it held before the launch
    std::vector<std::byte> left_bytes, left_written;  // behind it; empty: as before
  };
  struct Known {
    int executed = 0, in_vain = 0;
    std::uint64_t lane_instructions = 0, used = 0;  // used: which of all uses was the last
    std::uint64_t kept_bytes = 0;                   // in all pieces
    std::vector<Piece> pieces;                      // empty: memory is not known
    std::optional<LaunchOutcome> outcome;
    bool host_reaches_it = false;  // some of this memory
    // It leaves memory as it finds it, and that is how memory is as long as this is its changes().
    std::optional<std::uint64_t> still;
  };
  [[nodiscard]] static bool found(const std::vector<Piece>& pieces, const sim::Memory& memory);
  [[nodiscard]] bool make_room(std::uint64_t bytes);
  void drop(Known& known);

  std::map<Launch, Known> known_;
  std::uint64_t kept_bytes_ = 0, uses_ = 0;
};

[[nodiscard]] Repeats& repeats();

}  // namespace lab::cudart

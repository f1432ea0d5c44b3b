// The timeline of one block: for each warp in order what starts, lands, waits and overlaps.
//
// Enters: an observed launch, the number of a block. Leaves: the steps of its warps and the copies that were
// on their way over them. No clock runs: a column is a run of requests of one kind on one source line, and
// warps stand below each other where a barrier of the block lets them meet.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/observe/started_copy.h"

namespace lab::explore {

enum class Act : std::uint8_t { Load, Store, SharedLoad, SharedStore, Atomic, Start, Wait };

struct Step {
  Act act = Act::Load;
  int line = 0;      // of a wait: where the copies started that have landed
  int column = 0;    // from 0 on
  int requests = 0;  // a copy of the TMA unit is one
  [[nodiscard]] bool same_as(const Step& other) const {
    return act == other.act && line == other.line && column == other.column;
  }
};

struct WarpSteps {
  int first_warp = 0, last_warp = 0;  // warps that do the same, side by side
  std::vector<Step> steps;            // at most one a column
};

// Bytes that were on their way from one column to another: of all warps that started them there.
struct OnTheWay {
  int line = 0, first = 0, last = 0;
  std::uint64_t bytes = 0;
  bool awaited = true;  // else no thread waits for them, and `last` is the last column
};

struct TimelineData {
  std::uint64_t block = 0;
  int columns = 0;
  std::vector<int> barriers;  // columns, of the whole block
  std::vector<WarpSteps> warps;
  std::vector<OnTheWay> copies;                                         // by first column, last column, line
  [[nodiscard]] std::vector<std::uint64_t> bytes_on_their_way() const;  // by column
};

class Timeline final : public sim::Observer {
 public:
  explicit Timeline(std::uint64_t block) : block_(block) {}
  [[nodiscard]] TimelineData data() const;

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override;
  void merge(const sim::Observer& other) override;
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void copy(std::uint32_t slot, const sim::Copy& copy) override;
  void engine(std::uint32_t slot, const sim::EngineEvent& event) override;
  void meet(std::uint32_t slot, const sim::Meeting& meeting, bool whole_warp) override;
  void barrier(std::uint32_t slot) override;
  void block_end(std::uint32_t slot, const sim::WarpPlace& place) override;

 private:
  struct Moment {  // a column, counted from the last barrier of the block on
    int interval = 0, column = 0;
    auto operator<=>(const Moment&) const = default;
  };
  struct Flight {  // one lane's cp.async, or one copy of the TMA unit
    int line = 0;
    std::uint64_t bytes = 0;
    Moment first, last;
    bool awaited = false;
  };
  struct Bulk {
    std::size_t flight = 0;
    std::uint32_t thread = 0, barrier = 0, group = 0;
    bool writes = false, landed = false;
  };
  using Slot = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;  // pc, thread, target: of a cp.async

  [[nodiscard]] bool acts(const sim::WarpPlace& place) const {
    return running_ && place.block_index == block_;
  }
  // Not before column `from`: a warp that waits for another one leaves columns empty.
  Moment add(std::uint32_t warp, Act act, int line, int requests, int from = 0);
  void start(const sim::Access& access);
  void land(const sim::Access& access);
  void wait(const sim::EngineEvent& event);
  void arrive(std::size_t flight, const Moment& moment);
  [[nodiscard]] int line_of(std::uint32_t pc) const;
  [[nodiscard]] std::vector<int> first_columns() const;

  std::uint64_t block_;
  const sim::Program* program_ = nullptr;
  bool found_ = false;    // the block has begun here,
  bool running_ = false;  // and has not ended
  std::uint32_t slot_ = 0;
  int interval_ = 0;
  std::vector<std::vector<std::vector<Step>>> warps_;  // by warp, interval
  std::vector<int> from_;  // by warp: the first column that is after all whom it has met
  // Named barriers and mbarriers since the last barrier of the block: the last column of each arrived warp.
  std::map<std::uint64_t, int> arrived_, turned_;
  std::vector<Flight> flights_;
  std::map<Slot, std::size_t> slots_;    // flights of cp.async that have not landed
  std::map<std::uint64_t, Bulk> bulks_;  // by the unit's number
  sim::StartedCopy started_;
};

}  // namespace lab::explore

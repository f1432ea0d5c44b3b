// What the warps of one block, or cluster, do, statement by statement.
//
// Enters: an observed launch, numbers of blocks. Leaves: steps in the order in which they ran. A step is a
// run of instructions of one warp on one source line, with the same lanes, and ends where a load
// comes behind a store (the next copy of an unrolled loop); or a barrier that opens. What stands
// in headers, or on no line, belongs to the statement before it. The launch is decoded without shortcuts
// (Observer::steps), so nothing is left out; it goes on behind what checks find, where they do not stop it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/course/explore/step_variables.h"
#include "common/sim/observe/counter_observer.h"

namespace lab::explore {

inline constexpr std::int32_t kNoStep = -1;

struct StepAccess {
  sim::Path path = sim::Path::GlobalLoad;
  std::uint8_t width_bytes = 4;
  sim::Mask mask = 0;
  std::uint32_t block = 0;  // whose shared memory: index into StepData::blocks
  std::array<std::uint64_t, sim::kWarpLanes> address{};
  std::vector<std::byte> value;  // 32 × width_bytes; empty: not known
  // By lane: the latest step that wrote any of its bytes before; kNoStep: none of the recording.
  std::array<std::int32_t, sim::kWarpLanes> before{};
  sim::PathCounters cost;  // of an asynchronous copy: none, see StepCopy
  [[nodiscard]] bool acts(std::size_t lane) const { return ((mask >> lane) & 1u) != 0; }
};

// Bytes that lie side by side.
struct StepSpan {
  std::uint64_t low = 0, bytes = 0;
  std::uint32_t block = 0;  // in shared memory: index into StepData::blocks
  bool written = false;     // else read
};

// A copy that starts and goes on beside the threads; what it costs on either side.
struct StepCopy {
  sim::Path read = sim::Path::GlobalAsync, written = sim::Path::SharedAsync;
  sim::PathCounters reads, writes;
  std::vector<StepSpan> shared, global;  // offsets, and addresses
  std::uint32_t barrier = kNoBarrier;    // that counts its bytes, by its offset;
  std::uint32_t number = 0;              // the phase of it that waits for them; else the group of its thread
  static constexpr std::uint32_t kNoBarrier = sim::EngineEvent::kNoBarrier;
};
// Copy number `copy` of that step.
struct StepFlight {
  std::uint32_t step = 0, copy = 0;
  friend bool operator==(const StepFlight&, const StepFlight&) = default;
};

struct WarpStep {
  enum class What : std::uint8_t { Statement, Barrier, Phase } what = What::Statement;
  std::uint32_t block = 0, warp = 0;  // block: index into StepData::blocks; warp: of a statement
  int line = 0;                       // of the kernel's file; 0: not known
  int called_from = 0;                // of a function of that file: the line that calls it; 0: of the kernel
  sim::Mask live = 0, at = 0;         // lanes that have not exited; that stand here
  sim::Mask acting = 0;               // of these: whose guard holds, in any of its instructions
  bool arrives = false;               // at a barrier, and waits there
  std::uint64_t object = 0;           // Phase, and the barrier of a cluster: Meeting::object
  std::uint32_t phase = 0;            // of an mbarrier: how many were over before
  StepVariables variables;            // as the statement began
  std::vector<StepAccess> accesses;
  std::vector<StepCopy> copies;
  std::vector<StepFlight> landed;  // from here on no longer on their way
};

struct StepBounds {
  std::size_t most_steps = 1'000'000, most_bytes = 64u << 20;
};

struct StepData {
  std::vector<std::uint64_t> blocks;  // whose warps are recorded
  std::vector<WarpStep> steps;
  std::set<int> lines;    // that have an instruction, whether it runs or not
  std::size_t bytes = 0;  // that they take
  bool full = false;      // there was more to record
};

// By step: the warp of its block that was chosen to go on there, until it waits.
using StepTurns = std::map<std::size_t, std::uint32_t>;

class StepRecorder final : public sim::Observer, public sim::Policy {
 public:
  // `main_file`: whose lines are statements. `out`: where writers are remembered. On one host thread.
  StepRecorder(std::vector<std::uint64_t> blocks, std::string main_file, StepBounds bounds = {});
  // Where variables are; `table` stays.
  void names(const VariableTable& table) { table_ = &table; }
  void chooses(StepTurns turns) { turns_ = std::move(turns); }
  void lies(std::uint64_t out, std::uint64_t out_bytes) { out_ = out, out_bytes_ = out_bytes; }
  [[nodiscard]] const StepData& data() const { return *data_; }
  void compute_recipes();  // behind the launch

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override;
  [[nodiscard]] sim::Policy& policy() override { return *this; }
  [[nodiscard]] bool values() const override { return true; }
  [[nodiscard]] bool pieces(std::uint32_t pc, const sim::WarpPlace& place) const override;
  [[nodiscard]] bool steps() const override { return true; }
  void launch_begin(const sim::LaunchInfo& info) override;
  void block_begin(std::uint32_t slot, const sim::WarpPlace& place) override;
  void instruction(std::uint32_t slot, const sim::Stepped& stepped) override;
  [[nodiscard]] std::optional<std::uint32_t> goes_first(std::uint32_t slot,
                                                        const sim::Stepped& stepped) override;
  void access(std::uint32_t slot, const sim::Access& access) override;
  void copy(std::uint32_t slot, const sim::Copy& copy) override;
  void bulk(std::uint32_t slot, const sim::BulkCopy& copy) override;
  void engine(std::uint32_t slot, const sim::EngineEvent& event) override;
  void barrier(std::uint32_t slot) override;
  void meet(std::uint32_t slot, const sim::Meeting& meeting, bool whole_warp) override;

 private:
  struct AWarp {
    std::int32_t step = kNoStep;
    std::uint32_t last_pc = 0;
    int line = 0;
    int statement = -1;  // of VariableTable: the one that runs
  };
  // On its way: lanes whose bytes have not landed, or what the TMA unit calls it; of one that it reads, the lane
  // that waits for it.
  struct Flight : StepFlight {
    std::uint32_t pc = 0;
    sim::Mask lanes = 0;
    std::uint64_t id = kNoId;
    static constexpr std::uint64_t kNoId = ~std::uint64_t{0};
  };
  [[nodiscard]] int number_of(std::uint64_t block_index) const;  // in blocks; -1: not recorded
  [[nodiscard]] AWarp* warp_at(const sim::WarpPlace& place);     // null: not recorded
  WarpStep* begin(AWarp* warp, WarpStep step);                   // null: full
  WarpStep* goes_on(const AWarp& warp,
                    const sim::Stepped& stepped);  // the step that it belongs to; null: a new one
  [[nodiscard]] bool exits(const sim::Stepped& stepped) const;       // behind each return
  WarpStep* step_of(const sim::WarpPlace& place, std::uint32_t pc);  // the one that runs; null: none
  // The statement of the source that an instruction belongs to; -1: not known.
  [[nodiscard]] int statement_of(std::uint32_t pc) const;
  void add_copy(WarpStep& step, std::uint32_t pc, StepCopy copy, const sim::PathCounters& reads,
                const sim::PathCounters& writes);
  [[nodiscard]] StepCopy& copy_of(const StepFlight& flight) {
    return data_->steps[flight.step].copies[flight.copy];
  }
  [[nodiscard]] bool is_of_warp(const StepFlight& flight, const WarpStep& step) const;
  [[nodiscard]] StepFlight last_copy() const;
  // Flights that `is_over`, and have no other part, land in `where`.
  template <class IsOver>
  void land(std::vector<StepFlight>& where, const IsOver& is_over);
  void start(std::uint32_t slot, const sim::EngineEvent& event);
  // Notes for the last step which step wrote the bytes that it touches, and that it writes them, if it does.
  void note_writers(StepAccess& made, sim::Space space);
  // The step that wrote these bytes last; from now on `by`, unless it is kNoStep.
  std::int32_t writer(sim::Space space, std::uint32_t block, std::uint64_t at, std::uint32_t bytes,
                      std::int32_t by);

  std::shared_ptr<StepData> data_;
  std::string main_file_;
  StepBounds bounds_;
  const VariableTable* table_ = nullptr;
  VariableReader variables_;
  std::shared_ptr<Recipes> recipes_ = std::make_shared<Recipes>();
  StepTurns turns_;
  std::uint64_t out_ = 0, out_bytes_ = 0;
  int launches_ = 0;  // the first is recorded
  const sim::Program* program_ = nullptr;
  sim::CounterObserver counter_;
  std::vector<int> lines_;                                          // by pc; 0: of no statement of its own
  std::vector<int> blocks_;                                         // by slot
  std::map<std::pair<std::uint64_t, std::uint32_t>, AWarp> warps_;  // by block and warp
  std::vector<std::vector<std::int32_t>> shared_writers_;           // by block, then byte
  std::vector<std::int32_t> out_writers_;                           // by byte
  const sim::WarpContext* registers_ = nullptr;                     // of the warp that runs
  std::vector<Flight> flights_;
  std::optional<sim::EngineEvent> reading_;  // whose copy comes next
  std::vector<StepFlight> landed_;           // before the step that comes next
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> phases_;  // by block and object
};

}  // namespace lab::explore

// A block while it runs: its warps, their splits, its shared memory and its barriers.
//
// Enters: a decoded program and a block's place in the grid. Leaves: changed memory, hooks called, or a
// FaultError. One BlockRun is reused for many blocks of a launch; constants and thread numbers stay.
// block.cpp schedules, splits.cpp lets lanes part and meet, barrier.cpp and exec_sync.cpp make them wait.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/sim/base/launch_config.h"
#include "common/sim/execute/abreast.h"
#include "common/sim/execute/arena.h"
#include "common/sim/execute/exec.h"
#include "common/sim/execute/hoisted.h"
#include "common/sim/execute/shared_repeats.h"
#include "common/sim/execute/undefined.h"
#include "common/sim/memory/memory.h"
#include "common/sim/observe/clock_observer.h"
#include "common/sim/observe/counters.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {

// The next number of a sequence that a seed begins (SplitMix64): the same on every machine.
inline std::uint64_t draw(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// What a call must restore.
struct Frame {
  std::uint32_t base[kRowFiles] = {};  // offsets into the warp's row arenas
  std::uint32_t local_base = 0;
  std::uint32_t function = 0;
  std::uint32_t return_pc = kNoPc;
  std::uint32_t call = 0;  // index into ProgramData::calls of the call that made this frame
};

enum class SplitState : std::uint8_t {
  Dead,
  Ready,
  Meeting,  // lanes wait at `pc` until the children have come
  AtBarrier,
  AtSync,     // a *.sync warp operation waits for more lanes
  AtCluster,  // barrier.cluster.wait: until all threads of the cluster have arrived
  AtProduct,  // wgmma: until the other warps of its warpgroup are there
};

// Lanes of a warp that stand at one instruction. Splits form a tree: a split that diverges waits at the
// meeting point, its children run there and join it.
struct Split {
  SplitState state = SplitState::Dead;
  Mask mask = 0;
  std::uint32_t pc = 0;
  std::uint32_t meet = kNoPc;    // where this split joins its parent
  std::uint32_t meet_depth = 0;  // and at which call depth
  std::int32_t parent = -1;
  std::uint32_t children = 0;  // not yet joined
  Mask joined = 0;             // lanes that came to the meeting
  std::uint32_t barrier = 0;   // AtBarrier: which
  bool arrived = false;        // AtBarrier: counted there
  Frame frame;
  std::vector<Frame> callers;
};

// A cp.async on its way: what its lanes will write to shared memory when they wait for it.
struct AsyncCopy {
  std::uint32_t pc = 0;
  Mask lanes = 0;                                 // that have not landed
  std::array<std::uint64_t, kWarpLanes> to{};     // offsets in shared memory
  std::array<std::uint32_t, kWarpLanes> group{};  // commit groups of the lane before this one
  std::array<std::byte, kWarpLanes * 16> data{};  // lane by lane, as wide as the copy
};

// Lanes of a warp that wait at one mbarrier. A GPU wakes them when the phase ends; here they ask again, and
// `woken` is their answer, whatever has become of the barrier meanwhile.
struct MbarrierWaiters {
  std::uint32_t offset = 0;
  bool odd = false;  // the phase
  Mask asleep = 0, woken = 0;
};

// How long lanes of a warp have asked one mbarrier for a phase that has not ended: on a GPU try_wait
// blocks for so long. A lane that sees the phase end has waited, and the count is dropped.
struct TimedWait {
  std::uint32_t offset = 0;
  bool odd = false;  // the phase
  std::uint64_t nanoseconds = 0;
};

struct Warp {
  WarpContext context;
  WarpPlace place;
  Mask started = 0;  // lanes that exist
  Mask live = 0;     // lanes that have not exited
  std::vector<Split> splits;
  std::uint32_t current = 0;  // split to run next
  Arena arena[kRowFiles];
  std::byte* special = nullptr;  // RowFile::WarpSpecial
  std::vector<std::byte> local;  // lane by lane, `local_stride` bytes each
  std::uint32_t local_stride = 0;
  std::uint32_t exit_pc = kNoPc;                        // where lanes last exited, for messages
  std::vector<AsyncCopy> copies;                        // oldest first
  std::array<std::uint32_t, kWarpLanes> copy_groups{};  // committed so far, by lane
  Mask cluster_arrived = 0;  // lanes that arrived at the barrier of the cluster; it is not complete yet
  Mask cluster_passed = 0;   // it is, and they have not waited yet
  std::array<std::uint32_t, kWarpLanes> bulk_groups{};  // of copies that the unit reads, committed so far
  std::uint32_t product_groups = 0;                     // of wgmma, committed so far
  bool waited_in_vain = false;                          // its last turn asked an mbarrier, and has to wait
  MbarrierWaiters waiters;                              // of its lanes that have to
  std::vector<TimedWait> timed_waits;
  bool polled_memory = false;                  // at memory that others may write, in this round of its loop
  bool spinning = false;                       // its last turn ended in a loop that did
  bool made_progress = false;                  // in this turn it went round a loop that did not
  std::uint32_t spins = 0;                     // rounds of loops that watch memory, without news
  std::unique_ptr<UndefinedValues> undefined;  // it has read unwritten memory
  bool has_unset = false;                      // registers without a value, which it has not come to yet
};

struct BarrierState {
  std::uint32_t expected = 0;  // threads; 0: all live threads of the block
  std::uint32_t arrived = 0;   // threads
  std::uint32_t votes = 0;     // bar.red: lanes whose predicate held
  std::uint32_t voters = 0;
};

struct DeviceRuntime;  // device_runtime.h

struct LaunchContext {
  Memory* memory = nullptr;
  const ProgramData* program = nullptr;
  const Program* handle = nullptr;
  LaunchConfig config;
  LaunchOptions options;
  DeviceLimits limits;
  std::span<const std::byte> parameters;
  Dim3 cluster;
  std::uint32_t shared_bytes = 0;           // static + dynamic
  std::uint32_t reserved_at = 0;            // offset of the hardware's own shared memory; 0: not asked for
  DeviceAddress grid_barrier = 0;           // cooperative launches: where grid.sync() counts the blocks
  DeviceRuntime* device_runtime = nullptr;  // of kernels that launch kernels
  // All shared memory, with what is reserved.
  [[nodiscard]] std::uint32_t shared_room() const {
    return reserved_at == 0 ? shared_bytes : reserved_at + kReservedSharedBytes;
  }
};

// What an mbarrier counted since its phase began, for the message about threads that wait for ever.
struct MbarrierLog {
  std::uint64_t expected_bytes = 0, landed_bytes = 0;
  std::uint32_t phase = 0;         // number of the one that runs
  std::uint32_t ended_at = kNoPc;  // mbarrier.inval
  std::uint32_t late_answers = 0;  // asks that a drawn order answers "not yet"
  bool was_very_late = false;      // in this phase
};
struct VainWait {
  std::uint32_t pc = 0, offset = 0, warp = 0;
  int lane = 0;
  std::uint64_t asked = 0;  // parity
  bool by_parity = false;
};

struct Exchange;
class ClusterRun;
struct InFlight;

class BlockRun {
 public:
  BlockRun(const LaunchContext& launch, std::uint32_t slot, std::vector<Observer*> observers,
           ClusterRun& cluster, std::uint32_t rank);

  void begin(std::uint64_t block_index);
  // Runs until the block is done (true) or `quantum` rounds of its warps have passed (false). Unless it is
  // alone, it also stops when its warps only watch memory: another block must write what they wait for.
  static constexpr std::uint64_t kAlone = ~std::uint64_t{0};
  bool run(std::uint64_t quantum);
  // Consecutive turns of warps that only poll memory which no warp changes: after enough of them, a deadlock.
  static constexpr std::uint64_t kMostIdleRounds = 4'000'000;
  [[nodiscard]] bool stalled() const { return stalled_; }  // it ended since no warp could go on
  [[nodiscard]] bool waits() const { return waits_; }      // the last run ended because of that
  [[noreturn]] void report_waiting() const;
  [[noreturn]] void report_stuck();
  // The budget of the launch is spent while this block and others are under way.
  [[noreturn]] void report_spent() const;
  void end();

  // For its cluster.
  [[nodiscard]] bool done() const { return live_threads_ == 0; }
  [[nodiscard]] std::uint64_t block_index() const { return place_.block_index; }
  [[nodiscard]] std::vector<Warp>& warps() { return warps_; }
  void pass_cluster_barrier(bool orders);
  // Whether a thread released what it did to the cluster since its barrier turned last: arrived there, but
  // not `.relaxed`, or fenced.
  [[nodiscard]] bool has_released() const { return has_released_; }
  void release() { has_released_ = true; }
  // One of its threads has come through the barrier of the cluster: all its blocks have begun.
  [[nodiscard]] bool knows_peers() const { return knows_peers_; }
  void bytes_landed(const InFlight& copy);  // exec_mbarrier.cpp

  // For the handlers.
  [[nodiscard]] const LaunchContext& launch() const { return launch_; }
  [[nodiscard]] bool observed() const { return !observers_.empty(); }
  [[nodiscard]] bool values_wanted() const { return values_wanted_; }
  // Loads of kernel parameters: too many and too cheap for an Access each.
  void count_parameters(Mask lanes, std::uint32_t loads, std::uint32_t bytes) {
    const auto active = static_cast<std::uint64_t>(std::popcount(lanes));
    parameters.requests += loads;
    parameters.active_lanes += active * loads;
    parameters.bytes += active * bytes;
  }
  // Calls a method of every observer.
  template <auto kMethod, class... Words>
  void notify(const Words&... words) {
    repeats_.leave();
    for (Observer* o : observers_) (o->*kMethod)(slot_, words...);
  }
  // Observers of an access, and of one to shared memory that repeats another block's.
  struct Listeners {
    std::vector<Observer*> all, of_repeats;
  };
  void report(const Access& access) { report_to(*all_listeners_, access); }
  void report_to(const Listeners& listeners, const Access& access) {
    const bool shared = access.space == Space::Shared;
    const bool spared = shared && repeats_.spares(access);
    for (Observer* o : spared ? listeners.of_repeats : listeners.all) o->access(slot_, access);
    if (shared && !spared) repeats_.reported(access);
  }
  [[nodiscard]] std::uint32_t slot() const { return slot_; }
  void report_texels(const Access& access) { notify<&Observer::texels>(access); }
  void report(const Copy& copy) { notify<&Observer::copy>(copy); }
  void report(const BulkCopy& copy) { notify<&Observer::bulk>(copy); }
  void report_piece(const Access& access) {
    for (Observer* o : pieces_for_) o->access(slot_, access);
  }
  // Whether an observer asks for the pieces of this bulk copy: report_piece goes to those.
  [[nodiscard]] bool pieces_wanted(std::uint32_t pc, const WarpPlace& place) {
    repeats_.leave();
    pieces_for_.clear();
    for (Observer* o : observers_) {
      if (o->policy().pieces(pc, place)) pieces_for_.push_back(o);
    }
    return !pieces_for_.empty();
  }
  void report(const EngineEvent& event) { notify<&Observer::engine>(event); }
  [[nodiscard]] ClusterRun& cluster() const { return cluster_; }
  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  void phase_over(std::uint32_t offset, std::uint32_t warp);  // of the mbarrier there (exec_mbarrier.cpp)
  // The cluster's barrier: what the block's threads did so far is in order with what they will do.
  void in_order() {
    notify<&Observer::barrier>();
    notify<&Observer::meet>(Meeting{Meeting::Act::Turn, kClusterBarrier, 0, 0}, false);
  }
  // Acting lanes fence, or meet others at an object.
  void fenced(const WarpContext& w, Scope scope) {
    has_released_ = has_released_ || scope > Scope::Block;
    const bool whole = w.mask == warp_of(w).live;
    notify<&Observer::fence>(w.place->warp, w.mask, whole, scope);
  }
  void meet(Meeting::Act act, std::uint64_t object, std::uint32_t warp, Mask lanes) {
    const bool whole = lanes == warps_[warp].live;
    notify<&Observer::meet>(Meeting{act, object, warp, lanes}, whole);
  }
  [[nodiscard]] Fault fault_at(FaultKind kind, const WarpContext& w, std::uint32_t pc, int lane,
                               std::uint64_t address, const Message& message) const;
  // What a manual forbids and GPUs run: a finding where checks do not stop, a fault where they do.
  void forbid(std::uint32_t pc, Fault fault);
  void forbid(FaultKind kind, const WarpContext& w, std::uint32_t pc, int lane, const Message& message,
              Fix::Act act = Fix::Act::None);
  // A load found unwritten bytes (undefined_read): its registers are followed from here on.
  void carry_undefined(WarpContext& w, const Inst& inst);
  // What is to be said of a value with this label, which a lane passes on at `pc`.
  [[nodiscard]] const Fault& source_of(const WarpContext& w, int lane, std::uint8_t label, std::uint32_t pc);
  // The value matters: `what` it does at `pc`. Reported once.
  void report_undefined(const WarpContext& w, int lane, std::uint8_t label, std::uint32_t pc,
                        const char* what);
  [[noreturn]] void fault(FaultKind kind, const WarpContext& w, std::uint32_t pc, int lane,
                          std::uint64_t address, const Message& message, Fix::Act act = Fix::Act::None) const;
  [[nodiscard]] Message thread_name(const WarpContext& w, int lane) const;
  [[nodiscard]] Message line_name(std::uint32_t pc) const;  // "line 31", or "PTX line 12"
  [[nodiscard]] Warp& warp_of(const WarpContext& w) { return warps_[w.place->warp]; }
  [[nodiscard]] Hoisted& hoisted() { return hoisted_; }

  std::vector<std::byte> shared;
  // What an instruction touched last in global memory: most often the next warp goes on from there.
  struct LastTouch {
    const Allocation* allocation = nullptr;
    DeviceAddress low = 0;
    // Its window: where an access may begin and only these observers have an interest. The address of a byte
    // there, added to `host`, is its host address.
    Beginnings window;
    const Listeners* listeners = nullptr;  // null: not known yet
    Observer* counter = nullptr;           // one more, if it has
    RampPriced* priced = nullptr;          // this, of what it counted last
    bool may_wait = false;                 // for the end of the block, as all of them say (Policy)
    std::uintptr_t host = 0;
  };
  std::vector<LastTouch> last_touch;  // by pc
  // An access was in order: later ones may be, too.
  void open_window(const Inst& inst, std::uint32_t width_bytes, std::uint64_t at);
  std::map<std::uint32_t, MbarrierLog> mbarriers;                        // by offset
  std::uint32_t ended_mbarriers = 0;                                     // ends of them, in this block
  VainWait vain_wait;                                                    // the last one
  UndefinedRead undefined_read;                                          // of the load or store that executes
  std::vector<BulkPiece> pieces;                                         // of the copy that is being started
  std::string output;                                                    // of printf
  std::map<std::pair<std::uint32_t, FaultKind>, Fault> findings, notes;  // by pc, the first of each
  std::uint64_t changes = 0;       // words that strong accesses changed: news for what watches memory
  std::uint64_t late_answers = 0;  // tests of mbarriers that a drawn delay of copies put off
  std::uint64_t warp_instructions = 0, lane_instructions = 0;
  std::uint64_t extra_work = 0;  // what the host did beyond one unit per instruction (program/work.h)
  [[nodiscard]] std::uint64_t work() const { return warp_instructions + extra_work; }
  // For what one instruction can do without end: asks the budget at once, not at the next jump.
  void charge(const WarpContext& w, const Inst& inst, std::uint64_t units) {
    extra_work += units;
    if (work() - block_start_work_ > launch_.options.budget_work) report_work(warp_of(w), inst.pc);
  }
  [[nodiscard]] std::uint64_t work_since_begin() const { return work() - block_start_work_; }
  PathCounters parameters;  // loads of kernel parameters
  // The loop that went round most often in this block, by an instruction that has a line; how often.
  struct Loop {
    std::uint32_t pc = 0;
    std::uint64_t times = 0;
  };
  [[nodiscard]] Loop hottest_loop() const;
  std::uint64_t reported_instructions = 0, reported_work = 0;  // already counted against the launch budget

  void read_clock(WarpContext& w, const Inst& inst) const;

 private:
  // block.cpp
  [[nodiscard]] const Listeners& listeners_of(std::uint64_t observers);  // bit k: observers_[k]
  void bind(Warp& warp, Split& split);
  [[nodiscard]] bool collides(const Warp& warp, const Split& split) const;
  void start_warp(std::uint32_t index, std::span<std::byte> rows);
  void begin_warp(Warp& warp);
  void bind_constants(const Warp& warp, WarpContext& w);
  [[nodiscard]] std::vector<WarpContext> contexts_of_hoisted();
  void draw_late_warps();
  std::size_t first_warp();
  void let_time_pass(bool news);
  bool run_warp(Warp& warp);  // true when anything was executed
  // OthersFirst: it went round a loop. StandsBack: before a load that it waits for, or another was chosen.
  enum class Turn : std::uint8_t { Over, OthersFirst, StandsBack };
  Turn run_split(Warp& warp, std::uint32_t index, std::uint32_t& fuel);
  bool ends_turn(const Inst& inst, bool first);  // before this instruction of a straight run
  const Inst* execute_run(Warp& warp, Mask lanes);
  const Inst* execute_stepped(Warp& warp);
  [[nodiscard]] Stepped stepped(const Warp& warp, const Inst& inst) const;
  [[nodiscard]] bool stands_back(const Warp& warp, const Inst& inst);
  bool straight_run(Warp& warp, Split& split, const Inst& first);
  void count_run(const Inst& first, std::uint32_t run, Mask lanes) {
    if (lanes != kFullMask) extra_work += (first.pc + run) / 2 - first.pc / 2;  // idle lanes are put back
    if (weights_ != nullptr) [[unlikely]]
      weigh(first.pc, run);
    warp_instructions += run;
    extra_work += first.work - (run == first.run ? 0 : (&first + run)->work);
    lane_instructions += std::uint64_t{run} * static_cast<std::uint32_t>(std::popcount(lanes));
  }
  void count_to_exit(std::uint32_t pc, Mask lanes);
  bool jumps_together(Warp& warp, Split& split, const Inst& inst);
  bool jumps_over(Warp& warp, std::uint32_t index, const Inst& inst);
  void count_control(const Inst& inst, Mask lanes) {
    ++warp_instructions;
    if (weights_ != nullptr) [[unlikely]]
      weigh(inst.pc, 1);
    extra_work += inst.work;
    lane_instructions += static_cast<std::uint32_t>(std::popcount(lanes));
  }
  void execute_control(Warp& warp, std::uint32_t index, const Inst& inst);
  [[noreturn]] void trap(const WarpContext& w, const Inst& inst, Mask acting) const;
  void note_spinning(Warp& warp, bool went_back, bool watches_memory, std::uint32_t& fuel);
  [[nodiscard]] std::uint64_t work_of_begin() const;
  bool back_edge(Warp& warp, std::uint32_t target, std::uint32_t& fuel);  // false when the fuel is spent
  [[noreturn]] void report_budget(const Warp& warp);
  [[nodiscard]] Message why_trapped(std::uint32_t pc) const;
  [[nodiscard]] bool only_waits_in_vain() const;
  [[nodiscard]] bool waits_for_grid(std::uint32_t pc) const;
  void report_if_in_vain() const;
  [[nodiscard]] Message what_it_waits_for() const;
  [[noreturn]] void report_work(const Warp& warp, std::uint32_t pc);

  // abreast.cpp
  bool run_abreast();  // false: nothing has happened
  bool go_abreast();
  bool go_together(std::uint32_t& pc);
  std::uint32_t execute_abreast(const Inst& first);
  bool run_abreast(const Inst& first);
  bool step_abreast(Warp& warp, Abreast::Place& place, const Inst& inst);
  bool access_abreast(const Inst& inst);
  void finish_abreast(const Abreast::Row& row);

  // splits.cpp
  static constexpr std::uint64_t kWorkOfSplit = 12;  // program/work.h
  std::uint32_t new_split(Warp& warp);
  void branch(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting);
  void branch_indirect(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting);
  void diverge(Warp& warp, std::uint32_t index, const Inst& inst,
               std::span<const std::pair<std::uint32_t, Mask>> ways);
  // These lanes stay at the instruction, the others go on at `rest`; behind it they meet.
  void part(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting, std::uint32_t rest);
  bool join_if_met(Warp& warp, std::uint32_t index);  // true when the split is gone
  void child_gone(Warp& warp, std::int32_t parent);
  void exit_lanes(Warp& warp, std::uint32_t index, Mask lanes, std::uint32_t pc);
  void call(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting);
  void return_from(Warp& warp, std::uint32_t index);
  void ensure_room(Warp& warp, const Frame& frame);
  void report_frame(const Warp& warp, Mask lanes, const Frame& frame, const FunctionInfo& of);
  bool release_spinning(Warp& warp);

  // barrier.cpp
  void barrier(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting);
  void arrive(Warp& warp, Split& split);
  void settle_barriers(Warp& warp);  // no split of the warp is ready: do its waiting lanes make a whole?
  bool complete_barriers();          // true when one was
  void wait_for_cluster(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting);
  void check_one_line(std::uint32_t id);
  void complete_counted(std::uint32_t id);
  void note_who_left(std::uint32_t id);
  void release_barrier(std::uint32_t id);
  bool put_in_order(std::uint32_t id, std::uint32_t everybody);
  [[noreturn]] void report_divergence(const Warp& warp, const Split& split);
  [[nodiscard]] Message where_lanes_wait(const Warp& warp) const;

  // exec_warpgroup.cpp
  void wait_for_warpgroup(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting);
  bool complete_products();  // true when one was
  void multiply(std::span<Warp> group);

  // exec_sync.cpp
  void warp_sync(Warp& warp, std::uint32_t index, const Inst& inst, Mask acting);
  void exchange_by_own_masks(Warp& warp, Split& split, const Inst& inst);
  bool settle_syncs(Warp& warp);
  bool part_from_syncs();
  void check_one_mask(const WarpContext& w, const Inst& inst, Mask lanes, Mask met);
  [[nodiscard]] Message warp_waits(const Warp& warp) const;
  [[nodiscard]] Message sync_in_vain(std::uint32_t pc, const Message& where) const;
  void report_order(const Warp& warp, const Exchange& x);
  void report_absent(const Warp& warp, const Inst& inst, const Exchange& x);

  const LaunchContext& launch_;
  const ProgramData& program_;
  std::uint32_t slot_;
  std::vector<Observer*> observers_, pieces_for_;
  std::map<std::uint64_t, Listeners> listeners_by_;
  const Listeners* all_listeners_ = nullptr;
  SharedRepeats repeats_;
  ClockObserver clock_;  // sees nothing where the kernel reads no clock
  ClusterRun& cluster_;
  std::uint32_t rank_;
  bool values_wanted_ = false;
  Observer* stepper_ = nullptr;  // gets each instruction
  Warp* chosen_ = nullptr;       // by it: goes on next
  bool rows_collide_ = false;    // of the split that runs
  bool turns_at_loads_ = false;  // of several warps
  bool cuts_turns_ = false;      // anywhere, in this round
  std::vector<Warp> warps_;
  RowBytes rows_;  // what all warps begin with: thread numbers and registers
  RowBytes block_special_;
  Hoisted hoisted_;
  Abreast abreast_;
  WarpPlace place_;
  BarrierState barriers_[16];
  std::uint32_t live_threads_ = 0, block_threads_ = 0;
  std::uint64_t schedule_ = 0;  // state of what is drawn
  struct WarpRange {
    std::size_t first = 0, last = 0;  // from `first` to the one before `last`
    [[nodiscard]] bool contains(std::size_t warp) const { return warp >= first && warp < last; }
  };
  WarpRange late_;  // of a drawn schedule
  bool waits_ = false, stalled_ = false, knows_peers_ = false, has_released_ = false;
  struct UndefinedOrigin {
    std::uint32_t pc = 0;  // kNoPc: a register, no read
    Fault fault;
    bool reported = false;
  };
  // Registers that the kernel never wrote have label 1 from the start of a block on, where it may read some.
  void begin_unset();
  void follow_unset(Warp& warp);  // it comes to the first instruction that names one
  [[nodiscard]] Fault unset_fault(const WarpContext& w, int lane, std::uint32_t pc, const char* what) const;
  bool follows_values_ = false;                   // an observer wants to know
  std::vector<UndefinedOrigin> undefined_reads_;  // of this block; a label is an index + 1
  Fault unset_source_;                            // what source_of() said last of such a register
  ValueFlows flows_;                              // of the program, once it is needed
  std::uint64_t vain_rounds_ = 0;  // in a row in which all that could run asked mbarriers in vain
  std::uint64_t idle_rounds_ = 0, seen_changes_ = 0, seen_late_answers_ = 0;
  std::uint64_t vying_rounds_ = 0;  // in a row in which one only watched memory, and another did not
  std::uint64_t waited_ticks_ = 0;  // time that passed while all only watched memory
  std::uint64_t block_start_instructions_ = 0, block_start_work_ = 0;
  void weigh(std::uint32_t pc, std::uint32_t run) {
    for (std::size_t k = 0; k < weight_.size(); ++k) weight_[k] += weights_[pc + run][k] - weights_[pc][k];
  }
  void note_way(std::uint32_t pc, Mask lanes, Mask taken) {
    if (taken != 0) ways_[pc] |= Observer::kTaken;
    if (taken != lanes) ways_[pc] |= Observer::kNotTaken;
  }
  std::uint8_t* ways_ = nullptr;  // of the observer that marks them
  Observer* weigher_ = nullptr;   // the observer that has weights, which are these
  const Observer::Weights* weights_ = nullptr;
  Observer::Weighed weight_{};             // of this block so far
  std::vector<std::uint64_t> back_edges_;  // by pc of the target: how often a loop went round
};
inline constexpr std::size_t kMaxCallDepth = 4096;

// Loads a row of values that differ from lane to lane as 64-bit numbers, whatever its width.
inline std::uint64_t lane_value(const WarpContext& w, const RowRef& row, int lane) {
  std::uint64_t value = 0;
  std::memcpy(&value, w.row<std::byte>(row) + std::size_t{row.lane_bytes} * static_cast<std::size_t>(lane),
              std::min<std::size_t>(row.lane_bytes, 8));
  return value;
}
// What the launch draws the hardware's numbers from; 0: they are as always, as where a form runs without a block.
inline std::uint64_t drawn_numbers(const WarpContext& w) {
  return w.block == nullptr ? 0 : w.block->launch().options.numbers;
}
inline void set_lane_value(const WarpContext& w, const RowRef& row, int lane, std::uint64_t value) {
  std::memcpy(w.row<std::byte>(row) + std::size_t{row.lane_bytes} * static_cast<std::size_t>(lane), &value,
              std::min<std::size_t>(row.lane_bytes, 8));
}

}  // namespace lab::sim

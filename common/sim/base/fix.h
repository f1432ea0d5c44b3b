// What would fix a mistake, for tools that apply it: the kind of fix, where, and the edits that make it.
//
// Enters: nothing. Leaves: one `Fix` a fault, and from it a list of edits of the source. An edit says what
// changes, in which lines, and with which code, so that a tool can apply it without knowing faults.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lab::sim {

// One change of the source. The names in the comments are those of JSON.
struct Edit {
  enum class What : std::uint8_t {
    Insert,       // insert: `code` as a statement, behind line `after` and before line `before`, where every
                  // thread comes by; 0: right beside the other one
    Declare,      // declare: `code` in front of the kernel
    Split,        // split: the statement reads into a variable, then `code`, then it writes
    Move,         // move: `code`, which stands in the line (and in line `after`), in front of its branch
    Guard,        // guard: the access runs where it is inside the `bytes` of `variable`
    Zero,         // zero: all of `variable` before the line reads it
    Index,        // index: `code` where the line writes
    Atomic,       // atomic: the read of line `after` and the store of the line are one atomic
    Result,       // result: line `after` reads what the atomic of the line returns
    Exchange,     // exchange: the store is an atomic exchange, a fence before it
    Volatile,     // volatile: the read goes through a volatile pointer
    Widen,        // widen: no scope of a block, from line `after` to the line
    Mask,         // mask: `code` is the mask of the line's warp function
    OtherBuffer,  // other-buffer: the line writes to a buffer of `bytes` beside `variable`
    SplitKernel,  // split-kernel: behind line `after` and before the line one launch ends, the next begins
    GiveBack,     // give-back: the lock that the line takes, at the end of its block of statements
  };
  What what = What::Insert;
  int after = 0, before = 0;
  bool in_loop = false;  // at the end of the round, of the loop that holds both
  std::string code = {}, variable = {};
  std::uint64_t bytes = 0;
};
[[nodiscard]] std::string_view code(Edit::What what);

// What would fix a mistake, and where. The names in the comments are those of JSON.
struct Fix {
  enum class Act : std::uint8_t {
    None,
    BlockBarrier,    // syncthreads: __syncthreads() between the lines
    WarpBarrier,     // syncwarp: __syncwarp() between the lines
    ClusterBarrier,  // cluster-sync: cluster.sync() between the lines
    Guard,           // guard: compare the index with the extent before the line
    OwnElement,      // own-element: give each thread an element of its own at the line
    Initialise,      // initialise: write before the line reads
    Wait,            // wait: for the copy of the first line, before the second
    Fence,           // fence: behind the first line, for the unit that reads at the second
    Threadfence,     // threadfence: __threadfence() behind the first line and before the second
    BulkWait,      // bulk-wait: cp.async.bulk.wait_group 0 behind the copy, a barrier before the second line
    GridBarrier,   // grid-sync: the barrier of the grid between the lines
    Atomic,        // atomic: one atomic in place of the read of the first line and the store of the second
    AtomicStore,   // atomic-store: the plain store as an atomic
    AtomicResult,  // atomic-result: not what the first line reads, but what the atomic of the second returns
    VolatileRead,  // volatile-read: the plain read through a volatile pointer
    DeviceScope,   // device-scope: no scope of a block from the first line to the second
    OwnMask,       // own-mask: the mask that names the lanes that execute it
    Align,         // align: begin at a multiple of the width of the access
    MoveBarrier,   // move-barrier: out of its branch; of two branches, in front of both
    HoldLock,      // hold-lock: one lock around both lines
    Release,       // release: what another thread waits for in a loop
    TwoLaunches,   // two-launches: the first line in one launch, the second in the next
  };
  Act act = Act::None;
  std::string file = {};
  int after = 0, before = 0;  // lines; 0: none, or not known
  bool in_loop = false;       // between two rounds: behind `after`, before `before` runs again
  std::string variable = {};  // that is indexed or read; "": not known, or no matter
  std::uint64_t bytes = 0;    // of the variable; 0: not known
  std::string element = {};   // of a thread of its own: its index
  bool whole_block = false;   // of a fence: other threads of the block announce what this one wrote

  // Whether changing these lines is enough; else a person must decide what goes where.
  [[nodiscard]] bool is_one_edit() const;
  // What to change, in this order; empty where only a person can say.
  [[nodiscard]] std::vector<Edit> edits() const;
};
[[nodiscard]] std::string_view code(Fix::Act act);

}  // namespace lab::sim

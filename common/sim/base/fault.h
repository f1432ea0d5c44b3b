// What can go wrong inside a kernel, with everything a person needs to find it.
//
// Enters: nothing. Leaves: one `Fault` a mistake. The simulator throws FaultError from deep inside a warp
// and catches it at the launch; no code outside ever sees the exception.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/base/text/message.h"
#include "common/sim/base/fix.h"

namespace lab::sim {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  bool operator==(const Dim3&) const = default;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  // The index that has this number in it, x first.
  [[nodiscard]] Dim3 at(std::uint64_t number) const {
    return {static_cast<std::uint32_t>(number % x), static_cast<std::uint32_t>(number / x % y),
            static_cast<std::uint32_t>(number / x / y)};
  }
};

// The names in the comments are the stable codes of JSON and `lab explain`.
enum class FaultKind : std::uint8_t {
  OutOfBounds,          // out-of-bounds
  Misaligned,           // misaligned
  WriteToConst,         // write-to-const
  SharedRace,           // shared-race: two threads, one address, no barrier between
  MissingSyncwarp,      // missing-syncwarp: the same inside one warp
  GlobalRace,           // global-race: the same in global memory, also between blocks
  UninitialisedShared,  // uninitialised-shared
  UninitialisedLocal,   // uninitialised-local: a thread's own array
  PoisonedGlobal,       // poisoned-global: a read of unwritten memory
  AsyncEarly,           // async-early: bytes that a copy of the TMA unit still moves
  ProxyFence,           // proxy-fence: the TMA unit may not see what a thread wrote
  PeerGone,      // peer-gone: shared memory of a block that has exited, may not have begun, or is no peer
  NoPeerAccess,  // no-peer-access: memory of another GPU without peer access
  BarrierDivergence,  // barrier-divergence
  WarpSync,           // warp-sync: a lane outside the mask, a mismatch, a read from an absent lane
  Deadlock,           // deadlock
  BudgetExceeded,     // budget-exceeded
  InvalidLaunch,      // invalid-launch
  TooMuchShared,      // too-much-shared
  TooMuchMemory,      // too-much-memory: the variables of a module do not fit
  StackOverflow,      // stack-overflow
  Unsupported,        // unsupported
  Trap,               // trap
  BadPtx,             // bad-ptx
};
[[nodiscard]] std::string_view code(FaultKind kind);

// What a message is about, for callers that know more than the simulator.
enum class About : std::uint8_t {
  Else,
  BufferEdge,    // an access leaves a buffer
  SharedOffset,  // an access leaves shared memory
  TwoStores,     // two threads store to one place at one line
  OnePlace,      // two threads store to one place, in one instruction or where one of them is wrong
  CopyInto,      // what a copy still writes is touched
};

// One mistake. `message` says what happened; the fields serve tools.
struct Fault {
  FaultKind kind = FaultKind::Trap;
  Message message;
  Message went_into,
      decides;       // of a value that was never written: where it is read in the end, what it does there
  std::string file;  // source file as the compiler named it, "" when unknown
  int line = 0;      // 0 when unknown
  int ptx_line = 0, ptx_column = 0;  // of the instruction in the PTX text; 0 when unknown
  // Where the other access of a race stands; 0: there is no other.
  std::string other_file;
  int other_line = 0;
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  std::uint64_t address = 0;
  std::uint64_t block_index = 0;  // linear; the launch keeps the fault of the lowest block
  // Where the shared variable begins that the message names, and its size. 0: it names none.
  std::uint32_t array_offset_bytes = 0, array_bytes = 0;
  std::string array_name;  // the compiler's
  std::string buffer;      // the name, given by the launch, of the buffer in global memory whose edge it is
  About about = About::Else;
  std::uint32_t access_bytes = 0;    // that one lane moves; 0: no access is to blame
  std::string assertion;             // the condition of a failed assert()
  bool illegal_instruction = false;  // what a GPU calls it, measured
  std::uint64_t count = 1;           // how often it was seen, of findings
  Fix fix;
  Message advice;  // what fixes it, where the message does not say so itself
  Message after;   // a line more

  // All that is said of it.
  [[nodiscard]] Message sentence() const;
};

class FaultError : public std::runtime_error {
 public:
  explicit FaultError(Fault f) : std::runtime_error(f.sentence().english()), fault(std::move(f)) {}
  Fault fault;
};

}  // namespace lab::sim

// A decoded kernel: what the warps execute.
//
// Enters: a parsed module and the name of an entry. Leaves: a flat array of instructions whose operands are
// already rows of 32 lanes, with every branch target and reconvergence point worked out. Nothing is looked
// up by name after this station.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "common/sim/base/order.h"
#include "common/sim/memory/memory.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

struct WarpContext;
struct Inst;
using Exec = void (*)(WarpContext&, const Inst&);

// Where 32 values stand side by side. Register rows live per warp and call frame; constants per program.
enum class RowFile : std::uint8_t {
  Constant,
  Reg16,
  Reg32,
  Reg64,
  Reg128,
  Predicate,
  WarpSpecial,
  BlockSpecial
};
inline constexpr int kRowFiles = 8;

struct RowRef {
  std::uint32_t offset_bytes = 0;
  RowFile file = RowFile::Constant;
  std::uint8_t lane_bytes = 0;  // size of one lane's value in the row: 2, 4, 8, 16; predicates: 0 (one Mask)
};

// A RowRef that names no row has no lane size; predicates never have one.
[[nodiscard]] inline bool is_set(const RowRef& row) {
  return row.lane_bytes != 0 || row.file == RowFile::Predicate;
}

// What the scheduler has to do with an instruction. All but Plain end a straight run.
enum class Control : std::uint8_t {
  Plain,
  Branch,
  BranchIndirect,
  Call,
  Return,
  Exit,
  Barrier,
  ClusterWait,
  WarpSync,
  Product,  // wgmma: its four warps go on together
  Trap
};

inline constexpr std::uint32_t kNoPc = 0xffffffffu;
inline constexpr std::uint16_t kNoGuard = 0xffff;

// One decoded instruction. `full` runs when all 32 lanes act; `masked` for any WarpContext::mask. Both obey
// the same contract: write no lane outside the mask.
struct alignas(64) Inst {
  // What lane-wise instructions read stands in the first cache line.
  Exec enter_full = nullptr,
       enter_masked = nullptr;  // what the scheduler calls: the two below, or a guard before them
  RowRef dst, a, b, c;
  std::int64_t immediate = 0;  // address offset, target pc, barrier number …
  std::uint32_t pc = 0;
  std::uint32_t run : 31 = 1;  // Plain instructions from here to the end of the straight run, itself included
  std::uint32_t needs_load : 1 =
      0;  // it reads what a load before it brings from global memory (load_waits.h)

  Exec full = nullptr;
  Exec masked = nullptr;
  RowRef dst2, d;
  std::uint32_t target = kNoPc;      // branch target or callee entry
  std::uint32_t reconverge = kNoPc;  // immediate post-dominator of a branch
  std::uint32_t extra = 0;           // index into a side table of Program (vector operands, calls, …)
  // What it costs the host beyond one unit (program/work.h); Plain: with all behind it in its straight run.
  std::uint32_t work = 0;
  RowRef guard;  // predicate row; used when has_guard
  bool has_guard = false, guard_negated = false;
  Control control = Control::Plain;
  Space space = Space::Generic;
  std::uint8_t elem_bytes = 0, vector = 1;  // memory: one element, and how many
  bool sign_extend = false;
  bool watches_memory = false;  // atomics, volatile loads, and branches back over one: others may answer
  bool checked_by_cas = false;  // loads: an atomic behind checks or repeats what was read (cas_reads.h)
  bool around_a_part = false;   // may be an atomic access to a byte or a half: PTX has words, and few halves
  bool tests_atomic = false;    // a plain load of what an atomic behind changes: a test, or a number
  bool updates = false;         // loads and stores: a word is read and stored again, changed (cas_reads.h)
  bool takes_data = false;      // a strong load that no loop repeats until it finds another value
  bool non_coherent = false;    // a read that need not see stores of its launch: .nc, textures
  bool only_stores = false;     // an exchange of which nobody reads what it found
  Ordering order;               // memory: what the access promises to other threads
  Scope fence = Scope::None;    // fences: for whom
  bool writes_global = false;   // memory: global memory, or where a generic address leads
  std::uint32_t roots = 0;  // memory: where its address comes from, index into ProgramData::roots; 0: unknown
  bool frame_relative = false;   // memory: the address counts from the frame in local memory
  bool passes_argument = false;  // of a call: in the frame here, in a GPU's register: nobody observes it
};

// Where an instruction comes from, for messages and counters.
struct InstSource {
  std::string text;        // "ld.global.nc.f32", the full opcode
  int file = 0, line = 0;  // key into Program::files
  int ptx_line = 0;
};

class Program;
class MergePlan;     // common/sim/program/merge_plan.h
struct ProgramData;  // common/sim/program/program_data.h: what only the simulator itself reads

class ModuleImage;  // common/sim/program/program_data.h

// Room for the variables of a kernel file. An H200 has more than a hundred times of it, a laptop has not: so
// that a verdict is the same on every machine, no machine gives more.
inline constexpr std::uint64_t kMostVariableBytes = 1ull << 30;

// Gives the module's variables their place in `memory`. Throws FaultError: BadPtx, or TooMuchMemory when the
// .global and .const variables together take more than `room_bytes`. `first`: of the same module, on another
// GPU; the two share managed variables.
[[nodiscard]] std::shared_ptr<ModuleImage> load_module(ptx::Module module, Memory& memory,
                                                       std::uint64_t room_bytes = kMostVariableBytes,
                                                       std::shared_ptr<const ModuleImage> first = nullptr);
// As if it were loaded anew: variables hold their initial values again, the heap of kernels is empty.
void renew(ModuleImage& image);
[[nodiscard]] std::uint64_t variable_bytes(const ModuleImage& image);  // what they take in `memory`
// The device address of a .global or .const variable, or 0.
[[nodiscard]] DeviceAddress variable_address(const ModuleImage& image, std::string_view name);
[[nodiscard]] const ptx::Module& parsed(const ModuleImage& image);

// Decodes one entry. Throws FaultError: Unsupported or BadPtx, with the PTX line. The image must outlive it.
[[nodiscard]] std::shared_ptr<const Program> decode(const ModuleImage& image, std::string_view entry);

struct ParameterInfo {
  std::string name;
  std::uint32_t offset_bytes = 0, size_bytes = 0, align_bytes = 1;
  ptx::Type type = ptx::Type::B8;
  bool is_array = false;
};

// One decoded entry of a module.
class Program {
 public:
  explicit Program(std::unique_ptr<ProgramData> data);
  ~Program();
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::vector<ParameterInfo>& parameters() const;
  [[nodiscard]] std::uint32_t parameter_bytes() const;
  [[nodiscard]] std::uint32_t static_shared_bytes() const;
  [[nodiscard]] std::size_t instruction_count() const;
  [[nodiscard]] InstSource source(std::uint32_t pc) const;
  [[nodiscard]] const std::string& file_name(int file) const;  // "" when unknown
  [[nodiscard]] std::uint32_t smallest_shared_access_bytes() const;
  [[nodiscard]] const ProgramData& data() const { return *data_; }
  // Worked out when it is first asked for; any thread may ask.
  [[nodiscard]] const MergePlan& merge_plan() const;

 private:
  mutable std::once_flag merge_once_;
  mutable std::unique_ptr<MergePlan> merge_plan_;
  std::unique_ptr<ProgramData> data_;
};

}  // namespace lab::sim

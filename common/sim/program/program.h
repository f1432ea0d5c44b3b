// A decoded kernel: what the warps execute.
//
// Enters: a parsed module and the name of an entry. Leaves: a flat array of instructions whose operands are
// already rows of 32 lanes, with every branch target and reconvergence point worked out. No name is
// resolved after this station.
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
  BlockSpecial,
  Hoisted,  // program/hoisted_values.h
  None      // no row at all
};
inline constexpr int kRowFiles = 10;

struct RowRef {
  std::uint32_t offset_bytes = 0;
  RowFile file = RowFile::None;
  std::uint8_t lane_bytes = 0;  // size of one lane's value in the row: 2, 4, 8, 16; predicates: 0 (one Mask)
};

// A register of predicates has no lane size.
[[nodiscard]] inline bool is_predicate(const RowRef& row) {
  return row.lane_bytes == 0 && (row.file == RowFile::Predicate || row.file == RowFile::Hoisted);
}
// Whatever its lane size: a literal and a special register may be predicates too.
[[nodiscard]] inline bool is_set(const RowRef& row) { return row.file != RowFile::None; }
// A row that instructions write as they come.
[[nodiscard]] inline bool is_register(const RowRef& row) {
  return is_set(row) && row.file != RowFile::Constant && row.file != RowFile::WarpSpecial &&
         row.file != RowFile::BlockSpecial && row.file != RowFile::Hoisted;
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
inline constexpr std::uint32_t kLongestRun = 0x7fff;

// One decoded instruction. `full` runs when all 32 lanes act; `masked` for any WarpContext::mask. Both obey
// the same contract: write no lane outside the mask.
struct alignas(64) Inst {
  // What lane-wise instructions read stands in the first cache line.
  Exec enter_full = nullptr,
       enter_masked = nullptr;  // what the scheduler calls: the two below, or a guard before them
  RowRef dst, a, b, c;
  std::int64_t immediate = 0;  // address offset, target pc, barrier number …
  std::uint32_t pc = 0;
  // Plain: instructions from here to the end of the straight run, itself included, and to the next one that
  // executes; those between are hoisted (program/hoisted_values.h).
  std::uint32_t run : 16 = 1, step : 15 = 1;
  std::uint32_t needs_load : 1 = 0;  // it reads what a load before it reads from global memory (load_waits.h)

  Exec full = nullptr;
  Exec masked = nullptr;
  RowRef dst2, d;
  std::uint32_t target = kNoPc;  // branch target, callee entry, or which group of hoisted values begins here
  std::uint32_t reconverge = kNoPc;  // immediate post-dominator of a branch
  std::uint32_t extra = 0;           // index into a side table of Program (vector operands, calls, …)
  // What it costs the host beyond one unit (program/work.h); Plain: with all behind it in its straight run.
  std::uint32_t work = 0;
  RowRef guard;             // predicate row; used when has_guard
  std::uint16_t roots = 0;  // memory: where its address comes from, index into ProgramData::roots; 0: unknown
  Ordering order;           // memory: what the access promises to other threads
  std::uint8_t elem_bytes = 0;  // memory: one element, and how many
  std::uint8_t vector : 4 = 1;
  Control control : 4 = Control::Plain;
  Space space : 4 = Space::Generic;
  Scope fence : 2 = Scope::None;  // fences: for whom
  bool has_guard : 1 = false, guard_negated : 1 = false;
  bool sign_extend : 1 = false;
  bool is_pure : 1 = false;         // what it writes follows from what it reads: rows, or a parameter
  bool takes_ramp : 1 = false;      // `a` is an address, and read by compute_addresses alone
  bool watches_memory : 1 = false;  // atomics, volatile loads, and branches back over one: others may answer
  bool checked_by_cas : 1 = false;  // loads: an atomic behind checks or repeats what was read (cas_reads.h)
  bool may_be_narrow : 1 =
      false;                   // may be an atomic access to a byte or a half: PTX has words, and few halves
  bool of_header : 1 = false;  // a library's code, as lines say
  bool tests_atomic : 1 = false;   // a plain load of what an atomic behind changes: a test, or a number
  bool updates : 1 = false;        // loads and stores: a word is read and stored again, changed (cas_reads.h)
  bool takes_data : 1 = false;     // a strong load that no loop repeats until it finds another value
  bool non_coherent : 1 = false;   // a read that need not see stores of its launch: .nc, textures
  bool only_stores : 1 = false;    // an exchange whose result is not read
  bool writes_global : 1 = false;  // memory: global memory, or where a generic address leads
  bool frame_relative : 1 = false;   // memory: the address counts from the frame in local memory
  bool jumps_over : 1 = false;       // a branch round a straight run, to where its ways meet or end
  bool passes_argument : 1 = false;  // of a call: in the frame here, in a GPU's register: not observed
};
static_assert(sizeof(Inst) == 128, "two cache lines: a straight run should stay in the host's cache");

// Where an instruction comes from, for messages and counters.
struct InstSource {
  std::string_view file;  // as the compiler named it, kept by the program; "" when unknown
  int line = 0, ptx_line = 0;
  int call_line = 0;  // of a function of the same file that was inlined: where; else 0
};

class Program;
class MergePlan;     // common/sim/analysis/merge_plan.h
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

// Off: each warp computes each value, and every observer gets each access. The reference of the tests, which
// must find the same.
enum class Shortcuts : std::uint8_t { Off, On };

// Decodes one entry. Throws FaultError: Unsupported or BadPtx, with the PTX line. The image must outlive it.
[[nodiscard]] std::shared_ptr<const Program> decode(const ModuleImage& image, std::string_view entry,
                                                    Shortcuts shortcuts = Shortcuts::On);

enum class ParameterKind : std::uint8_t { Bits, Whole, Real };  // as PTX declares it

struct ParameterInfo {
  std::string name;
  std::uint32_t offset_bytes = 0, size_bytes = 0, align_bytes = 1;
  ptx::Type type = ptx::Type::B8;
  bool is_array = false;
  [[nodiscard]] ParameterKind kind() const;
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
  [[nodiscard]] const ptx::OpcodeRow& opcode(std::uint32_t pc) const;  // unknown_opcode() behind the end
  [[nodiscard]] const ProgramData& data() const { return *data_; }
  // Worked out when it is first asked for (analysis/merge_plan.cpp); any thread may ask.
  [[nodiscard]] const MergePlan& merge_plan() const;

 private:
  mutable std::once_flag merge_once_;
  mutable std::shared_ptr<const MergePlan> merge_plan_;
  std::unique_ptr<ProgramData> data_;
};

}  // namespace lab::sim

// The inside of a decoded program, for the simulator's own files.
//
// Enters: the decoder fills it. Leaves: read-only tables for the scheduler and the handlers.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <vector>

#include "common/sim/base/observer.h"
#include "common/sim/memory/memory.h"
#include "common/sim/program/hoisted_values.h"
#include "common/sim/program/program.h"
#include "common/sim/program/tensor_product.h"
#include "common/sim/program/warpgroup_product.h"
#include "common/sim/ptx/special_registers.h"

namespace lab::sim {

// Rows are read and written with vector instructions; 64 bytes keeps them inside cache lines.
inline constexpr std::size_t kRowAlign = 64;

template <class T>
struct RowAllocator {
  using value_type = T;
  RowAllocator() = default;
  template <class U>
  explicit RowAllocator(const RowAllocator<U>&) {}
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kRowAlign}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{kRowAlign}); }
  bool operator==(const RowAllocator&) const { return true; }
};
using RowBytes = std::vector<std::byte, RowAllocator<std::byte>>;

inline constexpr std::uint32_t row_bytes(std::uint32_t lane_bytes) { return lane_bytes * kWarpLanes; }

using ptx::BlockRow;
using ptx::kReservedSharedBytes;
using ptx::WarpRow;

// A parameter or variable in the local frame of a function: bytes [offset, offset + size) of each lane.
struct FrameSlot {
  std::uint32_t offset_bytes = 0, size_bytes = 0;
};

struct FunctionInfo {
  std::string name;
  std::uint32_t entry_pc = kNoPc;
  std::uint32_t exit_pc = kNoPc;              // its one Return (or Exit) instruction
  std::uint32_t frame_bytes[kRowFiles] = {};  // register rows
  std::uint32_t local_bytes = 0;              // local variables, parameters, call arguments
  std::vector<FrameSlot> parameters, returns;
};

enum class Builtin : std::uint8_t {
  None,
  Vprintf,
  AssertFail,
  Malloc,
  Free,
  // The device runtime (execute/device_runtime.cpp) has those from here on.
  ParameterBuffer,
  LaunchDevice,
  MakeHandle,  // of a stream or an event: work is done in the order in which it was asked for
  Nothing,
  LastError,
  PeekAtLastError,
  ErrorString,
  CurrentDevice,
  DeviceCount,
  DeviceMalloc,
  DeviceFree,
  CopyAsync,
  FillAsync,
  SetConditional
};
inline constexpr Builtin kFirstOfDeviceRuntime = Builtin::ParameterBuffer;

// A kernel that others may launch.
struct LaunchableKernel {
  std::string name;  // "": this function is no kernel
  std::uint32_t parameter_bytes = 0;
};

struct CallSite {
  std::uint32_t callee = kNoPc;  // index into functions; kNoPc: through `pointer`
  RowRef pointer;
  Builtin builtin = Builtin::None;
  std::vector<FrameSlot> arguments, results;  // in the caller's frame
};

struct SharedVariable {
  std::string name;
  std::uint32_t offset_bytes = 0, size_bytes = 0;
};

// All that an address can be made of.
struct RootsOfAddress {
  std::vector<std::uint32_t> parameters;  // pointers at these bytes of the parameters
  std::vector<std::uint32_t> summands;    // of these: not multiplied by what a thread computes
  std::vector<DeviceAddress> globals;     // variables of the module
  std::vector<std::uint32_t> shared;      // index into shared_variables
  bool operator<(const RootsOfAddress& other) const {
    return std::tie(parameters, summands, globals, shared) <
           std::tie(other.parameters, other.summands, other.globals, other.shared);
  }
};

// What an atomic operation does. Shared by atom and red.
enum class AtomicOp : std::uint8_t { Add, Min, Max, And, Or, Xor, Exch, Cas, Inc, Dec };

struct AtomicInfo {
  AtomicOp op = AtomicOp::Add;
  ptx::Type type = ptx::Type::B32;
  bool returns = false;
  // .v2, .v4, .v8: rows of the elements, indices into ProgramData::vectors; kNoPc: one element, in Inst.
  std::uint32_t values = kNoPc, results = kNoPc;
};

// cp.async: what an Inst has no room for. Its own address is the one in shared memory.
struct AsyncCopyInfo {
  RowRef from;  // base of the global address
  std::int64_t from_offset = 0;
  RowRef source_bytes;  // how many are read, the rest becomes zeros; unset: all
  RowRef ignore;        // predicate: read nothing; unset: false
  bool bypass = false;  // .cg
  bool has_ignore = false;
  std::uint32_t from_roots = 0;  // as Inst::roots
};

// Copies of the TMA unit. Their Inst has the address in the block's own shared memory (of a load: where it
// goes to), this the rest.
struct BulkCopyInfo {
  enum class Way : std::uint8_t {
    Load,     // global → shared memory
    Store,    // shared → global memory
    ToPeer,   // shared memory → that of a block of the cluster
    Prefetch  // global → second-level cache: checked, moves nothing
  } way = Way::Load;
  RowRef far;  // base of the address in global memory, of the tensor map, or in the peer
  std::int64_t far_offset = 0;
  RowRef bytes;    // one dimension
  RowRef barrier;  // who counts the bytes
  std::int64_t barrier_offset = 0;
  RowRef mask;                   // multicast: 16 bits, a block each
  std::uint32_t dimensions = 0;  // of a tensor; 0: one dimension, no map
  std::uint32_t far_roots = 0;   // of one dimension in global memory, as Inst::roots
  RowRef coordinates[5];
  bool reduces = false;
  AtomicInfo reduction;  // the type of a tensor's comes from its map
};

// st.async and red.async: a value to a block of the cluster, and the mbarrier that counts its bytes there.
struct AsyncStoreInfo {
  RowRef barrier;
  std::int64_t barrier_offset = 0;
  std::uint32_t values = 0;  // index into ProgramData::vectors
  bool reduces = false;
  AtomicInfo reduction;
};

// The instruction at `pc` reads or writes the rows of ProgramData::vectors[list].
struct ListedRows {
  std::uint32_t pc = 0, list = 0;
  bool are_sources = false;
};

struct ProgramData {
  std::string name;
  std::vector<ParameterInfo> parameters;
  std::uint32_t parameter_bytes = 0;
  std::vector<Inst> code;
  struct Origin {
    const ptx::Instruction* in = nullptr;  // of the module, or of `ends`; it may be decoded into several
    ptx::SourceLine source;
    int call_line = 0;
  };
  std::vector<Origin> origins;  // one an instruction
  [[nodiscard]] const ptx::Instruction& text(std::size_t pc) const { return *origins[pc].in; }
  [[nodiscard]] const ptx::OpcodeRow& opcode(std::size_t pc) const { return *text(pc).row; }
  // Null: it is no atomic, or a step that makes an operand of one, whose row is the atomic's.
  [[nodiscard]] const AtomicInfo* atomic_of(const Inst& inst) const {
    return opcode(inst.pc).is_atomic() && !inst.is_pure ? &atomics[inst.extra] : nullptr;
  }
  // The instruction before it comes from the same one of the text.
  [[nodiscard]] bool continues(std::size_t pc) const {
    return pc > 0 && origins[pc].in == origins[pc - 1].in;
  }
  std::shared_ptr<const ptx::Module> module;
  std::deque<ptx::Instruction> ends;  // the return behind the last instruction of each function
  RowBytes constants;
  Shortcuts shortcuts = Shortcuts::On;
  HoistedValues hoisted;                             // of the entry
  std::map<std::string, RowRef> registers;           // of the entry, where shortcuts are off;
  std::map<std::string, FrameSlot> locals;           // and its variables in local memory
  std::vector<FunctionInfo> functions;               // [0] is the entry
  std::vector<const ptx::Function*> function_texts;  // of the module, one a function
  std::vector<std::vector<RowRef>> vectors;
  std::map<std::uint32_t, std::uint8_t> matrix_cells;  // bits of an element, where not 16; by Inst::extra
  std::vector<CallSite> calls;
  std::vector<std::vector<std::uint32_t>> branch_tables;
  std::vector<AtomicInfo> atomics;
  std::vector<AsyncCopyInfo> async_copies;
  std::vector<BulkCopyInfo> bulk_copies;
  std::vector<AsyncStoreInfo> async_stores;
  std::vector<TensorProductInfo> products;  // of tensor cores
  std::vector<WarpgroupProductInfo> warpgroup_products;
  bool uses_engine = false;                       // copies of the TMA unit: their order is watched
  std::vector<std::uint32_t> function_of_module;  // index in the module → index in functions, or kNoPc
  std::vector<SharedVariable> shared_variables;
  std::vector<RootsOfAddress> roots{1};  // [0]: unknown
  std::map<int, std::string> files;
  std::uint64_t variable_bytes = 0;  // of the whole module, in global memory
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t smallest_shared_access_bytes = 16;
  std::uint32_t smallest_global_access_bytes = 16;
  bool writes_global = false;
  bool uses_dynamic_shared = false;
  bool uses_reserved_shared = false;
  bool blocks_talk = false;  // blocks may wait for or see each other: they run in a fixed order on one thread
  bool turns_decide = false;  // what a thread does may depend on whose turn came first, without a race
  bool reads_clock = false;
  bool lets_next_begin = false;  // griddepcontrol.launch_dependents: before it is done
  bool starts_work = false;      // that goes on beside a thread, arrives at objects or waits for them
  bool all_lanes_name_rows =
      false;                 // below sm_80, lanes whose row ldmatrix does not load name a valid one too
  bool names_peers = false;  // makes addresses in the shared memory of other blocks of its cluster
  std::uint32_t launches_at = kNoPc;         // the first call that hands work to the device runtime
  std::vector<LaunchableKernel> launchable;  // by index in the module, for kernels that launch some
  std::vector<ListedRows> lists;             // by pc
  std::vector<RowRef> unset;      // of the entry: registers that may be read before they are written
  std::vector<bool> names_unset;  // by pc, where there are some: the straight run from there names one
  bool clear_registers = false;   // some register is read before the text writes it
  std::uint32_t max_threads = 0;
  std::uint32_t required_threads[3] = {0, 0, 0};
  std::uint32_t required_cluster[3] = {0, 0, 0};
};

// A module whose variables have their place in memory. Several entries share one.
class ModuleImage {
 public:
  // Throws FaultError (BadPtx) when an initialiser names an unknown symbol or does not fit.
  // `first`: the image of the same module on another GPU, which holds its managed variables.
  ModuleImage(ptx::Module parsed, Memory& into, std::uint64_t room_bytes,
              std::shared_ptr<const ModuleImage> first = nullptr);
  ~ModuleImage();
  ModuleImage(const ModuleImage&) = delete;
  ModuleImage& operator=(const ModuleImage&) = delete;
  void renew();
  const std::shared_ptr<const ptx::Module> text;  // programs keep it
  const ptx::Module& module;
  Memory& memory;
  std::map<std::string, DeviceAddress, std::less<>> addresses;  // .global and .const variables

 private:
  void fill(const ptx::Variable& variable);
  bool has_written_variables_ = false;  // that kernels may have written
  const std::shared_ptr<const ModuleImage> first_;
};

// Local memory that a thread can have.
inline constexpr std::uint32_t kMaxLocalBytes = 512 * 1024;

// Function pointers are these; no memory lies there.
inline constexpr DeviceAddress kFunctionBase = 0x0000'4d00'0000'0000ull;
inline constexpr DeviceAddress kParamWindow = 0x0000'4c00'0000'0000ull;

}  // namespace lab::sim

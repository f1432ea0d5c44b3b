// The one table of instructions: a row per opcode, or per variant of one that its modifiers name (`bar.red`,
// `cp.async.bulk`), and a column for whatever code asks of an instruction beyond the types of its operands.
//
// Enters: opcode and modifiers, from the parser, which gives each instruction its row. Leaves: the row.
// Decode, the order of blocks, the analyses of a kernel's text, the pass of `ptxas`, the time model, work
// units, checks and the coverage page ask it, and none of them compares an opcode. A row without one of its
// columns does not compile; tests/judge/test_opcodes.cpp walks every row through every user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/sim/base/path.h"
#include "common/sim/ptx/types.h"

namespace lab::sim::ptx {

// Where a thread goes on.
enum class Next : std::uint8_t { Through, Jump, JumpIndexed, Call, Return, Exit, Trap };

// The registers it writes: its first operand with all parts of a vector and `p|q`; unless that is an address.
// Adds: it reads them too.
enum class Writes : std::uint8_t { Nothing, First, Adds };

// What moves its bytes, and with it the paths (base/path.h) that they may take.
enum class Unit : std::uint8_t {
  None,
  Lanes,     // an address of each lane: a load, a store
  Atomic,    // the same, reading and writing at once
  Copy,      // cp.async
  Bulk,      // the TMA unit
  Matrix,    // 8 × 8 matrices of shared memory
  Fragment,  // wmma: what ptxas makes of it, loads and ldmatrix
  Product,   // wgmma: reads matrices of shared memory
  Barrier,   // an mbarrier object in shared memory
  Peer,      // st.async, red.async: shared memory of another block
  Texture,
  Surface,
  Hint,  // names memory and moves nothing
};

// What it puts in order, beyond what .acquire and .release of its own say.
enum class Orders : std::uint8_t {
  Nothing,
  Lanes,    // of a warp: bar.warp.sync
  Barrier,  // threads wait for one another
  Arrive,   // at a barrier or an mbarrier, without waiting
  Wait,     // for an object, or for what was started
  Starts,   // work that goes on beside the thread, and whose end an object or a group announces
  Commit,   // closes a group of such work
  Fence,
  Sleep,
  Kernels,  // griddepcontrol
};

// What else its result and its progress depend on besides its operands: who can change that.
enum class Sees : std::uint8_t {
  Operands,  // nothing else
  Memory,    // what stands there; where it is atomic or strong, all threads that reach this memory
  Lanes,     // other lanes; each lane has a result of its own
  Warp,      // other lanes; one result for all
  Block,     // other warps of the block
  Cluster,   // other blocks of the cluster
  Kernels,   // other launches
  Callee,    // the code that it calls
};

// What a result is, as a function of the sources.
enum class Computes : std::uint8_t {
  Nothing,
  Copy,     // the same bits
  Convert,  // cvt: the same bits where both sides are whole numbers
  Address,  // cvta: the same place in terms of another space
  Negate,
  Add,
  Subtract,
  Multiply,
  Multiply24,
  MultiplyAdd,
  MultiplyAdd24,
  Divide,
  Remainder,
  And,
  Or,
  Xor,
  Invert,     // not
  CountOnes,  // popc
  ShiftLeft,
  ShiftRight,
  Select,
  Compare,
  Permute,
  Funnel,     // a word of two that stand side by side, shifted
  Extract,    // bits of a word, as its lowest
  Insert,     // bits into a word
  Carry,      // with CC.CF
  Transpose,  // a matrix in the registers of a warp
  Other,
};

// The pipe of a multiprocessor that most of what `ptxas` makes of it goes through.
enum class Pipe : std::uint8_t {
  None,     // issued, and no more; or counted elsewhere, as accesses are
  Whole,    // whole numbers, comparisons, conversions
  Sums,     // either of Whole and Floats; of floats: Floats
  Floats,   // and products of whole numbers, at half the rate
  Doubles,  // whatever has numbers of type f64
  Functions,
  Divides,  // Whole and Floats in turns; of floats: Floats
};

// How many instructions `ptxas` makes for sm_90, where it is not one for each 32-bit word. whole: with
// subnormal numbers; ftz: without; functions: of them, in that pipe. rounding: empty, any. calls: a function,
// where numbers are not ordinary.
struct MachineCost {
  Type type;
  std::string_view rounding;
  std::uint8_t whole, ftz, functions;
  bool calls = false;
};
struct Machine {
  Pipe pipe;
  std::span<const MachineCost> costs;
  bool free_sign;  // it changes a float's sign, which the instruction that reads it does
};

// What `ptxas` leaves apart around it, of the accesses that it would merge; measured (docs/hardware.md).
// Loads, Stores, Both: of the memory that it touches. AllStores, All: of any.
enum class Parts : std::uint8_t { Nothing, Loads, Stores, Both, AllStores, All };

// The function of decode that reads it (decode/decode_structural.cpp).
enum class Reader : std::uint8_t {
  None,      // no row: unsupported
  LaneWise,  // the table of forms (instructions/forms.h)
  Load,
  Store,
  Atomic,
  AsyncCopy,
  AsyncCommit,
  AsyncWait,
  AsyncArrive,
  Bulk,
  BulkGroup,
  AsyncStore,
  Matrix,     // ldmatrix, stmatrix
  Transpose,  // movmatrix
  TensorMap,
  Texture,
  Surface,
  PeerAddress,
  Convert,  // cvta
  IsSpace,
  Move,
  Fence,
  Nothing,  // no effect here
  Sleep,
  DependentKernels,
  Policy,  // createpolicy
  Branch,
  BranchIndexed,
  Call,
  End,
  Barrier,
  WarpBarrier,
  ClusterBarrier,
  Mbarrier,
  ActiveMask,
  Warp,
  Tensor,
  Fragment,
  Warpgroup,
};

// The bytes that it moves.
struct Moves {
  Unit unit;
  Direction direction;
};

// Stands for every GPU: texts for older ones run too.
constexpr int kOldestSm = 20;
// The oldest one that today's `ptxas` compiles for: addresses of 32 bits are gone there.
constexpr int kOldestCompiled = 75;

// A compute capability, times ten. alone: those after it need not have it, so that its `a` or `f` target is named.
struct Architecture {
  std::uint8_t sm;
  bool alone = false;
};
// Forms that are younger than their opcode: those with all of these modifiers. A word that ends in `*` stands for all that begin so;
// two with a dot stand in this order.
struct Younger {
  std::string_view words;
  Architecture since;
  std::size_t operands = 0;  // 0: any number of them
};
// The first architecture that has an opcode, and the younger ones of its forms: the first row that fits.
struct Since {
  // A number is an opcode all of whose forms are of one age.
  constexpr Since(int sm, std::span<const Younger> forms = {})
      : Since(Architecture{static_cast<std::uint8_t>(sm)}, forms) {}
  constexpr Since(Architecture all, std::span<const Younger> forms = {}) : opcode(all), younger(forms) {}

  Architecture opcode;
  std::span<const Younger> younger;
};

struct OpcodeRow {
  // The opcode, and behind dots the modifiers that make it this row's, in any order.
  std::string_view text;
  Next next;
  Writes writes;
  Moves moves;
  Orders orders;
  Sees sees;
  Computes computes;
  Machine machine;
  Parts parts;
  std::uint16_t work;  // what it costs the host, an addition being 0; program/work.cpp adds for types
  Since since;
  Reader reader;
  std::string_view family, covers;  // of the coverage page; kVariant: not listed by itself

  // No column has a default: a row that forgets one does not compile.
  constexpr OpcodeRow(std::string_view row_text, Next goes_on, Writes written, Moves moved, Orders ordered,
                      Sees seen, Computes computed, Machine made, Parts parted, std::uint16_t host_work,
                      Since first, Reader read_by, std::string_view page_family, std::string_view page_text)
      : text(row_text),
        next(goes_on),
        writes(written),
        moves(moved),
        orders(ordered),
        sees(seen),
        computes(computed),
        machine(made),
        parts(parted),
        work(host_work),
        since(first),
        reader(read_by),
        family(page_family),
        covers(page_text) {}

  [[nodiscard]] constexpr std::string_view opcode() const { return text.substr(0, text.find('.')); }
  [[nodiscard]] constexpr bool moves_bytes() const { return moves.unit != Unit::None; }
  [[nodiscard]] constexpr bool is(Unit unit, Direction direction) const {
    return moves.unit == unit && moves.direction == direction;
  }
  // An ordinary load or store of each lane.
  [[nodiscard]] constexpr bool loads() const { return is(Unit::Lanes, Direction::Read); }
  [[nodiscard]] constexpr bool stores() const { return is(Unit::Lanes, Direction::Write); }
  [[nodiscard]] constexpr bool is_atomic() const { return moves.unit == Unit::Atomic; }
  // An atomic that gives back what it found.
  [[nodiscard]] constexpr bool fetches() const { return is_atomic() && writes == Writes::First; }
  // Its result follows from its operands alone, whatever other threads do.
  [[nodiscard]] constexpr bool is_pure() const {
    return writes == Writes::First && sees == Sees::Operands && computes != Computes::Nothing &&
           computes != Computes::Carry;
  }
  [[nodiscard]] constexpr bool ends_block() const { return next != Next::Through && next != Next::Call; }
};

// Text of a row that the coverage page shows with the row of its opcode.
inline constexpr std::string_view kVariant = "variant";

[[nodiscard]] std::span<const OpcodeRow> opcode_rows();
// The row of this opcode that names most, of those whose modifiers occur; unknown_opcode() where none
// does.
[[nodiscard]] const OpcodeRow& opcode_row(std::string_view opcode, std::span<const std::string> modifiers);
[[nodiscard]] const OpcodeRow& opcode_row(std::string_view full_opcode);  // "bar.sync"
[[nodiscard]] const OpcodeRow& unknown_opcode();
// The first architecture that has this form.
[[nodiscard]] Architecture first_architecture(const OpcodeRow& row, std::span<const std::string> modifiers,
                                              std::size_t operands);
[[nodiscard]] std::vector<std::string> modifiers_of(std::string_view full_opcode);
// Leaves one of each modifier that may stand again without a meaning of its own: `add.sat.sat.s32`.
void drop_repeated(std::vector<std::string>& modifiers);
// A modifier that is none of its opcode's; empty: none is, or its reader knows.
[[nodiscard]] std::string_view stranger(const OpcodeRow& row, std::span<const std::string> modifiers);
// The modifier that stands more often than it may, or a type too many; empty: none does.
[[nodiscard]] std::string_view repeated(const OpcodeRow& row, std::span<const std::string> modifiers);
// A full opcode with its modifiers in the order of the alphabet and its types behind them: PTX leaves the order
// of modifiers open, but not that of types. Empty where a word that is a part of the opcode's name, as in mul.lo,
// stands elsewhere.
[[nodiscard]] std::string in_order(std::string_view full_opcode);
// PTX for the first GPUs (sm_1x) has products and sums without a rounding; newer ones round once, and have
// zeros for subnormals. Any other text is returned as it is.
[[nodiscard]] std::string_view spelled_today(std::string_view full_opcode);

}  // namespace lab::sim::ptx

// Reads wmma.load and wmma.store: a matrix in memory becomes registers of a warp, or the other way.
//
// Enters: an instruction. Leaves: the plain loads and stores that it is: ptxas writes just these for sm_90,
// so the ledger counts each of them as what it is. docs/model.md lists them. Where the matrix lies along its
// lines in memory, a lane loads its piece of a core (4 bytes, 8 of a pair of 32-bit results) from its line;
// from shared memory ldmatrix does it. Where it lies across, 16-bit cores are loaded as they lie and turned
// (movmatrix), others element by element.
#include <algorithm>
#include <string>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/exec_matrix.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/exec_tensor.h"
#include "common/sim/instructions/tensor_shapes.h"

namespace lab::sim {

// A matrix of a fragment instruction, and how it lies in memory.
struct Decoder::Fragment {
  TensorShape shape;
  Element type = Element::F16;
  bool stores = false, is_result = false, tall = false;
  bool along = false;  // elements of a line are neighbours in memory
  int lines = 0;
  RowRef base, stride;  // 64 bits; 32 bits, unset: the matrix is packed
  Space space = Space::Generic;
  std::int64_t offset = 0;
  std::vector<RowRef> registers;
  [[nodiscard]] int element_bits() const { return bits_of(type); }
  // Elements from one line of memory to the next when nothing says otherwise.
  [[nodiscard]] int packed_stride() const {
    if (is_result) return along ? shape.flat() : shape.tall();
    return along ? shape.k : lines;
  }
};

// The address row of an access whose lanes stand on `line_of`, each `beside` bytes into it.
RowRef Decoder::fragment_address(const ptx::Instruction& in, const Fragment& f,
                                 const std::uint32_t (&line_of)[kWarpLanes],
                                 const std::uint32_t (&beside)[kWarpLanes]) {
  const RowRef line = lane_constant_row(line_of), rest = lane_constant_row(beside);
  const RowRef to = allocate_row(RowFile::Reg64, 8);
  Inst& inst = emit(in, exec_fragment_address);
  inst.dst = to;
  inst.a = f.base;
  inst.b = f.stride;
  inst.c = line;
  inst.d = rest;
  inst.immediate = f.element_bits();
  inst.extra = is_set(f.stride) ? 0 : static_cast<std::uint32_t>(f.packed_stride());
  return to;
}

// One load or store of `rows`, at an address each lane has.
void Decoder::fragment_access(const ptx::Instruction& in, const Fragment& f, RowRef address,
                              std::vector<RowRef> rows, std::uint32_t element_bytes) {
  const std::uint32_t lane_bytes = rows.front().lane_bytes;
  const Exec handler = f.stores ? store_handler(element_bytes, lane_bytes)
                                : load_handler(element_bytes, lane_bytes, false, false);
  Inst& inst = emit_access(in, handler, {address, f.offset, f.space}, element_bytes);
  inst.vector = static_cast<std::uint8_t>(rows.size());
  use_list(inst, add_list(std::move(rows)), f.stores);
  note_access(inst, in);
}

void Decoder::turn_core(const ptx::Instruction& in, RowRef to, RowRef from) {
  Inst& inst = emit(in, exec_move_matrix);
  inst.dst = to;
  inst.a = from;
}

// Cores of A and B in shared memory whose rows ldmatrix can read: up to four at once.
void Decoder::fragment_by_matrices(const ptx::Instruction& in, const Fragment& f, int cores) {
  const int along = f.shape.cores_along(f.type);
  const int most = f.element_bits() == 16 ? 4 : 2;
  for (int first = 0; first < cores; first += most) {
    const int count = std::min(most, cores - first);
    std::uint32_t line[kWarpLanes], beside[kWarpLanes];
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const CorePlace at = place_of_core(first + lane / 8 % count, f.lines, along, f.tall);
      const int side = f.along ? at.line : 8 * at.along, other = f.along ? 16 * at.along : 2 * at.line;
      line[lane] = static_cast<std::uint32_t>(side + lane % 8);
      beside[lane] = static_cast<std::uint32_t>(other);
    }
    const RowRef address = fragment_address(in, f, line, beside);
    Inst& inst = emit_access(in, exec_load_matrix, {address, f.offset, f.space}, 16);
    inst.sign_extend = !f.along;
    use_list(inst, add_list({f.registers.begin() + first, f.registers.begin() + first + count}), false);
    note_access(inst, in);
  }
}

// Core `index` of A or B by plain loads. Elements of 8 bits that lie across are loaded one by one.
void Decoder::fragment_core(const ptx::Instruction& in, const Fragment& f, int index) {
  const CorePlace at = place_of_core(index, f.lines, f.shape.cores_along(f.type), f.tall);
  const int bits = f.element_bits(), chunk_bytes = f.type == Element::F64 ? 8 : 4;
  const int per_lane = std::max(1, 8 * chunk_bytes / bits);
  const RowRef to = f.registers[static_cast<std::size_t>(index)];
  const bool turned = !f.along && bits == 16, scattered = !f.along && bits == 8;
  std::vector<RowRef> bytes;
  for (int part = 0; part < (scattered ? per_lane : 1); ++part) {
    std::uint32_t line[kWarpLanes], beside[kWarpLanes];
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const int g = lane / 4, t = lane % 4;
      const int element = (4 * at.along + t) * per_lane + part;  // along its line, of lane's line g
      const int row = f.along ? at.line + g : turned ? 8 * at.along + g : element;
      const int column = f.along ? element : turned ? at.line + 2 * t : at.line + g;
      line[lane] = static_cast<std::uint32_t>(row);
      beside[lane] = static_cast<std::uint32_t>(column * bits / 8);
    }
    const RowRef address = fragment_address(in, f, line, beside);
    if (scattered) bytes.push_back(allocate_row(RowFile::Reg32, 4));
    const RowRef into = scattered ? bytes.back() : turned ? allocate_row(RowFile::Reg32, 4) : to;
    fragment_access(in, f, address, {into}, scattered ? 1 : static_cast<std::uint32_t>(chunk_bytes));
    if (turned) turn_core(in, to, into);
  }
  if (!scattered) return;
  Inst& inst = emit(in, exec_join_bytes);
  inst.dst = to;
  use_list(inst, add_list(std::move(bytes)), true);
}

// Core `index` of C or D: two neighbours a lane, at once where they lie along memory.
void Decoder::result_core(const ptx::Instruction& in, const Fragment& f, int index) {
  const ResultPlace at = place_of_result(index, f.shape.tall());
  const bool halves = f.type == Element::F16;
  const std::uint32_t bytes = static_cast<std::uint32_t>(f.element_bits()) / 8;
  const auto first = static_cast<std::size_t>(halves ? index : 2 * index);
  const auto address_of = [&](int part, bool turned) {
    std::uint32_t line[kWarpLanes], beside[kWarpLanes];
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      const int g = lane / 4, pair = 2 * (lane % 4) + part;
      line[lane] = static_cast<std::uint32_t>(f.along ? at.tall + g : turned ? at.flat + g : at.flat + pair);
      beside[lane] = static_cast<std::uint32_t>(f.along  ? at.flat + pair
                                                : turned ? at.tall + pair
                                                         : at.tall + g) *
                     bytes;
    }
    return fragment_address(in, f, line, beside);
  };
  if (halves) {
    const RowRef held = f.along ? f.registers[first] : allocate_row(RowFile::Reg32, 4);
    if (f.stores && !f.along) turn_core(in, held, f.registers[first]);
    fragment_access(in, f, address_of(0, !f.along), {held}, 4);
    if (!f.stores && !f.along) turn_core(in, f.registers[first], held);
    return;
  }
  if (f.along)
    return fragment_access(in, f, address_of(0, false), {f.registers[first], f.registers[first + 1]}, bytes);
  for (const int part : {0, 1})
    fragment_access(in, f, address_of(part, false), {f.registers[first + static_cast<std::size_t>(part)]},
                    bytes);
}

// wmma.load.a.sync.aligned.row.m16n16k16{.shared}.f16 {registers}, [matrix]{, stride};  store.d turns it
// round.
Decoder::Fragment Decoder::read_fragment(const ptx::Instruction& in, std::string& part) {
  Fragment f;
  std::string shape, type;
  bool row = false, column = false;
  for (const std::string& m : in.modifiers) {
    if (m == "sync" || m == "aligned" || m == "load") continue;
    if (m == "store") {
      f.stores = true;
    } else if (m == "row" || m == "col") {
      (m == "row" ? row : column) = true;
    } else if (m.size() == 1 && part.empty()) {
      part = m;
    } else if (space_named(m) != Space::Generic) {
      f.space = space_named(m);
    } else if (element_named(m)) {
      type = m;
    } else {
      shape = m;
    }
  }
  const bool known = !type.empty() && row != column && (part == "d" ? f.stores : !f.stores && part <= "c");
  f.is_result = part == "c" || part == "d";
  const TensorRow* found = !known        ? nullptr
                           : f.is_result ? find_accumulator(shape, type)
                                         : find_tensor("wmma", shape, *element_named(type));
  const bool in_memory = f.space == Space::Generic || f.space == Space::Global || f.space == Space::Shared;
  if (part.empty() || found == nullptr || !in_memory) unsupported(in);
  f.shape = found->size;
  f.type = *element_named(type);
  const bool is_b = part == "b";
  f.tall = f.is_result || is_b == f.shape.swapped();
  f.lines = is_b ? f.shape.n : f.shape.m;
  f.along = f.is_result ? row != f.shape.swapped() : row != is_b;
  if (!f.is_result && !f.along && f.element_bits() < 8) unsupported(in, "that layout");
  return f;
}

void Decoder::decode_fragment(const ptx::Instruction& in) {
  std::string part;
  Fragment f = read_fragment(in, part);
  expect_operands(in, 2, 3);
  const ptx::Operand& list = in.operands[f.stores ? 1 : 0];
  const Address at = address(in, in.operands[f.stores ? 0 : 1], f.space);
  if (at.frame_relative) fail(in, FaultKind::BadPtx, "local memory takes no part");
  f.base = at.base;
  f.offset = at.offset;
  if (in.operands.size() == 3) f.stride = source(in, in.operands[2], ptx::Type::B32);
  const ptx::Type type = f.type == Element::F64 ? ptx::Type::B64 : ptx::Type::B32;
  check_braces(in, list, false);
  const std::uint32_t rows = vector_of(in, list, type, f.stores);
  f.registers = data_->vectors[rows];
  data_->vectors.pop_back();
  const int cores = f.is_result ? f.shape.m * f.shape.n / 64 : f.lines / 8 * f.shape.cores_along(f.type);
  const bool repeats = !f.is_result && f.type == Element::F16;
  const int held = f.is_result ? cores * (f.type == Element::F16 ? 1 : 2)
                   : repeats   ? kFragmentRegisters
                               : cores;
  const bool sizes = std::all_of(f.registers.begin(), f.registers.end(),
                                 [&](const RowRef& r) { return r.lane_bytes == ptx::size_bytes(type); });
  if (f.registers.size() != static_cast<std::size_t>(held) || !sizes)
    fail(in, FaultKind::BadPtx, msg("it needs {} registers of {} bits", held, 8 * ptx::size_bytes(type)));
  emit(in, exec_whole_warp);
  const bool by_rows = f.along ? f.element_bits() <= 16 : f.element_bits() == 16;
  if (!f.is_result && f.space == Space::Shared && by_rows) {
    fragment_by_matrices(in, f, cores);
  } else {
    for (int index = 0; index < cores; ++index)
      f.is_result ? result_core(in, f, index) : fragment_core(in, f, index);
  }
  for (std::size_t k = static_cast<std::size_t>(cores); repeats && k < f.registers.size(); ++k) {
    Inst& copy = emit_form(in, "mov.b32");
    copy.dst = f.registers[k];
    copy.a = f.registers[k % static_cast<std::size_t>(cores)];
  }
}

}  // namespace lab::sim

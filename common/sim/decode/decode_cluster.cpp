// Reads what blocks of a cluster do to one another, the fences of the TMA unit's proxy, and matrix
// instructions.
#include <algorithm>
#include <set>
#include <string>

#include "common/sim/base/engine.h"
#include "common/sim/decode/decoder.h"
#include "common/sim/execute/cluster.h"
#include "common/sim/execute/exec_matrix.h"
#include "common/sim/execute/mbarrier.h"

namespace lab::sim {

using ptx::Type;

// barrier.cluster.arrive{.release|.relaxed}{.aligned};  barrier.cluster.wait{.acquire}{.aligned};
void Decoder::decode_cluster_barrier(const ptx::Instruction& in) {
  const bool arrives = ptx::has(in, "arrive");
  for (const std::string& m : in.modifiers) {
    static const std::set<std::string_view> known{"cluster", "arrive",  "wait",   "aligned",
                                                  "release", "relaxed", "acquire"};
    if (!known.contains(m) || (arrives ? m == "acquire" : m == "release" || m == "relaxed"))
      unsupported(in, msg("the modifier .{}", m));
  }
  expect_operands(in, 0, 0);
  if (arrives == ptx::has(in, "wait")) unsupported(in);
  if (in.modifiers[1] != "arrive" && in.modifiers[1] != "wait")
    fail(in, FaultKind::BadPtx, "the order of its modifiers");
  if (arrives) {
    Inst& inst = emit(in, exec_cluster_arrive);
    inst.immediate = ptx::has(in, "relaxed") ? kRelaxed : 0;
  } else {
    emit(in, nullptr, nullptr, Control::ClusterWait);
  }
}

// mapa{.shared::cluster}.u32|u64 to, address, rank;  getctarank{.shared::cluster}.u32|u64 to, address;
void Decoder::decode_peer_address(const ptx::Instruction& in) {
  const bool maps = in.opcode == "mapa";
  expect_operands(in, maps ? 3 : 2, maps ? 3 : 2);
  const Type type = ptx::last_type(in) == Type::U64 ? Type::U64 : Type::U32;
  const bool shared = space_of(in) == Space::Shared;
  data_->names_peers |= maps;
  const RowRef address = source(in, in.operands[1], type);
  RowRef rank;
  if (maps) rank = source(in, in.operands[2], Type::U32);
  const RowRef to = destination(in, in.operands[0], maps ? type : Type::U32);
  Inst& inst = emit(in, maps ? exec_map_address : exec_rank_of_address);
  inst.dst = to;
  inst.a = address;
  inst.b = rank;
  inst.space = shared ? Space::Shared : Space::Generic;
}

// st.async{.weak}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2|.v4}.type [to], value, [barrier];
// red.async likewise.
void Decoder::decode_async_store(const ptx::Instruction& in) {
  AsyncStoreInfo info;
  info.reduces = in.row->moves.direction == Direction::Update;
  for (const std::string& m : in.modifiers) {
    if (const auto op = atomic_operation(m); op && info.reduces) {
      info.reduction.op = *op;
      continue;
    }
    const bool known = m == "async" || m == "mbarrier::complete_tx::bytes" || m == "weak" || m == "relaxed" ||
                       m == "cluster" || m == "v2" || m == "v4" || space_named(m) == Space::Shared ||
                       ptx::type_named(m) != Type::None;
    if (!known) unsupported(in, msg("the modifier .{}", m));
  }
  expect_operands(in, 3, 3);
  const Type type = ptx::last_type(in);
  const auto bytes = static_cast<std::uint32_t>(ptx::size_bytes(type));
  if (bytes != 4 && bytes != 8) unsupported(in);
  info.reduction.type = type;
  const Address to = address(in, in.operands[0], Space::Shared),
                barrier = barrier_address(in, in.operands[2], Space::Shared);
  info.values = whole_vector(in, in.operands[1], type, true);
  info.barrier = barrier.base;
  info.barrier_offset = barrier.offset;
  data_->async_stores.push_back(info);
  data_->uses_engine = true;
  Inst& inst = emit(in, exec_async_store);
  inst.a = to.base;
  inst.immediate = to.offset;
  inst.space = Space::Shared;
  inst.elem_bytes = static_cast<std::uint8_t>(bytes);
  inst.vector = vector_length(in);
  inst.extra = static_cast<std::uint32_t>(data_->async_stores.size() - 1);
  note_access(inst, in);
}

// Fences that the TMA unit needs are reported to the checks; of other proxies nothing happens.
void Decoder::decode_proxy_fence(const ptx::Instruction& in) {
  const auto has = [&](std::string_view m) { return ptx::has(in, m); };
  const bool scoped = has("cta") || has("cluster") || has("gpu") || has("sys");
  const bool orders = has("acquire") || has("release"), maps = has("tensormap::generic");
  const bool first = has("mbarrier_init") || in.modifiers[0] == "proxy";
  if (!first || (has("proxy") && (orders != maps || scoped != maps)))
    unsupported(in, "these modifiers together");
  expect_operands(in, maps && has("acquire") ? 2 : 0, maps && has("acquire") ? 2 : 0);
  const bool async =
      has("async") || std::any_of(in.modifiers.begin(), in.modifiers.end(),
                                  [](const std::string& m) { return m.starts_with("async::"); });
  if (!has("mbarrier_init") && (!async || has("global"))) return decode_nothing(in);
  Inst& inst = emit(in, exec_engine_event);
  inst.extra =
      static_cast<std::uint32_t>(has("mbarrier_init") ? EngineEvent::Act::Ready : EngineEvent::Act::Fence);
}

namespace {

// The shapes of matrices: a word for each, one for its cells, and what it is turned or not.
struct MatrixShape {
  std::string_view shape, cells;
  bool may_load, may_store, may_turn, must_turn;
  std::uint8_t cell_bits;
};
constexpr MatrixShape kMatrixShapes[] = {{"m8n8", "b16", true, true, true, false, 16},
                                         {"m16n16", "b8", true, false, true, true, 8},
                                         {"m16n16", "b6x16_p32", true, false, true, true, 6},
                                         {"m16n16", "b4x16_p64", true, false, true, true, 4},
                                         {"m8n16", "b6x16_p32", true, false, false, false, 6},
                                         {"m8n16", "b4x16_p64", true, false, false, false, 4},
                                         {"m16n8", "b8", false, true, true, true, 8}};

// Null: there is none with these words.
const MatrixShape* matrix_shape(const ptx::Instruction& in, bool loads) {
  const bool turns = ptx::has(in, "trans");
  const auto fits = [&](const MatrixShape& s) {
    const auto cells = std::find(in.modifiers.begin(), in.modifiers.end(), s.cells);
    const bool unpacks = cells != in.modifiers.begin() && *std::prev(cells) == "b8x16";
    return cells != in.modifiers.end() && ptx::has(in, s.shape) && (loads ? s.may_load : s.may_store) &&
           (turns ? s.may_turn : !s.must_turn) && unpacks == (s.cell_bits < 8);
  };
  const auto* const found = std::find_if(std::begin(kMatrixShapes), std::end(kMatrixShapes), fits);
  return found == std::end(kMatrixShapes) ? nullptr : found;
}

}  // namespace

// ldmatrix.sync.aligned.m8n8.x4{.trans}{.shared}.b16 {registers}, [row];  stmatrix … [row], {registers};
// movmatrix.sync.aligned.m8n8.trans.b16 to, from;
void Decoder::decode_matrix(const ptx::Instruction& in) {
  for (const std::string& m : in.modifiers) {
    static const std::set<std::string_view> known{"sync",   "aligned", "m8n8",  "m8n16",     "m16n8",
                                                  "m16n16", "x1",      "x2",    "x4",        "trans",
                                                  "b16",    "b8",      "b8x16", "b6x16_p32", "b4x16_p64"};
    if (!known.contains(m) && space_named(m) != Space::Shared) unsupported(in, msg("the modifier .{}", m));
  }
  const bool loads = in.row->moves.direction == Direction::Read;
  const MatrixShape* const shape = matrix_shape(in, loads);
  if (shape == nullptr) unsupported(in);
  expect_operands(in, 2, 2);
  if (in.row->computes == ptx::Computes::Transpose) {
    if (in.operands[1].kind != ptx::OperandKind::Register)
      fail(in, FaultKind::BadPtx, "it moves what stands in registers");
    const RowRef from = source(in, in.operands[1], Type::B32),
                 to = destination(in, in.operands[0], Type::B32);
    turn_core(in, to, from);
    return;
  }
  const Address at = address(in, in.operands[loads ? 1 : 0], space_of(in));
  check_braces(in, in.operands[loads ? 0 : 1], false);
  const std::uint32_t rows = vector_of(in, in.operands[loads ? 0 : 1], Type::B32, !loads);
  if (in.operands[loads ? 0 : 1].kind != ptx::OperandKind::Vector)
    fail(in, FaultKind::BadPtx, "its registers must stand in braces");
  const std::size_t matrices = ptx::has(in, "x4") ? 4 : ptx::has(in, "x2") ? 2 : 1;
  const std::size_t registers = matrices * (shape->shape == "m16n16" ? 2 : 1);
  if (data_->vectors[rows].size() != registers || registers > 4)
    fail(in, FaultKind::BadPtx, "it needs a register for each matrix");
  Inst& inst = emit_access(in, loads ? exec_load_matrix : exec_store_matrix, at, 16);
  inst.sign_extend = ptx::has(in, "trans");
  use_list(inst, rows, !loads);
  if (shape->cell_bits != 16) data_->matrix_cells[inst.extra] = shape->cell_bits;
  note_access(inst, in);
}

}  // namespace lab::sim

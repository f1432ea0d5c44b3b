// Reads what changes tensor maps in memory: tensormap.replace, and the copy of a map that is also its fence.
//
// Enters: an instruction. Leaves: decoded code (tensor_box.h), or a fault that names what is missing.
#include <algorithm>
#include <string_view>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/exec_memory.h"
#include "common/sim/execute/tensor_box.h"

namespace lab::sim {
namespace {

// How PTX names a field, how many dimensions it has a value for, and below which `limit` a value lies; one that has a
// limit is a number in the text.
struct FieldRow {
  std::string_view name;
  TensorMapField field;
  std::uint8_t dimensions;
  bool wide;
  std::uint8_t limit;  // 0: any value, from a register too
};
constexpr FieldRow kFields[] = {{"global_address", TensorMapField::GlobalAddress, 0, true, 0},
                                {"rank", TensorMapField::Rank, 0, false, 0},
                                {"box_dim", TensorMapField::BoxDim, 5, false, 0},
                                {"global_dim", TensorMapField::GlobalDim, 5, false, 0},
                                {"global_stride", TensorMapField::GlobalStride, 4, true, 0},
                                {"element_stride", TensorMapField::ElementStride, 5, false, 0},
                                {"elemtype", TensorMapField::Elemtype, 0, false, 13},
                                {"interleave_layout", TensorMapField::InterleaveLayout, 0, false, 3},
                                {"swizzle_mode", TensorMapField::SwizzleMode, 0, false, 4},
                                {"fill_mode", TensorMapField::FillMode, 0, false, 2}};

bool names_only(const ptx::Instruction& in, std::initializer_list<std::string_view> words) {
  return std::all_of(in.modifiers.begin(), in.modifiers.end(), [&](const std::string& m) {
    return std::find(words.begin(), words.end(), m) != words.end();
  });
}

}  // namespace

void Decoder::decode_tensor_map(const ptx::Instruction& in) {
  if (ptx::has(in, "cp_fenceproxy")) return decode_tensor_map_copy(in);
  const auto row = std::find_if(std::begin(kFields), std::end(kFields),
                                [&](const FieldRow& one) { return ptx::has(in, one.name); });
  if (row == std::end(kFields)) unsupported(in, "this field of a tensor map");
  const ptx::Type type = row->wide ? ptx::Type::B64 : ptx::Type::B32;
  if (!names_only(in, {"replace", "tile", row->name, "global", "shared::cta", "b1024", ptx::name(type)}) ||
      !ptx::has(in, "tile") || !ptx::has(in, "b1024") || !ptx::has(in, ptx::name(type)))
    unsupported(in);
  const std::size_t count = row->dimensions > 0 ? 3 : 2;
  expect_operands(in, count, count);
  const Address at = address(in, in.operands[0], space_of(in));
  std::int64_t dimension = 0;
  if (row->dimensions > 0) dimension = constant(in, in.operands[1]);
  if (dimension < 0 || dimension >= std::max<int>(row->dimensions, 1))
    fail(in, FaultKind::BadPtx, "there is no such dimension");
  if (row->limit > 0) {
    const std::int64_t value = constant(in, in.operands.back());
    if (value < 0 || value >= row->limit) fail(in, FaultKind::BadPtx, "this field has no such value");
  }
  const RowRef value = source(in, in.operands.back(), type);
  Inst& inst = emit_access(in, exec_replace_in_map, at, 16);
  inst.b = value;
  inst.extra = static_cast<std::uint32_t>(row->field) << 8 | static_cast<std::uint32_t>(dimension);
  note_access(inst, in);
}

// All lanes name the same map: 128 bytes of shared memory go to global memory, in pieces that each lane writes alike.
void Decoder::decode_tensor_map_copy(const ptx::Instruction& in) {
  if (!names_only(in, {"cp_fenceproxy", "global", "shared::cta", "tensormap::generic", "release", "cta",
                       "cluster", "gpu", "sys", "sync", "aligned"}) ||
      space_of(in) != Space::Global)
    unsupported(in);
  expect_operands(in, 3, 3);
  if (constant(in, in.operands[2]) != 128) fail(in, FaultKind::BadPtx, "it copies 128 bytes");
  const Address to = address(in, in.operands[0], Space::Global),
                from = address(in, in.operands[1], Space::Shared);
  constexpr std::uint32_t kPiece = 8;
  const RowRef held = allocate_row(RowFile::Reg64, kPiece);
  for (std::uint32_t done = 0; done < kTensorMapBytes; done += kPiece) {
    for (const bool stores : {false, true}) {
      Address piece = stores ? to : from;
      piece.offset += done;
      const Exec handler =
          stores ? store_handler(kPiece, kPiece) : load_handler(kPiece, kPiece, false, false);
      Inst& inst = emit_access(in, handler, piece, kPiece);
      inst.takes_ramp = true;
      use_list(inst, add_list({held}), stores);
      note_global(inst, kPiece, stores);
    }
  }
}

}  // namespace lab::sim

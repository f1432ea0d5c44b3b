// Reads mma.sync and wmma.mma: which product it is, and the registers of its four matrices. wmma.load and
// wmma.store are the loads and stores of decode_fragment.cpp.
//
// Enters: an instruction. Leaves: one decoded instruction with its TensorProductInfo.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/exec_tensor.h"
#include "common/sim/instructions/tensor_shapes.h"

namespace lab::sim {
namespace {

// The words of mma.sync.aligned.SHAPE.row.col{.satfinite}.D.A.B.C{.xor.popc}, wherever they stand.
struct TensorWords {
  std::string shape;
  std::vector<std::string> types, layouts;
  bool saturates = false, ands = false, popc = false, sparse = false;
  std::string unknown;
};

TensorWords tensor_words(const ptx::Instruction& in) {
  static const std::set<std::string_view> ignored{"sync", "aligned", "mma", "xor", "rn"};
  TensorWords words;
  for (const std::string& m : in.modifiers) {
    if (ignored.contains(m)) continue;
    if (m == "row" || m == "col") {
      words.layouts.push_back(m);
    } else if (m == "satfinite") {
      words.saturates = true;
    } else if (m == "and") {
      words.ands = true;
    } else if (m == "sp" || m == "sp::ordered_metadata") {
      words.sparse = true;
    } else if (m == "popc") {
      words.popc = true;
    } else if (element_named(m)) {
      words.types.push_back(m);
    } else if (words.shape.empty() && m.size() > 2 && m[0] == 'm' && m[1] >= '0' && m[1] <= '9') {
      words.shape = m;
    } else {
      words.unknown = m;
    }
  }
  return words;
}

int registers_of(const TensorShape& shape, Element type, int lines) {
  return lines / 8 * shape.cores_along(type);
}

}  // namespace

void Decoder::decode_tensor(const ptx::Instruction& in) {
  const TensorWords words = tensor_words(in);
  if (!words.unknown.empty()) unsupported(in, msg("the modifier .{}", words.unknown));
  // wmma of f16 names D and C alone.
  const bool short_list = in.opcode == "wmma" && words.types.size() == 2;
  if (words.layouts.size() != 2 || (!short_list && words.types.size() != 4)) unsupported(in);
  const auto type = [&](std::size_t k) { return *element_named(words.types[k]); };
  TensorProductInfo info;
  info.d = type(0);
  info.a = short_list ? Element::F16 : type(1);
  info.b = short_list ? Element::F16 : type(2);
  info.c = short_list ? type(1) : type(3);
  info.sparse = words.sparse;
  const TensorRow* row = find_tensor(words.sparse ? in.opcode + ".sp" : in.opcode, words.shape, info.a);
  const bool exists = row != nullptr && same_family(info.a, info.b) &&
                      has_word(row->results, words.types[0]) && has_word(row->results, words.types.back()) &&
                      (info.a == Element::B1) == words.popc &&
                      (!words.saturates || (info.d == Element::S32 && info.a != Element::B1));
  if (!exists) unsupported(in);
  info.shape = row->size;
  info.group = row->group;
  info.saturates = words.saturates;
  info.ands = words.ands;
  info.in_quads = in.opcode == "mma" && words.shape == "m8n8k4" && info.a == Element::F16;
  info.a_columns = words.layouts[0] == "col";
  info.b_rows = words.layouts[1] == "row";
  const bool free_layout =
      info.in_quads || (in.opcode == "wmma" && info.a != Element::B1 && bits_of(info.a) > 4);
  if (!free_layout && (info.a_columns || info.b_rows)) unsupported(in, "that layout");
  const bool mixed = info.c != info.d && in.opcode == "mma";
  if (mixed && !(info.in_quads && info.d == Element::F32)) unsupported(in);
  emit_product(in, info);
}

// Numbers beside registers in a list, as `ptxas` has it: any in a list of bits, one with a point in a list of real
// numbers. Numbers alone are no list of factors but of f64. A number of another size than the register is taken as 0
// alone: of the others `ptxas` passes on half of their bits.
void Decoder::check_numbers(const ptx::Instruction& in, const ptx::Operand& list, std::size_t k,
                            Element element) const {
  const auto is_number = [](const ptx::Operand& o) { return o.kind == ptx::OperandKind::Immediate; };
  const bool wide = element == Element::F64, real = wide || (k == 3 && element == Element::F32);
  const ptx::Type fits = wide ? ptx::Type::F64 : ptx::Type::F32;
  const bool alone = std::all_of(list.elements.begin(), list.elements.end(), is_number);
  for (const ptx::Operand& number : list.elements) {
    if (!is_number(number)) continue;
    const bool point = ptx::is_float(number.literal);
    const bool may = !alone   ? point || !real
                     : wide   ? true
                     : k != 3 ? false
                     : real   ? number.literal == fits
                              : !point && element != Element::F16;
    if (!may || (point && number.literal != fits && number.bits != 0))
      fail(in, FaultKind::BadPtx, "a list of registers is needed here");
  }
}

// The registers of operand k, as a list of ProgramData::vectors; `count` of them, 32 bits each or 64.
std::uint32_t Decoder::tensor_registers(const ptx::Instruction& in, std::size_t k, int count,
                                        Element element) {
  const ptx::Type type = element == Element::F64 ? ptx::Type::B64 : ptx::Type::B32;
  check_braces(in, in.operands[k], true);
  check_numbers(in, in.operands[k], k, element);
  const std::uint32_t list = vector_of(in, in.operands[k], type, k != 0);
  const std::vector<RowRef>& rows = data_->vectors[list];
  if (rows.size() != static_cast<std::size_t>(count))
    fail(in, FaultKind::BadPtx,
         msg("operand {} has {} registers, and should have {}", k + 1, rows.size(), count));
  const auto bytes = static_cast<std::uint8_t>(ptx::size_bytes(type));
  if (std::any_of(rows.begin(), rows.end(),
                  [&](const RowRef& r) { return is_set(r) && r.lane_bytes != bytes; }))
    fail(in, FaultKind::BadPtx, msg("its registers have {} bits each", 8 * bytes));
  return list;
}

// Counts the registers of all operands and hands them over.
void Decoder::emit_product(const ptx::Instruction& in, TensorProductInfo info) {
  const std::size_t operands = info.sparse ? 6 : 4;
  expect_operands(in, operands, operands);
  const bool repeats = in.opcode == "wmma" && info.a == Element::F16;
  const auto factors = [&](Element element, int lines) {
    if (info.in_quads) return 2;
    return repeats ? kFragmentRegisters : registers_of(info.shape, element, lines);
  };
  const auto results = [&](Element element) {
    if (info.in_quads) return element == Element::F16 ? 4 : 8;
    return info.shape.m * info.shape.n / 32 * bits_of(element) / (element == Element::F64 ? 64 : 32);
  };
  info.a_registers = factors(info.a, info.sparse ? info.shape.m / 2 : info.shape.m);
  info.b_registers = factors(info.b, info.shape.n);
  std::vector<RowRef> sources;
  const std::pair<int, Element> read[] = {
      {info.a_registers, info.a}, {info.b_registers, info.b}, {results(info.c), info.c}};
  for (std::size_t k = 1; k <= std::size(read); ++k) {
    const std::uint32_t list = tensor_registers(in, k, read[k - 1].first, read[k - 1].second);
    sources.insert(sources.end(), data_->vectors[list].begin(), data_->vectors[list].end());
    data_->vectors.pop_back();
  }
  if (info.sparse) {
    sources.push_back(source(in, in.operands[4], ptx::Type::B32));
    if (in.operands[4].kind == ptx::OperandKind::Immediate)
      fail(in, FaultKind::BadPtx, "a register is needed as source");
    const std::int64_t selector = constant(in, in.operands[5]);
    if (selector < 0 || selector >= selectors_of(info))
      fail(in, FaultKind::BadPtx, msg("its selector is one of 0 to {}", selectors_of(info) - 1));
    info.selector = static_cast<std::uint8_t>(selector);
  }
  info.sources = add_list(std::move(sources));
  info.results = tensor_registers(in, 0, results(info.d), info.d);
  data_->products.push_back(info);
  Inst& inst = emit(in, exec_tensor_product);
  inst.extra = static_cast<std::uint32_t>(data_->products.size() - 1);
  scope_->lists.push_back({inst.pc, info.sources, true});
  scope_->lists.push_back({inst.pc, info.results, false});
}

}  // namespace lab::sim

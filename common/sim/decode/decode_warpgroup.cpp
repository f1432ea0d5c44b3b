// Reads wgmma: the product of a warpgroup, and what groups products and waits for them.
//
// Enters: an instruction. Leaves: one decoded instruction; of a product with its WarpgroupProductInfo.
#include <charconv>
#include <optional>
#include <string>

#include "common/sim/decode/decoder.h"
#include "common/sim/execute/exec_warpgroup.h"
#include "common/sim/instructions/tensor_shapes.h"

namespace lab::sim {
namespace {

// Elements of a line of 32 bytes.
int elements_of_line(Element type) { return static_cast<int>(8 * kFactorBytes) / bits_of(type); }

bool fits(Element d, Element a, Element b, bool saturates) {
  switch (a) {
    case Element::F16:
      return b == a && (d == Element::F16 || d == Element::F32) && !saturates;
    case Element::BF16:
    case Element::TF32:
      return b == a && d == Element::F32 && !saturates;
    case Element::E4M3:
    case Element::E5M2:
      return same_family(a, b) && (d == Element::F16 || d == Element::F32) && !saturates;
    case Element::S8:
    case Element::U8:
      return same_family(a, b) && d == Element::S32;
    case Element::B1:
      return b == a && d == Element::S32 && !saturates;
    default:
      return false;
  }
}

// Widths of floats are every multiple of 8; those of integers beyond 32 every multiple of 16.
bool is_width(int n, Element a) {
  const bool integers = a == Element::S8 || a == Element::U8 || a == Element::B1;
  return n >= 8 && n <= 256 && n % 8 == 0 && (!integers || n <= 24 || n % 16 == 0);
}

// "m64n128k16": 128 and 16.
std::optional<std::pair<int, int>> sizes_of(const std::string& shape) {
  const std::size_t k_at = shape.find('k');
  if (!shape.starts_with("m64n") || k_at == std::string::npos) return std::nullopt;
  const auto number = [&](std::size_t from, std::size_t to) {
    int value = 0;
    std::from_chars(shape.data() + from, shape.data() + to, value);
    return value;
  };
  return std::pair{number(4, k_at), number(k_at + 1, shape.size())};
}

}  // namespace

void Decoder::decode_warpgroup(const ptx::Instruction& in) {
  if (module_.target != "sm_90a") fail(in, FaultKind::BadPtx, "it runs at .target sm_90a alone");
  if (ptx::has(in, "mma_async")) return decode_warpgroup_product(in);
  if (ptx::has(in, "fence")) {
    emit(in, exec_whole_warpgroup);
    return;
  }
  const bool waits = ptx::has(in, "wait_group");
  if (!waits && !ptx::has(in, "commit_group")) unsupported(in);
  expect_operands(in, waits ? 1 : 0, waits ? 1 : 0);
  const std::int64_t open = waits ? constant(in, in.operands[0]) : 0;
  emit(in, waits ? exec_wait_products : exec_commit_products).immediate = open;
}

// wgmma.mma_async.sync.aligned.SHAPE.D.A.B{.satfinite}{.and.popc} d, a, b-desc, scale-d {, signs of A and B}
// {, lines of A and B across}.
void Decoder::decode_warpgroup_product(const ptx::Instruction& in) {
  WarpgroupProductInfo info;
  std::vector<Element> types;
  std::string shape;
  for (const std::string& m : in.modifiers) {
    if (m == "mma_async" || m == "sync" || m == "aligned" || m == "and" || m == "popc") continue;
    if (m == "sp") unsupported(in, "sparse products");
    if (m == "satfinite") {
      info.saturates = true;
    } else if (const auto type = element_named(m)) {
      types.push_back(*type);
    } else if (shape.empty() && m[0] == 'm') {
      shape = m;
    } else {
      unsupported(in, msg("the modifier .{}", m));
    }
  }
  const auto sizes = sizes_of(shape);
  if (!sizes || types.size() != 3) unsupported(in);
  info.d = types[0], info.a = types[1], info.b = types[2];
  info.n = sizes->first, info.k = sizes->second;
  if (!fits(info.d, info.a, info.b, info.saturates) || !is_width(info.n, info.a) ||
      info.k != elements_of_line(info.a))
    unsupported(in);
  info.a_in_registers = in.operands.size() > 1 && in.operands[1].kind == ptx::OperandKind::Vector;
  const bool turns = bits_of(info.a) == 16, integers = info.d == Element::S32;
  const std::size_t signs = integers ? 0 : 2, layouts = !turns ? 0 : info.a_in_registers ? 1 : 2;
  expect_operands(in, 4 + signs + layouts, 4 + signs + layouts);
  const auto number = [&](std::size_t k) { return constant(in, in.operands[k]); };
  if (signs != 0) info.a_negated = number(4) < 0, info.b_negated = number(5) < 0;
  if (layouts == 2) info.a_across = number(6) != 0;
  if (layouts != 0) info.b_across = number(5 + layouts) != 0;
  emit_warpgroup_product(in, info);
}

void Decoder::emit_warpgroup_product(const ptx::Instruction& in, WarpgroupProductInfo info) {
  const int registers = info.n / 4 * (info.d == Element::F16 ? 1 : 2);
  info.results = tensor_registers(in, 0, registers, info.d);
  RowRef a;
  if (info.a_in_registers)
    info.a_registers = tensor_registers(in, 1, 4, info.a);
  else
    a = source(in, in.operands[1], ptx::Type::B64);
  const RowRef b = source(in, in.operands[2], ptx::Type::B64),
               adds = source(in, in.operands[3], ptx::Type::Pred);
  data_->warpgroup_products.push_back(info);
  data_->uses_engine = true;  // shared memory is read while threads go on
  Inst& inst = emit(in, nullptr, nullptr, Control::Product);
  inst.a = a;
  inst.b = b;
  inst.c = adds;
  inst.space = Space::Shared;
  inst.extra = static_cast<std::uint32_t>(data_->warpgroup_products.size() - 1);
  if (info.a_in_registers) scope_->lists.push_back({inst.pc, info.a_registers, true});
  scope_->lists.push_back({inst.pc, info.results, true});
  scope_->lists.push_back({inst.pc, info.results, false});
}

}  // namespace lab::sim

// The rows of mma.sync and wmma, as PTX has them for sm_90. See the header.
#include "common/sim/instructions/tensor_shapes.h"

#include <algorithm>
#include <utility>

namespace lab::sim {
namespace {

using enum Element;

// A group as long as K is one sum of all products; shorter ones follow each other.
constexpr TensorRow kRows[] = {
    {"mma", "m8n8k4", F16, "f16 f32", {8, 8, 4}, 0},
    {"mma", "m16n8k8", F16, "f16 f32", {16, 8, 8}, 8},
    {"mma", "m16n8k16", F16, "f16 f32", {16, 8, 16}, 16},
    {"mma", "m16n8k8", BF16, "f32", {16, 8, 8}, 8},
    {"mma", "m16n8k16", BF16, "f32", {16, 8, 16}, 16},
    {"mma", "m16n8k4", TF32, "f32", {16, 8, 4}, 4},
    {"mma", "m16n8k8", TF32, "f32", {16, 8, 8}, 8},
    {"mma", "m8n8k4", F64, "f64", {8, 8, 4}, 0},
    {"mma", "m16n8k4", F64, "f64", {16, 8, 4}, 0},
    {"mma", "m16n8k8", F64, "f64", {16, 8, 8}, 0},
    {"mma", "m16n8k16", F64, "f64", {16, 8, 16}, 0},
    {"mma", "m16n8k16", E4M3, "f16 f32", {16, 8, 16}, 8},
    {"mma", "m16n8k32", E4M3, "f16 f32", {16, 8, 32}, 16},
    {"mma", "m8n8k16", S8, "s32", {8, 8, 16}, 0},
    {"mma", "m16n8k16", S8, "s32", {16, 8, 16}, 0},
    {"mma", "m16n8k32", S8, "s32", {16, 8, 32}, 0},
    {"mma", "m8n8k32", S4, "s32", {8, 8, 32}, 0},
    {"mma", "m16n8k32", S4, "s32", {16, 8, 32}, 0},
    {"mma", "m16n8k64", S4, "s32", {16, 8, 64}, 0},
    {"mma", "m8n8k128", B1, "s32", {8, 8, 128}, 0},
    {"mma", "m16n8k128", B1, "s32", {16, 8, 128}, 0},
    {"mma", "m16n8k256", B1, "s32", {16, 8, 256}, 0},
    {"mma.sp", "m16n8k16", F16, "f16 f32", {16, 8, 16}, 8},
    {"mma.sp", "m16n8k32", F16, "f16 f32", {16, 8, 32}, 16},
    {"mma.sp", "m16n8k16", BF16, "f32", {16, 8, 16}, 8},
    {"mma.sp", "m16n8k32", BF16, "f32", {16, 8, 32}, 16},
    {"mma.sp", "m16n8k8", TF32, "f32", {16, 8, 8}, 4},
    {"mma.sp", "m16n8k16", TF32, "f32", {16, 8, 16}, 8},
    {"mma.sp", "m16n8k64", E4M3, "f16 f32", {16, 8, 64}, 16},
    {"mma.sp", "m16n8k32", S8, "s32", {16, 8, 32}, 0},
    {"mma.sp", "m16n8k64", S8, "s32", {16, 8, 64}, 0},
    {"mma.sp", "m16n8k64", S4, "s32", {16, 8, 64}, 0},
    {"mma.sp", "m16n8k128", S4, "s32", {16, 8, 128}, 0},
    {"wmma", "m16n16k16", F16, "f16 f32", {16, 16, 16}, 16},
    {"wmma", "m8n32k16", F16, "f16 f32", {8, 32, 16}, 16},
    {"wmma", "m32n8k16", F16, "f16 f32", {32, 8, 16}, 16},
    {"wmma", "m16n16k16", BF16, "f32", {16, 16, 16}, 16},
    {"wmma", "m8n32k16", BF16, "f32", {8, 32, 16}, 16},
    {"wmma", "m32n8k16", BF16, "f32", {32, 8, 16}, 16},
    {"wmma", "m16n16k8", TF32, "f32", {16, 16, 8}, 4},
    {"wmma", "m8n8k4", F64, "f64", {8, 8, 4}, 0},
    {"wmma", "m16n16k16", S8, "s32", {16, 16, 16}, 0},
    {"wmma", "m8n32k16", S8, "s32", {8, 32, 16}, 0},
    {"wmma", "m32n8k16", S8, "s32", {32, 8, 16}, 0},
    {"wmma", "m8n8k32", S4, "s32", {8, 8, 32}, 0},
    {"wmma", "m8n8k128", B1, "s32", {8, 8, 128}, 0},
};

constexpr std::pair<std::string_view, Element> kNames[] = {
    {"f16", F16}, {"bf16", BF16}, {"tf32", TF32}, {"f32", F32}, {"f64", F64}, {"e4m3", E4M3}, {"e5m2", E5M2},
    {"s8", S8},   {"u8", U8},     {"s4", S4},     {"u4", U4},   {"b1", B1},   {"s32", S32}};

// The type that a family of the table is listed under.
Element listed(Element type) {
  switch (type) {
    case U8:
      return S8;
    case U4:
      return S4;
    case E5M2:
      return E4M3;
    default:
      return type;
  }
}

}  // namespace

std::optional<Element> element_named(std::string_view type) {
  for (const auto& [name, number] : kNames)
    if (name == type) return number;
  return std::nullopt;
}

bool same_family(Element a, Element b) { return listed(a) == listed(b); }

bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

const TensorRow* find_tensor(std::string_view opcode, std::string_view shape, Element factors) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const TensorRow& one) {
    return one.opcode == opcode && one.shape == shape && one.factors == listed(factors);
  });
  return row == std::end(kRows) ? nullptr : row;
}

const TensorRow* find_accumulator(std::string_view shape, std::string_view result) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const TensorRow& one) {
    return one.opcode == "wmma" && one.shape == shape && has_word(one.results, result);
  });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace lab::sim

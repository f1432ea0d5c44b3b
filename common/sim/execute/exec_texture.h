// Handlers of tex, tld4, suld, sust and sured (exec_texture.cpp). Inst::a is the object, b, c and d the
// coordinates, a layer first; Inst::extra names the registers of the value, Inst::immediate holds a
// TextureOp.
//
// These accesses are simulated and not counted: what they cost on a GPU was not measured. No chapter can make
// an object, so no goal is met by them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "common/sim/execute/exec.h"
#include "common/sim/program/program_data.h"

namespace lab::sim {

enum class Geometry : std::uint8_t { Line, Plane, Volume, Lines, Planes, Cube };  // 1d 2d 3d a1d a2d cube
[[nodiscard]] constexpr bool is_layered(Geometry g) { return g == Geometry::Lines || g == Geometry::Planes; }
// Coordinates beside the layer.
[[nodiscard]] constexpr int dimensions_of(Geometry g) {
  if (g == Geometry::Line || g == Geometry::Lines) return 1;
  return g == Geometry::Plane || g == Geometry::Planes ? 2 : 3;
}

enum class Outside : std::uint8_t { Trap, Clamp, Zero };  // of surfaces
enum class Detail : std::uint8_t {
  First,
  Level,
  Steps
};  // which level of a mipmapped image: tex, .level, .grad
struct TextureOp {
  Geometry geometry = Geometry::Line;
  bool by_number = false;      // tex with integer coordinates
  std::uint8_t component = 0;  // tld4
  Outside outside = Outside::Trap;
  Detail detail = Detail::First;  // its registers are the list behind the value's
  // Surfaces alone have these: .p, where the first coordinate counts texels, and values become what the surface holds;
  // sured's operation.
  bool formatted = false;
  AtomicOp reduction = AtomicOp::Add;
  ptx::Type type = ptx::Type::None;
};
[[nodiscard]] inline TextureOp texture_op(const Inst& inst) {
  return std::bit_cast<TextureOp>(inst.immediate);
}

void exec_texture(WarpContext& w, const Inst& inst);
void exec_texture_gather(WarpContext& w, const Inst& inst);
// Inst::elem_bytes of each register.
void exec_surface_load(WarpContext& w, const Inst& inst);
void exec_surface_store(WarpContext& w, const Inst& inst);
void exec_texel_store(WarpContext& w, const Inst& inst);  // sust.p
void exec_surface_reduce(WarpContext& w, const Inst& inst);

}  // namespace lab::sim

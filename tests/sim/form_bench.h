// A warp with a few rows, to call the handlers of a form directly.
//
// Enters: a form and the bits of its sources, lane by lane. Leaves: the bits of its destination. A row of 32
// lanes stands for each operand; nothing is decoded or scheduled.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/sim/execute/exec.h"
#include "common/sim/instructions/forms.h"

namespace lab::sim {

class FormBench {
 public:
  explicit FormBench(const Form& form) : form_(&form) {
    inst_.full = form.full;
    inst_.masked = form.masked;
    inst_.extra = form.variant;
    place(inst_.dst, 0);
    place(inst_.a, 1);
    place(inst_.b, 2);
    place(inst_.c, 3);
    place(inst_.d, 4);
    inst_.dst2 = {5 * sizeof(Row), RowFile::Reg64, 0};
  }

  [[nodiscard]] int sources() const {
    int n = 0;
    while (n < 4 && form_->operand[static_cast<std::size_t>(n) + 1] != ptx::Type::None) ++n;
    return n;
  }
  // Bytes of a lane in the row of operand n (0 is the destination): 8-bit values stand in 16-bit registers.
  [[nodiscard]] int lane_bytes(int n) const {
    const int bytes = ptx::size_bytes(form_->operand[static_cast<std::size_t>(n)]);
    return bytes == 1 ? (form_->relaxed ? 4 : 2) : bytes;
  }
  // Predicates: bit k of lane 0's word. Others: the low bytes of `bits`.
  void set(int n, int lane, std::uint64_t bits) {
    if (is_predicate(n)) {
      std::uint32_t& mask = *reinterpret_cast<std::uint32_t*>(row(n));
      mask = (mask & ~(1u << lane)) | static_cast<std::uint32_t>(bits & 1) << lane;
    } else {
      std::memcpy(row(n) + lane * lane_bytes(n), &bits, static_cast<std::size_t>(lane_bytes(n)));
    }
  }
  [[nodiscard]] std::uint64_t get(int n, int lane) const {
    return get_row(n, is_predicate(n) ? 0 : lane_bytes(n), lane);
  }
  [[nodiscard]] bool second_predicate(int lane) const { return get_row(5, 0, lane) != 0; }
  void set_second_predicate(std::uint32_t bits) { std::memcpy(row(5), &bits, sizeof bits); }

  void run(Mask mask = 0xffffffffu) {
    warp_.file[static_cast<int>(RowFile::Reg64)] = reinterpret_cast<std::byte*>(rows_.data());
    warp_.mask = mask;
    (mask == 0xffffffffu ? inst_.full : inst_.masked)(warp_, inst_);
  }
  [[nodiscard]] Mask carry() const { return warp_.carry; }
  void set_carry(Mask carry) { warp_.carry = carry; }
  Inst& inst() { return inst_; }

 private:
  using Row = std::array<std::uint64_t, kWarpLanes>;

  [[nodiscard]] bool is_predicate(int n) const {
    return form_->operand[static_cast<std::size_t>(n)] == ptx::Type::Pred;
  }
  [[nodiscard]] std::uint64_t get_row(int n, int bytes, int lane) const {
    std::uint64_t bits = 0;
    const auto* base = reinterpret_cast<const std::byte*>(rows_[static_cast<std::size_t>(n)].data());
    if (bytes == 0) {
      std::memcpy(&bits, base, 4);
      return (bits >> lane) & 1;
    }
    std::memcpy(&bits, base + lane * bytes, static_cast<std::size_t>(bytes));
    return bits;
  }
  void place(RowRef& ref, int n) {
    if (n > 0 && n > sources()) return;
    ref = {static_cast<std::uint32_t>(n * static_cast<int>(sizeof(Row))), RowFile::Reg64,
           static_cast<std::uint8_t>(is_predicate(n) ? 0 : lane_bytes(n))};
  }
  std::byte* row(int n) { return reinterpret_cast<std::byte*>(rows_[static_cast<std::size_t>(n)].data()); }

  const Form* form_;
  std::array<Row, 6> rows_{};
  WarpContext warp_;
  Inst inst_;
};

// One lane's answer to the given sources.
inline std::uint64_t evaluate(const char* opcode, std::initializer_list<std::uint64_t> sources) {
  const Form* form = find_form(opcode);
  if (form == nullptr) throw std::runtime_error(std::string("no such form: ") + opcode);
  FormBench bench(*form);
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    int n = 1;
    for (std::uint64_t bits : sources) bench.set(n++, lane, bits);
  }
  bench.run();
  return bench.get(0, 7);
}

}  // namespace lab::sim

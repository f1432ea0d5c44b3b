// The one table of instruction forms: decode, dispatch, printing and the coverage page all read it.
//
// A form is a full opcode as the compiler writes it, `add.rn.f32`, with the type of each operand and the two
// handlers that execute it. What is not in the table is unsupported, by name. Each family of instructions
// (forms_integer.cpp, forms_float.cpp, …) adds its own rows.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/sim/program/program.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::sim {

// Lane-wise instructions: everything that needs no neighbour, no memory and no scheduler. operand[0] is the
// destination, the rest are sources in PTX order. A Pred operand is a predicate row (Mask).
// A source may be a register of the operand's size, an immediate, or a special register; decode has made
// it a row of 32. In a `relaxed` form (cvt) registers may be wider than the operand's type: the handler
// reads through RowRef::lane_bytes.
struct Form {
  [[nodiscard]] std::size_t operand_count() const {
    return static_cast<std::size_t>(std::find(operand.begin(), operand.end(), ptx::Type::None) -
                                    operand.begin());
  }
  std::string text;                    // "add.rn.f32"
  std::array<ptx::Type, 5> operand{};  // None-terminated
  Exec full = nullptr;
  Exec masked = nullptr;
  Exec lower_pair =
      nullptr;  // of four sources in braces: what makes one of the last two, for `full` to take along
  // add, sub: what computes a × b + c in one rounding instead (analysis/fused_products.h), by signs_of_fused.
  const Exec* fused = nullptr;
  std::uint32_t variant = 0;  // decode copies it to Inst::extra, for handlers that serve many forms
  bool relaxed = false;
  bool uses_carry = false;                 // reads or writes CC.CF
  bool second_predicate = false;           // setp: p|q, dst2 is q
  bool last_may_lack = false;              // the last source: the handler finds no row there
  bool optional_second_predicate = false;  // q may be missing, or `_`: dst2 is then a scratch row
  std::uint8_t parts = 0;     // of a video instruction: its operands may name parts of words (forms_video.h)
  bool signs = false;         // its sources may have a sign
  bool of_registers = false;  // its sources are registers, no numbers
  std::string_view family;    // "integer", "float", … for the coverage page
  // 0: bit-exact. Approximate forms state how far they may be from what a GPU gives: this many units in the
  // last place, or this absolute distance, whichever is more generous.
  double max_ulp = 0, max_absolute = 0;
};

inline std::size_t signs_of_fused(bool minus_product, bool minus_other) {
  return 2 * std::size_t{minus_product} + std::size_t{minus_other};
}

// All rows, in the order in which the coverage page prints them. Built on first use; find_form builds only
// the families that can hold the opcode, so that start-up stays short.
[[nodiscard]] std::vector<const Form*> all_forms();
// The row for a full opcode, its modifiers in any order, of those of one name the one with so many operands; or null.
[[nodiscard]] const Form* find_form(std::string_view text, std::size_t operands = 0);

// The families. Each appends its rows.
void add_integer_forms(std::vector<Form>& forms);
void add_float_forms(std::vector<Form>& forms);
void add_half_forms(std::vector<Form>& forms);
void add_sm100_forms(std::vector<Form>& forms);
void add_logic_forms(std::vector<Form>& forms);   // and … cnot, shifts, lop3, prmt, bit fields, mov
void add_video_forms(std::vector<Form>& forms);   // vadd, vabsdiff4 and the like
void add_choice_forms(std::vector<Form>& forms);  // selp slct
void add_setp_forms(std::vector<Form>& forms);
void add_set_forms(std::vector<Form>& forms);
void add_convert_forms(std::vector<Form>& forms);  // cvt
void add_narrow_forms(std::vector<Form>& forms);   // cvt of 8, 6 and 4 bits

}  // namespace lab::sim

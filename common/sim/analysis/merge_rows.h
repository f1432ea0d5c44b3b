// Rows of neighbouring accesses, and how they are cut into the widths that the hardware has.
//
// Enters: accesses in the order of the text, with what their addresses are made of. Leaves: for each of them
// that changes what stands for it. The rules are those of `ptxas`, as measured (docs/hardware.md).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "common/sim/analysis/address_values.h"
#include "common/sim/analysis/merge_plan.h"
#include "common/sim/analysis/merge_text.h"
#include "common/sim/analysis/text_flow.h"

namespace lab::sim {

struct PlacedAccess {
  std::size_t at = 0;       // in the text
  std::uint32_t block = 0;  // in the flow
  TextAccess access;
  AddressValue address;
  int base_zeros = 0;       // low zero bits of address.base
  std::uint64_t epoch = 0;  // loads: of what memory holds
  std::size_t turn = 0;     // of a loop that is written out
};

// What stands for an access in one turn, and the low bits of its address in it.
struct CutAccess {
  std::size_t turn = 0;
  std::uint64_t phase = 0;
  std::uint64_t known = 1;  // the phase is known modulo this
  std::vector<MergedAccess> instead;
};
using CutAccesses = std::map<std::size_t, std::vector<CutAccess>>;  // by place in the text

class MergeRows {
 public:
  explicit MergeRows(const TextFlow& flow) : flow_(flow) {}
  void block_begins();
  void stores_end(MergedSpace space);  // the stores so far and the ones to come stay apart
  void add(const PlacedAccess& access);
  [[nodiscard]] CutAccesses cut() const;

 private:
  struct Row {
    std::vector<PlacedAccess> members;  // each is reached only through the one before
    bool open = true;                   // stores: more may come
  };
  [[nodiscard]] bool fits(const Row& row, const PlacedAccess& access) const;
  [[nodiscard]] static std::int64_t grid_place(const Row& row, const PlacedAccess& access);
  static void cut_row(const Row& row, CutAccesses& into);

  const TextFlow& flow_;
  std::vector<Row> rows_;
};

}  // namespace lab::sim

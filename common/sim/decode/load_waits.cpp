// Marks the instructions at which a warp waits for global memory. See the header.
#include "common/sim/decode/load_waits.h"

#include <algorithm>
#include <set>
#include <utility>

namespace lab::sim {
namespace {

bool loads_from_far(const Inst& inst) {
  return inst.elem_bytes != 0 && (inst.space == Space::Global || inst.space == Space::Generic);
}

}  // namespace

void mark_load_waits(ProgramData& data, std::uint32_t first, const std::vector<ListedRows>& lists) {
  std::set<std::pair<RowFile, std::uint32_t>> on_the_way;
  auto list = lists.begin();
  for (std::uint32_t pc = first; pc < data.code.size(); ++pc) {
    Inst& inst = data.code[pc];
    const auto reads = [&](const RowRef& row) {
      return is_set(row) && on_the_way.contains({row.file, row.offset_bytes});
    };
    const RowRef* results = nullptr;
    std::size_t result_count = 0;
    bool needs = reads(inst.a) || reads(inst.b) || reads(inst.c) || reads(inst.d) ||
                 (inst.has_guard && reads(inst.guard));
    for (; list != lists.end() && list->pc == pc; ++list) {
      const std::vector<RowRef>& rows = data.vectors[list->list];
      if (list->are_sources) {
        needs = needs || std::any_of(rows.begin(), rows.end(), reads);
      } else {
        results = rows.data();
        result_count = rows.size();
      }
    }
    if (needs) on_the_way.clear();  // by then all of them have had their time
    inst.needs_load = needs && inst.control == Control::Plain;
    if (!loads_from_far(inst)) continue;
    for (std::size_t k = 0; k < result_count; ++k)
      on_the_way.emplace(results[k].file, results[k].offset_bytes);
  }
}

}  // namespace lab::sim

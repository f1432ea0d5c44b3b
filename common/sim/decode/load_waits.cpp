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

// Branches round a straight run in which no warp waits: where all lanes meet behind it, or end there.
void mark_jumps(ProgramData& data, std::uint32_t first) {
  for (std::uint32_t pc = first; pc + 1 < data.code.size(); ++pc) {
    Inst& inst = data.code[pc];
    const Inst* const next = &data.code[pc + 1];
    if (inst.control != Control::Branch || next->control != Control::Plain ||
        inst.target != pc + 1 + next->run)
      continue;
    const bool ends = inst.reconverge + 1 == data.code.size() && data.code.back().control == Control::Exit;
    inst.jumps_over = (inst.reconverge == inst.target || ends) &&
                      std::none_of(next, next + next->run, [](const Inst& i) { return i.needs_load == 1; });
  }
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
  if (data.shortcuts == Shortcuts::On) mark_jumps(data, first);
}

}  // namespace lab::sim

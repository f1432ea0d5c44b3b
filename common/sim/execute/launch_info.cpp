// What observers learn of a launch, and which buffers it can write.
//
// Enters: a launch. Leaves: a LaunchInfo. The pointers of a kernel come from its parameters and from
// variables of the module, where the decoder could follow them (analysis/pointer_roots.cpp).
#include <algorithm>
#include <cstring>

#include "common/sim/execute/grid_run.h"

namespace lab::sim {
namespace {

// Adds the buffers that an instruction can write; false when that is not known.
bool add_written(const LaunchContext& context, const Inst& inst, std::vector<std::uint64_t>& bases) {
  if (inst.roots == 0) return false;
  const RootsOfAddress& roots = context.program->roots[inst.roots];
  const auto add = [&](DeviceAddress at) {
    const Allocation* a = context.memory->find(at, 1);
    if (a == nullptr) return false;
    if (std::find(bases.begin(), bases.end(), a->base) == bases.end()) bases.push_back(a->base);
    return true;
  };
  for (const std::uint32_t offset : roots.parameters) {
    DeviceAddress pointer = 0;
    if (offset + sizeof pointer > context.parameters.size()) return false;
    std::memcpy(&pointer, context.parameters.data() + offset, sizeof pointer);
    if (!add(pointer)) return false;
  }
  return std::all_of(roots.globals.begin(), roots.globals.end(), add);
}

bool find_written(const LaunchContext& context, std::vector<std::uint64_t>& bases) {
  for (const Inst& inst : context.program->code) {
    if (!inst.writes_global) continue;
    if (!add_written(context, inst, bases)) return false;
  }
  return true;
}

}  // namespace

LaunchInfo info_of(const LaunchContext& context) {
  const ProgramData& program = *context.program;
  LaunchInfo info;
  info.program = context.handle;
  info.grid = context.config.grid;
  info.block = context.config.block;
  info.shared_bytes = context.shared_room();
  info.reserved_at = context.reserved_at;
  info.smallest_shared_access_bytes = program.smallest_shared_access_bytes;
  info.smallest_global_access_bytes = program.writes_global ? program.smallest_global_access_bytes : 0;
  info.together = program.blocks_talk || context.config.cooperative;
  info.cooperative = context.config.cooperative;
  if (context.memory->several_devices()) info.shared_memory = context.memory;
  info.knows_written = find_written(context, info.may_write);
  return info;
}

}  // namespace lab::sim

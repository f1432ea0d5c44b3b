// The check of accesses that land in another array. See bounds_check.h.
#include "common/sim/observe/bounds_check.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "common/sim/observe/place_text.h"

namespace lab::sim {

std::unique_ptr<Observer> BoundsCheck::clone() const {
  return std::make_unique<BoundsCheck>(memory_, parameters_);
}

void BoundsCheck::launch_begin(const LaunchInfo& info) {
  launch_ = info;
  sites_.assign(info.program->instruction_count(), Site{});
}

// Of all lanes, in one loop without a branch.
bool BoundsCheck::all_inside(const std::uint64_t* address, const Range& range) {
  std::uint64_t outside = 0;
  for (int k = 0; k < kWarpLanes; ++k) outside |= std::uint64_t{address[k] - range.low >= range.size};
  return outside == 0;
}

BoundsCheck::Site BoundsCheck::find_ranges(const Inst& inst) const {
  const ProgramData& program = launch_.program->data();
  Site site;
  site.asked = true;
  if (inst.roots == 0) return site;
  const RootsOfAddress& roots = program.roots[inst.roots];
  for (const std::uint32_t offset : roots.parameters) {
    if (offset + 8 > parameters_.size()) return site;
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, parameters_.data() + offset, sizeof pointer);
    const Allocation* a = memory_.find(pointer, 1);
    if (a == nullptr) return site;
    site.ranges.push_back({a->base, a->size_bytes});
  }
  for (const DeviceAddress at : roots.globals) {
    const Allocation* a = memory_.find(at, 1);
    if (a == nullptr) return site;
    site.ranges.push_back({a->base, a->size_bytes});
  }
  for (const std::uint32_t index : roots.shared) {
    const SharedVariable& variable = program.shared_variables[index];
    if (variable.size_bytes == 0) return site;  // dynamic: its size is the launch's
    site.ranges.push_back({variable.offset_bytes, variable.size_bytes});
    site.shared = true;
  }
  const bool one_space = roots.shared.empty() || (roots.parameters.empty() && roots.globals.empty());
  site.known = !site.ranges.empty() && one_space;
  if (site.ranges.size() == 1) site.only = site.ranges.front();
  return site;
}

void BoundsCheck::access(std::uint32_t /*slot*/, const Access& access) {
  if (access.space != Space::Shared && access.space != Space::Global) return;
  Site& site = sites_[access.pc];
  if (!site.asked) site = find_ranges(launch_.program->data().code[access.pc]);
  if (!site.known || site.shared != (access.space == Space::Shared)) return;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(access.mask));
  const auto last = 31u - static_cast<std::uint32_t>(std::countl_zero(access.mask));
  const auto inside = [&](std::uint64_t at) {
    return std::any_of(site.ranges.begin(), site.ranges.end(),
                       [&](const Range& range) { return at - range.low < range.size; });
  };
  const Range only = site.only;  // of no bytes when there are several
  if (access.affine && access.address[first] - only.low < only.size &&
      access.address[last] - only.low < only.size)
    return;
  if (access.mask == kFullMask && all_inside(access.address, only)) return;
  for (Mask rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    if (inside(access.address[lane])) continue;
    // In no array at all: address.cpp says so.
    const bool stopped = !site.shared && memory_.find(access.address[lane], access.width_bytes) == nullptr;
    if (!stopped) report(access, lane, site);
  }
}

void BoundsCheck::report(const Access& access, std::uint32_t lane, const Site& site) const {
  const std::uint64_t at = access.address[lane];
  Fault fault = fault_at(FaultKind::OutOfBounds, launch_, access, lane, at);
  const auto place = [&](std::uint64_t address) {
    if (site.shared) return shared_place(fault, *launch_.program, address);
    return memory_.describe(address, 1);
  };
  const Range& meant = site.ranges.front();
  const std::uint64_t end = meant.low + meant.size;
  const std::string far = at >= end ? grouped(at - end) + " bytes past its end"
                                    : grouped(meant.low - at) + " bytes before its start";
  std::string name = site.shared ? shared_place(*launch_.program, meant.low) : "";
  if (site.shared) name = name.substr(0, name.find(" + "));
  const Allocation* a = site.shared ? nullptr : memory_.find(meant.low, 1);
  if (a != nullptr)
    name = a->name.empty() ? "a buffer of " + grouped(a->size_bytes) + " bytes" : "`" + a->name + "`";
  fault.message =
      "thread " + text_of(fault.thread, launch_.block) + " of block " + text_of(fault.block, launch_.grid) +
      " at " + line_text(launch_.program->source(access.pc)) + " leaves " + name + ", " + far +
      ", and lands in another array: " + place(at) + ". Check the index and the size of the array.";
  throw FaultError(std::move(fault));
}

}  // namespace lab::sim

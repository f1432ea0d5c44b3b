// The check of accesses that land in another array. See bounds_check.h.
#include "common/sim/observe/bounds_check.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "common/sim/base/kernel_name.h"
#include "common/sim/base/lanes.h"
#include "common/sim/observe/place_text.h"

namespace lab::sim {

std::unique_ptr<Observer> BoundsCheck::clone() const {
  return std::make_unique<BoundsCheck>(memory_, parameters_, waits_);
}

void BoundsCheck::Inner::add(std::uint32_t pc, const Fault& fault) {
  const auto [at, fresh] = faults.try_emplace(pc, fault);
  if (!fresh && fault.block_index < at->second.block_index) at->second = fault;
}

void BoundsCheck::merge(const Observer& other) {
  for (const auto& [offset, from] : dynamic_cast<const BoundsCheck&>(other).inner_) {
    Inner& to = inner_[offset];
    to.own |= from.own;
    to.others.insert(from.others.begin(), from.others.end());
    for (const auto& [pc, fault] : from.faults) to.add(pc, fault);
  }
}

std::vector<Fault> BoundsCheck::kept() const {
  std::vector<Fault> faults;
  for (const auto& [offset, inner] : inner_)
    if (inner.own || inner.others.size() > 1)
      for (const auto& [pc, fault] : inner.faults) faults.push_back(fault);
  return faults;
}

void BoundsCheck::launch_begin(const LaunchInfo& info) {
  launch_ = info;
  inner_.clear();
  sites_.assign(info.program->instruction_count(), Site{});
  run_sites_.assign(info.program->data().roots.size(), Site{});
}

// All lanes are asked in one loop without a branch.
bool BoundsCheck::all_inside(const std::uint64_t* address, const Range& range) {
  std::uint64_t outside = 0;
  for (int k = 0; k < kWarpLanes; ++k) outside |= std::uint64_t{address[k] - range.low >= range.size};
  return outside == 0;
}

// Buffers that lie exactly as far from the pointer, or from its buffer, as another number of the address says.
void BoundsCheck::add_distances(std::uint64_t pointer, std::uint32_t roots, std::uint32_t width_bytes,
                                Site& site) const {
  constexpr std::uint64_t kMostScale = 16;  // bytes of an element
  const Allocation* own = memory_.find(pointer, 1);
  for (const std::uint32_t offset : launch_.program->data().roots[roots].summands) {
    std::uint64_t number = 0;
    std::memcpy(&number, parameters_.data() + offset, sizeof number);
    if (number == 0 || memory_.find(number, 1) != nullptr) continue;
    const auto add = [&](std::uint64_t at) {
      const Allocation* there = memory_.find(at, 1);
      if (there != nullptr && there != own && there->base == at)
        site.ranges.push_back(beginnings_in(there->base, there->size_bytes, width_bytes));
    };
    for (const std::uint64_t from : {pointer, own->base}) {
      add(from ^ number);
      for (std::uint64_t scale = 1; scale <= kMostScale; scale *= 2) {
        add(from + number * scale);
        add(from - number * scale);
      }
    }
  }
}

BoundsCheck::Site BoundsCheck::find_ranges(std::uint32_t index, std::uint32_t width_bytes,
                                           bool may_be_narrow) const {
  const ProgramData& program = launch_.program->data();
  Site site;
  site.asked = true;
  site.width_bytes = width_bytes;
  if (index == 0) return site;
  const RootsOfAddress& roots = program.roots[index];
  const auto add = [&](std::uint64_t low, std::uint64_t size) {
    if (may_be_narrow) {
      size += low % width_bytes;
      low -= low % width_bytes;
      size = (size + width_bytes - 1) / width_bytes * width_bytes;
    }
    site.ranges.push_back(beginnings_in(low, size, width_bytes));
  };
  for (const std::uint32_t offset : roots.parameters) {
    if (offset + 8 > parameters_.size()) return site;
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, parameters_.data() + offset, sizeof pointer);
    // What points to no array is a number that is part of the index (a pitch), or the end of an array.
    const Allocation* a = memory_.find(pointer, 1);
    if (a == nullptr) continue;
    site.inner = site.ranges.empty() && pointer != a->base;
    site.offset = offset;
    add(a->base, a->size_bytes);
    add_distances(pointer, index, width_bytes, site);
  }
  for (const DeviceAddress at : roots.globals) {
    const Allocation* a = memory_.find(at, 1);
    if (a == nullptr) return site;
    add(a->base, a->size_bytes);
  }
  for (const std::uint32_t index : roots.shared) {
    const SharedVariable& variable = program.shared_variables[index];
    if (variable.size_bytes == 0) return site;  // dynamic: its size is the launch's
    add(variable.offset_bytes, variable.size_bytes);
    site.shared = true;
  }
  const bool one_space = roots.shared.empty() || (roots.parameters.empty() && roots.globals.empty());
  site.known = !site.ranges.empty() && one_space;
  site.inner = site.inner && waits_ && site.known && site.ranges.size() == 1;
  if (site.ranges.size() == 1) site.only = site.ranges.front();
  return site;
}

const BoundsCheck::Site& BoundsCheck::site_of(std::uint32_t pc, std::uint32_t width_bytes) {
  Site& site = sites_[pc];
  if (site.width_bytes != width_bytes) {  // pieces of a fragment may differ
    const Inst& inst = launch_.program->data().code[pc];
    site = find_ranges(inst.roots, width_bytes,
                       inst.may_be_narrow && (inst.of_header || launch_.program->source(pc).line == 0));
  }
  return site;
}

Beginnings BoundsCheck::ignored_range(std::uint32_t pc, Space space, std::uint32_t width_bytes,
                                      std::uint64_t /*at*/) {
  const Site& site = site_of(pc, width_bytes);
  const bool asked = site.known && site.shared == (space == Space::Shared);
  if (!asked) return kEverywhere;
  return site.inner && !inner_[site.offset].own ? Beginnings{} : site.only;
}

void BoundsCheck::note_inner(const Access& access, const Site& site) {
  Inner& inner = inner_[site.offset];
  for (const std::uint32_t lane : lanes_of(access.mask)) {
    const std::uint64_t at = access.address[lane];
    if (at - site.only.low < site.only.size) {
      inner.own = true;
    } else if (const Allocation* there = memory_.find(at, access.width_bytes); there != nullptr) {
      inner.others.insert(there->base);
      inner.add(access.pc, found(access, lane, site));
    }
  }
}

void BoundsCheck::access(std::uint32_t /*slot*/, const Access& access) {
  if (access.space != Space::Shared && access.space != Space::Global) return;
  const Site& site = site_of(access.pc, access.width_bytes);
  if (!site.known || site.shared != (access.space == Space::Shared)) return;
  if (site.inner) return note_inner(access, site);
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
  for (const std::uint32_t lane : lanes_of(access.mask)) {
    if (inside(access.address[lane])) continue;
    // In no array at all: address.cpp says so.
    const bool stopped = !site.shared && memory_.find(access.address[lane], access.width_bytes) == nullptr;
    if (!stopped) throw FaultError(found(access, lane, site));
  }
}

// One run of bytes, from its first to its last.
void BoundsCheck::check_run(const Access& at, std::uint32_t roots, std::uint64_t low, std::uint64_t bytes) {
  Site& site = run_sites_[roots];
  if (!site.asked) site = find_ranges(roots, 1, false);
  if (bytes == 0 || !site.known || site.shared != (at.space == Space::Shared)) return;
  for (const Range& range : site.ranges) {
    const std::uint64_t into = low - range.low;
    if (into < range.size && bytes <= range.size - into) return;
  }
  // In no array at all: address.cpp says so.
  if (!site.shared && memory_.find(low, bytes) == nullptr) return;
  const auto begins_inside = [&](const Range& range) { return low - range.low < range.size; };
  const auto meant = std::find_if(site.ranges.begin(), site.ranges.end(), begins_inside);
  Access access = at;
  std::array<std::uint64_t, kWarpLanes> address{};
  // What lands elsewhere: its first byte behind the array that it begins in.
  address.fill(meant == site.ranges.end() ? low : meant->low + meant->size);
  access.address = address.data();
  Site blamed = site;
  if (meant != site.ranges.end()) blamed.ranges = {*meant};
  throw FaultError(found(access, static_cast<std::uint32_t>(std::countr_zero(at.mask)), blamed));
}

void BoundsCheck::copy(std::uint32_t /*slot*/, const Copy& copy) {
  const ProgramData& program = launch_.program->data();
  const Inst& inst = program.code[copy.pc];
  Access at;
  at.pc = copy.pc;
  at.place = copy.place;
  for (const std::uint32_t lane : lanes_of(copy.mask)) {
    at.mask = Mask{1} << lane;
    at.space = Space::Shared;
    check_run(at, inst.roots, copy.to[lane], copy.width_bytes);
    at.space = Space::Global;
    const std::uint64_t read = (copy.whole >> lane & 1u) != 0 ? copy.width_bytes : (copy.reads >> lane & 1u);
    check_run(at, program.async_copies[inst.extra].from_roots, copy.from[lane], read);
  }
}

void BoundsCheck::bulk(std::uint32_t /*slot*/, const BulkCopy& copy) {
  const ProgramData& program = launch_.program->data();
  const Inst& inst = program.code[copy.pc];
  Access at;
  at.pc = copy.pc;
  at.place = copy.place;
  at.mask = Mask{1} << copy.lane;
  at.space = Space::Shared;
  check_run(at, inst.roots, copy.shared_low, copy.shared_bytes);
  const BulkCopyInfo& info = program.bulk_copies[inst.extra];
  at.space = Space::Global;
  for (const BulkPiece& piece : copy.pieces)
    check_run(at, info.far_roots, piece.global + piece.first, piece.last - piece.first);
}

Fault BoundsCheck::found(const Access& access, std::uint32_t lane, const Site& site) const {
  const std::uint64_t at = access.address[lane];
  Fault fault = fault_at(FaultKind::OutOfBounds, launch_, access, lane, at);
  const auto place = [&](std::uint64_t address) {
    if (site.shared) return shared_place(*launch_.program, address);
    return memory_.describe(address, 1);
  };
  const Range& meant = site.ranges.front();
  const std::uint64_t end = meant.low + meant.size + site.width_bytes - 1;
  const Message far = at == end         ? "right behind its end"
                      : at > end        ? msg("{} bytes past its end", big(at - end))
                      : at >= meant.low ? "with its last bytes"
                                        : msg("{} bytes before its start", big(meant.low - at));
  const Allocation* a = site.shared ? nullptr : memory_.find(meant.low, 1);
  const Message name = site.shared       ? shared_name(*launch_.program, meant.low)
                       : a == nullptr    ? Message()
                       : a->name.empty() ? msg("a buffer of {} bytes", big(a->size_bytes))
                                         : msg("`{}`", a->name);
  Fault left;  // the array that is left, and not the one where it lands
  if (site.shared) note_shared_variable(left, *launch_.program, meant.low);
  fault.fix = {Fix::Act::Guard, fault.file, 0, fault.line};
  fault.fix.variable = site.shared ? short_name(left.array_name) : a == nullptr ? "" : a->name;
  fault.fix.bytes = meant.size;
  fault.message =
      msg("thread {} of block {} at {} leaves {}, {}, and lands in another array: {}. Check the index and "
          "the size of the array.",
          text_of(fault.thread, launch_.block), text_of(fault.block, launch_.grid),
          line_text(launch_.program->source(access.pc)), name, far, place(at));
  return fault;
}

}  // namespace lab::sim

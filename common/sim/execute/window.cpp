// The window of an instruction: the array that it moved in last, as far as no observer has an interest in it.
//
// Enters: address rows. Leaves: their place on the host and which observers get them, with a few comparisons;
// what lies elsewhere goes the long way (address.cpp).
#include <algorithm>
#include <bit>

#include "common/sim/execute/exec_memory.h"
#include "common/sim/observe/access_analysis.h"
#include "common/sim/program/work.h"

namespace lab::sim {

const BlockRun::LastTouch* in_window(WarpContext& w, const Inst& inst, const AddressRow& row,
                                     std::uint32_t width_bytes) {
  BlockRun::LastTouch& touch = w.block->last_touch[inst.pc];
  const Beginnings& window = touch.window;
  if (row.low - window.low >= window.size || row.high - window.low >= window.size) return nullptr;
  if (window.while_set != nullptr && *window.while_set == 0) return nullptr;
  // The bits of ramps are not exact, as lanes with gaps may step by less: a wrong no goes the long way.
  const std::uint64_t bits =
      row.affine   ? row.low | static_cast<std::uint64_t>(row.stride_bytes)
      : row.halves ? row.start | static_cast<std::uint64_t>(row.stride_bytes | row.half_gap_bytes)
                   : address_bits(row, w.mask);
  if ((bits & (width_bytes - 1)) != 0) return nullptr;
  if (inst.space == Space::Global) {
    if (w.block->launch().options.check_global_races)
      w.block->extra_work += work_of_watching(std::popcount(w.mask), width_bytes, row.affine);
    fetch_ahead(*touch.allocation, row.low + (row.low - touch.low), row.high - row.low + width_bytes);
    touch.low = row.low;
  }
  return &touch;
}

bool costs_as_before(const WarpContext& w, const BlockRun::LastTouch& window, const AddressRow& row,
                     Space space) {
  RampPriced* const last = window.priced;
  if (last == nullptr || last->mask != w.mask || !row.known() || last->lanes != row.ramps()) return false;
  const std::uint64_t first =
      row.start + static_cast<std::uint64_t>(std::countr_zero(w.mask) * row.stride_bytes);
  if ((first & (space == Space::Global ? kSectorBytes - 1 : 3)) != last->in_sector) return false;
  ++last->times;
  return true;
}

bool goes_unseen(const WarpContext& w, const BlockRun::LastTouch& window, const AddressRow& row,
                 Space space) {
  if (!window.listeners->all.empty()) return false;
  return window.counter == nullptr || costs_as_before(w, window, row, space);
}

void report_in_window(WarpContext& w, const Inst& inst, const BlockRun::LastTouch& window,
                      Direction direction, AddressRow& row, std::uint32_t width_bytes,
                      const std::byte* values) {
  const Path path = path_of(inst.space, direction);
  const Access access = access_of(w, inst, inst.space, path, row, width_bytes, values);
  w.block->report_to(*window.listeners, access);
  if (window.counter != nullptr && !costs_as_before(w, window, row, inst.space))
    window.counter->access(w.block->slot(), access);
}

void BlockRun::open_window(const Inst& inst, std::uint32_t width_bytes, std::uint64_t at) {
  LastTouch& touch = last_touch[inst.pc];
  touch.listeners = all_listeners_;
  if (program_.shortcuts == Shortcuts::Off || inst.may_be_narrow || inst.watches_memory ||
      inst.passes_argument)
    return;
  std::uint64_t low = 0, bytes = 0;
  if (inst.space == Space::Shared) {
    bytes = launch_.shared_bytes;
    touch.host = reinterpret_cast<std::uintptr_t>(shared.data());
  } else if (inst.space == Space::Global && touch.allocation != nullptr &&
             touch.allocation->laid_out == nullptr) {
    low = touch.allocation->base;
    bytes = touch.allocation->size_bytes;
    touch.host = reinterpret_cast<std::uintptr_t>(touch.allocation->host) - low;
  }
  if (bytes < width_bytes) return;
  std::uint64_t end = low + bytes - width_bytes + 1, observers = 0;
  const std::uint8_t* while_set = nullptr;
  touch.counter = nullptr;
  touch.priced = nullptr;
  touch.may_wait = inst.space == Space::Global;
  for (std::size_t k = 0; k < observers_.size(); ++k) {
    Policy& policy = observers_[k]->policy();
    const Beginnings ignored = policy.ignored_range(inst.pc, inst.space, width_bytes, at);
    if (at - ignored.low < ignored.size) {
      if (ignored.while_set != nullptr) while_set = ignored.while_set;
      low = std::max(low, ignored.low);
      end = std::min(end, ignored.size > ~ignored.low ? ~std::uint64_t{0} : ignored.low + ignored.size);
      continue;
    }
    const bool may_count = touch.counter == nullptr && (inst.space == Space::Global || !repeats_.useful());
    if (may_count) touch.priced = observers_[k]->priced(inst.pc);
    if (may_count && touch.priced != nullptr) {
      touch.counter = observers_[k];
      continue;
    }
    observers |= std::uint64_t{1} << k;
    touch.may_wait &= policy.may_wait(inst.writes_global);
  }
  touch.listeners = &listeners_of(observers);
  touch.window = {low, end - low, while_set};
}

}  // namespace lab::sim

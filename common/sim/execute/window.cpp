// The window of an instruction: the array that it moved in last, as far as no observer has an interest in it.
//
// Enters: address rows. Leaves: their place on the host and which observers get them, with a few comparisons;
// what lies elsewhere goes the long way (address.cpp).
#include <algorithm>
#include <bit>

#include "common/sim/execute/exec_memory.h"
#include "common/sim/program/work.h"

namespace lab::sim {

const BlockRun::LastTouch* in_window(WarpContext& w, const Inst& inst, const AddressRow& row,
                                     std::uint32_t width_bytes) {
  BlockRun::LastTouch& touch = w.block->last_touch[inst.pc];
  const Beginnings& window = touch.window;
  if (row.low - window.low >= window.size || row.high - window.low >= window.size) return nullptr;
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
  for (std::size_t k = 0; k < observers_.size(); ++k) {
    const Beginnings ignored = observers_[k]->policy().ignored_range(inst.pc, inst.space, width_bytes, at);
    if (at - ignored.low >= ignored.size) {
      observers |= std::uint64_t{1} << k;
      continue;
    }
    low = std::max(low, ignored.low);
    end = std::min(end, ignored.size > ~ignored.low ? ~std::uint64_t{0} : ignored.low + ignored.size);
  }
  touch.listeners = &listeners_of(observers);
  touch.window = {low, end - low};
  const bool alone = touch.listeners->all.size() == 1 && (inst.space == Space::Global || !repeats_.useful());
  touch.priced = alone ? touch.listeners->all.front()->priced(inst.pc) : nullptr;
}

}  // namespace lab::sim

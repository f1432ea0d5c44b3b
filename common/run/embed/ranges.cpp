// Memory of the caller's process, lent for one launch. See ranges.h.
#include "common/run/embed/ranges.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "common/sim/program/program_data.h"

namespace lab::embed {
namespace {

using sim::DeviceAddress;

struct Span {
  DeviceAddress low = 0, high = 0;
  [[nodiscard]] bool meets(const Span& other) const { return low < other.high && other.low < high; }
};

// Addresses that mean something else: the first page, which a null pointer and its members lie in, buffers of
// the simulator's own, parameters, local and shared memory.
constexpr std::array<Span, 3> kTaken{
    {{0, 4096}, {sim::kGlobalBase, kOwnEnd}, {sim::kParamWindow, sim::kSharedWindow + sim::kWindowBytes}}};
constexpr DeviceAddress kEnd = DeviceAddress{1} << 48;  // of a process

}  // namespace

LentRanges::LentRanges(sim::Memory& memory, const lab_ptx_request& request) : memory_(memory) {
  if (request.range_count != 0 && request.ranges == nullptr)
    throw bad_request("The list of ranges is a null pointer.");
  try {
    for (std::size_t i = 0; i < request.range_count; ++i) lend(request.ranges[i], i + 1);
    if ((request.flags & LAB_PTX_RAW_MEMORY) != 0) lend_all_between();
  } catch (...) {
    take_back();
    throw;
  }
}

void LentRanges::lend(const lab_ptx_range& range, std::size_t number) {
  if (range.bytes == 0) return;
  const auto low = static_cast<DeviceAddress>(reinterpret_cast<std::uintptr_t>(range.start));
  refuse_unknown(range.flags, LAB_PTX_READ_ONLY | LAB_PTX_UNWRITTEN, msg("range {}", number));
  const bool outside = low == 0 || low >= kEnd || range.bytes > kEnd - low;
  const Span wanted{low, low + range.bytes};
  const bool taken =
      std::any_of(kTaken.begin(), kTaken.end(), [&](const Span& s) { return s.meets(wanted); });
  if (outside || taken)
    throw bad_request(
        msg("Range {} cannot be lent to kernels: {} bytes from address {} on are no memory of a "
            "program, or mean something else to a kernel.",
            number, big(range.bytes), low));
  const bool read_only = (range.flags & LAB_PTX_READ_ONLY) != 0;
  const sim::Fill fill = (range.flags & LAB_PTX_UNWRITTEN) != 0 ? sim::Fill::Poison : sim::Fill::Written;
  try {
    bases_.push_back(low);
    memory_.lend(range.start, range.bytes, range.name == nullptr ? "" : range.name, read_only, fill);
  } catch (const text::Said<std::invalid_argument>& error) {
    bases_.pop_back();
    throw bad_request(msg("Range {} overlaps another one: {}.", number, error.message()));
  }
  memory_.place(low, 0, 1);  // memory of this GPU, as the kernel counts it
}

void LentRanges::lend_all_between() {
  std::vector<Span> taken(kTaken.begin(), kTaken.end());
  for (const sim::Allocation* a : memory_.allocations()) taken.push_back({a->base, a->base + a->size_bytes});
  std::sort(taken.begin(), taken.end(), [](const Span& a, const Span& b) { return a.low < b.low; });
  DeviceAddress from = 0;
  const auto lend_up_to = [&](DeviceAddress end) {
    if (from >= end) return;
    bases_.push_back(from);
    memory_.lend(reinterpret_cast<void*>(static_cast<std::uintptr_t>(from)), end - from,
                 "memory of this process");
    memory_.place(from, 0, 1);
  };
  for (const Span& span : taken) {
    lend_up_to(std::min(span.low, kEnd));
    from = std::max(from, span.high);
  }
  lend_up_to(kEnd);
}

void LentRanges::take_back() noexcept {
  for (const DeviceAddress base : bases_) memory_.take_back(base);
  bases_.clear();
}

}  // namespace lab::embed

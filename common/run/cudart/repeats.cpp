// Launches that repeat an earlier one. See repeats.h.
#include "common/run/cudart/repeats.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace lab::cudart {
namespace {

constexpr int kBefore = 2;      // launches of a kind, until what memory holds is kept for the next
constexpr int kMostInVain = 3;  // memory that was kept, and never found again
constexpr std::size_t kMostLaunches = 512;  // different ones that are remembered
constexpr std::uint64_t kMostKeptBytes = 1ull << 30;
// Keeping a byte costs about as much as executing two instructions of a lane. It may cost a launch, and a
// launch for every four that were executed: where it is in vain, the program takes that much longer.
constexpr std::uint64_t kMostBytesPerLaneInstruction = 2;
constexpr int kLaunchesThatPay = 4;

std::span<const std::byte> bytes_of(const sim::Allocation& a) { return {a.host, a.size_bytes}; }
std::span<const std::byte> written_of(const sim::Allocation& a) {
  return std::as_bytes(std::span(a.written, a.written == nullptr ? 0 : a.size_bytes));
}
std::vector<std::byte> copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }
bool equal(const std::vector<std::byte>& kept, std::span<const std::byte> now) {
  return kept.size() == now.size() &&
         (kept.empty() || std::memcmp(kept.data(), now.data(), kept.size()) == 0);
}

}  // namespace

bool Repeats::is(const std::vector<Piece>& pieces, const sim::Memory& memory) {
  const std::vector<const sim::Allocation*> now = memory.allocations();
  return std::equal(pieces.begin(), pieces.end(), now.begin(), now.end(),
                    [](const Piece& kept, const sim::Allocation* a) {
                      return kept.base == a->base && kept.size_bytes == a->size_bytes &&
                             equal(kept.written, written_of(*a)) && equal(kept.bytes, bytes_of(*a));
                    });
}

const LaunchOutcome* Repeats::find(sim::Memory& memory, const Launch& launch) {
  const auto at = known_.find(launch);
  if (at == known_.end() || !at->second.outcome) return nullptr;
  Known& known = at->second;
  if (known.still != memory.changes() && !is(known.found, memory)) {
    drop(known);
    ++known.in_vain;
    return nullptr;
  }
  known.in_vain = 0;
  known.used = ++uses_;
  bool leaves_it = true;
  for (const Piece& piece : known.left) {
    const sim::Allocation& a = *memory.find(piece.base, piece.size_bytes);
    if (!piece.bytes.empty()) std::memcpy(a.host, piece.bytes.data(), piece.bytes.size());
    if (!piece.written.empty()) {
      std::memcpy(a.written, piece.written.data(), piece.written.size());
      a.whole() = std::all_of(piece.written.begin(), piece.written.end(),
                              [](std::byte mark) { return mark == std::byte{sim::Allocation::kWritten}; });
    }
    leaves_it = leaves_it && piece.bytes.empty() && piece.written.empty();
  }
  if (!leaves_it) memory.changed_by_kernel();
  if (leaves_it && !known.host_reaches_it) known.still = memory.changes();
  return &*known.outcome;
}

void Repeats::before(const sim::Memory& memory, const Launch& launch) {
  if (known_.size() == kMostLaunches && !known_.contains(launch)) forget();
  Known& known = known_[launch];
  drop(known);
  if (known.executed++ < kBefore || known.in_vain == kMostInVain) return;
  const std::uint64_t bytes = memory.allocated_bytes();
  const auto paid_by = static_cast<std::uint64_t>(std::max(1, known.executed / kLaunchesThatPay));
  if (bytes > kMostBytesPerLaneInstruction * known.lane_instructions * paid_by) return;
  if (!make_room(4 * bytes)) return;
  known.used = ++uses_;
  for (const sim::Allocation* a : memory.allocations()) {
    known.found.push_back({a->base, a->size_bytes, copy_of(bytes_of(*a)), copy_of(written_of(*a))});
    kept_bytes_ += known.found.back().bytes.size() + known.found.back().written.size();
    known.host_reaches_it =
        a->base < sim::kGlobalBase || a->base >= sim::kVisibleBase || known.host_reaches_it;
  }
}

void Repeats::after(const sim::Memory& memory, const Launch& launch, const sim::LaunchResult& result,
                    const std::optional<sim::Counters>& as_ptxas, const TouchObserver* touched) {
  const auto at = known_.find(launch);
  if (at == known_.end()) return;
  Known& known = at->second;
  known.lane_instructions = result.lane_instructions;
  if (known.found.empty()) return;
  const std::vector<const sim::Allocation*> now = memory.allocations();
  const auto same = [](const Piece& piece, const sim::Allocation* a) { return piece.base == a->base; };
  if (!result.ok() || !result.launched.empty() ||
      !std::equal(known.found.begin(), known.found.end(), now.begin(), now.end(), same))
    return drop(known);
  for (std::size_t k = 0; k < now.size(); ++k) {
    Piece& left = known.left.emplace_back(Piece{now[k]->base, now[k]->size_bytes, {}, {}});
    if (!equal(known.found[k].bytes, bytes_of(*now[k]))) left.bytes = copy_of(bytes_of(*now[k]));
    if (!equal(known.found[k].written, written_of(*now[k]))) left.written = copy_of(written_of(*now[k]));
    kept_bytes_ += left.bytes.size() + left.written.size();
  }
  known.outcome = {result, as_ptxas, touched == nullptr ? std::vector<Touched>{} : touched->touched()};
}

// Memory kept for the launches that were met longest ago goes first.
bool Repeats::make_room(std::uint64_t bytes) {
  if (bytes > kMostKeptBytes) return false;
  while (kept_bytes_ + bytes > kMostKeptBytes) {
    Known* oldest = nullptr;
    for (auto& [launch, known] : known_)
      if (known.outcome && (oldest == nullptr || known.used < oldest->used)) oldest = &known;
    if (oldest == nullptr) return false;
    drop(*oldest);
    ++oldest->in_vain;
  }
  return true;
}

void Repeats::drop(Known& known) {
  for (const auto* const pieces : {&known.found, &known.left})
    for (const Piece& piece : *pieces) kept_bytes_ -= piece.bytes.size() + piece.written.size();
  known.found.clear();
  known.left.clear();
  known.outcome.reset();
  known.still.reset();
  known.host_reaches_it = false;
}

void Repeats::forget() {
  known_.clear();
  kept_bytes_ = 0;
}

Repeats& repeats() {
  static Repeats* const only = new Repeats;  // programs launch while they end
  return *only;
}

}  // namespace lab::cudart

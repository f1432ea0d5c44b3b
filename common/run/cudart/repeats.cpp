// Launches that repeat an earlier one. See repeats.h.
#include "common/run/cudart/repeats.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>

namespace lab::cudart {
namespace {

constexpr int kBefore = 2;      // launches of a kind, until what memory holds is kept for the next
constexpr int kMostInVain = 3;  // memory that was kept, and never found again
constexpr std::size_t kMostLaunches = 512;  // different ones that are remembered
constexpr std::uint64_t kMostKeptBytes = 1ull << 30;
// Hashing a byte before a launch, behind it and before the next costs about as much as executing an
// instruction of a lane. It may cost a launch, and a launch for every four that were executed: where it is in
// vain, the program takes that much longer.
constexpr std::uint64_t kMostBytesPerLaneInstruction = 2;
constexpr int kLaunchesThatPay = 4;

std::span<const std::byte> bytes_of(const sim::Allocation& a) { return {a.host, a.size_bytes}; }
std::span<const std::byte> written_of(const sim::Allocation& a) {
  return std::as_bytes(std::span(a.written, a.size_bytes));
}
// A change of one word always changes it; two memories of other contents have the same one in 2^64.
std::size_t hash_of(std::span<const std::byte> bytes) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}
std::size_t hash_of_written(const sim::Allocation& a) { return a.is_whole() ? 0 : hash_of(written_of(a)); }

}  // namespace

bool Repeats::found(const std::vector<Piece>& pieces, const sim::Memory& memory) {
  const std::vector<const sim::Allocation*> now = memory.allocations();
  return std::equal(pieces.begin(), pieces.end(), now.begin(), now.end(),
                    [](const Piece& piece, const sim::Allocation* a) {
                      return piece.base == a->base && piece.size_bytes == a->size_bytes &&
                             piece.written == hash_of_written(*a) && piece.bytes == hash_of(bytes_of(*a));
                    });
}

const LaunchOutcome* Repeats::find(sim::Memory& memory, const Launch& launch) {
  const auto at = known_.find(launch);
  if (at == known_.end() || !at->second.outcome) return nullptr;
  Known& known = at->second;
  if (known.still != memory.changes() && !found(known.pieces, memory)) {
    drop(known);
    ++known.in_vain;
    return nullptr;
  }
  known.in_vain = 0;
  known.used = ++uses_;
  for (const Piece& piece : known.pieces) {
    const sim::Allocation& a = *memory.find(piece.base, piece.size_bytes);
    std::copy(piece.left_bytes.begin(), piece.left_bytes.end(), a.host);
    if (piece.left_written.empty()) continue;
    std::memcpy(a.written, piece.left_written.data(), piece.left_written.size());
    a.whole() = std::all_of(piece.left_written.begin(), piece.left_written.end(),
                            [](std::byte mark) { return mark == std::byte{sim::Allocation::kWritten}; });
  }
  const bool leaves_it = known.kept_bytes == 0;
  if (!leaves_it) memory.changed_by_kernel();
  if (leaves_it && !known.host_reaches_it) known.still = memory.changes();
  return &*known.outcome;
}

void Repeats::before(const sim::Memory& memory, const Launch& launch) {
  if (known_.size() == kMostLaunches && !known_.contains(launch)) forget();
  Known& known = known_[launch];
  drop(known);
  if (known.executed++ < kBefore || known.in_vain == kMostInVain) return;
  const auto paid_by = static_cast<std::uint64_t>(std::max(1, known.executed / kLaunchesThatPay));
  if (memory.allocated_bytes() > kMostBytesPerLaneInstruction * known.lane_instructions * paid_by) return;
  known.used = ++uses_;
  for (const sim::Allocation* a : memory.allocations()) {
    known.pieces.push_back({a->base, a->size_bytes, hash_of(bytes_of(*a)), hash_of_written(*a), {}, {}});
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
  if (known.pieces.empty()) return;
  const std::vector<const sim::Allocation*> now = memory.allocations();
  const auto same = [](const Piece& piece, const sim::Allocation* a) { return piece.base == a->base; };
  if (!result.ok() || !result.launched.empty() ||
      !std::equal(known.pieces.begin(), known.pieces.end(), now.begin(), now.end(), same))
    return drop(known);
  for (std::size_t k = 0; k < now.size(); ++k) {
    const auto keep = [&](std::span<const std::byte> left, std::vector<std::byte>& kept) {
      if (!make_room(left.size())) return false;
      kept.assign(left.begin(), left.end());
      known.kept_bytes += left.size();
      kept_bytes_ += left.size();
      return true;
    };
    Piece& piece = known.pieces[k];
    if (piece.bytes != hash_of(bytes_of(*now[k])) && !keep(bytes_of(*now[k]), piece.left_bytes))
      return drop(known);
    if (piece.written != hash_of_written(*now[k]) && !keep(written_of(*now[k]), piece.left_written))
      return drop(known);
  }
  known.outcome = {result, as_ptxas, touched == nullptr ? std::vector<Touched>{} : touched->touched()};
}

// Memory kept for the launches that were met longest ago goes first.
bool Repeats::make_room(std::uint64_t bytes) {
  if (bytes > kMostKeptBytes) return false;
  while (kept_bytes_ + bytes > kMostKeptBytes) {
    Known* oldest = nullptr;
    for (auto& [launch, known] : known_)
      if (known.outcome && known.kept_bytes > 0 && (oldest == nullptr || known.used < oldest->used))
        oldest = &known;
    if (oldest == nullptr) return false;
    drop(*oldest);
    ++oldest->in_vain;
  }
  return true;
}

void Repeats::drop(Known& known) {
  kept_bytes_ -= known.kept_bytes;
  known.kept_bytes = 0;
  known.pieces.clear();
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

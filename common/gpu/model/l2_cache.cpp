// The second-level cache. See l2_cache.h.
#include "common/gpu/model/l2_cache.h"

#include <algorithm>
#include <utility>

namespace lab::model {
namespace {

constexpr std::uint64_t kLowSector = 0xffffffffull;

// Bytes of the sectors that hold one of these bytes.
std::uint64_t sector_bytes(std::uint64_t bytes) {
  return ((bytes & kLowSector) != 0 ? L2Cache::kSectorBytes : 0) +
         (bytes >> 32 != 0 ? L2Cache::kSectorBytes : 0);
}

std::uint64_t mixed(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15ull;
  return x ^ x >> 29;
}

}  // namespace

L2Cache::L2Cache(std::uint64_t capacity_bytes)
    : entries_(std::max<std::uint64_t>(1, capacity_bytes * kUsedTenths / 10 / kPieceBytes / kWays) * kWays),
      sets_(entries_.size() / kWays),
      pages_(kPages, ~std::uint64_t{0}) {}

void L2Cache::fetch(std::uint64_t piece) {
  traffic_.read_bytes += kPieceBytes;
  const std::uint64_t page = piece / kPiecesOfPage;
  std::uint64_t& known = pages_[mixed(page) % kPages];
  if (known != page) traffic_.scattered_bytes += kPieceBytes;
  known = page;
}

void L2Cache::push_out(Entry& entry) {
  if (entry.written != 0) {
    std::uint64_t missing = 0;
    for (const int shift : {0, 32}) {
      const std::uint64_t part = entry.written >> shift & kLowSector;
      if (part != 0 && part != kLowSector && !entry.fetched) missing += kSectorBytes;
    }
    traffic_.read_bytes += missing;
    traffic_.write_bytes += sector_bytes(entry.written);
  }
  entry = Entry{};
}

L2Cache::Entry& L2Cache::find(std::uint64_t piece) {
  Entry* const set = &entries_[mixed(piece) % sets_ * kWays];
  Entry* oldest = set;
  for (Entry* e = set; e != set + kWays; ++e) {
    if (e->piece == piece) {
      e->used = ++now_;
      return *e;
    }
    if (e->used < oldest->used) oldest = e;
  }
  push_out(*oldest);
  oldest->piece = piece;
  oldest->used = ++now_;
  return *oldest;
}

bool L2Cache::read(std::uint64_t piece, std::uint64_t bytes) {
  Entry& entry = find(piece);
  if (entry.fetched || (bytes & ~entry.written) == 0) return true;
  entry.fetched = true;
  fetch(piece);
  return false;
}

void L2Cache::write(std::uint64_t piece, std::uint64_t bytes) { find(piece).written |= bytes; }

DramTraffic L2Cache::take() { return std::exchange(traffic_, {}); }

std::uint64_t L2Cache::unwritten_bytes() const {
  std::uint64_t sum = 0;
  for (const Entry& e : entries_) sum += e.written == 0 ? 0 : sector_bytes(e.written);
  return sum;
}

}  // namespace lab::model

// The rules of copy_cost.h.
#include "common/sim/observe/copy_cost.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include "common/sim/base/lanes.h"

namespace lab::sim {
namespace {

constexpr unsigned kLineBytes = 128;
constexpr unsigned kBypassLanes = 8;

// The largest number of lanes of `group` in one bank (of units as wide as a lane's copy).
unsigned lanes_in_busiest_bank(const std::uint64_t* address, unsigned width_bytes, Mask group) {
  std::array<unsigned, kBanks> lanes{};
  unsigned most = 0;
  const unsigned slots = kBanks * kBankBytes / width_bytes;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    if (((group >> i) & 1u) != 0) most = std::max(most, ++lanes[address[i] / width_bytes % slots]);
  }
  return most;
}

std::uint64_t cached_wavefronts(const Copy& copy) {
  const unsigned lanes = kWarpLanes * kBankBytes / copy.width_bytes;
  std::uint64_t total = 0;
  for (unsigned start = 0; start < kWarpLanes; start += lanes) {
    const Mask group = (kFullMask >> (kWarpLanes - lanes)) << start;
    total += std::max(lanes_in_busiest_bank(copy.from, copy.width_bytes, copy.reads & group),
                      lanes_in_busiest_bank(copy.to, copy.width_bytes, copy.mask & group));
  }
  return total;
}

std::uint64_t bypass_sectors(const Copy& copy) {
  std::uint64_t total = 0;
  for (unsigned start = 0; start < kWarpLanes; start += kBypassLanes) {
    std::array<std::pair<std::uint64_t, std::uint64_t>, kBypassLanes> pairs;
    auto end = pairs.begin();
    for (unsigned i = start; i < start + kBypassLanes; ++i) {
      if (((copy.reads >> i) & 1u) == 0) continue;
      const std::pair pair(copy.from[i] / kLineBytes, copy.to[i] / kSectorBytes);
      if (std::find(pairs.begin(), end, pair) == end) *end++ = pair;
    }
    total += static_cast<std::uint64_t>(end - pairs.begin());
  }
  return total;
}

std::uint64_t ceil_sectors(std::uint64_t bytes) { return (bytes + kSectorBytes - 1) / kSectorBytes; }

// A piece is cut at the 128-byte lines of shared memory, and each part takes the sectors that it touches. A
// load also fills what lies outside of its tensor, as if that were read: bytes / 32.
std::uint64_t bulk_sectors(const BulkPiece& piece, bool loads) {
  std::uint64_t sectors = 0;
  for (std::uint64_t done = 0; done < piece.bytes;) {
    const std::uint64_t part =
        std::min<std::uint64_t>(piece.bytes - done, kLineBytes - (piece.shared + done) % kLineBytes);
    const std::uint64_t first = std::max<std::uint64_t>(done, piece.first),
                        last = std::max(first, std::min<std::uint64_t>(done + part, piece.last));
    if (last > first)
      sectors += (piece.global + last - 1) / kSectorBytes - (piece.global + first) / kSectorBytes + 1;
    if (loads) sectors += ceil_sectors(part - (last - first));
    done += part;
  }
  return sectors;
}

}  // namespace

CopyCost copy_cost(const Copy& copy) {
  CopyCost cost;
  if (copy.bypass) {
    cost.global = {bypass_sectors(copy), global_cost(copy.to, copy.width_bytes, copy.reads).ideal_sectors};
    cost.shared = shared_cost(copy.to, copy.width_bytes, copy.mask & ~copy.whole, false);
  } else {
    cost.global = global_cost(copy.from, copy.width_bytes, copy.reads);
    cost.shared = shared_cost(copy.to, copy.width_bytes, copy.mask, false);
    cost.shared.wavefronts = cached_wavefronts(copy);
  }
  return cost;
}

CopyCost bulk_cost(const BulkCopy& copy) {
  CopyCost cost;
  const bool loads = copy.read == Path::GlobalBulkLoad;
  std::uint64_t moved = copy.pieces.empty() ? copy.shared_bytes : 0;
  for (const BulkPiece& piece : copy.pieces) {
    const std::uint64_t bytes = loads ? piece.bytes : piece.last - piece.first;
    moved += bytes;
    cost.global.ideal_sectors += ceil_sectors(bytes);
    cost.global.sectors += bulk_sectors(piece, loads);
  }
  cost.shared.wavefronts = (moved + kLineBytes - 1) / kLineBytes;
  cost.global.sectors *= copy.destinations;
  cost.global.ideal_sectors *= copy.destinations;
  cost.shared.wavefronts *= copy.destinations;
  cost.shared.ideal_wavefronts = cost.shared.wavefronts;
  return cost;
}

SharedCost matrix_cost(const std::uint64_t* row, Mask lanes) {
  constexpr unsigned kRows = 8, kRowBytes = 16;
  SharedCost cost;
  for (unsigned first = 0; first < kWarpLanes; first += kRows) {
    const Mask group = lanes & 0xffu << first;
    if (group == 0) continue;
    cost.wavefronts += shared_cost(row, kRowBytes, group, false).wavefronts;
    cost.ideal_wavefronts += 1;
  }
  return cost;
}

namespace {

// Lines of 128 bytes lie in four banks of tags. Which one was solved for from 90 measured loads, and holds
// for 90 stores: sums of bits of the line's number, counted from the window's first byte.
unsigned tag_bank(std::uint64_t line) {
  const unsigned low = std::popcount(line & 0b10110101u) & 1u, high = std::popcount(line & 0b11011010u) & 1u;
  return low + 2 * high;
}

constexpr std::uint64_t kReserved = 1024;  // bytes of the window below a block's own variables

}  // namespace

unsigned cluster_bank(std::uint64_t address) { return tag_bank((address + kReserved) / kLineBytes); }

SharedCost cluster_cost(const std::uint64_t* address, unsigned width_bytes, Mask lanes, bool atomic) {
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> lines;  // of each: lanes by address
  for (const std::uint32_t lane : lanes_of(lanes)) {
    const std::uint64_t at = address[lane] + kReserved;
    lines[at / kLineBytes][at] += 1;
  }
  std::array<std::uint64_t, 4> banks{};
  for (const auto& [line, addresses] : lines) {
    std::uint64_t turns = 1;  // atomics on one address take turns
    for (const auto& [at, count] : addresses) turns = atomic ? std::max(turns, count) : 1;
    banks[tag_bank(line)] += turns;
  }
  const std::uint64_t bytes = std::uint64_t{width_bytes} * static_cast<unsigned>(std::popcount(lanes));
  SharedCost cost;
  cost.wavefronts = *std::max_element(banks.begin(), banks.end());
  cost.ideal_wavefronts = std::min<std::uint64_t>(cost.wavefronts, (bytes + 511) / 512);
  return cost;
}

}  // namespace lab::sim

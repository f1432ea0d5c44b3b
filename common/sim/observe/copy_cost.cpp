// The rules of copy_cost.h.
#include "common/sim/observe/copy_cost.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>

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
    std::set<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (unsigned i = start; i < start + kBypassLanes; ++i) {
      if (((copy.reads >> i) & 1u) != 0) pairs.emplace(copy.from[i] / kLineBytes, copy.to[i] / kSectorBytes);
    }
    total += pairs.size();
  }
  return total;
}

// The unit cuts a copy at the 128-byte lines of shared memory; each piece takes the sectors that it touches.
std::uint64_t bulk_sectors(std::uint64_t global, std::uint64_t shared, std::uint64_t bytes) {
  std::uint64_t sectors = 0;
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t piece = std::min(bytes - done, kLineBytes - (shared + done) % kLineBytes);
    const std::uint64_t first = global + done;
    sectors += (first + piece - 1) / kSectorBytes - first / kSectorBytes + 1;
    done += piece;
  }
  return sectors;
}

CopyCost bulk_cost(const Copy& copy) {
  const bool loads = copy.read == Path::GlobalBulkLoad;
  const auto bytes = std::uint64_t{copy.width_bytes};
  CopyCost cost;
  for (Mask left = copy.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    const std::uint64_t global = (loads ? copy.from : copy.to)[lane],
                        shared = (loads ? copy.to : copy.from)[lane];
    cost.global.sectors += bulk_sectors(global, shared, bytes);
    cost.global.ideal_sectors += (bytes + kSectorBytes - 1) / kSectorBytes;
    cost.shared.wavefronts += (bytes + kLineBytes - 1) / kLineBytes;
  }
  cost.shared.ideal_wavefronts = cost.shared.wavefronts;
  return cost;
}

}  // namespace

CopyCost copy_cost(const Copy& copy) {
  if (copy.read != Path::GlobalAsync) return bulk_cost(copy);
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

}  // namespace lab::sim

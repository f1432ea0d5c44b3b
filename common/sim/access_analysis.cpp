// The cost of one warp access: exact general paths, and closed forms for constant strides.
//
// Enters: addresses, or a first address and a stride. Leaves: sectors and wavefronts. The rules stand in
// access_analysis.h. Two thoughts keep the general path short and fast:
//   - aligned accesses never straddle: a lane touches one sector, and one *unit* of max(width, 4) bytes that
//     fills one slot of neighbouring banks. So "distinct words in a bank" is "distinct units in a slot", and
//     lanes of a group times banks of a unit is 32 for every width.
//   - 32 small keys are told apart fastest by comparing each with all that stand before it, in vectors.
#include "common/sim/access_analysis.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace lab::sim {
namespace {

unsigned log2_of(unsigned power_of_two) { return static_cast<unsigned>(std::countr_zero(power_of_two)); }
unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

// The addresses of a warp with the gaps closed: an inactive lane repeats the first active one, which adds
// nothing distinct.
struct Dense {
  alignas(32) std::array<std::uint64_t, kWarpLanes> address;
  std::uint64_t differing_bits = 0;  // bits in which any address differs from the first

  Dense(const std::uint64_t* from, Mask mask) {
    const std::uint64_t first = from[std::countr_zero(mask)];
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      address[i] = (mask >> i) & 1u ? from[i] : first;
      differing_bits |= address[i] ^ first;
    }
  }
};

Mask first_of_each_64(const Dense& lanes, unsigned shift) {
  Mask first = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    bool seen = false;
    for (unsigned j = 0; j < i; ++j) seen |= lanes.address[i] >> shift == lanes.address[j] >> shift;
    first |= (seen ? 0u : 1u) << i;
  }
  return first;
}

// One bit for every distinct value of address >> shift: the first lane that has it.
Mask first_of_each(const Dense& lanes, unsigned shift) {
  constexpr std::uint32_t kLowBits = 0x7fffffffu;
  if (lanes.differing_bits >> shift > kLowBits) return first_of_each_64(lanes, shift);
  // Before lane 0 stand 32 places that equal no key, so that every comparison below has 32 lanes.
  alignas(32) std::array<std::uint32_t, 2 * kWarpLanes> key;
  alignas(32) std::array<std::uint32_t, kWarpLanes> seen{};
  for (unsigned i = 0; i < kWarpLanes; ++i) key[i] = ~0u;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    key[kWarpLanes + i] = static_cast<std::uint32_t>(lanes.address[i] >> shift) & kLowBits;
  }
  for (unsigned back = 1; back < kWarpLanes; ++back) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      seen[i] |= key[kWarpLanes + i] == key[kWarpLanes + i - back] ? 1u : 0u;
    }
  }
  Mask first = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) first |= (seen[i] ^ 1u) << i;
  return first;
}

// How a width divides warp and banks. `slots` units stand side by side in the banks.
struct Grouping {
  unsigned unit_bytes, lanes;
  [[nodiscard]] unsigned slots() const { return kBanks * kBankBytes / unit_bytes; }
};

Grouping grouping_of(unsigned width_bytes, bool merges) {
  const unsigned unit = std::max(width_bytes, kBankBytes);
  const unsigned lanes = kWarpLanes * kBankBytes / unit;
  return {unit, merges ? 2 * lanes : lanes};
}

// Wavefronts of all groups, when lanes of `distinct` hold different units inside their group.
unsigned wavefronts_of(const Dense& lanes, const Grouping& grouping, Mask distinct) {
  const unsigned shift = log2_of(grouping.unit_bytes);
  const unsigned slots = grouping.slots();
  unsigned total = 0;
  for (unsigned start = 0; start < kWarpLanes; start += grouping.lanes) {
    std::array<std::uint8_t, kBanks> in_slot{};
    unsigned most = 0;
    for (unsigned i = start; i < start + grouping.lanes; ++i) {
      const unsigned slot = static_cast<unsigned>(lanes.address[i] >> shift) & (slots - 1);
      in_slot[slot] = static_cast<std::uint8_t>(in_slot[slot] + ((distinct >> i) & 1u));
      most = std::max<unsigned>(most, in_slot[slot]);
    }
    total += most;
  }
  return total;
}

// Keeps, in each group, one lane of every unit. `first` is that for the whole warp.
Mask first_in_group(const Dense& lanes, const Grouping& grouping, Mask first, Mask mask) {
  if (grouping.lanes == kWarpLanes || first == mask) return first;
  const unsigned shift = log2_of(grouping.unit_bytes);
  Mask kept = first;
  for (Mask rest = mask & ~first; rest != 0; rest &= rest - 1) {
    const unsigned i = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned start = i & ~(grouping.lanes - 1);
    bool seen = false;
    for (unsigned j = start; j < i; ++j) {
      seen |= ((mask >> j) & 1u) != 0 && lanes.address[i] >> shift == lanes.address[j] >> shift;
    }
    if (!seen) kept |= 1u << i;
  }
  return kept;
}

bool is_run(Mask mask) {  // neighbouring lanes only
  const Mask shifted = mask >> std::countr_zero(mask);
  return (shifted & (shifted + 1)) == 0;
}

// Pairs of active lanes whose numbers differ in bit 0, and in bit 1.
bool has_pair_1(Mask mask) { return (mask & (mask >> 1) & 0x55555555u) != 0; }
bool has_pair_2(Mask mask) { return (mask & (mask >> 2) & 0x33333333u) != 0; }

}  // namespace

bool wide_load_merges(const std::uint64_t* address, unsigned width_bytes, Mask mask) {
  if (width_bytes <= kBankBytes) return false;
  Mask same_1 = 0, same_2 = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    same_1 |= (address[i] == address[i ^ 1] ? 1u : 0u) << i;
    same_2 |= (address[i] == address[i ^ 2] ? 1u : 0u) << i;
  }
  const Mask pair_1 = mask & (mask >> 1) & 0x55555555u, pair_2 = mask & (mask >> 2) & 0x33333333u;
  return (pair_1 & ~same_1) == 0 || (pair_2 & ~same_2) == 0;
}

GlobalCost global_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask) {
  if (mask == 0) return {};
  const Dense lanes(address, mask);
  const Mask units = first_of_each(lanes, log2_of(width_bytes));
  const Mask sectors = first_of_each(lanes, log2_of(kSectorBytes));
  const unsigned bytes = static_cast<unsigned>(std::popcount(units)) * width_bytes;
  return {static_cast<std::uint32_t>(std::popcount(sectors)), ceil_div(bytes, kSectorBytes)};
}

SharedCost shared_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask, bool load) {
  if (mask == 0) return {};
  const Dense lanes(address, mask);
  const Grouping grouping = grouping_of(width_bytes, load && wide_load_merges(address, width_bytes, mask));
  // The copies of the first active lane that stand before it are its own: hand their bit over.
  const Mask first = (first_of_each(lanes, log2_of(grouping.unit_bytes)) & mask) | (mask & (~mask + 1));
  const unsigned words = static_cast<unsigned>(std::popcount(first)) * (grouping.unit_bytes / kBankBytes);
  const Mask distinct = first_in_group(lanes, grouping, first, mask);
  return {wavefronts_of(lanes, grouping, distinct), ceil_div(words, kBanks)};
}

GlobalCost local_cost(const std::uint64_t* offset, unsigned width_bytes, Mask mask) {
  if (mask == 0) return {};
  // Word w of lane l is word w * 32 + l of the warp's memory: lanes of one eighth-row of 8 share a sector
  // exactly when they touch the same word, so each eighth-row is its own little count.
  const unsigned words = ceil_div(width_bytes, kBankBytes);
  unsigned sectors = 0;
  for (unsigned start = 0; start < kWarpLanes; start += 8) {
    for (unsigned i = start; i < start + 8; ++i) {
      if (((mask >> i) & 1u) == 0) continue;
      bool seen = false;
      for (unsigned j = start; j < i; ++j) seen |= ((mask >> j) & 1u) != 0 && offset[i] / 4 == offset[j] / 4;
      if (!seen) sectors += words;
    }
  }
  const unsigned bytes = static_cast<unsigned>(std::popcount(mask)) * width_bytes;  // no two lanes share any
  return {sectors, ceil_div(bytes, kSectorBytes)};
}

bool global_cost_of_stride(std::uint64_t first_address, std::int64_t stride_bytes, unsigned width_bytes,
                           Mask mask, GlobalCost& cost) {
  if (mask == 0 || !is_run(mask)) return false;
  const unsigned lanes = static_cast<unsigned>(std::popcount(mask));
  if (stride_bytes == 0 || lanes == 1) {
    cost = {1, 1};
    return true;
  }
  const std::uint64_t step = static_cast<std::uint64_t>(stride_bytes < 0 ? -stride_bytes : stride_bytes);
  const std::uint64_t span = (lanes - 1) * step;
  const std::uint64_t lowest = stride_bytes < 0 ? first_address - span : first_address;
  // Steps of up to a sector skip none between the first and the last; longer ones never meet in one.
  cost.sectors = step <= kSectorBytes
                     ? static_cast<std::uint32_t>((lowest + span) / kSectorBytes - lowest / kSectorBytes + 1)
                     : lanes;
  cost.ideal_sectors = ceil_div(lanes * width_bytes, kSectorBytes);
  return true;
}

bool shared_cost_of_stride(std::int64_t stride_bytes, unsigned width_bytes, Mask mask, bool load,
                           SharedCost& cost) {
  if (mask == 0 || !is_run(mask)) return false;
  const unsigned lanes = static_cast<unsigned>(std::popcount(mask));
  const std::uint64_t step = static_cast<std::uint64_t>(stride_bytes < 0 ? -stride_bytes : stride_bytes);
  const bool merges =
      load && width_bytes > kBankBytes && (step == 0 || !has_pair_1(mask) || !has_pair_2(mask));
  const Grouping grouping = grouping_of(width_bytes, merges);
  if (step % grouping.unit_bytes != 0) {
    if (step > kBankBytes) return false;
    // Bytes or halves of neighbouring words, none skipped: at most 32 words, each in its own bank.
    cost = {1, 1};
    return true;
  }
  const unsigned slots = grouping.slots();
  const unsigned unit_step = static_cast<unsigned>(step / grouping.unit_bytes) & (slots - 1);
  const unsigned slots_used = step == 0 ? 1 : slots / std::gcd(unit_step, slots);  // gcd(0, slots) is slots
  cost.wavefronts = 0;
  for (unsigned start = 0; start < kWarpLanes; start += grouping.lanes) {
    const Mask group = (mask >> start) & (kFullMask >> (kWarpLanes - grouping.lanes));
    const unsigned units = step == 0 ? (group != 0) : static_cast<unsigned>(std::popcount(group));
    cost.wavefronts += ceil_div(units, slots_used);
  }
  const unsigned words = (step == 0 ? 1 : lanes) * (grouping.unit_bytes / kBankBytes);
  cost.ideal_wavefronts = ceil_div(words, kBanks);
  return true;
}

GlobalCost global_cost(const Access& access) {
  GlobalCost cost;
  if (access.affine && access.mask != 0) {
    const std::uint64_t first = access.address[std::countr_zero(access.mask)];
    if (global_cost_of_stride(first, access.stride_bytes, access.width_bytes, access.mask, cost)) return cost;
  }
  return global_cost(access.address, access.width_bytes, access.mask);
}

SharedCost shared_cost(const Access& access) {
  SharedCost cost;
  const bool load = access.op == AccessOp::Load;
  if (access.affine && access.mask != 0 &&
      shared_cost_of_stride(access.stride_bytes, access.width_bytes, access.mask, load, cost)) {
    return cost;
  }
  return shared_cost(access.address, access.width_bytes, access.mask, load);
}

}  // namespace lab::sim

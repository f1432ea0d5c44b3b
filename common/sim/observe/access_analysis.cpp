// The cost of one warp access: exact general paths, and closed forms for constant strides.
//
// Enters: addresses, or a first address and a stride. Leaves: sectors and wavefronts. The rules stand in
// access_analysis.h. Two thoughts keep the general path short and fast:
//   - aligned accesses never straddle: a lane touches one sector, and one *unit* of max(width, 4) bytes that
//     fills one slot of neighbouring banks. So "distinct words in a bank" is "distinct units in a slot", and
//     lanes of a group times banks of a unit is 32 for every width.
//   - 32 small keys are distinguished fastest by comparing each with all that stand before it, in vectors.
#include "common/sim/observe/access_analysis.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/sim/base/lanes.h"
#include "common/sim/observe/bank_words.h"
#include "common/sim/observe/unlike_lanes.h"

namespace lab::sim {
namespace {

unsigned log2_of(unsigned power_of_two) { return static_cast<unsigned>(std::countr_zero(power_of_two)); }
unsigned ceil_div(unsigned a, unsigned b) { return (a + b - 1) / b; }

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
  alignas(32) std::array<std::uint32_t, kWarpLanes> slot_bit;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t slot = static_cast<std::uint32_t>(lanes.address[i] >> shift) & (slots - 1);
    slot_bit[i] = ((distinct >> i) & 1u) << slot;
  }
  unsigned total = 0;
  for (unsigned start = 0; start < kWarpLanes; start += grouping.lanes)
    total += most_in_one_place(&slot_bit[start], grouping.lanes);
  return total;
}

// Wavefronts of lanes with a word each or less, if they can be seen at once.
std::optional<SharedCost> cost_of_two_rows(const std::uint64_t* address, unsigned width_bytes, Mask mask) {
  if (width_bytes > kBankBytes) return std::nullopt;
  const auto words = words_in_two_rows(address, mask);
  if (!words) return std::nullopt;
  const bool meet = (static_cast<std::uint32_t>(*words) & static_cast<std::uint32_t>(*words >> kBanks)) != 0;
  return SharedCost{meet ? 2u : 1u, 1};
}

// The common good case: inside its group each active lane has a slot to itself. Groups times slots is 32 (64
// when groups are merged and there is more than one; those take the long way).
bool all_in_own_slots(const std::uint64_t* address, const Grouping& grouping, Mask mask) {
  const unsigned shift = log2_of(grouping.unit_bytes), slots = grouping.slots();
  std::uint32_t taken = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const unsigned slot = static_cast<unsigned>(address[i] >> shift) & (slots - 1);
    taken |= ((mask >> i) & 1u) << ((i & ~(grouping.lanes - 1)) + slot);
  }
  return grouping.lanes == slots && std::popcount(taken) == std::popcount(mask);
}

unsigned active_groups(const Grouping& grouping, Mask mask) {
  unsigned count = 0;
  for (unsigned start = 0; start < kWarpLanes; start += grouping.lanes) {
    count += (mask >> start & (kFullMask >> (kWarpLanes - grouping.lanes))) != 0 ? 1u : 0u;
  }
  return count;
}

// Keeps, in each group, one lane of every unit. `first` is that for the whole warp.
Mask first_in_group(const Dense& lanes, const Grouping& grouping, Mask first, Mask mask) {
  if (grouping.lanes == kWarpLanes || first == mask) return first;
  const unsigned shift = log2_of(grouping.unit_bytes);
  Mask kept = first;
  for (const unsigned i : lanes_of<unsigned>(mask & ~first)) {
    const unsigned start = i & ~(grouping.lanes - 1);
    bool seen = false;
    for (unsigned j = start; j < i; ++j) {
      seen |= ((mask >> j) & 1u) != 0 && lanes.address[i] >> shift == lanes.address[j] >> shift;
    }
    if (!seen) kept |= 1u << i;
  }
  return kept;
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

// Where addresses do not fall, those of one sector, or of one place, are neighbours.
std::optional<GlobalCost> cost_of_climbing(const std::uint64_t* address, unsigned width_bytes, Mask mask) {
  std::uint64_t last = address[std::countr_zero(mask)];
  unsigned sectors = 1, units = 1;
  for (const unsigned lane : lanes_of<unsigned>(mask & (mask - 1))) {
    const std::uint64_t at = address[lane];
    if (at < last) return std::nullopt;
    units += at != last ? 1 : 0;
    sectors += (at ^ last) >= kSectorBytes ? 1 : 0;
    last = at;
  }
  return GlobalCost{sectors, ceil_div(units * width_bytes, kSectorBytes)};
}

GlobalCost global_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask) {
  if (mask == 0) return {};
  if (const auto cost = cost_of_climbing(address, width_bytes, mask)) return *cost;
  const auto count = [&](unsigned shift) {
    if (const auto found = distinct(address, mask, shift)) return *found;
    return static_cast<unsigned>(std::popcount(first_of_each(Dense(address, mask), shift)));
  };
  const auto lanes = static_cast<unsigned>(std::popcount(mask));
  const unsigned sectors = count(log2_of(kSectorBytes));
  // Different sectors, different bytes.
  const unsigned units = sectors == lanes ? lanes : count(log2_of(width_bytes));
  return {sectors, ceil_div(units * width_bytes, kSectorBytes)};
}

SharedCost shared_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask, bool merging) {
  if (mask == 0) return {};
  if (const auto cost = cost_of_two_rows(address, width_bytes, mask)) return *cost;
  const Grouping grouping = grouping_of(width_bytes, merging && wide_load_merges(address, width_bytes, mask));
  const unsigned ideal = active_groups(grouping, mask);
  if (all_in_own_slots(address, grouping, mask)) return {ideal, ideal};
  const Dense lanes(address, mask);
  const Mask first = first_of_each(lanes, log2_of(grouping.unit_bytes));
  return {wavefronts_of(lanes, grouping, first_in_group(lanes, grouping, first, mask)), ideal};
}

GlobalCost local_cost(const std::uint64_t* offset, unsigned width_bytes, Mask mask) {
  if (mask == 0) return {};
  // Word w of lane l is word w * 32 + l of the warp's memory: lanes of one eighth-row of 8 share a sector
  // exactly when they touch the same word, so each eighth-row is its own little count.
  Keys keys;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t word_in_row = (static_cast<std::uint32_t>(offset[i]) & ~3u) + i / 8;
    keys.key[kWarpLanes + i] = ((mask >> i) & 1u) != 0 ? word_in_row : kKeyBits - i;
  }
  Vec repeated{};
  keys.each_repeated([&](unsigned, const Vec& seen) { repeated -= (Vec)seen; });
  const auto lanes = static_cast<unsigned>(std::popcount(mask));
  unsigned words = lanes;
  for (unsigned k = 0; k < kVecLanes; ++k) words -= repeated[k];
  // No two lanes share a byte.
  return {words * ceil_div(width_bytes, kBankBytes), ceil_div(lanes * width_bytes, kSectorBytes)};
}

std::optional<GlobalCost> global_cost_of_stride(std::uint64_t first_address, std::int64_t stride_bytes,
                                                unsigned width_bytes, Mask mask) {
  if (mask == 0) return std::nullopt;
  const unsigned lanes = static_cast<unsigned>(std::popcount(mask));
  if (!is_run(mask)) {  // side by side, with gaps: sectors in which a lane acts
    if (stride_bytes != std::int64_t{width_bytes} || width_bytes > kSectorBytes) return std::nullopt;
    const unsigned in_sector = kSectorBytes / width_bytes;
    std::uint64_t acts = std::uint64_t{mask >> std::countr_zero(mask)}
                         << (first_address % kSectorBytes / width_bytes);
    for (unsigned by = 1; by < in_sector; by *= 2) acts |= acts >> by;
    const std::uint64_t firsts = ~std::uint64_t{0} / ((std::uint64_t{1} << in_sector) - 1);
    return GlobalCost{static_cast<std::uint32_t>(std::popcount(acts & firsts)),
                      ceil_div(lanes * width_bytes, kSectorBytes)};
  }
  if (stride_bytes == 0 || lanes == 1) {
    return GlobalCost{1, 1};
  }
  const std::uint64_t step = static_cast<std::uint64_t>(stride_bytes < 0 ? -stride_bytes : stride_bytes);
  const std::uint64_t span = (lanes - 1) * step;
  const std::uint64_t lowest = stride_bytes < 0 ? first_address - span : first_address;
  // Steps of up to a sector skip none between the first and the last; longer ones never meet in one.
  const std::uint32_t sectors =
      step <= kSectorBytes
          ? static_cast<std::uint32_t>((lowest + span) / kSectorBytes - lowest / kSectorBytes + 1)
          : lanes;
  return GlobalCost{sectors, ceil_div(lanes * width_bytes, kSectorBytes)};
}

std::optional<SharedCost> shared_cost_of_stride(std::int64_t stride_bytes, unsigned width_bytes, Mask mask,
                                                bool merging) {
  if (mask == 0) return std::nullopt;
  const std::uint64_t step = static_cast<std::uint64_t>(stride_bytes < 0 ? -stride_bytes : stride_bytes);
  if (!is_run(mask)) {  // an odd number of words apart: each in a bank of its own
    if (width_bytes != kBankBytes || step % kBankBytes != 0) return std::nullopt;
    return step == 0 || step / kBankBytes % 2 == 1 ? std::optional(SharedCost{1, 1}) : std::nullopt;
  }
  const bool merges =
      merging && width_bytes > kBankBytes && (step == 0 || !has_pair_1(mask) || !has_pair_2(mask));
  const Grouping grouping = grouping_of(width_bytes, merges);
  if (step % grouping.unit_bytes != 0) {
    if (step > kBankBytes) return std::nullopt;
    // Bytes or halves of neighbouring words, none skipped: at most 32 words, each in its own bank.
    return SharedCost{1, 1};
  }
  // Lanes a power of two of slots apart meet again after slots / power lanes; all odd factors only permute.
  const unsigned slots = grouping.slots();
  const unsigned low_bits = static_cast<unsigned>(step / grouping.unit_bytes) & (slots - 1);
  const unsigned in_one_slot = low_bits == 0 ? slots : low_bits & (~low_bits + 1);
  std::uint32_t wavefronts = 0;
  for (unsigned start = 0; start < kWarpLanes; start += grouping.lanes) {
    const auto active =
        static_cast<unsigned>(std::popcount((mask >> start) & (kFullMask >> (kWarpLanes - grouping.lanes))));
    // ceil(active / (slots / in_one_slot)), and one for all when every lane reads one place.
    wavefronts += step == 0 ? (active != 0 ? 1 : 0) : (active * in_one_slot + slots - 1) >> log2_of(slots);
  }
  return SharedCost{wavefronts, active_groups(grouping, mask)};
}

GlobalCost global_cost(const Access& access) {
  if (access.affine && access.mask != 0) {
    const std::uint64_t first = access.address[std::countr_zero(access.mask)];
    if (const auto cost =
            global_cost_of_stride(first, access.stride_bytes, access.width_bytes, access.mask)) {
      return *cost;
    }
  }
  return global_cost(access.address, access.width_bytes, access.mask);
}

SharedCost shared_cost(const Access& access, bool merging) {
  const bool may_merge = merging && access.path == Path::SharedLoad;
  if (access.affine && access.mask != 0) {
    if (const auto cost =
            shared_cost_of_stride(access.stride_bytes, access.width_bytes, access.mask, may_merge)) {
      return *cost;
    }
  }
  return shared_cost(access.address, access.width_bytes, access.mask, may_merge);
}

GlobalCost global_atomic_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask) {
  GlobalCost cost = global_cost(address, width_bytes, mask);
  std::array<unsigned, kWarpLanes> pass{};  // how many lanes before have the same address
  cost.sectors = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    if (((mask >> i) & 1u) == 0) continue;
    bool sector_is_new = true;
    for (unsigned j = 0; j < i; ++j) pass[i] += ((mask >> j) & 1u) != 0 && address[j] == address[i] ? 1 : 0;
    for (unsigned j = 0; j < i; ++j) {
      const bool same_sector = address[j] / kSectorBytes == address[i] / kSectorBytes;
      if (((mask >> j) & 1u) != 0 && same_sector && pass[j] == pass[i]) sector_is_new = false;
    }
    cost.sectors += sector_is_new ? 1 : 0;
  }
  return cost;
}

SharedAtomicCost shared_atomic_cost(const std::uint64_t* address, unsigned width_bytes, Mask mask,
                                    AtomicRule rule) {
  if (mask == 0) return {};
  const Grouping grouping = grouping_of(width_bytes, false);
  const Dense lanes(address, mask);
  unsigned rounds = 0, wavefronts = 0;
  for (unsigned start = 0; start < kWarpLanes; start += grouping.lanes) {
    const Mask group = mask & ((kFullMask >> (kWarpLanes - grouping.lanes)) << start);
    const unsigned served =
        wavefronts_of(lanes, grouping, group);  // every lane for itself, even at one address
    wavefronts += served;
    rounds = std::max(rounds, served);
  }
  // Lanes that fill no row of banks need no count of how many of them differ.
  const unsigned words_of_lane = grouping.unit_bytes / kBankBytes;
  const bool one_row = static_cast<unsigned>(std::popcount(mask)) * words_of_lane <= kBanks;
  const Mask first = one_row ? mask : first_of_each(lanes, log2_of(grouping.unit_bytes));
  const unsigned words = static_cast<unsigned>(std::popcount(first)) * words_of_lane;
  return {rule == AtomicRule::Loop ? rounds : 1, rule == AtomicRule::Direct ? wavefronts : 2 * wavefronts,
          ceil_div(words, kBanks)};
}

}  // namespace lab::sim

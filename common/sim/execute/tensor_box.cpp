// Rows of boxes. See tensor_box.h.
#include "common/sim/execute/tensor_box.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/sim/execute/block.h"
#include "common/sim/execute/exec_memory.h"

namespace lab::sim {

void list_rows(const TensorMap& map, const Corner& corner, std::uint32_t shared,
               std::vector<BulkPiece>& pieces) {
  const std::int64_t width = bytes_of(map.type), row = map.row_bytes();
  const std::int64_t start = corner[0] * width, limit = static_cast<std::int64_t>(map.dims[0]) * width;
  const auto first = static_cast<std::uint32_t>(std::clamp<std::int64_t>(-start, 0, row));
  const auto last = static_cast<std::uint32_t>(std::clamp<std::int64_t>(limit - start, first, row));
  std::array<std::uint32_t, kMostDimensions> at{};
  const std::uint32_t rows = map.rows();
  for (std::uint32_t n = 0; n < rows; ++n) {
    bool inside = true;
    std::uint64_t address = map.address + static_cast<std::uint64_t>(start);
    for (std::size_t k = 1; k < map.rank; ++k) {
      const std::int64_t c = corner[k] + std::int64_t{at[k]} * map.steps[k];
      inside &= c >= 0 && c < static_cast<std::int64_t>(map.dims[k]);
      address += static_cast<std::uint64_t>(c) * map.strides[k - 1];
    }
    pieces.push_back({address, shared + n * map.pitch_bytes(), static_cast<std::uint32_t>(row),
                      inside ? first : 0, inside ? last : 0});
    for (std::size_t k = 1; k < map.rank && ++at[k] == map.taken(k); ++k) at[k] = 0;
  }
}

void fill_edge(const TensorMap& map, std::byte* to, std::uint32_t bytes) {
  std::memset(to, 0, bytes);
  if (map.fill == 0) return;
  const std::uint32_t width = bytes_of(map.type);
  constexpr std::uint64_t nan = 0x7ff77ff77ff77ff7;  // of every width, as measured
  for (std::uint32_t at = 0; at < bytes; at += width) std::memcpy(to + at, &nan, width);
}

void round_elements(const TensorMap& map, std::byte* row, std::uint32_t bytes) {
  if (map.type != TensorType::TF32 && map.type != TensorType::TF32Ftz) return;
  constexpr std::uint32_t kSpecial = 0x7f800000u, kHalf = 0x1000u, kKept = 0xffffe000u;
  for (std::uint32_t at = 0; at < bytes; at += 4) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, row + at, sizeof bits);
    if ((bits & kSpecial) != kSpecial) bits = (bits + kHalf) & kKept;
    std::memcpy(row + at, &bits, sizeof bits);
  }
}

std::optional<TensorMap> tensor_map_at(const WarpContext& w, std::uint64_t address) {
  const LaunchContext& launch = w.block->launch();
  if (address - kParamWindow < kWindowBytes) {
    const std::uint64_t at = address - kParamWindow;
    if (at > launch.parameters.size() || launch.parameters.size() - at < kTensorMapBytes) return std::nullopt;
    return decoded(launch.parameters.subspan(at, kTensorMapBytes));
  }
  const Allocation* found = launch.memory->find(address, kTensorMapBytes);
  if (found == nullptr) return std::nullopt;
  launch.memory->lay_out(*found, address, kTensorMapBytes);
  return decoded({found->host + (address - found->base), kTensorMapBytes});
}

void exec_replace_in_map(WarpContext& w, const Inst& inst) {
  AddressRow all;
  if (!describe_addresses(w, inst, all)) fill_lanes(all);
  in_each_space(w, inst, all, [&](Space space, AddressRow& part) {
    one_by_one(w, inst, space, part, kTensorMapBytes, Direction::Write,
               [&](HostBase base, const AddressRow& row) {
                 const int lane = std::countr_zero(w.mask);
                 if (replace_in_map({base.at(row.at[lane]), kTensorMapBytes},
                                    static_cast<TensorMapField>(inst.extra >> 8), inst.extra & 0xff,
                                    lane_value(w, inst.b, lane)))
                   return;
                 w.block->fault(FaultKind::OutOfBounds, w, inst.pc, lane, row.at[lane],
                                msg("{} changes a tensor map at an address where none lies. "
                                    "cuTensorMapEncodeTiled makes one; copy its 128 bytes there first.",
                                    w.block->thread_name(w, lane)));
               });
  });
}

}  // namespace lab::sim

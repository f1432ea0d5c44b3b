// The box of a tensor that one copy moves, row by row.
//
// Enters: a tensor map and the coordinates of the box's corner. Leaves: where each of its rows lies in global
// memory and in the tile, and what stands where the box reaches past the tensor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/sim/base/access.h"
#include "common/sim/execute/exec.h"
#include "common/sim/memory/tensor_map.h"

namespace lab::sim {

using Corner = std::array<std::int32_t, kMostDimensions>;

// Appends a piece for each row; `shared` is where the tile begins.
void list_rows(const TensorMap& map, const Corner& corner, std::uint32_t shared,
               std::vector<BulkPiece>& pieces);
// What a load writes where the box lies outside: zeros, or the NaN that the map asks for.
void fill_edge(const TensorMap& map, std::byte* to, std::uint32_t bytes);
// What a load does to the elements of one row: of TF32 tensors it rounds to the 10 bits of their fraction, to
// nearest (ties away from zero: assumption).
void round_elements(const TensorMap& map, std::byte* row, std::uint32_t bytes);
// The map at a generic address: a kernel parameter, constant or global memory.
[[nodiscard]] std::optional<TensorMap> tensor_map_at(const WarpContext& w, std::uint64_t address);

// tensormap.replace: Inst::b is the value, Inst::extra the field and, in its lowest byte, the dimension.
void exec_replace_in_map(WarpContext& w, const Inst& inst);

}  // namespace lab::sim

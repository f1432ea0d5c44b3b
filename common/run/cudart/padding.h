// Which bytes of a copy were never written, and which of them are only the padding of structs.
//
// Enters: the marks of a row (Allocation::written). Leaves: where the first byte lies that the program meant
// to write. Padding recurs with one period, the size of the struct, through the whole row; each piece of it
// ends where a member begins, or the struct, that is aligned to more bytes than the piece has. A lone struct
// has no period: then some store must have been as wide as that member.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lab::cudart {

// marks.size(): all is written, or padding. `offset`: of the row in its buffer; `widest_store`: bytes.
[[nodiscard]] std::size_t first_unwritten(std::span<const std::uint8_t> marks, std::size_t offset,
                                          std::size_t widest_store);

}  // namespace lab::cudart

// What a copy or a fill does, whoever asks for it: a call, a stream, a graph.
//
// Enters: pointers of either side, pitches, a shape. Leaves: Work for a stream, checked before it is handed
// over.
#pragma once

#include <cstddef>

#include "common/cudart/streams.h"

namespace lab::cudart {

// Rows of bytes that lie pitch_bytes apart, planes that lie plane_bytes apart.
struct Side {
  const void* pointer = nullptr;
  std::size_t pitch_bytes = 0, plane_bytes = 0;
};
struct CopyShape {
  std::size_t width_bytes = 0, height = 1, depth = 1;
  [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{width_bytes} * height * depth; }
};

[[nodiscard]] Side side_of(const PitchedPointer& pitched, const Position& at);

// Both throw ApiError when the arguments contradict each other.
[[nodiscard]] Work copy_work(const Context& c, const Side& to, const Side& from, const CopyShape& shape,
                             CopyKind kind);
[[nodiscard]] Work copy_work(const Context& c, const Copy3D& parameters);
// `value` is repeated: elem_bytes of it, 1, 2 or 4.
[[nodiscard]] Work fill_work(const Context& c, const Side& to, std::uint32_t value, std::size_t elem_bytes,
                             const CopyShape& shape);

// What a node of a graph shows of a copy; an array is shown as the memory that it has.
[[nodiscard]] Copy3D parameters_of(const Side& to, const Side& from, const CopyShape& shape, CopyKind kind);

// Hands them to a stream; `waits`: and returns when all is done.
Error submit_copy(Context& c, StreamHandle stream, bool waits, const Side& to, const Side& from,
                  const CopyShape& shape, CopyKind kind);
Error submit_copy(Context& c, StreamHandle stream, bool waits, const Copy3D& parameters);
// `waits`: returns when all is done where the host could look, in pinned and managed memory.
Error submit_fill(Context& c, StreamHandle stream, bool waits, const Side& to, std::uint32_t value,
                  std::size_t elem_bytes, const CopyShape& shape);

// Where `offset` bytes into a variable lie, with room for `count` more. Throws ApiError.
[[nodiscard]] void* in_variable(Context& c, const void* symbol, std::size_t count, std::size_t offset);

}  // namespace lab::cudart

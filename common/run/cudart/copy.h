// What a copy or a fill does, for each that asks for it: a call, a stream, a graph.
//
// Enters: pointers of either side, pitches, a shape. Leaves: Work for a stream, checked before it is handed
// over.
#pragma once

#include <cstddef>

#include "common/run/cudart/streams.h"

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

// The direction of a copy to or from a variable or an array, which are the GPU's; throws ApiError (InvalidMemcpyDirection).
[[nodiscard]] CopyKind directed(CopyKind kind, bool to_device, std::uint64_t bytes);
// Throws ApiError (InvalidPitchValue).
void check_pitch(const Side& side, const CopyShape& shape);

[[nodiscard]] Side side_of(const PitchedPointer& pitched, const Position& at);

// Both throw ApiError when the arguments contradict each other.
// `returns_early`: the host goes on, and may touch what it reads and writes, before the bytes have arrived.
[[nodiscard]] Work copy_work(const Context& c, const Side& to, const Side& from, const CopyShape& shape,
                             CopyKind kind, bool returns_early = false);
[[nodiscard]] Work copy_work(const Context& c, const Copy3D& parameters);
// `value` is repeated: elem_bytes of it, 1, 2 or 4.
[[nodiscard]] Work fill_work(const Context& c, const Side& to, std::uint32_t value, std::size_t elem_bytes,
                             const CopyShape& shape);

// What a node of a graph shows of a copy; an array is shown as the memory that it has.
[[nodiscard]] Copy3D parameters_of(const Side& to, const Side& from, const CopyShape& shape, CopyKind kind);

// The driver's CUDA_MEMCPY3D, and back: of memory that is no GPU's it says that it is the host's.
[[nodiscard]] Copy3D as_runtime(const Copy3DRequest& request);
[[nodiscard]] Copy3DRequest as_request(const Context& c, const Copy3D& copy);

// Hands them to a stream; `waits`: and returns when all is done.
Error submit_copy(Context& c, StreamHandle stream, bool waits, const Side& to, const Side& from,
                  const CopyShape& shape, CopyKind kind);
Error submit_copy(Context& c, StreamHandle stream, bool waits, const Copy3D& parameters);
// `waits`: returns when all is done where the host could look, in pinned and managed memory.
Error submit_fill(Context& c, StreamHandle stream, bool waits, const Side& to, std::uint32_t value,
                  std::size_t elem_bytes, const CopyShape& shape);

// A call that returns when its work is done, and the same on a stream. `work` names what they take, and `c`,
// `stream` and `waits`.
#define LAB_PAIR_OF(mark, enter_call, pass_on, name, on_stream, work, ...) \
  mark name(__VA_ARGS__) {                                                 \
    constexpr StreamHandle stream = nullptr;                               \
    constexpr bool waits = true;                                           \
    return enter_call(pass_on[&](Context & c) { return work; });           \
  }                                                                        \
  mark on_stream(__VA_ARGS__, StreamHandle stream) {                       \
    constexpr bool waits = false;                                          \
    return enter_call(pass_on[&](Context & c) { return work; });           \
  }
// The runtime's look at their arguments first (Context::reach_gpu), the driver's find the fault of a kernel before.
#define LAB_HOST_FIRST Asks::HostFirst,
#define LAB_PAIR(...) LAB_PAIR_OF(LAB_API Error, enter, LAB_HOST_FIRST, __VA_ARGS__)
#define LAB_ENTRY_PAIR(...) LAB_PAIR_OF(LAB_ENTRY int, enter_driver, , __VA_ARGS__)

// cudaMemcpyAttributes, and a batch of copies of which each has the attributes whose first copy is the last
// not behind it.
struct BatchAttributes {
  int source_order;  // 2: the source is read before the call returns
  Place from, to;
  unsigned flags;
};
[[nodiscard]] Error submit_batch(void* const* to, const void* const* from, const std::size_t* size_bytes,
                                 std::size_t count, const BatchAttributes* attributes,
                                 const std::size_t* first_copies, std::size_t attribute_count,
                                 StreamHandle stream);

struct Array;
// cudaMemcpy3DOperand and cudaMemcpy3DBatchOp, in elements; the driver's are the same.
struct BatchOperand {
  enum Type : int { kPointer = 1, kArray = 2 };
  int type;
  struct InMemory {
    void* pointer;
    std::size_t row_elems, layer_rows;  // 0: as the copy has them
    Place hint;
  };
  struct InArray {
    Array* array;
    Position offset;
  };
  union {
    InMemory memory;
    InArray array;
  };
};
struct BatchCopy3D {
  BatchOperand from, to;
  Extent extent;
  int source_order;  // as of BatchAttributes
  unsigned flags;
};
[[nodiscard]] Error submit_batch_3d(std::size_t count, const BatchCopy3D* list, unsigned long long flags,
                                    StreamHandle stream);

// Where `offset` bytes into a variable lie, with room for `count` more. Throws ApiError.
[[nodiscard]] void* in_variable(Context& c, const void* symbol, std::size_t count, std::size_t offset);

}  // namespace lab::cudart

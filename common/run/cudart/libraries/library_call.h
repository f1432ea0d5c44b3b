// A call of a library that is computed on the host: arrays of the device in and out, in any element type.
//
// Enters: device addresses with their shapes. Leaves: dense column-major arrays in the type that is computed
// in, and results written back. Its work stands in the order of its stream, and in a graph while one is
// captured.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/run/cudart/streams.h"

namespace lab::cudart {

// cudaDataType.
enum class Elem : int { F32 = 0, F64 = 1, F16 = 2, I8 = 3, I32 = 10, BF16 = 14 };
[[nodiscard]] std::size_t bytes_of(Elem type);  // throws ApiError for a type that is not computed in

// Element (r, c) lies at pointer + r + c * ld, or r * ld + c when `by_rows`.
struct Matrix {
  const void* pointer = nullptr;
  std::int64_t rows = 0, cols = 0, ld = 0;
  Elem type = Elem::F32;
  bool by_rows = false;
  [[nodiscard]] Matrix at(std::int64_t elems) const;  // the same further on: of a batch
};
// Every `step`th element, from the far end when it is negative.
[[nodiscard]] Matrix vector_of(const void* pointer, std::int64_t count, std::int64_t step, Elem type);

// The arrays that a call reads and writes; reports them to the order of streams.
class Arrays {
 public:
  Arrays(Context& c, Stream& on, std::string call) : context_(c), stream_(on), call_(std::move(call)) {}
  template <class T>
  [[nodiscard]] std::vector<T> load(const Matrix& matrix);
  template <class T>
  void store(const Matrix& matrix, const std::vector<T>& values);
  void store_bytes(const void* to, std::span<const std::byte> bytes);
  [[nodiscard]] const void* pointer_in(const void* list, std::int64_t index);  // of an array of pointers
  void done();

 private:
  Context& context_;
  Stream& stream_;
  std::string call_;
  std::vector<Touched> touched_;
  std::uint64_t bytes_ = 0;
};

// Computes on a stream, and notes the call for the table. 0, or the code of the library for what was thrown.
using Compute = std::function<void(Arrays&)>;
int library_call(const char* call, StreamHandle stream, bool waits, Compute compute);

}  // namespace lab::cudart

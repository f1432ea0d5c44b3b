// A call of a library that is computed on the host: arrays of the device in and out, in any element type.
//
// Enters: device addresses with their shapes. Leaves: dense column-major arrays in the type that is computed
// in, and results written back. Its work stands in the order of its stream, and in a graph while one is
// captured.
#pragma once

#include <complex>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "common/run/cudart/streams.h"

namespace lab::cudart {

// cudaDataType.
enum class Elem : int { F32 = 0, F64 = 1, F16 = 2, I8 = 3, C32 = 4, C64 = 5, I32 = 10, BF16 = 14, I64 = 24 };
[[nodiscard]] std::size_t bytes_of(Elem type);  // throws ApiError for a type that is not computed in
[[nodiscard]] constexpr bool is_complex(Elem type) { return type == Elem::C32 || type == Elem::C64; }

// One number in host memory: float, double and complex ones, 64-bit integers. Throws ApiError where a type does not become the other.
template <class T>
[[nodiscard]] T number_at(const void* host, Elem type);
template <class T>
void put_number(void* host, Elem type, T value);

// The half that is read and written; the other may hold anything.
enum class Half : std::uint8_t { Both, Upper, Lower };

// Element (r, c) lies at pointer + r + c * ld, or r * ld + c when `by_rows`.
struct Matrix {
  const void* pointer = nullptr;
  std::int64_t rows = 0, cols = 0, ld = 0;
  Elem type = Elem::F32;
  bool by_rows = false;
  Half half = Half::Both;                             // of a square one by columns
  [[nodiscard]] Matrix at(std::int64_t elems) const;  // the same further on: of a batch
};
[[nodiscard]] Matrix list_of(const void* pointer, std::int64_t count, Elem type);
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
  // Elements of a vector by their places: nothing beside them is read or written.
  template <class T>
  [[nodiscard]] std::vector<T> load_at(const void* vector, Elem type, std::span<const std::int64_t> places);
  template <class T>
  void store_at(const void* vector, Elem type, std::span<const std::int64_t> places,
                const std::vector<T>& values);
  void store_bytes(const void* to, std::span<const std::byte> bytes);
  void scratch(const void* buffer, std::size_t bytes);  // memory that the call may use as it likes
  [[nodiscard]] const void* pointer_in(const void* list, std::int64_t index);  // of an array of pointers
  void done();

 private:
  void read(sim::DeviceAddress from, std::span<std::byte> bytes);
  Context& context_;
  Stream& stream_;
  std::string call_;
  std::vector<Touched> touched_;
  std::uint64_t bytes_ = 0;
};

// The codes of a library.
struct StatusCodes {
  int invalid, failed, not_supported;
};
constexpr StatusCodes kBlasCodes{7, 13, 15};

// Computes on a stream, and notes the call for the table. 0, or the code of the library for what was thrown.
using Compute = std::function<void(Arrays&)>;
int library_call(const char* call, StreamHandle stream, bool waits, Compute compute,
                 const StatusCodes& codes = kBlasCodes);

// What a call throws that is refused for its arguments: its code, and why. LAB_NAMED (handle.h) says it.
struct Refused {
  int code;
  const char* status;
  Message why;
};
[[noreturn]] void refuse_argument(int code, const char* status, int number);
// The first number of an argument that cannot be what it is: numbers, counted from 1, and whether they can, by turns. 0: none.
template <class... P>
[[nodiscard]] int first_wrong(P... arguments) {
  const int list[] = {static_cast<int>(arguments)...};
  for (std::size_t k = 0; k < std::size(list); k += 2)
    if (list[k + 1] == 0) return list[k];
  return 0;
}

}  // namespace lab::cudart

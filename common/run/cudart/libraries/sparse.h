// Matrices of cuSPARSE: their descriptors, their numbers on the host, and the checks of what a program says of them.
//
// Enters: descriptors, which hold device addresses. Leaves: entries (row, column, value) of the sparse ones, whose indices are checked, and tables
// of the dense ones. All is computed in double precision, real or complex.
#pragma once

#include <complex>
#include <utility>
#include <vector>

#include "common/run/cudart/libraries/handle.h"

namespace lab::cudart {

constexpr int kSparseInvalid = 3, kSparseFailed = 6, kSparseZeroPivot = 9, kSparseNotSupported = 10;
constexpr StatusCodes kSparseCodes{kSparseFailed, kSparseFailed, kSparseNotSupported};
constexpr std::size_t kSparseBuffer = 256;  // bytes of every buffer that a call asks for: none is needed
using SparseHandle = BlasHandle;

// cusparseDnMatDescr and cusparseDnVecDescr, a matrix of one column.
struct Dense {
  const void* values;
  std::int64_t rows, cols, ld;
  Elem type;
  bool by_rows = false;
  int batches = 1;
  std::int64_t batch_step = 0;
  [[nodiscard]] std::int64_t place(std::int64_t row, std::int64_t col) const {
    return by_rows ? row * ld + col : row + col * ld;
  }
  [[nodiscard]] Dense batch(int number) const;
};

// cusparseFormat_t, and cusparseSpVecDescr: a row.
enum class Format : int { Row = 0, Csr = 1, Csc = 2, Coo = 3 };
struct Sparse {
  Format format;
  std::int64_t rows, cols, count;
  const void *starts, *indices, *values;  // starts of rows or columns; of Coo: a row for each entry
  Elem starts_type, indices_type;
  int base;
  Elem type;
  int fill = 0, diagonal = 0;  // cusparseFillMode_t, cusparseDiagType_t
  int batches = 1;
  std::int64_t starts_step = 0, entries_step = 0;
  [[nodiscard]] Sparse batch(int number) const;
  [[nodiscard]] bool is_compressed() const { return format == Format::Csr || format == Format::Csc; }
  [[nodiscard]] std::int64_t lines() const { return format == Format::Csc ? cols : rows; }
};

template <class T>
struct Entry {
  std::int64_t row, col;
  T value;
};
template <class T>
using Entries = std::vector<Entry<T>>;

// Where each line ends in the arrays of entries, counted from 0. Throws ApiError where they fall, or leave the arrays.
[[nodiscard]] std::vector<std::int64_t> load_starts(Arrays& arrays, const Sparse& matrix);
void store_indices(Arrays& arrays, const void* to, Elem type, const std::vector<std::int64_t>& indices);
// In the order of memory. Throws ApiError for an index or a start outside of the matrix. Without values in memory: zeros.
template <class T>
[[nodiscard]] Entries<T> load_entries(Arrays& arrays, const Sparse& matrix);
// Sorted by lines; what has no address is not written.
template <class T>
void store_entries(Arrays& arrays, const Sparse& matrix, Entries<T> entries);
template <class T>
void store_values(Arrays& arrays, const Sparse& matrix, const Entries<T>& entries);

// Numbers of a dense matrix by rows, whatever its order.
template <class T>
class Table {
 public:
  Table(std::int64_t rows, std::int64_t cols) : cols_(cols), values_(static_cast<std::size_t>(rows * cols)) {}
  T& operator()(std::int64_t row, std::int64_t col) {
    return values_[static_cast<std::size_t>(row * cols_ + col)];
  }

 private:
  std::int64_t cols_;
  std::vector<T> values_;
};
// `rows`: those that are needed; the others are zeros. None: all.
template <class T>
[[nodiscard]] Table<T> load_table(Arrays& arrays, const Dense& matrix, const std::vector<bool>& rows = {});
template <class T>
void store_table(Arrays& arrays, const Dense& matrix, Table<T> table);

inline double conjugate(double value) { return value; }
inline std::complex<double> conjugate(std::complex<double> value) { return std::conj(value); }
// op(A), of cusparseOperation_t.
template <class T>
[[nodiscard]] Entries<T> turned(Entries<T> entries, int operation);
[[nodiscard]] inline std::pair<std::int64_t, std::int64_t> turned(std::int64_t rows, std::int64_t cols,
                                                                  int operation) {
  return operation == 0 ? std::pair(rows, cols) : std::pair(cols, rows);
}

[[nodiscard]] inline bool is_operation(int operation) { return operation >= 0 && operation <= 2; }
[[nodiscard]] inline bool is_base(int base) { return base == 0 || base == 1; }
[[nodiscard]] bool is_value_type(Elem type);
// Computed in that type, real or complex; `body` gets a zero of it.
template <class Body>
Compute in_numbers_of(Elem type, Body body) {
  if (is_complex(type)) return [body](Arrays& arrays) { body(arrays, std::complex<double>{}); };
  return [body](Arrays& arrays) { body(arrays, double{}); };
}
template <class Body>
int sparse_call(const char* call, const SparseHandle& handle, Elem type, Body body, bool waits = false) {
  return library_call(call, handle.stream, waits, in_numbers_of(type, body), kSparseCodes);
}

// Refuse the call: an argument (its number, whether it can be what it is, the next), sizes, types.
template <class... P>
void must(P... arguments) {
  if (const int number = first_wrong(arguments...); number != 0)
    refuse_argument(kSparseInvalid, "CUSPARSE_STATUS_INVALID_VALUE", number);
}
void must_fit(bool fits);
void must_match(bool matches);

template <class Descriptor>
int make_descriptor(Descriptor** made) {
  must(1, made != nullptr);
  *made = new Descriptor;
  return 0;
}
template <class Descriptor>
int drop_descriptor(const Descriptor* descriptor) {
  delete descriptor;
  return 0;
}

}  // namespace lab::cudart

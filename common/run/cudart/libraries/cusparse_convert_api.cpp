// cuSPARSE: conversions between formats, sorts, counts, sums (csrgeam2), and incomplete LU factors of a CSR matrix (csrilu02).
//
// Enters: descriptors, or the arrays of a CSR or COO matrix with 32-bit indices. Leaves: arrays of the other format.
#include <algorithm>
#include <map>
#include <numeric>

#include "common/run/cudart/libraries/sparse.h"

using namespace lab::cudart;

namespace {

// cusparseMatDescr.
struct MatrixDescriptor {
  int type = 0, fill = 0, diagonal = 0, base = 0;
};
template <auto member, int most>
int set_member(MatrixDescriptor* descriptor, int value) {
  must(1, descriptor != nullptr, 2, value >= 0 && value <= most);
  descriptor->*member = value;
  return 0;
}
template <auto member>
int get_member(const MatrixDescriptor* descriptor) {
  return descriptor == nullptr ? 0 : descriptor->*member;
}

Sparse compressed(Format format, int rows, int cols, int count, const void* starts, const void* indices,
                  const void* values, int base, Elem type = Elem::F32) {
  return {format, rows, cols, count, starts, indices, values, Elem::I32, Elem::I32, base, type};
}
Sparse without_values(Sparse matrix) {
  matrix.values = nullptr;
  return matrix;
}
// Where a call asks for the size of its buffer.
template <class Size>
int size_to(Size* bytes) {
  *bytes = static_cast<Size>(kSparseBuffer);
  return 0;
}

// --- sparse and dense ---

void must_be_dense(const SparseHandle* handle, const Sparse* sparse, int sparse_number, const Dense* dense,
                   int dense_number, bool wants_values, const void* last) {
  const bool has_values =
      sparse != nullptr && (!wants_values || sparse->values != nullptr || sparse->count == 0);
  must(1, handle != nullptr, sparse_number, has_values, dense_number, dense != nullptr, 5, last != nullptr);
  must_fit(sparse->rows == dense->rows && sparse->cols == dense->cols);
  must_match(sparse->type == dense->type);
}

template <bool computes>
int sparse_to_dense(const char* call, const SparseHandle* handle, const Sparse* a, const Dense* b,
                    int /*algorithm*/, void* last) {
  must_be_dense(handle, a, 2, b, 3, true, last);
  if (!computes) return size_to(static_cast<std::size_t*>(last));
  return sparse_call(call, *handle, a->type, [=, a = *a, b = *b](Arrays& arrays, auto zero) {
    using T = decltype(zero);
    arrays.scratch(last, kSparseBuffer);
    Table<T> table(b.rows, b.cols);
    for (const Entry<T>& entry : load_entries<T>(arrays, a)) table(entry.row, entry.col) = entry.value;
    store_table(arrays, b, std::move(table));
  });
}

template <class T>
Entries<T> entries_of(Arrays& arrays, const Dense& dense) {
  Table<T> table = load_table<T>(arrays, dense);
  Entries<T> entries;
  for (std::int64_t row = 0; row < dense.rows; ++row)
    for (std::int64_t col = 0; col < dense.cols; ++col)
      if (table(row, col) != T{}) entries.push_back({row, col, table(row, col)});
  return entries;
}
int dense_to_sparse_size(const SparseHandle* handle, const Dense* a, const Sparse* b, int /*algorithm*/,
                         std::size_t* bytes) {
  must_be_dense(handle, b, 3, a, 2, false, bytes);
  return size_to(bytes);
}
// Counts the entries, and writes where lines end; `converts`: and the entries.
template <bool converts>
int dense_to_sparse(const char* call, const SparseHandle* handle, const Dense* a, Sparse* b,
                    int /*algorithm*/, const void* buffer) {
  must_be_dense(handle, b, 3, a, 2, converts, buffer);
  return sparse_call(call, *handle, a->type, [=, a = *a](Arrays& arrays, auto zero) {
    using T = decltype(zero);
    arrays.scratch(buffer, kSparseBuffer);
    Entries<T> entries = entries_of<T>(arrays, a);
    b->count = static_cast<std::int64_t>(entries.size());
    Sparse to = *b;
    if (!converts) to.indices = to.values = nullptr;
    if (!converts && !to.is_compressed()) return;
    store_entries(arrays, to, std::move(entries));
  });
}

template <Elem type, class T>
int count_nonzero(const char* call, const SparseHandle* handle, int direction, int rows, int cols,
                  const MatrixDescriptor* descriptor, const T* a, int ld, int* by_line, int* total) {
  must(1, handle != nullptr, 2, direction == 0 || direction == 1, 3, rows >= 0, 4, cols >= 0, 5,
       descriptor != nullptr && descriptor->type == 0, 7, ld >= std::max(1, rows), 9, total != nullptr);
  const Dense dense{a, rows, cols, ld, type};
  return sparse_call(
      call, *handle, type,
      [=, handle = *handle](Arrays& arrays, auto zero) {
        std::vector<std::int64_t> counts(static_cast<std::size_t>(direction == 0 ? rows : cols));
        for (const auto& entry : entries_of<decltype(zero)>(arrays, dense))
          ++counts[static_cast<std::size_t>(direction == 0 ? entry.row : entry.col)];
        store_indices(arrays, by_line, Elem::I32, counts);
        give(arrays, handle, total, Elem::I32,
             std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
      },
      !handle->device_scalars);
}

// --- CSR, CSC, COO ---

int csr_to_coo(const char* call, const SparseHandle* handle, const int* starts, int count, int rows,
               int* row_indices, int base) {
  must(1, handle != nullptr, 3, count >= 0, 4, rows >= 0, 6, is_base(base));
  const Sparse matrix = compressed(Format::Csr, rows, 1, count, starts, nullptr, nullptr, base);
  return sparse_call(call, *handle, matrix.type, [=](Arrays& arrays, auto) {
    const std::vector<std::int64_t> ends = load_starts(arrays, matrix);
    std::vector<std::int64_t> indices;
    for (std::size_t row = 0; row + 1 < ends.size(); ++row)
      indices.resize(static_cast<std::size_t>(ends[row + 1] - ends[0]),
                     static_cast<std::int64_t>(row) + base);
    store_indices(arrays, row_indices, Elem::I32, indices);
  });
}
int coo_to_csr(const char* call, const SparseHandle* handle, const int* row_indices, int count, int rows,
               int* starts, int base) {
  must(1, handle != nullptr, 3, count >= 0, 4, rows >= 0, 6, is_base(base));
  const Sparse coo = compressed(Format::Row, 1, rows, count, nullptr, row_indices, nullptr, base),
               csr = compressed(Format::Csr, rows, 1, count, starts, nullptr, nullptr, base);
  return sparse_call(call, *handle, csr.type, [=](Arrays& arrays, auto zero) {
    store_entries(arrays, csr, turned(load_entries<decltype(zero)>(arrays, coo), 1));
  });
}

template <bool computes>
int csr_to_csc(const char* call, const SparseHandle* handle, int rows, int cols, int count,
               const void* values, const int* row_starts, const int* col_indices, void* to_values,
               int* col_starts, int* row_indices, Elem type, int action, int base, int /*algorithm*/,
               void* last) {
  must(1, handle != nullptr, 2, rows >= 0, 3, cols >= 0, 4, count >= 0, 11, is_value_type(type), 12,
       action == 0 || action == 1, 13, is_base(base), 15, last != nullptr);
  if (!computes) return size_to(static_cast<std::size_t*>(last));
  const bool numeric = action == 1;
  const Sparse csr = compressed(Format::Csr, rows, cols, count, row_starts, col_indices,
                                numeric ? values : nullptr, base, type),
               csc = compressed(Format::Csc, rows, cols, count, col_starts, row_indices,
                                numeric ? to_values : nullptr, base, type);
  return sparse_call(call, *handle, type, [=](Arrays& arrays, auto zero) {
    arrays.scratch(last, kSparseBuffer);
    store_entries(arrays, csc, load_entries<decltype(zero)>(arrays, csr));
  });
}

// --- sorts ---

int identity(const char* call, const SparseHandle* handle, int count, int* to) {
  must(1, handle != nullptr, 2, count >= 0);
  return sparse_call(call, *handle, Elem::F64, [=](Arrays& arrays, auto) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    store_indices(arrays, to, Elem::I32, numbers);
  });
}
int sort_size(const SparseHandle* handle, int rows, int cols, int count, const int* /*starts*/,
              const int* /*indices*/, std::size_t* bytes) {
  must(1, handle != nullptr, 2, rows >= 0, 3, cols >= 0, 4, count >= 0, 7, bytes != nullptr);
  return size_to(bytes);
}
// Sorts the indices by rows, or by columns, and an array of the program's own beside them.
int sort_entries(const char* call, const SparseHandle* handle, const Sparse& m, bool by_columns, int* beside,
                 const void* buffer) {
  must(1, handle != nullptr, 2, m.rows >= 0, 3, m.cols >= 0, 4, m.count >= 0);
  return sparse_call(call, *handle, m.type, [=](Arrays& arrays, auto zero) {
    using T = decltype(zero);
    arrays.scratch(buffer, kSparseBuffer);
    Entries<T> entries = load_entries<T>(arrays, m);
    std::vector<std::int64_t> own(entries.size());
    if (beside != nullptr) own = arrays.load<std::int64_t>(list_of(beside, m.count, Elem::I32));
    for (std::size_t k = 0; k < entries.size(); ++k)
      entries[k].value = static_cast<T>(static_cast<double>(own[k]));
    std::stable_sort(entries.begin(), entries.end(), [&](const Entry<T>& a, const Entry<T>& b) {
      return by_columns ? std::pair(a.col, a.row) < std::pair(b.col, b.row)
                        : std::pair(a.row, a.col) < std::pair(b.row, b.col);
    });
    std::vector<std::int64_t> rows, cols;
    own.clear();
    for (const Entry<T>& entry : entries) {
      rows.push_back(entry.row + m.base);
      cols.push_back(entry.col + m.base);
      own.push_back(static_cast<std::int64_t>(std::real(entry.value)));
    }
    if (m.format == Format::Coo) store_indices(arrays, m.starts, m.starts_type, rows);
    store_indices(arrays, m.indices, m.indices_type, m.format == Format::Csc ? rows : cols);
    store_indices(arrays, beside, Elem::I32, own);
  });
}
template <Format format>
int sort_compressed(const char* call, const SparseHandle* handle, int rows, int cols, int count,
                    const MatrixDescriptor* descriptor, const int* starts, int* indices, int* beside,
                    void* buffer) {
  must(5, descriptor != nullptr);
  return sort_entries(call, handle,
                      compressed(format, rows, cols, count, starts, indices, nullptr, descriptor->base),
                      format == Format::Csc, beside, buffer);
}
// Indices of COO have no descriptor that says their base: what is sorted are numbers.
template <bool by_columns>
int sort_coo(const char* call, const SparseHandle* handle, int rows, int cols, int count, int* row_indices,
             int* col_indices, int* beside, void* buffer) {
  Sparse coo = compressed(Format::Coo, rows, cols, count, row_indices, col_indices, nullptr, 0);
  ++coo.rows, ++coo.cols;
  return sort_entries(call, handle, coo, by_columns, beside, buffer);
}

// --- C = alpha A + beta B, all in CSR ---

template <class T>
Entries<T> sum_of(const Entries<T>& left, T alpha, const Entries<T>& right, T beta) {
  std::map<std::pair<std::int64_t, std::int64_t>, T> sums;
  for (const Entry<T>& entry : left) sums[{entry.row, entry.col}] += alpha * entry.value;
  for (const Entry<T>& entry : right) sums[{entry.row, entry.col}] += beta * entry.value;
  Entries<T> entries;
  for (const auto& [place, sum] : sums) entries.push_back({place.first, place.second, sum});
  return entries;
}
int sum_count(const char* call, const SparseHandle* handle, int rows, int cols, const MatrixDescriptor* of_a,
              int count_a, const int* starts_a, const int* indices_a, const MatrixDescriptor* of_b,
              int count_b, const int* starts_b, const int* indices_b, const MatrixDescriptor* of_c,
              int* starts_c, int* total, const void* buffer) {
  must(1, handle != nullptr, 2, rows >= 0, 3, cols >= 0, 4, of_a != nullptr, 5, count_a >= 0, 8,
       of_b != nullptr, 9, count_b >= 0, 12, of_c != nullptr, 14, total != nullptr, 15, buffer != nullptr);
  const Sparse a = compressed(Format::Csr, rows, cols, count_a, starts_a, indices_a, nullptr, of_a->base),
               b = compressed(Format::Csr, rows, cols, count_b, starts_b, indices_b, nullptr, of_b->base),
               c = compressed(Format::Csr, rows, cols, 0, starts_c, nullptr, nullptr, of_c->base);
  return sparse_call(
      call, *handle, a.type,
      [=, handle = *handle](Arrays& arrays, auto zero) {
        using T = decltype(zero);
        arrays.scratch(buffer, kSparseBuffer);
        Entries<T> entries = sum_of<T>(load_entries<T>(arrays, a), T{}, load_entries<T>(arrays, b), T{});
        give(arrays, handle, total, Elem::I32, static_cast<std::int64_t>(entries.size()));
        store_entries(arrays, c, std::move(entries));
      },
      !handle->device_scalars);
}
template <Elem type, bool computes, class T, class Out>
int sum(const char* call, const SparseHandle* handle, int rows, int cols, const T* alpha,
        const MatrixDescriptor* of_a, int count_a, const T* values_a, const int* starts_a,
        const int* indices_a, const T* beta, const MatrixDescriptor* of_b, int count_b, const T* values_b,
        const int* starts_b, const int* indices_b, const MatrixDescriptor* of_c, Out* values_c,
        const int* starts_c, const int* indices_c, void* last) {
  must(1, handle != nullptr, 2, rows >= 0, 3, cols >= 0, 4, alpha != nullptr, 5, of_a != nullptr, 6,
       count_a >= 0, 10, beta != nullptr, 11, of_b != nullptr, 12, count_b >= 0, 16, of_c != nullptr, 20,
       last != nullptr);
  if (!computes) return size_to(static_cast<std::size_t*>(last));
  const Sparse a = compressed(Format::Csr, rows, cols, count_a, starts_a, indices_a, values_a, of_a->base,
                              type),
               b = compressed(Format::Csr, rows, cols, count_b, starts_b, indices_b, values_b, of_b->base,
                              type),
               c = compressed(Format::Csr, rows, cols, 0, starts_c, indices_c, values_c, of_c->base, type);
  const Scalar by_a(*handle, alpha, type), by_b(*handle, beta, type);
  return sparse_call(call, *handle, type, [=](Arrays& arrays, auto zero) {
    using N = decltype(zero);
    arrays.scratch(last, kSparseBuffer);
    store_entries(arrays, c,
                  sum_of(load_entries<N>(arrays, a), by_a.value<N>(arrays), load_entries<N>(arrays, b),
                         by_b.value<N>(arrays)));
  });
}

// --- incomplete LU factors, with the entries of the matrix alone ---

// csrilu02Info: the first row without a pivot, counted as the matrix counts.
struct IluInfo {
  std::int64_t zero_pivot = -1;
};

template <class T>
void factorise(Entries<T>& entries, const Sparse& m, IluInfo& info) {
  std::map<std::pair<std::int64_t, std::int64_t>, T*> at;
  for (Entry<T>& entry : entries) at[{entry.row, entry.col}] = &entry.value;
  const auto row_from = [&](std::int64_t row, std::int64_t col) { return at.lower_bound({row, col}); };
  for (std::int64_t row = 0; row < m.rows; ++row) {
    for (auto left = row_from(row, 0); left != at.end() && left->first < std::pair(row, row); ++left) {
      const std::int64_t k = left->first.second;
      const auto pivot = at.find({k, k});
      if (pivot == at.end()) continue;
      *left->second /= *pivot->second;
      for (auto of_k = std::next(pivot); of_k != at.end() && of_k->first.first == k; ++of_k) {
        const auto mine = at.find({row, of_k->first.second});
        if (mine != at.end()) *mine->second -= *left->second * *of_k->second;
      }
    }
    const auto own = at.find({row, row});
    if (info.zero_pivot < 0 && (own == at.end() || *own->second == T{})) info.zero_pivot = row + m.base;
  }
}

void must_be_ilu(const SparseHandle* handle, int rows, int count, const MatrixDescriptor* descriptor,
                 const IluInfo* info, const void* last) {
  must(1, handle != nullptr, 2, rows >= 0, 3, count >= 0, 4, descriptor != nullptr, 8, info != nullptr);
  must(10, last != nullptr);
}
template <class T>
int ilu_size(const SparseHandle* handle, int rows, int count, const MatrixDescriptor* descriptor,
             T* /*values*/, const int* /*starts*/, const int* /*indices*/, IluInfo* info, int* bytes) {
  must_be_ilu(handle, rows, count, descriptor, info, bytes);
  return size_to(bytes);
}
// The analysis looks for diagonals that are not there, the factorisation for those that are zero too.
template <Elem type, bool computes, class Value>
int ilu(const char* call, const SparseHandle* handle, int rows, int count, const MatrixDescriptor* descriptor,
        Value* values, const int* starts, const int* indices, IluInfo* info, int /*policy*/,
        const void* buffer) {
  must_be_ilu(handle, rows, count, descriptor, info, buffer);
  const Sparse m =
      compressed(Format::Csr, rows, rows, count, starts, indices, values, descriptor->base, type);
  return sparse_call(call, *handle, type, [=](Arrays& arrays, auto zero) {
    using T = decltype(zero);
    arrays.scratch(buffer, kSparseBuffer);
    info->zero_pivot = -1;
    Entries<T> entries = load_entries<T>(arrays, computes ? m : without_values(m));
    for (Entry<T>& entry : entries) entry.value = computes ? entry.value : T(1);
    factorise(entries, m, *info);
    if (computes) store_values(arrays, m, entries);
  });
}
int zero_pivot(const char* call, const SparseHandle* handle, const IluInfo* info, int* position) {
  must(1, handle != nullptr, 2, info != nullptr, 3, position != nullptr);
  const int code = sparse_call(
      call, *handle, Elem::F64,
      [=, handle = *handle](Arrays& arrays, auto) {
        give(arrays, handle, position, Elem::I32, info->zero_pivot);
      },
      true);
  return code == 0 && info->zero_pivot >= 0 ? kSparseZeroPivot : code;
}

}  // namespace

LAB_NAMED(cusparseCreateMatDescr, make_descriptor<MatrixDescriptor>);
LAB_NAMED(cusparseDestroyMatDescr, drop_descriptor<MatrixDescriptor>);
LAB_NAMED(cusparseSetMatType, set_member<&MatrixDescriptor::type, 3>);
LAB_NAMED(cusparseGetMatType, get_member<&MatrixDescriptor::type>);
LAB_NAMED(cusparseSetMatFillMode, set_member<&MatrixDescriptor::fill, 1>);
LAB_NAMED(cusparseGetMatFillMode, get_member<&MatrixDescriptor::fill>);
LAB_NAMED(cusparseSetMatDiagType, set_member<&MatrixDescriptor::diagonal, 1>);
LAB_NAMED(cusparseGetMatDiagType, get_member<&MatrixDescriptor::diagonal>);
LAB_NAMED(cusparseSetMatIndexBase, set_member<&MatrixDescriptor::base, 1>);
LAB_NAMED(cusparseGetMatIndexBase, get_member<&MatrixDescriptor::base>);

LAB_NAMED(cusparseSparseToDense_bufferSize, sparse_to_dense<false>);
LAB_NAMED(cusparseSparseToDense, sparse_to_dense<true>);
LAB_NAMED(cusparseDenseToSparse_bufferSize, dense_to_sparse_size);
LAB_NAMED(cusparseDenseToSparse_analysis, dense_to_sparse<false>);
LAB_NAMED(cusparseDenseToSparse_convert, dense_to_sparse<true>);
LAB_NAMED(cusparseSnnz, count_nonzero<Elem::F32, float>);
LAB_NAMED(cusparseDnnz, count_nonzero<Elem::F64, double>);
LAB_NAMED(cusparseCnnz, count_nonzero<Elem::C32, void>);
LAB_NAMED(cusparseZnnz, count_nonzero<Elem::C64, void>);
LAB_NAMED(cusparseXcsr2coo, csr_to_coo);
LAB_NAMED(cusparseXcoo2csr, coo_to_csr);
LAB_NAMED(cusparseCsr2cscEx2_bufferSize, csr_to_csc<false>);
LAB_NAMED(cusparseCsr2cscEx2, csr_to_csc<true>);
LAB_NAMED(cusparseCreateIdentityPermutation, identity);
LAB_NAMED(cusparseXcsrsort_bufferSizeExt, sort_size);
LAB_NAMED(cusparseXcscsort_bufferSizeExt, sort_size);
LAB_NAMED(cusparseXcoosort_bufferSizeExt, sort_size);
LAB_NAMED(cusparseXcsrsort, sort_compressed<Format::Csr>);
LAB_NAMED(cusparseXcscsort, sort_compressed<Format::Csc>);
LAB_NAMED(cusparseXcoosortByRow, sort_coo<false>);
LAB_NAMED(cusparseXcoosortByColumn, sort_coo<true>);

LAB_NAMED(cusparseCreateCsrilu02Info, make_descriptor<IluInfo>);
LAB_NAMED(cusparseDestroyCsrilu02Info, drop_descriptor<IluInfo>);
LAB_NAMED(cusparseScsrilu02_bufferSize, ilu_size<float>);
LAB_NAMED(cusparseDcsrilu02_bufferSize, ilu_size<double>);
LAB_NAMED(cusparseCcsrilu02_bufferSize, ilu_size<void>);
LAB_NAMED(cusparseZcsrilu02_bufferSize, ilu_size<void>);
LAB_NAMED(cusparseScsrilu02_analysis, ilu<Elem::F32, false, const float>);
LAB_NAMED(cusparseDcsrilu02_analysis, ilu<Elem::F64, false, const double>);
LAB_NAMED(cusparseCcsrilu02_analysis, ilu<Elem::C32, false, const void>);
LAB_NAMED(cusparseZcsrilu02_analysis, ilu<Elem::C64, false, const void>);
LAB_NAMED(cusparseScsrilu02, ilu<Elem::F32, true, float>);
LAB_NAMED(cusparseDcsrilu02, ilu<Elem::F64, true, double>);
LAB_NAMED(cusparseCcsrilu02, ilu<Elem::C32, true, void>);
LAB_NAMED(cusparseZcsrilu02, ilu<Elem::C64, true, void>);
LAB_NAMED(cusparseXcsrilu02_zeroPivot, zero_pivot);

LAB_NAMED(cusparseXcsrgeam2Nnz, sum_count);
LAB_NAMED(cusparseScsrgeam2_bufferSizeExt, sum<Elem::F32, false, float, const float>);
LAB_NAMED(cusparseScsrgeam2, sum<Elem::F32, true, float, float>);
LAB_NAMED(cusparseDcsrgeam2_bufferSizeExt, sum<Elem::F64, false, double, const double>);
LAB_NAMED(cusparseDcsrgeam2, sum<Elem::F64, true, double, double>);
LAB_NAMED(cusparseCcsrgeam2_bufferSizeExt, sum<Elem::C32, false, void, const void>);
LAB_NAMED(cusparseCcsrgeam2, sum<Elem::C32, true, void, void>);
LAB_NAMED(cusparseZcsrgeam2_bufferSizeExt, sum<Elem::C64, false, void, const void>);
LAB_NAMED(cusparseZcsrgeam2, sum<Elem::C64, true, void, void>);

// cuSPARSE: products and triangular solves of sparse matrices (SpMV, SpMM, SDDMM, SpSV, SpSM, SpGEMM).
//
// Enters: descriptors and scalars. Leaves: results, summed up in double precision and rounded once, in the order of the handle's stream. A call that
// asks for a buffer gets a small size, which it does not need.
#include <algorithm>
#include <map>

#include "common/run/cudart/libraries/sparse.h"

using namespace lab::cudart;

namespace {

// A product has three calls with the same arguments but for the last: where the size of the buffer goes, or the buffer.
enum class Stage { Size, Prepare, Compute };

bool has_values(const Sparse* m) { return m != nullptr && (m->values != nullptr || m->count == 0); }

// Which types go together: of the factors, of the result, of what is computed in.
bool types_fit(Elem a, Elem b, Elem c, Elem compute) {
  if (a == Elem::I8) return b == a && c == compute && (compute == Elem::I32 || compute == Elem::F32);
  if (a == Elem::F16 || a == Elem::BF16) return b == a && (c == a || c == compute) && compute == Elem::F32;
  return a != Elem::I32 && b == a && c == a && compute == a;
}

template <class Body>
int staged(const char* call, Stage stage, const SparseHandle& handle, Elem type, void* last, Body body) {
  if (stage == Stage::Prepare) return 0;
  if (stage == Stage::Size) {
    *static_cast<std::size_t*>(last) = kSparseBuffer;
    return 0;
  }
  return sparse_call(call, handle, type, [=](Arrays& arrays, auto zero) {
    arrays.scratch(last, kSparseBuffer);
    body(arrays, zero);
  });
}

// C = alpha op(A) op(B) + beta C, for each of a batch.
struct ProductWithDense {
  int op_a, op_b;
  const void* alpha;
  const Sparse* a;
  const Dense* b;
  const void* beta;
  const Dense* c;
  Elem compute;
};

template <class T>
void multiply(Arrays& arrays, const Sparse& a, int op_a, const Dense& b, int op_b, const Dense& c, T alpha,
              T beta) {
  const Entries<T> entries = turned(load_entries<T>(arrays, a), op_a);
  Table<T> sums(c.rows, c.cols);
  std::vector<bool> needed(static_cast<std::size_t>(b.rows), op_b != 0);
  if (op_b == 0)
    for (const Entry<T>& entry : entries) needed[static_cast<std::size_t>(entry.col)] = true;
  Table<T> factor = load_table<T>(arrays, b, needed);
  for (const Entry<T>& e : entries)
    for (std::int64_t col = 0; col < c.cols; ++col) {
      const T value = op_b == 0 ? factor(e.col, col) : factor(col, e.col);
      sums(e.row, col) += e.value * (op_b == 2 ? conjugate(value) : value);
    }
  Table<T> kept = beta == T{} ? Table<T>(c.rows, c.cols) : load_table<T>(arrays, c);
  for (std::int64_t row = 0; row < c.rows; ++row)
    for (std::int64_t col = 0; col < c.cols; ++col)
      sums(row, col) = alpha * sums(row, col) + (beta == T{} ? T{} : beta * kept(row, col));
  store_table(arrays, c, std::move(sums));
}

int products(const char* call, Stage stage, const SparseHandle* handle, const ProductWithDense& p,
             void* last) {
  const auto [rows, inner] = turned(p.a->rows, p.a->cols, p.op_a);
  const auto [inner_b, cols] = turned(p.b->rows, p.b->cols, p.op_b);
  const int batches = std::max({p.a->batches, p.b->batches, p.c->batches});
  const auto in_step = [&](int count) { return count == 1 || count == batches; };
  must_fit(rows == p.c->rows && inner == inner_b && cols == p.c->cols && in_step(p.a->batches) &&
           in_step(p.b->batches) && in_step(p.c->batches));
  must_match(types_fit(p.a->type, p.b->type, p.c->type, p.compute));
  const Scalar by(*handle, p.alpha, p.compute), keep(*handle, p.beta, p.compute);
  return staged(call, stage, *handle, p.compute, last,
                [=, a = *p.a, b = *p.b, c = *p.c, op_a = p.op_a, op_b = p.op_b](Arrays& arrays, auto zero) {
                  using T = decltype(zero);
                  const T alpha = by.value<T>(arrays), beta = keep.value<T>(arrays);
                  for (int k = 0; k < batches; ++k)
                    multiply<T>(arrays, a.batch(k), op_a, b.batch(k), op_b, c.batch(k), alpha, beta);
                });
}

template <Stage stage>
int spmv(const char* call, const SparseHandle* handle, int operation, const void* alpha, const Sparse* a,
         const Dense* x, const void* beta, const Dense* y, Elem compute, int /*algorithm*/, void* last) {
  must(1, handle != nullptr, 2, is_operation(operation), 3, alpha != nullptr, 4, has_values(a), 5,
       x != nullptr, 6, beta != nullptr, 7, y != nullptr, 10, last != nullptr);
  return products(call, stage, handle, {operation, 0, alpha, a, x, beta, y, compute}, last);
}
template <Stage stage>
int spmm(const char* call, const SparseHandle* handle, int op_a, int op_b, const void* alpha, const Sparse* a,
         const Dense* b, const void* beta, const Dense* c, Elem compute, int /*algorithm*/, void* last) {
  must(1, handle != nullptr, 2, is_operation(op_a), 3, is_operation(op_b), 4, alpha != nullptr, 5,
       has_values(a), 6, b != nullptr, 7, beta != nullptr, 8, c != nullptr, 11, last != nullptr);
  return products(call, stage, handle, {op_a, op_b, alpha, a, b, beta, c, compute}, last);
}

// C = alpha (op(A) op(B)) + beta C, where C has entries.
template <class T>
void sample(Arrays& arrays, const Dense& a, int op_a, const Dense& b, int op_b, const Sparse& c, T alpha,
            T beta) {
  Sparse pattern = c;
  if (beta == T{}) pattern.values = nullptr;
  Entries<T> entries = load_entries<T>(arrays, pattern);
  Table<T> left = load_table<T>(arrays, a), right = load_table<T>(arrays, b);
  const std::int64_t inner = op_a == 0 ? a.cols : a.rows;
  const auto element = [](Table<T>& table, std::int64_t row, std::int64_t col, int operation) {
    const T value = operation == 0 ? table(row, col) : table(col, row);
    return operation == 2 ? conjugate(value) : value;
  };
  for (Entry<T>& entry : entries) {
    T sum{};
    for (std::int64_t k = 0; k < inner; ++k)
      sum += element(left, entry.row, k, op_a) * element(right, k, entry.col, op_b);
    entry.value = alpha * sum + (beta == T{} ? T{} : beta * entry.value);
  }
  store_values(arrays, c, entries);
}

template <Stage stage>
int sddmm(const char* call, const SparseHandle* handle, int op_a, int op_b, const void* alpha, const Dense* a,
          const Dense* b, const void* beta, const Sparse* c, Elem compute, int /*algorithm*/, void* last) {
  must(1, handle != nullptr, 2, is_operation(op_a), 3, is_operation(op_b), 4, alpha != nullptr, 5,
       a != nullptr, 6, b != nullptr, 7, beta != nullptr, 8, has_values(c), 11, last != nullptr);
  const auto [rows, inner] = turned(a->rows, a->cols, op_a);
  const auto [inner_b, cols] = turned(b->rows, b->cols, op_b);
  must_fit(rows == c->rows && inner == inner_b && cols == c->cols);
  must_match(types_fit(a->type, b->type, c->type, compute));
  const Scalar by(*handle, alpha, compute), keep(*handle, beta, compute);
  return staged(call, stage, *handle, compute, last, [=, a = *a, b = *b, c = *c](Arrays& arrays, auto zero) {
    using T = decltype(zero);
    const T factor = by.value<T>(arrays), kept = keep.value<T>(arrays);
    for (int k = 0; k < std::max({a.batches, b.batches, c.batches}); ++k)
      sample<T>(arrays, a.batch(k), op_a, b.batch(k), op_b, c.batch(k), factor, kept);
  });
}

// --- op(A) X = alpha op(B), A a triangle ---

// cusparseSpSVDescr, cusparseSpSMDescr: the buffer that the analysis was given.
struct SolveDescriptor {
  void* buffer = nullptr;
};

template <class T>
void solve(Arrays& arrays, const Sparse& a, int op_a, const Dense& b, int op_b, const Dense& x, T alpha) {
  const bool lower = (a.fill == 0) == (op_a == 0), unit = a.diagonal == 1;
  const auto height = static_cast<std::size_t>(x.rows);
  std::vector<T> diagonal(height, unit ? T(1) : T{});
  std::vector<Entries<T>> rows(height);
  for (const Entry<T>& e : turned(load_entries<T>(arrays, a), op_a)) {
    if (e.row == e.col && !unit) diagonal[static_cast<std::size_t>(e.row)] = e.value;
    if (lower ? e.col < e.row : e.col > e.row) rows[static_cast<std::size_t>(e.row)].push_back(e);
  }
  Table<T> given = load_table<T>(arrays, b), found(x.rows, x.cols);
  for (std::int64_t k = 0; k < x.rows; ++k) {
    const std::int64_t row = lower ? k : x.rows - 1 - k;
    const auto at = static_cast<std::size_t>(row);
    for (std::int64_t col = 0; col < x.cols; ++col) {
      T rest = op_b == 0 ? given(row, col) : given(col, row);
      rest = alpha * (op_b == 2 ? conjugate(rest) : rest);
      for (const Entry<T>& e : rows[at]) rest -= e.value * found(e.col, col);
      found(row, col) = rest / diagonal[at];
    }
  }
  store_table(arrays, x, std::move(found));
}

// The size of the buffer, the analysis, or the solution, whose call has no last argument.
int triangular(const char* call, Stage stage, const SparseHandle* handle, int op_a, int op_b,
               const void* alpha, const Sparse* a, const Dense* b, const Dense* x, Elem compute,
               SolveDescriptor* descriptor, void* last) {
  const auto [rows, cols] = turned(b->rows, b->cols, op_b);
  must_fit(a->rows == a->cols && a->rows == rows && x->rows == rows && x->cols == cols);
  must_match(types_fit(a->type, b->type, x->type, compute) && a->type == compute);
  if (stage == Stage::Prepare) descriptor->buffer = last;
  const Scalar by(*handle, alpha, compute);
  return staged(call, stage, *handle, compute, stage == Stage::Compute ? descriptor->buffer : last,
                [=, a = *a, b = *b, x = *x](Arrays& arrays, auto zero) {
                  using T = decltype(zero);
                  solve<T>(arrays, a, op_a, b, op_b, x, by.value<T>(arrays));
                });
}
bool analysed(Stage stage, const SolveDescriptor* descriptor) {
  return descriptor != nullptr && (stage != Stage::Compute || descriptor->buffer != nullptr);
}

// The last argument of a call, where it has one.
void* only(void* last = nullptr) { return last; }

template <Stage stage, class... Last>
int spsv(const char* call, const SparseHandle* handle, int operation, const void* alpha, const Sparse* a,
         const Dense* x, const Dense* y, Elem compute, int /*algorithm*/, SolveDescriptor* descriptor,
         Last... last) {
  must(1, handle != nullptr, 2, is_operation(operation), 3, alpha != nullptr, 4, has_values(a), 5,
       x != nullptr, 6, y != nullptr, 9, analysed(stage, descriptor), 10, ((last != nullptr) && ...));
  return triangular(call, stage, handle, operation, 0, alpha, a, x, y, compute, descriptor, only(last...));
}
template <Stage stage, class... Last>
int spsm(const char* call, const SparseHandle* handle, int op_a, int op_b, const void* alpha, const Sparse* a,
         const Dense* b, const Dense* c, Elem compute, int /*algorithm*/, SolveDescriptor* descriptor,
         Last... last) {
  must(1, handle != nullptr, 2, is_operation(op_a), 3, is_operation(op_b), 4, alpha != nullptr, 5,
       has_values(a), 6, b != nullptr, 7, c != nullptr, 10, analysed(stage, descriptor), 11,
       ((last != nullptr) && ...));
  return triangular(call, stage, handle, op_a, op_b, alpha, a, b, c, compute, descriptor, only(last...));
}

// --- C = alpha A B, all sparse ---

// cusparseSpGEMMDescr: the result, until it is copied.
struct SparseProduct {
  Entries<std::complex<double>> entries;
  bool is_computed = false;
};
struct SparseFactors {
  int op_a, op_b;
  const void* alpha;
  const Sparse *a, *b;
  const void* beta;
  Sparse* c;
  Elem compute;
};

void must_be_factors(const SparseHandle* handle, const SparseFactors& f, const SparseProduct* descriptor) {
  must(1, handle != nullptr, 2, f.op_a == 0, 3, f.op_b == 0, 4, f.alpha != nullptr, 5, has_values(f.a), 6,
       has_values(f.b), 7, f.beta != nullptr, 8, f.c != nullptr, 11, descriptor != nullptr);
  must_fit(f.a->cols == f.b->rows && f.a->rows == f.c->rows && f.b->cols == f.c->cols);
  must_match(types_fit(f.a->type, f.b->type, f.c->type, f.compute));
}

template <class T>
Entries<T> product_of(const Entries<T>& left, const Entries<T>& right, std::int64_t inner, T alpha) {
  std::vector<Entries<T>> rows(static_cast<std::size_t>(inner));
  for (const Entry<T>& entry : right) rows[static_cast<std::size_t>(entry.row)].push_back(entry);
  std::map<std::pair<std::int64_t, std::int64_t>, T> sums;
  for (const Entry<T>& entry : left)
    for (const Entry<T>& other : rows[static_cast<std::size_t>(entry.col)])
      sums[{entry.row, other.col}] += entry.value * other.value;
  Entries<T> entries;
  for (const auto& [place, sum] : sums) entries.push_back({place.first, place.second, alpha * sum});
  return entries;
}

// The first of two calls gives the size of the buffer, the second is given the buffer.
template <bool computes>
int spgemm(const char* call, const SparseHandle* handle, int op_a, int op_b, const void* alpha,
           const Sparse* a, const Sparse* b, const void* beta, Sparse* c, Elem compute, int /*algorithm*/,
           SparseProduct* descriptor, std::size_t* bytes, void* buffer) {
  const SparseFactors f{op_a, op_b, alpha, a, b, beta, c, compute};
  must_be_factors(handle, f, descriptor);
  must(12, bytes != nullptr);
  if (buffer == nullptr) {
    *bytes = kSparseBuffer;
    return 0;
  }
  if (!computes) return 0;
  const Scalar by(*handle, alpha, compute);
  return sparse_call(call, *handle, compute, [=, a = *a, b = *b](Arrays& arrays, auto zero) {
    using T = decltype(zero);
    arrays.scratch(buffer, kSparseBuffer);
    descriptor->entries.clear();
    for (const Entry<T>& e :
         product_of<T>(load_entries<T>(arrays, a), load_entries<T>(arrays, b), a.cols, by.value<T>(arrays)))
      descriptor->entries.push_back({e.row, e.col, e.value});
    descriptor->is_computed = true;
    c->count = static_cast<std::int64_t>(descriptor->entries.size());
  });
}
int spgemm_copy(const char* call, const SparseHandle* handle, int op_a, int op_b, const void* alpha,
                const Sparse* a, const Sparse* b, const void* beta, Sparse* c, Elem compute,
                int /*algorithm*/, SparseProduct* descriptor) {
  const SparseFactors f{op_a, op_b, alpha, a, b, beta, c, compute};
  must_be_factors(handle, f, descriptor);
  must(8, has_values(c), 11, descriptor->is_computed);
  const Scalar keep(*handle, beta, compute);
  return sparse_call(call, *handle, compute, [=, c = *c](Arrays& arrays, auto zero) {
    using T = decltype(zero);
    if (keep.value<T>(arrays) != T{})
      throw ApiError{Error::NotSupported,
                     "a product of two sparse matrices is computed here with beta = 0 alone."};
    Entries<T> entries;
    for (const auto& e : descriptor->entries) {
      if constexpr (std::is_same_v<T, double>)
        entries.push_back({e.row, e.col, e.value.real()});
      else
        entries.push_back(e);
    }
    store_entries(arrays, c, std::move(entries));
  });
}

}  // namespace

LAB_NAMED(cusparseSpMV_bufferSize, spmv<Stage::Size>);
LAB_NAMED(cusparseSpMV_preprocess, spmv<Stage::Prepare>);
LAB_NAMED(cusparseSpMV, spmv<Stage::Compute>);
LAB_NAMED(cusparseSpMM_bufferSize, spmm<Stage::Size>);
LAB_NAMED(cusparseSpMM_preprocess, spmm<Stage::Prepare>);
LAB_NAMED(cusparseSpMM, spmm<Stage::Compute>);
LAB_NAMED(cusparseSDDMM_bufferSize, sddmm<Stage::Size>);
LAB_NAMED(cusparseSDDMM_preprocess, sddmm<Stage::Prepare>);
LAB_NAMED(cusparseSDDMM, sddmm<Stage::Compute>);
LAB_NAMED(cusparseSpSV_createDescr, make_descriptor<SolveDescriptor>);
LAB_NAMED(cusparseSpSV_destroyDescr, drop_descriptor<SolveDescriptor>);
LAB_NAMED(cusparseSpSV_bufferSize, spsv<Stage::Size, void*>);
LAB_NAMED(cusparseSpSV_analysis, spsv<Stage::Prepare, void*>);
LAB_NAMED(cusparseSpSV_solve, spsv<Stage::Compute>);
LAB_NAMED(cusparseSpSM_createDescr, make_descriptor<SolveDescriptor>);
LAB_NAMED(cusparseSpSM_destroyDescr, drop_descriptor<SolveDescriptor>);
LAB_NAMED(cusparseSpSM_bufferSize, spsm<Stage::Size, void*>);
LAB_NAMED(cusparseSpSM_analysis, spsm<Stage::Prepare, void*>);
LAB_NAMED(cusparseSpSM_solve, spsm<Stage::Compute>);
LAB_NAMED(cusparseSpGEMM_createDescr, make_descriptor<SparseProduct>);
LAB_NAMED(cusparseSpGEMM_destroyDescr, drop_descriptor<SparseProduct>);
LAB_NAMED(cusparseSpGEMM_workEstimation, spgemm<false>);
LAB_NAMED(cusparseSpGEMM_compute, spgemm<true>);
LAB_NAMED(cusparseSpGEMM_copy, spgemm_copy);

// cuSPARSE: sparse vectors with dense ones (axpby, gather, scatter, rot, SpVV).
//
// Enters: descriptors and scalars. Leaves: of the dense vector only the elements that the sparse one names are read and written, but by axpby.
#include "common/run/cudart/libraries/sparse.h"

using namespace lab::cudart;

namespace {

// The type of scalars.
Elem scalar_type(Elem values) { return values == Elem::F16 || values == Elem::BF16 ? Elem::F32 : values; }

template <class T>
std::vector<std::int64_t> places_of(const Entries<T>& entries) {
  std::vector<std::int64_t> places;
  for (const Entry<T>& entry : entries) places.push_back(entry.col);
  return places;
}

void must_be_vectors(const Sparse* x, const Dense* y) {
  must_fit(x->cols == y->rows);
  must_match(x->type == y->type && x->type != Elem::I8 && x->type != Elem::I32);
}

// `body` gets the sparse vector's entries and the elements of the dense one beside them.
template <class Body>
int with_elements(const char* call, const SparseHandle& handle, const Sparse& x, const Dense& y, Body body,
                  bool waits = false) {
  return sparse_call(
      call, handle, x.type,
      [=](Arrays& arrays, auto zero) {
        using T = decltype(zero);
        Entries<T> entries = load_entries<T>(arrays, x);
        const std::vector<std::int64_t> places = places_of(entries);
        std::vector<T> elements = arrays.load_at<T>(y.values, y.type, places);
        body(arrays, entries, places, elements);
      },
      waits);
}

int gather(const char* call, const SparseHandle* handle, const Dense* y, const Sparse* x) {
  must(1, handle != nullptr, 2, y != nullptr, 3, x != nullptr);
  must_be_vectors(x, y);
  Sparse pattern = *x;
  pattern.values = nullptr;
  return with_elements(call, *handle, pattern, *y,
                       [x = *x](Arrays& arrays, auto& entries, const auto& /*places*/, const auto& elements) {
                         for (std::size_t k = 0; k < entries.size(); ++k) entries[k].value = elements[k];
                         store_values(arrays, x, entries);
                       });
}
int scatter(const char* call, const SparseHandle* handle, const Sparse* x, const Dense* y) {
  must(1, handle != nullptr, 2, x != nullptr, 3, y != nullptr);
  must_be_vectors(x, y);
  return sparse_call(call, *handle, x->type, [x = *x, y = *y](Arrays& arrays, auto zero) {
    using T = decltype(zero);
    const Entries<T> entries = load_entries<T>(arrays, x);
    std::vector<T> values;
    for (const Entry<T>& entry : entries) values.push_back(entry.value);
    arrays.store_at<T>(y.values, y.type, places_of(entries), values);
  });
}
int axpby(const char* call, const SparseHandle* handle, const void* alpha, const Sparse* x, const void* beta,
          const Dense* y) {
  must(1, handle != nullptr, 2, alpha != nullptr, 3, x != nullptr, 4, beta != nullptr, 5, y != nullptr);
  must_be_vectors(x, y);
  const Scalar by(*handle, alpha, scalar_type(x->type)), keep(*handle, beta, scalar_type(x->type));
  return sparse_call(call, *handle, x->type, [=, x = *x, y = *y](Arrays& arrays, auto zero) {
    using T = decltype(zero);
    const T factor = by.value<T>(arrays), kept = keep.value<T>(arrays);
    Table<T> sums = kept == T{} ? Table<T>(y.rows, 1) : load_table<T>(arrays, y);
    for (std::int64_t k = 0; k < y.rows; ++k) sums(k, 0) = kept == T{} ? T{} : kept * sums(k, 0);
    for (const Entry<T>& e : load_entries<T>(arrays, x)) sums(e.col, 0) += factor * e.value;
    store_table(arrays, y, std::move(sums));
  });
}
int rotate(const char* call, const SparseHandle* handle, const void* cosine, const void* sine,
           const Sparse* x, const Dense* y) {
  must(1, handle != nullptr, 2, cosine != nullptr, 3, sine != nullptr, 4, x != nullptr, 5, y != nullptr);
  must_be_vectors(x, y);
  const Scalar c(*handle, cosine, scalar_type(x->type)), s(*handle, sine, scalar_type(x->type));
  return with_elements(
      call, *handle, *x, *y,
      [=, x = *x, y = *y](Arrays& arrays, auto& entries, const auto& places, auto& elements) {
        using T = std::decay_t<decltype(elements[0])>;
        const T along = c.value<T>(arrays), across = s.value<T>(arrays);
        for (std::size_t k = 0; k < entries.size(); ++k) {
          const T left = entries[k].value, right = elements[k];
          entries[k].value = along * left + across * right;
          elements[k] = along * right - across * left;
        }
        store_values(arrays, x, entries);
        arrays.store_at<T>(y.values, y.type, places, elements);
      });
}

template <bool computes>
int sparse_dot(const char* call, const SparseHandle* handle, int operation, const Sparse* x, const Dense* y,
               void* result, Elem compute, void* last) {
  must(1, handle != nullptr, 2, is_operation(operation), 3, x != nullptr, 4, y != nullptr, 5,
       result != nullptr, 7, last != nullptr);
  must_be_vectors(x, y);
  must_match(compute == scalar_type(x->type));
  if (!computes) {
    *static_cast<std::size_t*>(last) = kSparseBuffer;
    return 0;
  }
  return with_elements(
      call, *handle, *x, *y,
      [=, handle = *handle](Arrays& arrays, auto& entries, const auto& /*places*/, const auto& elements) {
        using T = std::decay_t<decltype(elements[0])>;
        arrays.scratch(last, kSparseBuffer);
        T sum{};
        for (std::size_t k = 0; k < entries.size(); ++k)
          sum += (operation == 2 ? conjugate(entries[k].value) : entries[k].value) * elements[k];
        give(arrays, handle, result, compute, sum);
      },
      !handle->device_scalars);
}

}  // namespace

LAB_NAMED(cusparseAxpby, axpby);
LAB_NAMED(cusparseGather, gather);
LAB_NAMED(cusparseScatter, scatter);
LAB_NAMED(cusparseRot, rotate);
LAB_NAMED(cusparseSpVV_bufferSize, sparse_dot<false>);
LAB_NAMED(cusparseSpVV, sparse_dot<true>);

// cuBLAS: vectors (axpy, copy, scal, swap, rot, dot, nrm2, asum, amax, amin) and matrix by vector (gemv,
// ger).
//
// Enters: device addresses and steps. Leaves: what the host's BLAS computes of them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/run/cudart/libraries/handle.h"
#include "common/run/cudart/libraries/host_blas.h"

using namespace lab::cudart;

namespace {

// With a negative step BLAS begins at the far end: the values in the order of memory, turned.
template <class T>
std::vector<T> in_order(std::vector<T> values, int step) {
  if (step < 0) std::reverse(values.begin(), values.end());
  return values;
}

// `x` and `y` are loaded, `body` computes, y is written back, and x when `both`.
template <class T, class Body>
int on_vectors(const char* call, BlasHandle* handle, int count, const void* x, int x_step, void* y,
               int y_step, bool both, Body body) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (count <= 0) return 0;
  const Matrix from = vector_of(x, count, x_step, elem_of<T>()),
               to = vector_of(y, count, y_step, elem_of<T>());
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    std::vector<T> a = in_order(arrays.load<T>(from), x_step), b = in_order(arrays.load<T>(to), y_step);
    body(arrays, a, b);
    arrays.store<T>(to, in_order(b, y_step));
    if (both) arrays.store<T>(from, in_order(a, x_step));
  });
}

template <class T>
int axpy(const char* call, BlasHandle* handle, int count, const T* alpha, const T* x, int x_step, T* y,
         int y_step) {
  if (handle == nullptr || alpha == nullptr)
    return handle == nullptr ? kBlasNotInitialised : kBlasInvalidValue;
  const Scalar scalar(*handle, alpha, elem_of<T>());
  return on_vectors<T>(call, handle, count, x, x_step, y, y_step, false,
                       [=](Arrays& arrays, std::vector<T>& a, std::vector<T>& b) {
                         const T factor = scalar.value<T>(arrays);
                         host_blas<T>().axpy(&count, &factor, a.data(), &kOne, b.data(), &kOne);
                       });
}
template <class T>
int copy(const char* call, BlasHandle* handle, int count, const T* x, int x_step, T* y, int y_step) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (count <= 0) return 0;
  const Matrix from = vector_of(x, count, x_step, elem_of<T>()),
               to = vector_of(y, count, y_step, elem_of<T>());
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    arrays.store<T>(to, in_order(in_order(arrays.load<T>(from), x_step), y_step));
  });
}
template <class T>
int swap(const char* call, BlasHandle* handle, int count, T* x, int x_step, T* y, int y_step) {
  return on_vectors<T>(call, handle, count, x, x_step, y, y_step, true,
                       [](Arrays&, std::vector<T>& a, std::vector<T>& b) { a.swap(b); });
}
template <class T>
int rot(const char* call, BlasHandle* handle, int count, T* x, int x_step, T* y, int y_step, const T* cosine,
        const T* sine) {
  if (handle == nullptr || cosine == nullptr || sine == nullptr)
    return handle == nullptr ? kBlasNotInitialised : kBlasInvalidValue;
  const Scalar c(*handle, cosine, elem_of<T>()), s(*handle, sine, elem_of<T>());
  return on_vectors<T>(call, handle, count, x, x_step, y, y_step, true,
                       [=](Arrays& arrays, std::vector<T>& a, std::vector<T>& b) {
                         const T along = c.value<T>(arrays), across = s.value<T>(arrays);
                         for (std::size_t k = 0; k < a.size(); ++k) {
                           const T left = a[k], right = b[k];
                           a[k] = along * left + across * right;
                           b[k] = along * right - across * left;
                         }
                       });
}
template <class T, class Factor = T>
int scal(const char* call, BlasHandle* handle, int count, const Factor* alpha, T* x, int step) {
  if (handle == nullptr || alpha == nullptr)
    return handle == nullptr ? kBlasNotInitialised : kBlasInvalidValue;
  if (count <= 0 || step <= 0) return 0;
  const Scalar scalar(*handle, alpha, elem_of<Factor>());
  const Matrix where = vector_of(x, count, step, elem_of<T>());
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    const Factor factor = scalar.value<Factor>(arrays);
    std::vector<T> values = arrays.load<T>(where);
    for (T& value : values) value *= factor;
    arrays.store<T>(where, values);
  });
}

// One number from vectors. The program waits for it when it goes to the host. Sums are kept in double precision: a
// GPU adds in a tree, and the host's library in a few long rows, which are off by 5e-4 for a million equal numbers.
template <class Body>
int reduce(const char* call, BlasHandle* handle, void* result, Elem type, Body body) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (result == nullptr) return kBlasInvalidValue;
  const BlasHandle how = *handle;
  return library_call(call, how.stream, !how.device_scalars,
                      [=](Arrays& arrays) { give(arrays, how, result, type, body(arrays)); });
}
template <class T, bool conjugates = false>
int dot(const char* call, BlasHandle* handle, int count, const T* x, int x_step, const T* y, int y_step,
        T* result) {
  return reduce(call, handle, result, elem_of<T>(), [=](Arrays& arrays) {
    const int n = std::max(count, 0);
    const auto a = in_order(arrays.load<Wide<T>>(vector_of(x, n, x_step, elem_of<T>())), x_step);
    const auto b = in_order(arrays.load<Wide<T>>(vector_of(y, n, y_step, elem_of<T>())), y_step);
    if constexpr (std::is_same_v<Wide<T>, double>)
      return host_blas<double>().dot(&n, a.data(), &kOne, b.data(), &kOne);
    else
      return std::transform_reduce(a.begin(), a.end(), b.begin(), Wide<T>{}, std::plus{},
                                   [](Wide<T> u, Wide<T> v) { return (conjugates ? std::conj(u) : u) * v; });
  });
}
// Of complex numbers the real and imaginary parts by turns.
template <class T, class Body>
int of_one(const char* call, BlasHandle* handle, int count, const T* x, int step, void* result, Elem type,
           Body body) {
  return reduce(call, handle, result, type, [=](Arrays& arrays) -> double {
    if (count <= 0 || step <= 0) return 0;
    const std::vector<Wide<T>> values = arrays.load<Wide<T>>(vector_of(x, count, step, elem_of<T>()));
    const auto* const first = reinterpret_cast<const double*>(values.data());
    const std::vector<double> parts(first, first + values.size() * sizeof(Wide<T>) / sizeof(double));
    return static_cast<double>(body(parts, static_cast<int>(parts.size())));
  });
}
template <class T>
int nrm2(const char* call, BlasHandle* handle, int count, const T* x, int step, Real<T>* result) {
  return of_one<T>(
      call, handle, count, x, step, result, elem_of<Real<T>>(),
      [](const std::vector<double>& v, int n) { return host_blas<double>().nrm2(&n, v.data(), &kOne); });
}
template <class T>
int asum(const char* call, BlasHandle* handle, int count, const T* x, int step, Real<T>* result) {
  return of_one<T>(
      call, handle, count, x, step, result, elem_of<Real<T>>(),
      [](const std::vector<double>& v, int n) { return host_blas<double>().asum(&n, v.data(), &kOne); });
}
// The first of the largest or smallest magnitudes, counted from 1.
template <class T>
int extreme(const char* call, BlasHandle* handle, int count, const T* x, int step, int* result,
            bool largest) {
  return of_one<T>(
      call, handle, count, x, step, result, Elem::I32, [largest](std::vector<double> v, int parts) {
        constexpr int kParts = sizeof(Wide<T>) / sizeof(double);
        for (int k = 0; k < parts / kParts; ++k)
          v[k] = std::abs(v[k * kParts]) + (kParts == 2 ? std::abs(v[k * kParts + 1]) : 0);
        v.resize(parts / kParts);
        const auto found =
            largest ? std::max_element(v.begin(), v.end()) : std::min_element(v.begin(), v.end());
        return found - v.begin() + 1;
      });
}

template <class T>
int amax(const char* call, BlasHandle* handle, int count, const T* x, int step, int* result) {
  return extreme(call, handle, count, x, step, result, true);
}
template <class T>
int amin(const char* call, BlasHandle* handle, int count, const T* x, int step, int* result) {
  return extreme(call, handle, count, x, step, result, false);
}

template <class T>
int gemv(const char* call, BlasHandle* handle, int operation, int rows, int cols, const T* alpha, const T* a,
         int ld, const T* x, int x_step, const T* beta, T* y, int y_step) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (rows < 0 || cols < 0 || ld < std::max(1, rows) || x_step == 0 || y_step == 0 || alpha == nullptr ||
      beta == nullptr)
    return kBlasInvalidValue;
  if (rows == 0 || cols == 0) return 0;
  const Scalar by(*handle, alpha, elem_of<T>()), keep(*handle, beta, elem_of<T>());
  const int in = operation == 0 ? cols : rows, out = operation == 0 ? rows : cols;
  const Matrix matrix{a, rows, cols, ld, elem_of<T>(), false};
  const Matrix from = vector_of(x, in, x_step, elem_of<T>()), to = vector_of(y, out, y_step, elem_of<T>());
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    const T factor = by.value<T>(arrays), kept = keep.value<T>(arrays);
    const std::vector<T> m = arrays.load<T>(matrix), v = in_order(arrays.load<T>(from), x_step);
    std::vector<T> r =
        kept == T{} ? std::vector<T>(static_cast<std::size_t>(out)) : in_order(arrays.load<T>(to), y_step);
    const char how = letter(operation);
    host_blas<T>().gemv(&how, &rows, &cols, &factor, m.data(), &rows, v.data(), &kOne, &kept, r.data(),
                        &kOne);
    arrays.store<T>(to, in_order(r, y_step));
  });
}
template <class T, bool conjugates = false>
int ger(const char* call, BlasHandle* handle, int rows, int cols, const T* alpha, const T* x, int x_step,
        const T* y, int y_step, T* a, int ld) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (rows < 0 || cols < 0 || ld < std::max(1, rows) || alpha == nullptr) return kBlasInvalidValue;
  if (rows == 0 || cols == 0) return 0;
  const Scalar by(*handle, alpha, elem_of<T>());
  const Matrix matrix{a, rows, cols, ld, elem_of<T>(), false};
  const Matrix left = vector_of(x, rows, x_step, elem_of<T>()),
               right = vector_of(y, cols, y_step, elem_of<T>());
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    const T factor = by.value<T>(arrays);
    const std::vector<T> u = in_order(arrays.load<T>(left), x_step),
                         v = conjugated(in_order(arrays.load<T>(right), y_step), conjugates);
    std::vector<T> m = arrays.load<T>(matrix);
    host_blas<T>().ger(&rows, &cols, &factor, u.data(), &kOne, v.data(), &kOne, m.data(), &rows);
    arrays.store<T>(matrix, m);
  });
}

}  // namespace

LAB_NAMED(cublasSaxpy_v2, axpy<float>);
LAB_NAMED(cublasScopy_v2, copy<float>);
LAB_NAMED(cublasSswap_v2, swap<float>);
LAB_NAMED(cublasSrot_v2, rot<float>);
LAB_NAMED(cublasSscal_v2, scal<float>);
LAB_NAMED(cublasSdot_v2, dot<float>);
LAB_NAMED(cublasSnrm2_v2, nrm2<float>);
LAB_NAMED(cublasSasum_v2, asum<float>);
LAB_NAMED(cublasIsamax_v2, amax<float>);
LAB_NAMED(cublasIsamin_v2, amin<float>);
LAB_NAMED(cublasSgemv_v2, gemv<float>);
LAB_NAMED(cublasSger_v2, ger<float>);
LAB_NAMED(cublasDaxpy_v2, axpy<double>);
LAB_NAMED(cublasDcopy_v2, copy<double>);
LAB_NAMED(cublasDswap_v2, swap<double>);
LAB_NAMED(cublasDrot_v2, rot<double>);
LAB_NAMED(cublasDscal_v2, scal<double>);
LAB_NAMED(cublasDdot_v2, dot<double>);
LAB_NAMED(cublasDnrm2_v2, nrm2<double>);
LAB_NAMED(cublasDasum_v2, asum<double>);
LAB_NAMED(cublasIdamax_v2, amax<double>);
LAB_NAMED(cublasIdamin_v2, amin<double>);
LAB_NAMED(cublasDgemv_v2, gemv<double>);
LAB_NAMED(cublasDger_v2, ger<double>);
LAB_NAMED(cublasCaxpy_v2, axpy<std::complex<float>>);
LAB_NAMED(cublasCcopy_v2, copy<std::complex<float>>);
LAB_NAMED(cublasCswap_v2, swap<std::complex<float>>);
LAB_NAMED(cublasCscal_v2, scal<std::complex<float>>);
LAB_NAMED(cublasCsscal_v2, scal<std::complex<float>, float>);
LAB_NAMED(cublasCdotu_v2, dot<std::complex<float>>);
LAB_NAMED(cublasCdotc_v2, dot<std::complex<float>, true>);
LAB_NAMED(cublasScnrm2_v2, nrm2<std::complex<float>>);
LAB_NAMED(cublasScasum_v2, asum<std::complex<float>>);
LAB_NAMED(cublasIcamax_v2, amax<std::complex<float>>);
LAB_NAMED(cublasIcamin_v2, amin<std::complex<float>>);
LAB_NAMED(cublasCgemv_v2, gemv<std::complex<float>>);
LAB_NAMED(cublasCgeru_v2, ger<std::complex<float>>);
LAB_NAMED(cublasCgerc_v2, ger<std::complex<float>, true>);
LAB_NAMED(cublasZaxpy_v2, axpy<std::complex<double>>);
LAB_NAMED(cublasZcopy_v2, copy<std::complex<double>>);
LAB_NAMED(cublasZswap_v2, swap<std::complex<double>>);
LAB_NAMED(cublasZscal_v2, scal<std::complex<double>>);
LAB_NAMED(cublasZdscal_v2, scal<std::complex<double>, double>);
LAB_NAMED(cublasZdotu_v2, dot<std::complex<double>>);
LAB_NAMED(cublasZdotc_v2, dot<std::complex<double>, true>);
LAB_NAMED(cublasDznrm2_v2, nrm2<std::complex<double>>);
LAB_NAMED(cublasDzasum_v2, asum<std::complex<double>>);
LAB_NAMED(cublasIzamax_v2, amax<std::complex<double>>);
LAB_NAMED(cublasIzamin_v2, amin<std::complex<double>>);
LAB_NAMED(cublasZgemv_v2, gemv<std::complex<double>>);
LAB_NAMED(cublasZgeru_v2, ger<std::complex<double>>);
LAB_NAMED(cublasZgerc_v2, ger<std::complex<double>, true>);

// cuBLAS: other products and sums of matrices: geam, dgmm, symm, syrk, trsm, trmm.
//
// Enters: column-major matrices of the device. Leaves: what the host's BLAS computes.
#include <algorithm>

#include "common/run/cudart/libraries/handle.h"
#include "common/run/cudart/libraries/host_blas.h"

using namespace lab::cudart;

namespace {

// C = alpha op(A) + beta op(B), each element by itself.
template <class T>
int geam(const char* call, BlasHandle* handle, int op_a, int op_b, int rows, int cols, const T* alpha,
         const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (rows < 0 || cols < 0 || alpha == nullptr || beta == nullptr || ldc < std::max(1, rows))
    return kBlasInvalidValue;
  const Scalar by(*handle, alpha, elem_of<T>()), and_by(*handle, beta, elem_of<T>());
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    const T x = by.value<T>(arrays), y = and_by.value<T>(arrays);
    std::vector<T> sum(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
    const auto add = [&](T factor, const T* p, int op, int ld) {
      if (factor == T{}) return;  // then it is not read
      const auto values =
          conjugated(arrays.load<T>({p, rows, cols, ld, elem_of<T>(), op != 0}), op == kConjugated);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += factor * values[k];
    };
    add(x, a, op_a, lda);
    add(y, b, op_b, ldb);
    arrays.store<T>({c, rows, cols, ldc, elem_of<T>(), false}, sum);
  });
}

// C = A diag(x), or diag(x) A from the left.
template <class T>
int dgmm(const char* call, BlasHandle* handle, int side, int rows, int cols, const T* a, int lda, const T* x,
         int step, T* c, int ldc) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (rows < 0 || cols < 0 || step == 0) return kBlasInvalidValue;
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    std::vector<T> m = arrays.load<T>({a, rows, cols, lda, elem_of<T>(), false});
    std::vector<T> d = arrays.load<T>(vector_of(x, side == 0 ? rows : cols, step, elem_of<T>()));
    if (step < 0) std::reverse(d.begin(), d.end());
    const auto height = static_cast<std::size_t>(rows);
    for (std::size_t k = 0; k < m.size(); ++k) m[k] *= d[side == 0 ? k % height : k / height];
    arrays.store<T>({c, rows, cols, ldc, elem_of<T>(), false}, m);
  });
}

char left_or_right(int side) { return side == 0 ? 'L' : 'R'; }

template <class T>
int symm(const char* call, BlasHandle* handle, int side, int fill, int rows, int cols, const T* alpha,
         const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (rows < 0 || cols < 0 || alpha == nullptr || beta == nullptr) return kBlasInvalidValue;
  const Scalar by(*handle, alpha, elem_of<T>()), keep(*handle, beta, elem_of<T>());
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    const int order = side == 0 ? rows : cols;
    const T x = by.value<T>(arrays), y = keep.value<T>(arrays);
    const char where = left_or_right(side), half = letter(half_of(fill));
    const auto s = arrays.load<T>({a, order, order, lda, elem_of<T>(), false, half_of(fill)});
    const auto m = arrays.load<T>({b, rows, cols, ldb, elem_of<T>(), false});
    const Matrix to{c, rows, cols, ldc, elem_of<T>(), false};
    std::vector<T> r = y == T{} ? std::vector<T>(m.size()) : arrays.load<T>(to);
    host_blas<T>().symm(&where, &half, &rows, &cols, &x, s.data(), &order, m.data(), &rows, &y, r.data(),
                        &rows);
    arrays.store<T>(to, r);
  });
}

template <class T>
int syrk(const char* call, BlasHandle* handle, int fill, int op, int n, int k, const T* alpha, const T* a,
         int lda, const T* beta, T* c, int ldc) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (n < 0 || k < 0 || alpha == nullptr || beta == nullptr) return kBlasInvalidValue;
  const Scalar by(*handle, alpha, elem_of<T>()), keep(*handle, beta, elem_of<T>());
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    const T x = by.value<T>(arrays), y = keep.value<T>(arrays);
    const char half = letter(half_of(fill)), how = letter(op);
    const int rows = op == 0 ? n : k, cols = op == 0 ? k : n;
    const auto m = arrays.load<T>({a, rows, cols, lda, elem_of<T>(), false});
    const Matrix to{c, n, n, ldc, elem_of<T>(), false, half_of(fill)};
    std::vector<T> r = y == T{} ? std::vector<T>(static_cast<std::size_t>(n) * static_cast<std::size_t>(n))
                                : arrays.load<T>(to);
    host_blas<T>().syrk(&half, &how, &n, &k, &x, m.data(), &rows, &y, r.data(), &n);
    arrays.store<T>(to, r);
  });
}

// B = alpha op(A)^-1 B, or alpha op(A) B into C.
template <class T>
int triangular(const char* call, bool solve, BlasHandle* handle, int side, int fill, int op, int unit,
               int rows, int cols, const T* alpha, const T* a, int lda, const T* b, int ldb, T* c, int ldc) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (rows < 0 || cols < 0 || alpha == nullptr) return kBlasInvalidValue;
  const Scalar by(*handle, alpha, elem_of<T>());
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    const int order = side == 0 ? rows : cols;
    const T x = by.value<T>(arrays);
    const char where = left_or_right(side), half = letter(half_of(fill)), how = letter(op),
               ones = unit == 1 ? 'U' : 'N';
    const auto t = arrays.load<T>({a, order, order, lda, elem_of<T>(), false, half_of(fill)});
    std::vector<T> r = arrays.load<T>({b, rows, cols, ldb, elem_of<T>(), false});
    const auto work = solve ? host_blas<T>().trsm : host_blas<T>().trmm;
    work(&where, &half, &how, &ones, &rows, &cols, &x, t.data(), &order, r.data(), &rows);
    arrays.store<T>({c, rows, cols, ldc, elem_of<T>(), false}, r);
  });
}

template <class T>
int trsm(const char* call, BlasHandle* h, int side, int fill, int op, int unit, int m, int n, const T* alpha,
         const T* a, int lda, T* b, int ldb) {
  return triangular<T>(call, true, h, side, fill, op, unit, m, n, alpha, a, lda, b, ldb, b, ldb);
}
template <class T>
int trmm(const char* call, BlasHandle* h, int side, int fill, int op, int unit, int m, int n, const T* alpha,
         const T* a, int lda, const T* b, int ldb, T* c, int ldc) {
  return triangular<T>(call, false, h, side, fill, op, unit, m, n, alpha, a, lda, b, ldb, c, ldc);
}

}  // namespace

LAB_NAMED(cublasSgeam, geam<float>);
LAB_NAMED(cublasSdgmm, dgmm<float>);
LAB_NAMED(cublasSsymm_v2, symm<float>);
LAB_NAMED(cublasSsyrk_v2, syrk<float>);
LAB_NAMED(cublasStrsm_v2, trsm<float>);
LAB_NAMED(cublasStrmm_v2, trmm<float>);
LAB_NAMED(cublasDgeam, geam<double>);
LAB_NAMED(cublasDdgmm, dgmm<double>);
LAB_NAMED(cublasDsymm_v2, symm<double>);
LAB_NAMED(cublasDsyrk_v2, syrk<double>);
LAB_NAMED(cublasDtrsm_v2, trsm<double>);
LAB_NAMED(cublasDtrmm_v2, trmm<double>);
LAB_NAMED(cublasCgeam, geam<std::complex<float>>);
LAB_NAMED(cublasCdgmm, dgmm<std::complex<float>>);
LAB_NAMED(cublasCsymm_v2, symm<std::complex<float>>);
LAB_NAMED(cublasCsyrk_v2, syrk<std::complex<float>>);
LAB_NAMED(cublasCtrsm_v2, trsm<std::complex<float>>);
LAB_NAMED(cublasCtrmm_v2, trmm<std::complex<float>>);
LAB_NAMED(cublasZgeam, geam<std::complex<double>>);
LAB_NAMED(cublasZdgmm, dgmm<std::complex<double>>);
LAB_NAMED(cublasZsymm_v2, symm<std::complex<double>>);
LAB_NAMED(cublasZsyrk_v2, syrk<std::complex<double>>);
LAB_NAMED(cublasZtrsm_v2, trsm<std::complex<double>>);
LAB_NAMED(cublasZtrmm_v2, trmm<std::complex<double>>);

// cuBLAS: LU, inverses, QR, least squares and triangular systems of many small matrices.
//
// Enters: arrays of pointers to column-major matrices of the device. Leaves: what the host's LAPACK computes,
// matrix by matrix; a code each in an array of the device, or one of the arguments on the host.
#include <algorithm>

#include "common/run/cudart/libraries/dense_solver.h"

using namespace lab::cudart;

namespace {

constexpr int kBlasFailed = kBlasCodes.failed;

template <class T>
using List = const T* const*;  // of the device

// Matrix `k` of a list.
template <class T>
Matrix in_list(Arrays& arrays, List<T> list, int k, int rows, int cols, int ld) {
  return {arrays.pointer_in(list, k), rows, cols, ld, elem_of<T>(), false};
}
Matrix pivots_of(const int* pivots, int k, int n) {
  return list_of(pivots, n, Elem::I32).at(std::int64_t{k} * n);
}
bool fits(int rows, int ld) { return ld >= std::max(1, rows); }

// 0, or what an argument is refused with: `right` are its conditions.
int refused(const BlasHandle* handle, std::initializer_list<bool> right) {
  if (handle == nullptr) return kBlasNotInitialised;
  return std::find(right.begin(), right.end(), false) == right.end() ? 0 : kBlasInvalidValue;
}
// The same of calls that say on the host which argument is wrong, counted from 1 behind the handle.
int refused(const BlasHandle* handle, int* info, std::initializer_list<bool> right) {
  if (handle == nullptr || info == nullptr)
    return handle == nullptr ? kBlasNotInitialised : kBlasInvalidValue;
  const auto* const wrong = std::find(right.begin(), right.end(), false);
  *info = wrong == right.end() ? 0 : -static_cast<int>(wrong - right.begin() + 1);
  return *info == 0 ? 0 : kBlasInvalidValue;
}

// Each matrix by itself; what `body` gives goes to the device, where that is asked for.
template <class T, class Body>
int each(const char* call, const BlasHandle* handle, int batch, int* infos, Body body) {
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    std::vector<std::int64_t> said;
    for (int k = 0; k < batch; ++k) said.push_back(body(arrays, host_lapack<T>(), k));
    if (infos != nullptr && batch > 0) arrays.store<std::int64_t>(list_of(infos, batch, Elem::I32), said);
  });
}

template <class T>
int factor(const HostLapack<T>& lapack, std::vector<T>& a, int n, int* pivots) {
  if (pivots == nullptr) return factor_in_order(a, static_cast<std::size_t>(n), static_cast<std::size_t>(n));
  int said = 0;
  const int ld = packed_ld(n);
  lapack.getrf(&n, &n, a.data(), &ld, pivots, &said);
  return said;
}
template <class T>
void solve_with(const HostLapack<T>& lapack, char how, const std::vector<T>& factors, int n, int sides,
                const int* pivots, std::vector<T>& b) {
  int said = 0;
  const int ld = packed_ld(n);
  lapack.getrs(&how, &n, &sides, factors.data(), &ld, pivots, b.data(), &ld, &said, 1);
}
std::vector<int> rows_of(Arrays& arrays, const int* pivots, int k, int n) {
  const void* const own = pivots == nullptr ? nullptr : pivots_of(pivots, k, n).pointer;
  return exchanged_rows(arrays, {own, Elem::I32}, n);
}
template <class T>
std::vector<T> inverse(const HostLapack<T>& lapack, const std::vector<T>& factors, int n, const int* rows) {
  const auto order = static_cast<std::size_t>(n);
  std::vector<T> b(order * order);
  for (std::size_t k = 0; k < order; ++k) b[k * (order + 1)] = T{1};
  solve_with(lapack, 'N', factors, n, n, rows, b);
  return b;
}
// The first column without a pivot, counted from 1; 0: none.
template <class T>
int singular(const std::vector<T>& factors, int n) {
  for (int k = 0; k < n; ++k)
    if (factors[static_cast<std::size_t>(k) * (static_cast<std::size_t>(n) + 1)] == T{}) return k + 1;
  return 0;
}

template <class T>
int getrf(const char* call, BlasHandle* h, int n, List<T> a, int lda, int* pivots, int* infos, int batch) {
  if (const int code = refused(h, {n >= 0, fits(n, lda), batch >= 0}); code != 0) return code;
  return each<T>(call, h, batch, infos, [=](Arrays& arrays, const HostLapack<T>& lapack, int k) {
    const Matrix matrix = in_list<T>(arrays, a, k, n, n, lda);
    std::vector<T> values = arrays.load<T>(matrix);
    std::vector<int> rows(static_cast<std::size_t>(n));
    const int said = factor(lapack, values, n, pivots == nullptr ? nullptr : rows.data());
    arrays.store<T>(matrix, values);
    if (pivots != nullptr) arrays.store<std::int64_t>(pivots_of(pivots, k, n), {rows.begin(), rows.end()});
    return said;
  });
}

template <class T>
int getri(const char* call, BlasHandle* h, int n, List<T> a, int lda, const int* pivots, List<T> c, int ldc,
          int* infos, int batch) {
  if (const int code = refused(h, {n >= 0, fits(n, lda), fits(n, ldc), batch >= 0}); code != 0) return code;
  return each<T>(call, h, batch, infos, [=](Arrays& arrays, const HostLapack<T>& lapack, int k) {
    const std::vector<T> factors = arrays.load<T>(in_list<T>(arrays, a, k, n, n, lda));
    const std::vector<int> rows = rows_of(arrays, pivots, k, n);
    const int said = singular(factors, n);
    if (said == 0)
      arrays.store<T>(in_list<T>(arrays, c, k, n, n, ldc), inverse(lapack, factors, n, rows.data()));
    return said;
  });
}

template <class T>
int matinv(const char* call, BlasHandle* h, int n, List<T> a, int lda, List<T> c, int ldc, int* infos,
           int batch) {
  constexpr int kMost = 32;
  if (const int code = refused(h, {n >= 0, n <= kMost, fits(n, lda), fits(n, ldc), batch >= 0}); code != 0)
    return code;
  return each<T>(call, h, batch, infos, [=](Arrays& arrays, const HostLapack<T>& lapack, int k) {
    std::vector<T> factors = arrays.load<T>(in_list<T>(arrays, a, k, n, n, lda));
    std::vector<int> rows(static_cast<std::size_t>(n));
    const int said = factor(lapack, factors, n, rows.data());
    if (said == 0)
      arrays.store<T>(in_list<T>(arrays, c, k, n, n, ldc), inverse(lapack, factors, n, rows.data()));
    return said;
  });
}

template <class T>
int getrs(const char* call, BlasHandle* h, int operation, int n, int sides, List<T> a, int lda,
          const int* pivots, List<T> b, int ldb, int* info, int batch) {
  if (const int code = refused(
          h, info,
          {is_operation_code(operation), n >= 0, sides >= 0, true, fits(n, lda), true, true, fits(n, ldb)});
      code != 0)
    return code;
  if (batch < 0) return kBlasFailed;  // as the library has it
  return each<T>(call, h, batch, nullptr, [=](Arrays& arrays, const HostLapack<T>& lapack, int k) {
    const Matrix to = in_list<T>(arrays, b, k, n, sides, ldb);
    const std::vector<T> factors = arrays.load<T>(in_list<T>(arrays, a, k, n, n, lda));
    std::vector<T> values = arrays.load<T>(to);
    solve_with(lapack, letter(operation), factors, n, sides, rows_of(arrays, pivots, k, n).data(), values);
    arrays.store<T>(to, values);
    return 0;
  });
}

template <class T>
int geqrf(const char* call, BlasHandle* h, int m, int n, List<T> a, int lda, List<T> scales, int* info,
          int batch) {
  if (const int code = refused(h, info, {m >= 0, n >= 0, true, fits(m, lda), true, batch >= 0}); code != 0)
    return code;
  return each<T>(call, h, batch, nullptr, [=](Arrays& arrays, const HostLapack<T>& lapack, int k) {
    const Matrix matrix = in_list<T>(arrays, a, k, m, n, lda);
    std::vector<T> values = arrays.load<T>(matrix), found(static_cast<std::size_t>(std::min(m, n)));
    const int ld = packed_ld(m);
    int said = 0;
    with_own_work<T>([&](T* own, const int* length) {
      lapack.geqrf(&m, &n, values.data(), &ld, found.data(), own, length, &said);
    });
    arrays.store<T>(matrix, values);
    arrays.store<T>(list_of(arrays.pointer_in(scales, k), std::min(m, n), elem_of<T>()), found);
    return said;
  });
}

// No fewer equations than unknowns, as the library has it.
template <class T>
int gels(const char* call, BlasHandle* h, int operation, int m, int n, int sides, List<T> a, int lda,
         List<T> c, int ldc, int* info, int* infos, int batch) {
  if (const int code = refused(
          h, info, {m >= 0, n >= 0, sides >= 0, true, fits(m, lda) || n > m, true, fits(m, ldc), batch >= 0});
      code != 0)
    return code;
  if (operation != 0 || n > m) return kBlasNotSupported;
  return each<T>(call, h, batch, infos, [=](Arrays& arrays, const HostLapack<T>& lapack, int k) {
    const Matrix from = in_list<T>(arrays, a, k, m, n, lda), to = in_list<T>(arrays, c, k, m, sides, ldc);
    std::vector<T> factors = arrays.load<T>(from), values = arrays.load<T>(to);
    const int ld = packed_ld(m);
    const char how = 'N';
    int said = 0;
    with_own_work<T>([&](T* own, const int* length) {
      lapack.gels(&how, &m, &n, &sides, factors.data(), &ld, values.data(), &ld, own, length, &said, 1);
    });
    arrays.store<T>(from, factors);
    arrays.store<T>(to, values);
    return said;
  });
}

}  // namespace

LAB_NAMED(cublasSgetrfBatched, getrf<float>);
LAB_NAMED(cublasSgetriBatched, getri<float>);
LAB_NAMED(cublasSmatinvBatched, matinv<float>);
LAB_NAMED(cublasSgetrsBatched, getrs<float>);
LAB_NAMED(cublasSgeqrfBatched, geqrf<float>);
LAB_NAMED(cublasSgelsBatched, gels<float>);
LAB_NAMED(cublasDgetrfBatched, getrf<double>);
LAB_NAMED(cublasDgetriBatched, getri<double>);
LAB_NAMED(cublasDmatinvBatched, matinv<double>);
LAB_NAMED(cublasDgetrsBatched, getrs<double>);
LAB_NAMED(cublasDgeqrfBatched, geqrf<double>);
LAB_NAMED(cublasDgelsBatched, gels<double>);
LAB_NAMED(cublasCgetrfBatched, getrf<std::complex<float>>);
LAB_NAMED(cublasCgetriBatched, getri<std::complex<float>>);
LAB_NAMED(cublasCmatinvBatched, matinv<std::complex<float>>);
LAB_NAMED(cublasCgetrsBatched, getrs<std::complex<float>>);
LAB_NAMED(cublasCgeqrfBatched, geqrf<std::complex<float>>);
LAB_NAMED(cublasCgelsBatched, gels<std::complex<float>>);
LAB_NAMED(cublasZgetrfBatched, getrf<std::complex<double>>);
LAB_NAMED(cublasZgetriBatched, getri<std::complex<double>>);
LAB_NAMED(cublasZmatinvBatched, matinv<std::complex<double>>);
LAB_NAMED(cublasZgetrsBatched, getrs<std::complex<double>>);
LAB_NAMED(cublasZgeqrfBatched, geqrf<std::complex<double>>);
LAB_NAMED(cublasZgelsBatched, gels<std::complex<double>>);

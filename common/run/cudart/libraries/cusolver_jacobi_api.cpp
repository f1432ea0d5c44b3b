// cuSOLVER of dense matrices by Jacobi's method (syevj, gesvdj), one or many, and Cholesky factors of many.
// See dense_solver.h.
#include "common/run/cudart/libraries/dense_solver.h"

using namespace lab::cudart;

namespace {

// syevjInfo_t and gesvdjInfo_t: LAPACK's methods are exact to the last places whatever they say, and sort always.
struct JacobiInfo {
  double tolerance = 0;
  int most_sweeps = 100;
  bool sorts = true;
};

int make_info(JacobiInfo** info) {
  if (info == nullptr) return kSolverInvalid;
  *info = new JacobiInfo;
  return 0;
}
int drop_info(JacobiInfo* info) {
  delete info;
  return 0;
}
int set_tolerance(JacobiInfo* info, double tolerance) {
  if (info == nullptr) return kSolverInvalid;
  info->tolerance = tolerance;
  return 0;
}
int set_sweeps(JacobiInfo* info, int most) {
  if (info == nullptr) return kSolverInvalid;
  info->most_sweeps = most;
  return 0;
}
int set_sorts(JacobiInfo* info, int sorts) {
  if (info == nullptr) return kSolverInvalid;
  info->sorts = sorts != 0;
  return 0;
}

bool is_mode(int vectors) { return vectors == 0 || vectors == 1; }

template <class T>
int syevj_batched_size(const SolverHandle* handle, int vectors, int fill, int n, const T* /*a*/, int ld,
                       const Real<T>* /*values*/, int* elems, JacobiInfo* info, int count) {
  must(handle, 2, is_mode(vectors), 3, is_fill(fill), 4, n >= 0, 6, ld >= std::max(1, n), 8, elems != nullptr,
       9, info != nullptr, 10, count >= 0);
  *elems = static_cast<int>(work_elems(n, n));
  return 0;
}
template <class T>
int syevj_size(const SolverHandle* handle, int vectors, int fill, int n, const T* a, int ld,
               const Real<T>* values, int* elems, JacobiInfo* info) {
  return syevj_batched_size(handle, vectors, fill, n, a, ld, values, elems, info, 1);
}
// Matrices and values one behind the other.
template <class T>
int syevj_batched(const char* call, const SolverHandle* handle, int vectors, int fill, int n, T* a, int ld,
                  Real<T>* values, T* work, int elems, int* said, JacobiInfo* info, int count) {
  const Square<T> first{a, n, n, ld};
  must(handle, 2, is_mode(vectors), 3, is_fill(fill), 4, n >= 0, 5, a != nullptr, 6, first.fits(), 7,
       values != nullptr, 8, work != nullptr, 9, elems >= work_elems(n, n), 10, said != nullptr, 11,
       info != nullptr, 12, count >= 0);
  return solve_each<T>(call, *handle, work, work_bytes<T>(n, n), said, count, [=](Arrays&, std::int64_t k) {
    return syevd_body<T>(vectors == 1, fill, {a + k * ld * n, n, n, ld}, values + k * n);
  });
}
template <class T>
int syevj(const char* call, const SolverHandle* handle, int vectors, int fill, int n, T* a, int ld,
          Real<T>* values, T* work, int elems, int* said, JacobiInfo* info) {
  return syevj_batched(call, handle, vectors, fill, n, a, ld, values, work, elems, said, info, 1);
}

// V itself, not its transpose.
template <class T>
auto gesvdj_body(bool vectors, bool economical, Square<T> a, Real<T>* s, T* u, std::int64_t ldu, T* v,
                 std::int64_t ldv) {
  return [=](Arrays& arrays, const HostLapack<T>& lapack) {
    const auto job = static_cast<signed char>(!vectors ? 'N' : economical ? 'S' : 'A');
    const Svd<T> svd =
        svd_of<T>(job, job, a.rows, a.cols, const_cast<T*>(a.at), a.ld, s, u, ldu, nullptr, std::int64_t{1});
    std::vector<T> vt;
    const int said = decompose(arrays, lapack, svd, vt);
    const Matrix transposed{v, svd.vt.rows, svd.vt.cols, ldv, elem_of<T>(), true};
    if (vectors) arrays.store<T>(transposed, conjugated(std::move(vt), true));
    return said;
  };
}
template <class T>
int gesvdj_size(const SolverHandle* handle, int vectors, int /*economical*/, int rows, int cols,
                const T* /*a*/, int ld, const Real<T>* /*s*/, const T* /*u*/, int /*ldu*/, const T* /*v*/,
                int /*ldv*/, int* elems, JacobiInfo* info) {
  must(handle, 2, is_mode(vectors), 4, rows >= 0, 5, cols >= 0, 7, ld >= std::max(1, rows), 13,
       elems != nullptr, 14, info != nullptr);
  *elems = static_cast<int>(work_elems(rows, cols));
  return 0;
}
template <class T>
int gesvdj(const char* call, const SolverHandle* handle, int vectors, int economical, int rows, int cols,
           T* a, int ld, Real<T>* s, T* u, int ldu, T* v, int ldv, T* work, int elems, int* said,
           JacobiInfo* info) {
  const Square<T> matrix{a, rows, cols, ld}, left{u, rows, rows, ldu}, right{v, cols, cols, ldv};
  must(handle, 2, is_mode(vectors), 4, rows >= 0, 5, cols >= 0, 6, a != nullptr, 7, matrix.fits(), 8,
       s != nullptr, 10, vectors == 0 || left.fits(), 12, vectors == 0 || right.fits(), 13, work != nullptr,
       14, elems >= work_elems(rows, cols), 15, said != nullptr, 16, info != nullptr);
  return solve<T>(call, *handle, work, work_bytes<T>(rows, cols), said,
                  gesvdj_body<T>(vectors == 1, economical != 0, matrix, s, u, ldu, v, ldv));
}
constexpr int kMostOfBatched = 32;  // rows and columns of gesvdjBatched
template <class T>
int gesvdj_batched_size(const SolverHandle* handle, int vectors, int rows, int cols, const T* a, int ld,
                        const Real<T>* s, const T* u, int ldu, const T* v, int ldv, int* elems,
                        JacobiInfo* info, int count) {
  must(handle, 3, rows <= kMostOfBatched, 4, cols <= kMostOfBatched, 14, count >= 0);
  return gesvdj_size(handle, vectors, 0, rows, cols, a, ld, s, u, ldu, v, ldv, elems, info);
}
template <class T>
int gesvdj_batched(const char* call, const SolverHandle* handle, int vectors, int rows, int cols, T* a,
                   int ld, Real<T>* s, T* u, int ldu, T* v, int ldv, T* work, int elems, int* said,
                   JacobiInfo* info, int count) {
  const Square<T> first{a, rows, cols, ld}, left{u, rows, rows, ldu}, right{v, cols, cols, ldv};
  must(handle, 2, is_mode(vectors), 3, rows >= 0 && rows <= kMostOfBatched, 4,
       cols >= 0 && cols <= kMostOfBatched, 5, a != nullptr, 6, first.fits(), 7, s != nullptr, 9,
       vectors == 0 || left.fits(), 11, vectors == 0 || right.fits(), 12, work != nullptr, 13,
       elems >= work_elems(rows, cols), 14, said != nullptr, 15, info != nullptr, 16, count >= 0);
  const std::int64_t least = std::min(rows, cols);
  return solve_each<T>(call, *handle, work, work_bytes<T>(rows, cols), said, count,
                       [=](Arrays&, std::int64_t k) {
                         return gesvdj_body<T>(vectors == 1, false, {a + k * ld * cols, rows, cols, ld},
                                               s + k * least, u == nullptr ? u : u + k * ldu * rows, ldu,
                                               v == nullptr ? v : v + k * ldv * cols, ldv);
                       });
}

template <class T>
const T* of_list(Arrays& arrays, const T* const* list, std::int64_t k) {
  return static_cast<const T*>(arrays.pointer_in(list, k));
}
template <class T>
int potrf_batched(const char* call, const SolverHandle* handle, int fill, int n, T** a, int ld, int* said,
                  int count) {
  must(handle, 2, is_fill(fill), 3, n >= 0, 4, a != nullptr, 5, ld >= std::max(1, n), 6, said != nullptr, 7,
       count >= 0);
  return solve_each<T>(call, *handle, nullptr, 0, said, count, [=](Arrays& arrays, std::int64_t k) {
    return half_body<T, &HostLapack<T>::potrf>(fill, {of_list<T>(arrays, a, k), n, n, ld});
  });
}
// One right side each, as the library has it; one word of what LAPACK says.
template <class T>
int potrs_batched(const char* call, const SolverHandle* handle, int fill, int n, int sides, T** a, int lda,
                  T** b, int ldb, int* said, int count) {
  must(handle, 2, is_fill(fill), 3, n >= 0, 4, sides == 1, 5, a != nullptr, 6, lda >= std::max(1, n), 7,
       b != nullptr, 8, ldb >= std::max(1, n), 9, said != nullptr, 10, count >= 0);
  return solve<T>(call, *handle, nullptr, 0, said, [=](Arrays& arrays, const HostLapack<T>& lapack) {
    for (std::int64_t k = 0; k < count; ++k)
      (void)potrs_body<T>(fill, {of_list<T>(arrays, a, k), n, n, lda}, {of_list<T>(arrays, b, k), n, 1, ldb})(
          arrays, lapack);
    return 0;
  });
}

using C32 = std::complex<float>;
using C64 = std::complex<double>;

}  // namespace

LAB_NAMED(cusolverDnCreateSyevjInfo, make_info);
LAB_NAMED(cusolverDnDestroySyevjInfo, drop_info);
LAB_NAMED(cusolverDnXsyevjSetTolerance, set_tolerance);
LAB_NAMED(cusolverDnXsyevjSetMaxSweeps, set_sweeps);
LAB_NAMED(cusolverDnXsyevjSetSortEig, set_sorts);
LAB_NAMED(cusolverDnCreateGesvdjInfo, make_info);
LAB_NAMED(cusolverDnDestroyGesvdjInfo, drop_info);
LAB_NAMED(cusolverDnXgesvdjSetTolerance, set_tolerance);
LAB_NAMED(cusolverDnXgesvdjSetMaxSweeps, set_sweeps);
LAB_NAMED(cusolverDnXgesvdjSetSortEig, set_sorts);
LAB_NAMED(cusolverDnSsyevj_bufferSize, syevj_size<float>);
LAB_NAMED(cusolverDnSsyevj, syevj<float>);
LAB_NAMED(cusolverDnSsyevjBatched_bufferSize, syevj_batched_size<float>);
LAB_NAMED(cusolverDnSsyevjBatched, syevj_batched<float>);
LAB_NAMED(cusolverDnSgesvdj_bufferSize, gesvdj_size<float>);
LAB_NAMED(cusolverDnSgesvdj, gesvdj<float>);
LAB_NAMED(cusolverDnSgesvdjBatched_bufferSize, gesvdj_batched_size<float>);
LAB_NAMED(cusolverDnSgesvdjBatched, gesvdj_batched<float>);
LAB_NAMED(cusolverDnSpotrfBatched, potrf_batched<float>);
LAB_NAMED(cusolverDnSpotrsBatched, potrs_batched<float>);
LAB_NAMED(cusolverDnDsyevj_bufferSize, syevj_size<double>);
LAB_NAMED(cusolverDnDsyevj, syevj<double>);
LAB_NAMED(cusolverDnDsyevjBatched_bufferSize, syevj_batched_size<double>);
LAB_NAMED(cusolverDnDsyevjBatched, syevj_batched<double>);
LAB_NAMED(cusolverDnDgesvdj_bufferSize, gesvdj_size<double>);
LAB_NAMED(cusolverDnDgesvdj, gesvdj<double>);
LAB_NAMED(cusolverDnDgesvdjBatched_bufferSize, gesvdj_batched_size<double>);
LAB_NAMED(cusolverDnDgesvdjBatched, gesvdj_batched<double>);
LAB_NAMED(cusolverDnDpotrfBatched, potrf_batched<double>);
LAB_NAMED(cusolverDnDpotrsBatched, potrs_batched<double>);
LAB_NAMED(cusolverDnCheevj_bufferSize, syevj_size<C32>);
LAB_NAMED(cusolverDnCheevj, syevj<C32>);
LAB_NAMED(cusolverDnCheevjBatched_bufferSize, syevj_batched_size<C32>);
LAB_NAMED(cusolverDnCheevjBatched, syevj_batched<C32>);
LAB_NAMED(cusolverDnCgesvdj_bufferSize, gesvdj_size<C32>);
LAB_NAMED(cusolverDnCgesvdj, gesvdj<C32>);
LAB_NAMED(cusolverDnCgesvdjBatched_bufferSize, gesvdj_batched_size<C32>);
LAB_NAMED(cusolverDnCgesvdjBatched, gesvdj_batched<C32>);
LAB_NAMED(cusolverDnCpotrfBatched, potrf_batched<C32>);
LAB_NAMED(cusolverDnCpotrsBatched, potrs_batched<C32>);
LAB_NAMED(cusolverDnZheevj_bufferSize, syevj_size<C64>);
LAB_NAMED(cusolverDnZheevj, syevj<C64>);
LAB_NAMED(cusolverDnZheevjBatched_bufferSize, syevj_batched_size<C64>);
LAB_NAMED(cusolverDnZheevjBatched, syevj_batched<C64>);
LAB_NAMED(cusolverDnZgesvdj_bufferSize, gesvdj_size<C64>);
LAB_NAMED(cusolverDnZgesvdj, gesvdj<C64>);
LAB_NAMED(cusolverDnZgesvdjBatched_bufferSize, gesvdj_batched_size<C64>);
LAB_NAMED(cusolverDnZgesvdjBatched, gesvdj_batched<C64>);
LAB_NAMED(cusolverDnZpotrfBatched, potrf_batched<C64>);
LAB_NAMED(cusolverDnZpotrsBatched, potrs_batched<C64>);

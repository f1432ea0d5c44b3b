// cuSOLVER of dense matrices, calls for one type each: LU, Cholesky and QR factors, solves, singular values, eigenvalues; handles.
// See dense_solver.h.
#include "common/run/cudart/libraries/dense_solver.h"

using namespace lab::cudart;

namespace {

constexpr int kSolverVersion[] = {12, 0, 4};

// Calls for sizes take any leading dimension and any pointer to a matrix, as an H200 does.
template <class T>
int getrf_size(const SolverHandle* handle, int rows, int cols, T* /*a*/, int /*ld*/, int* elems) {
  must(handle, 2, rows >= 0, 3, cols >= 0, 6, elems != nullptr);
  *elems = static_cast<int>(work_elems(rows, cols));
  return 0;
}
template <class T>
int getrf(const char* call, const SolverHandle* handle, int rows, int cols, T* a, int ld, T* work,
          int* pivots, int* info) {
  const Square<T> matrix{a, rows, cols, ld};
  must(handle, 2, rows >= 0, 3, cols >= 0, 4, a != nullptr, 5, matrix.fits(), 6, work != nullptr, 8,
       info != nullptr);
  return run_getrf<T>(call, *handle, matrix, {pivots, Elem::I32}, work, info);
}
template <class T>
int getrs(const char* call, const SolverHandle* handle, int operation, int n, int sides, const T* a, int lda,
          const int* pivots, T* b, int ldb, int* info) {
  const Square<T> factors{a, n, n, lda}, values{b, n, sides, ldb};
  must(handle, 2, is_operation_code(operation), 3, n >= 0, 4, sides >= 0, 5, a != nullptr, 6, factors.fits(),
       8, sides == 0 || b != nullptr, 9, sides == 0 || values.fits(), 10, info != nullptr);
  return run_getrs<T>(call, *handle, operation, factors, {pivots, Elem::I32}, values, info);
}

template <class T>
int half_size(const SolverHandle* handle, int fill, int n, T* /*a*/, int /*ld*/, int* elems) {
  must(handle, 2, is_fill(fill), 3, n >= 0, 6, elems != nullptr);
  *elems = static_cast<int>(work_elems(n, n));
  return 0;
}
template <class T, auto function>
int half(const char* call, const SolverHandle* handle, int fill, int n, T* a, int ld, T* work, int elems,
         int* info) {
  const Square<T> matrix{a, n, n, ld};
  must(handle, 2, is_fill(fill), 3, n >= 0, 4, a != nullptr, 5, matrix.fits(), 6, work != nullptr, 7,
       elems >= work_elems(n, n), 8, info != nullptr);
  return run_half<T, function>(call, *handle, fill, matrix, work, info);
}
template <class T>
int potrs(const char* call, const SolverHandle* handle, int fill, int n, int sides, const T* a, int lda, T* b,
          int ldb, int* info) {
  const Square<T> factor{a, n, n, lda}, values{b, n, sides, ldb};
  must(handle, 2, is_fill(fill), 3, n >= 0, 4, sides >= 0, 5, a != nullptr, 6, factor.fits(), 7, b != nullptr,
       8, values.fits(), 9, info != nullptr);
  return run_potrs<T>(call, *handle, fill, factor, values, info);
}

template <class T>
int geqrf(const char* call, const SolverHandle* handle, int rows, int cols, T* a, int ld, T* scales, T* work,
          int elems, int* info) {
  const Square<T> matrix{a, rows, cols, ld};
  must(handle, 2, rows >= 0, 3, cols >= 0, 4, a != nullptr, 5, matrix.fits(), 6, scales != nullptr, 7,
       work != nullptr, 8, elems >= work_elems(rows, cols), 9, info != nullptr);
  return run_geqrf<T>(call, *handle, matrix, scales, work, info);
}
template <class T>
int ormqr_size(const SolverHandle* handle, int side, int operation, int rows, int cols, int count,
               const T* /*a*/, int /*lda*/, const T* /*scales*/, const T* /*c*/, int /*ldc*/, int* elems) {
  must(handle, 2, side == 0 || side == 1, 3, is_operation_code(operation), 4, rows >= 0, 5, cols >= 0, 6,
       count >= 0, 12, elems != nullptr);
  *elems = static_cast<int>(work_elems(rows, cols));
  return 0;
}
template <class T>
int ormqr(const char* call, const SolverHandle* handle, int side, int operation, int rows, int cols,
          int count, const T* a, int lda, const T* scales, T* c, int ldc, T* work, int elems, int* info) {
  const int order = side == 0 ? rows : cols;
  const Square<T> factors{a, order, count, lda}, values{c, rows, cols, ldc};
  constexpr int kOtherTurn = std::is_same_v<T, Real<T>> ? 2 : 1;  // LAPACK has one of the two
  must(handle, 2, side == 0 || side == 1, 3, is_operation_code(operation) && operation != kOtherTurn, 4,
       rows >= 0, 5, cols >= 0, 6, count >= 0 && count <= order, 7, a != nullptr, 8, factors.fits(), 9,
       scales != nullptr, 10, c != nullptr, 11, values.fits(), 12, work != nullptr, 13,
       elems >= work_elems(rows, cols), 14, info != nullptr);
  return solve<T>(call, *handle, work, work_bytes<T>(rows, cols), info,
                  [=](Arrays& arrays, const HostLapack<T>& lapack) {
                    const std::vector<T> q = arrays.load<T>(factors.matrix()),
                                         by = arrays.load<T>(list_of(scales, count, elem_of<T>()));
                    std::vector<T> product = arrays.load<T>(values.matrix());
                    const int ldq = packed_ld(order), ldp = packed_ld(rows);
                    const char where = side == 0 ? 'L' : 'R', how = letter(operation);
                    int said = 0;
                    with_own_work<T>([&](T* own, const int* length) {
                      lapack.ormqr(&where, &how, &rows, &cols, &count, q.data(), &ldq, by.data(),
                                   product.data(), &ldp, own, length, &said, 1, 1);
                    });
                    arrays.store<T>(values.matrix(), product);
                    return said;
                  });
}
template <class T>
int orgqr_size(const SolverHandle* handle, int rows, int cols, int count, const T* /*a*/, int /*lda*/,
               const T* /*scales*/, int* elems) {
  must(handle, 2, rows >= 0, 3, cols >= 0 && cols <= rows, 4, count >= 0 && count <= cols, 8,
       elems != nullptr);
  *elems = static_cast<int>(work_elems(rows, cols));
  return 0;
}
template <class T>
int orgqr(const char* call, const SolverHandle* handle, int rows, int cols, int count, T* a, int ld,
          const T* scales, T* work, int elems, int* info) {
  const Square<T> matrix{a, rows, cols, ld};
  must(handle, 2, rows >= 0, 3, cols >= 0 && cols <= rows, 4, count >= 0 && count <= cols, 5, a != nullptr, 6,
       matrix.fits(), 7, scales != nullptr, 8, work != nullptr, 9, elems >= work_elems(rows, cols), 10,
       info != nullptr);
  return solve<T>(
      call, *handle, work, work_bytes<T>(rows, cols), info, [=](Arrays& arrays, const HostLapack<T>& lapack) {
        // Behind the first `count` columns nothing is read.
        std::vector<T> values = arrays.load<T>(Square<T>{a, rows, count, ld}.matrix());
        values.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols));
        const std::vector<T> by = arrays.load<T>(list_of(scales, count, elem_of<T>()));
        const int own_ld = packed_ld(rows);
        int said = 0;
        with_own_work<T>([&](T* own, const int* length) {
          lapack.orgqr(&rows, &cols, &count, values.data(), &own_ld, by.data(), own, length, &said);
        });
        arrays.store<T>(matrix.matrix(), values);
        return said;
      });
}

template <class T>
int gesvd_size(const SolverHandle* handle, int rows, int cols, int* elems) {
  must(handle, 2, rows >= cols, 3, cols >= 0, 4, elems != nullptr);
  *elems = static_cast<int>(work_elems(rows, cols));
  return 0;
}
// As on a GPU, no matrix has more columns than rows.
template <class T>
int gesvd(const char* call, const SolverHandle* handle, signed char job_u, signed char job_vt, int rows,
          int cols, T* a, int lda, Real<T>* s, T* u, int ldu, T* vt, int ldvt, T* work, int elems,
          Real<T>* /*real_work*/, int* info) {
  const Svd<T> svd = svd_of(job_u, job_vt, rows, cols, a, lda, s, u, ldu, vt, ldvt);
  must(handle, 2, is_job(job_u), 3, is_job(job_vt) && (job_u != 'O' || job_vt != 'O'), 4, rows >= cols, 5,
       cols >= 0, 6, a != nullptr, 7, svd.a.fits(), 8, s != nullptr, 10, !gives_matrix(job_u) || svd.u.fits(),
       12, !gives_matrix(job_vt) || svd.vt.fits(), 13, work != nullptr, 14, elems >= work_elems(rows, cols),
       16, info != nullptr);
  return run_gesvd<T>(call, *handle, svd, work, info);
}

template <class T>
int syevd_size(const SolverHandle* handle, int vectors, int fill, int n, const T* /*a*/, int /*ld*/,
               const Real<T>* /*values*/, int* elems) {
  must(handle, 2, vectors == 0 || vectors == 1, 3, is_fill(fill), 4, n >= 0, 8, elems != nullptr);
  *elems = static_cast<int>(work_elems(n, n));
  return 0;
}
template <class T>
int syevd(const char* call, const SolverHandle* handle, int vectors, int fill, int n, T* a, int ld,
          Real<T>* values, T* work, int elems, int* info) {
  const Square<T> matrix{a, n, n, ld};
  must(handle, 2, vectors == 0 || vectors == 1, 3, is_fill(fill), 4, n >= 0, 5, a != nullptr, 6,
       matrix.fits(), 7, values != nullptr, 8, work != nullptr, 9, elems >= work_elems(n, n), 10,
       info != nullptr);
  return run_syevd<T>(call, *handle, vectors == 1, fill, matrix, values, work, info);
}

using C32 = std::complex<float>;
using C64 = std::complex<double>;

}  // namespace

LAB_ENTRY int cusolverDnCreate(SolverHandle** handle) {
  if (handle == nullptr) return kSolverInvalid;
  *handle = new SolverHandle;
  return 0;
}
LAB_ENTRY int cusolverDnDestroy(SolverHandle* handle) {
  if (handle == nullptr) return kSolverNotInitialised;
  delete handle;
  return 0;
}
LAB_ENTRY int cusolverDnSetStream(SolverHandle* handle, StreamHandle stream) {
  if (handle == nullptr) return kSolverNotInitialised;
  handle->stream = stream;
  return 0;
}
LAB_ENTRY int cusolverDnGetStream(const SolverHandle* handle, StreamHandle* stream) {
  if (handle == nullptr) return kSolverNotInitialised;
  if (stream == nullptr) return kSolverInvalid;
  *stream = handle->stream;
  return 0;
}
LAB_ENTRY int cusolverGetVersion(int* version) {
  if (version == nullptr) return kSolverInvalid;
  *version = kSolverVersion[0] * 1000 + kSolverVersion[1] * 100 + kSolverVersion[2];
  return 0;
}
LAB_ENTRY int cusolverGetProperty(int which, int* value) {
  if (which < 0 || which > 2 || value == nullptr) return kSolverInvalid;
  *value = kSolverVersion[which];
  return 0;
}

LAB_NAMED(cusolverDnSgetrf_bufferSize, getrf_size<float>);
LAB_NAMED(cusolverDnSgetrf, getrf<float>);
LAB_NAMED(cusolverDnSgetrs, getrs<float>);
LAB_NAMED(cusolverDnSpotrf_bufferSize, half_size<float>);
LAB_NAMED(cusolverDnSpotrf, half<float, &HostLapack<float>::potrf>);
LAB_NAMED(cusolverDnSpotrs, potrs<float>);
LAB_NAMED(cusolverDnSpotri_bufferSize, half_size<float>);
LAB_NAMED(cusolverDnSpotri, half<float, &HostLapack<float>::potri>);
LAB_NAMED(cusolverDnSgeqrf_bufferSize, getrf_size<float>);
LAB_NAMED(cusolverDnSgeqrf, geqrf<float>);
LAB_NAMED(cusolverDnSormqr_bufferSize, ormqr_size<float>);
LAB_NAMED(cusolverDnSormqr, ormqr<float>);
LAB_NAMED(cusolverDnSorgqr_bufferSize, orgqr_size<float>);
LAB_NAMED(cusolverDnSorgqr, orgqr<float>);
LAB_NAMED(cusolverDnSgesvd_bufferSize, gesvd_size<float>);
LAB_NAMED(cusolverDnSgesvd, gesvd<float>);
LAB_NAMED(cusolverDnSsyevd_bufferSize, syevd_size<float>);
LAB_NAMED(cusolverDnSsyevd, syevd<float>);
LAB_NAMED(cusolverDnDgetrf_bufferSize, getrf_size<double>);
LAB_NAMED(cusolverDnDgetrf, getrf<double>);
LAB_NAMED(cusolverDnDgetrs, getrs<double>);
LAB_NAMED(cusolverDnDpotrf_bufferSize, half_size<double>);
LAB_NAMED(cusolverDnDpotrf, half<double, &HostLapack<double>::potrf>);
LAB_NAMED(cusolverDnDpotrs, potrs<double>);
LAB_NAMED(cusolverDnDpotri_bufferSize, half_size<double>);
LAB_NAMED(cusolverDnDpotri, half<double, &HostLapack<double>::potri>);
LAB_NAMED(cusolverDnDgeqrf_bufferSize, getrf_size<double>);
LAB_NAMED(cusolverDnDgeqrf, geqrf<double>);
LAB_NAMED(cusolverDnDormqr_bufferSize, ormqr_size<double>);
LAB_NAMED(cusolverDnDormqr, ormqr<double>);
LAB_NAMED(cusolverDnDorgqr_bufferSize, orgqr_size<double>);
LAB_NAMED(cusolverDnDorgqr, orgqr<double>);
LAB_NAMED(cusolverDnDgesvd_bufferSize, gesvd_size<double>);
LAB_NAMED(cusolverDnDgesvd, gesvd<double>);
LAB_NAMED(cusolverDnDsyevd_bufferSize, syevd_size<double>);
LAB_NAMED(cusolverDnDsyevd, syevd<double>);
LAB_NAMED(cusolverDnCgetrf_bufferSize, getrf_size<C32>);
LAB_NAMED(cusolverDnCgetrf, getrf<C32>);
LAB_NAMED(cusolverDnCgetrs, getrs<C32>);
LAB_NAMED(cusolverDnCpotrf_bufferSize, half_size<C32>);
LAB_NAMED(cusolverDnCpotrf, half<C32, &HostLapack<C32>::potrf>);
LAB_NAMED(cusolverDnCpotrs, potrs<C32>);
LAB_NAMED(cusolverDnCpotri_bufferSize, half_size<C32>);
LAB_NAMED(cusolverDnCpotri, half<C32, &HostLapack<C32>::potri>);
LAB_NAMED(cusolverDnCgeqrf_bufferSize, getrf_size<C32>);
LAB_NAMED(cusolverDnCgeqrf, geqrf<C32>);
LAB_NAMED(cusolverDnCunmqr_bufferSize, ormqr_size<C32>);
LAB_NAMED(cusolverDnCunmqr, ormqr<C32>);
LAB_NAMED(cusolverDnCungqr_bufferSize, orgqr_size<C32>);
LAB_NAMED(cusolverDnCungqr, orgqr<C32>);
LAB_NAMED(cusolverDnCgesvd_bufferSize, gesvd_size<C32>);
LAB_NAMED(cusolverDnCgesvd, gesvd<C32>);
LAB_NAMED(cusolverDnCheevd_bufferSize, syevd_size<C32>);
LAB_NAMED(cusolverDnCheevd, syevd<C32>);
LAB_NAMED(cusolverDnZgetrf_bufferSize, getrf_size<C64>);
LAB_NAMED(cusolverDnZgetrf, getrf<C64>);
LAB_NAMED(cusolverDnZgetrs, getrs<C64>);
LAB_NAMED(cusolverDnZpotrf_bufferSize, half_size<C64>);
LAB_NAMED(cusolverDnZpotrf, half<C64, &HostLapack<C64>::potrf>);
LAB_NAMED(cusolverDnZpotrs, potrs<C64>);
LAB_NAMED(cusolverDnZpotri_bufferSize, half_size<C64>);
LAB_NAMED(cusolverDnZpotri, half<C64, &HostLapack<C64>::potri>);
LAB_NAMED(cusolverDnZgeqrf_bufferSize, getrf_size<C64>);
LAB_NAMED(cusolverDnZgeqrf, geqrf<C64>);
LAB_NAMED(cusolverDnZunmqr_bufferSize, ormqr_size<C64>);
LAB_NAMED(cusolverDnZunmqr, ormqr<C64>);
LAB_NAMED(cusolverDnZungqr_bufferSize, orgqr_size<C64>);
LAB_NAMED(cusolverDnZungqr, orgqr<C64>);
LAB_NAMED(cusolverDnZgesvd_bufferSize, gesvd_size<C64>);
LAB_NAMED(cusolverDnZgesvd, gesvd<C64>);
LAB_NAMED(cusolverDnZheevd_bufferSize, syevd_size<C64>);
LAB_NAMED(cusolverDnZheevd, syevd<C64>);

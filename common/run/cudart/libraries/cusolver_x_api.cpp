// cuSOLVER of dense matrices by its 64-bit API, in which types are arguments.
// See dense_solver.h.
#include "common/run/cudart/libraries/dense_solver.h"

using namespace lab::cudart;

namespace {

// cusolverDnParams: nothing of it changes what is computed.
struct SolverParameters {};

// `body` gets a zero of the matrix's type, whose results have types of their own.
template <class Body>
int by_type(const SolverHandle* handle, Elem type, int number, const Body& body) {
  must(handle, number, type == Elem::F32 || type == Elem::F64 || type == Elem::C32 || type == Elem::C64);
  if (type == Elem::F32) return body(float{});
  if (type == Elem::F64) return body(double{});
  if (type == Elem::C32) return body(std::complex<float>{});
  return body(std::complex<double>{});
}
template <class T>
int bytes_to(std::int64_t rows, std::int64_t cols, std::size_t* on_device, std::size_t* on_host) {
  *on_device = work_bytes<T>(rows, cols);
  *on_host = 0;
  return 0;
}
template <class T>
bool has_work(const void* work, std::size_t bytes, std::int64_t rows, std::int64_t cols) {
  return work != nullptr && bytes >= work_bytes<T>(rows, cols);
}

int x_getrf_size(const SolverHandle* handle, SolverParameters*, std::int64_t rows, std::int64_t cols,
                 Elem type, const void*, std::int64_t ld, Elem, std::size_t* on_device,
                 std::size_t* on_host) {
  must(handle, 3, rows >= 0, 4, cols >= 0, 7, ld >= std::max<std::int64_t>(1, rows), 9, on_device != nullptr,
       10, on_host != nullptr);
  return by_type(handle, type, 5,
                 [&](auto zero) { return bytes_to<decltype(zero)>(rows, cols, on_device, on_host); });
}
int x_getrf(const char* call, const SolverHandle* handle, SolverParameters*, std::int64_t rows,
            std::int64_t cols, Elem type, void* a, std::int64_t ld, std::int64_t* pivots, Elem, void* work,
            std::size_t bytes, void*, std::size_t, int* info) {
  return by_type(handle, type, 5, [&](auto zero) {
    using T = decltype(zero);
    const Square<T> matrix{static_cast<T*>(a), rows, cols, ld};
    must(handle, 3, rows >= 0, 4, cols >= 0, 6, a != nullptr, 7, matrix.fits(), 10, work != nullptr, 11,
         has_work<T>(work, bytes, rows, cols), 14, info != nullptr);
    return run_getrf<T>(call, *handle, matrix, {pivots, Elem::I64}, work, info);
  });
}
int x_getrs(const char* call, const SolverHandle* handle, SolverParameters*, int operation, std::int64_t n,
            std::int64_t sides, Elem type, const void* a, std::int64_t lda, const std::int64_t* pivots,
            Elem type_b, void* b, std::int64_t ldb, int* info) {
  return by_type(handle, type, 6, [&](auto zero) {
    using T = decltype(zero);
    const Square<T> factors{static_cast<const T*>(a), n, n, lda}, values{static_cast<T*>(b), n, sides, ldb};
    must(handle, 3, is_operation_code(operation), 4, n >= 0, 5, sides >= 0, 7, a != nullptr, 8,
         factors.fits(), 10, type_b == type, 11, b != nullptr, 12, values.fits(), 13, info != nullptr);
    return run_getrs<T>(call, *handle, operation, factors, {pivots, Elem::I64}, values, info);
  });
}
int x_potrf_size(const SolverHandle* handle, SolverParameters* parameters, int fill, std::int64_t n,
                 Elem type, const void* a, std::int64_t ld, Elem compute, std::size_t* on_device,
                 std::size_t* on_host) {
  must(handle, 3, is_fill(fill));
  return x_getrf_size(handle, parameters, n, n, type, a, ld, compute, on_device, on_host);
}
int x_potrf(const char* call, const SolverHandle* handle, SolverParameters*, int fill, std::int64_t n,
            Elem type, void* a, std::int64_t ld, Elem, void* work, std::size_t bytes, void*, std::size_t,
            int* info) {
  return by_type(handle, type, 5, [&](auto zero) {
    using T = decltype(zero);
    const Square<T> matrix{static_cast<T*>(a), n, n, ld};
    must(handle, 3, is_fill(fill), 4, n >= 0, 6, a != nullptr, 7, matrix.fits(), 9, work != nullptr, 10,
         has_work<T>(work, bytes, n, n), 13, info != nullptr);
    return run_half<T, &HostLapack<T>::potrf>(call, *handle, fill, matrix, work, info);
  });
}
int x_potrs(const char* call, const SolverHandle* handle, SolverParameters*, int fill, std::int64_t n,
            std::int64_t sides, Elem type, const void* a, std::int64_t lda, Elem type_b, void* b,
            std::int64_t ldb, int* info) {
  return by_type(handle, type, 6, [&](auto zero) {
    using T = decltype(zero);
    const Square<T> factor{static_cast<const T*>(a), n, n, lda}, values{static_cast<T*>(b), n, sides, ldb};
    must(handle, 3, is_fill(fill), 4, n >= 0, 5, sides >= 0, 7, a != nullptr, 8, factor.fits(), 9,
         type_b == type, 10, b != nullptr, 11, values.fits(), 12, info != nullptr);
    return run_potrs<T>(call, *handle, fill, factor, values, info);
  });
}
int x_geqrf_size(const SolverHandle* handle, SolverParameters* parameters, std::int64_t rows,
                 std::int64_t cols, Elem type, const void* a, std::int64_t ld, Elem, const void*,
                 Elem compute, std::size_t* on_device, std::size_t* on_host) {
  return x_getrf_size(handle, parameters, rows, cols, type, a, ld, compute, on_device, on_host);
}
int x_geqrf(const char* call, const SolverHandle* handle, SolverParameters*, std::int64_t rows,
            std::int64_t cols, Elem type, void* a, std::int64_t ld, Elem type_scales, void* scales, Elem,
            void* work, std::size_t bytes, void*, std::size_t, int* info) {
  return by_type(handle, type, 5, [&](auto zero) {
    using T = decltype(zero);
    const Square<T> matrix{static_cast<T*>(a), rows, cols, ld};
    must(handle, 3, rows >= 0, 4, cols >= 0, 6, a != nullptr, 7, matrix.fits(), 8, type_scales == type, 9,
         scales != nullptr, 11, work != nullptr, 12, has_work<T>(work, bytes, rows, cols), 15,
         info != nullptr);
    return run_geqrf<T>(call, *handle, matrix, static_cast<T*>(scales), work, info);
  });
}
int x_gesvd_size(const SolverHandle* handle, SolverParameters* parameters, signed char, signed char,
                 std::int64_t rows, std::int64_t cols, Elem type, const void* a, std::int64_t lda, Elem,
                 const void*, Elem, const void*, std::int64_t, Elem, const void*, std::int64_t, Elem compute,
                 std::size_t* on_device, std::size_t* on_host) {
  must(handle, 5, rows >= cols);
  return x_getrf_size(handle, parameters, rows, cols, type, a, lda, compute, on_device, on_host);
}
int x_gesvd(const char* call, const SolverHandle* handle, SolverParameters*, signed char job_u,
            signed char job_vt, std::int64_t rows, std::int64_t cols, Elem type, void* a, std::int64_t lda,
            Elem type_s, void* s, Elem type_u, void* u, std::int64_t ldu, Elem type_vt, void* vt,
            std::int64_t ldvt, Elem, void* work, std::size_t bytes, void*, std::size_t, int* info) {
  return by_type(handle, type, 7, [&](auto zero) {
    using T = decltype(zero);
    const Svd<T> svd = svd_of(job_u, job_vt, rows, cols, static_cast<T*>(a), lda, static_cast<Real<T>*>(s),
                              static_cast<T*>(u), ldu, static_cast<T*>(vt), ldvt);
    must(handle, 3, is_job(job_u), 4, is_job(job_vt) && (job_u != 'O' || job_vt != 'O'), 5, rows >= cols, 6,
         cols >= 0, 9, svd.a.fits(), 10, type_s == elem_of<Real<T>>(), 11, s != nullptr, 12, type_u == type,
         14, !gives_matrix(job_u) || svd.u.fits(), 15, type_vt == type, 17,
         !gives_matrix(job_vt) || svd.vt.fits(), 19, work != nullptr, 20,
         has_work<T>(work, bytes, rows, cols), 23, info != nullptr);
    return run_gesvd<T>(call, *handle, svd, work, info);
  });
}
int x_syevd_size(const SolverHandle* handle, SolverParameters* parameters, int vectors, int fill,
                 std::int64_t n, Elem type, const void* a, std::int64_t ld, Elem, const void*, Elem compute,
                 std::size_t* on_device, std::size_t* on_host) {
  must(handle, 3, vectors == 0 || vectors == 1, 4, is_fill(fill));
  return x_getrf_size(handle, parameters, n, n, type, a, ld, compute, on_device, on_host);
}
int x_syevd(const char* call, const SolverHandle* handle, SolverParameters*, int vectors, int fill,
            std::int64_t n, Elem type, void* a, std::int64_t ld, Elem type_values, void* values, Elem,
            void* work, std::size_t bytes, void*, std::size_t, int* info) {
  return by_type(handle, type, 6, [&](auto zero) {
    using T = decltype(zero);
    const Square<T> matrix{static_cast<T*>(a), n, n, ld};
    must(handle, 3, vectors == 0 || vectors == 1, 4, is_fill(fill), 5, n >= 0, 7, a != nullptr, 8,
         matrix.fits(), 9, type_values == elem_of<Real<T>>(), 10, values != nullptr, 12, work != nullptr, 13,
         has_work<T>(work, bytes, n, n), 16, info != nullptr);
    return run_syevd<T>(call, *handle, vectors == 1, fill, matrix, static_cast<Real<T>*>(values), work, info);
  });
}
int x_geev_size(const SolverHandle* handle, SolverParameters* parameters, int left, int right, std::int64_t n,
                Elem type, const void* a, std::int64_t lda, Elem, const void*, Elem, const void*,
                std::int64_t, Elem, const void*, std::int64_t, Elem compute, std::size_t* on_device,
                std::size_t* on_host) {
  must(handle, 3, left == 0, 4, right == 0 || right == 1);
  return x_getrf_size(handle, parameters, n, n, type, a, lda, compute, on_device, on_host);
}
int x_geev(const char* call, const SolverHandle* handle, SolverParameters*, int left, int right,
           std::int64_t n, Elem type, void* a, std::int64_t lda, Elem type_values, void* values, Elem, void*,
           std::int64_t, Elem type_right, void* vectors, std::int64_t ldvr, Elem, void* work,
           std::size_t bytes, void*, std::size_t, int* info) {
  return by_type(handle, type, 6, [&](auto zero) {
    using T = decltype(zero);
    using C = std::complex<Real<T>>;
    const Square<T> matrix{static_cast<T*>(a), n, n, lda}, to{static_cast<T*>(vectors), n, n, ldvr};
    must(handle, 3, left == 0, 4, right == 0 || right == 1, 5, n >= 0, 7, a != nullptr, 8, matrix.fits(), 9,
         type_values == elem_of<C>(), 10, values != nullptr, 14, right == 0 || type_right == type, 16,
         right == 0 || to.fits(), 18, work != nullptr, 19, has_work<T>(work, bytes, n, n), 22,
         info != nullptr);
    return run_geev<T>(call, *handle, right == 1, matrix, static_cast<C*>(values), to, work, info);
  });
}

}  // namespace

LAB_ENTRY int cusolverDnCreateParams(SolverParameters** parameters) {
  if (parameters == nullptr) return kSolverInvalid;
  *parameters = new SolverParameters;
  return 0;
}
LAB_ENTRY int cusolverDnDestroyParams(SolverParameters* parameters) {
  delete parameters;
  return 0;
}
LAB_ENTRY int cusolverDnSetAdvOptions(SolverParameters* parameters, int /*function*/, int /*algorithm*/) {
  return parameters == nullptr ? kSolverInvalid : 0;
}

LAB_NAMED(cusolverDnXgetrf_bufferSize, x_getrf_size);
LAB_NAMED(cusolverDnXgetrf, x_getrf);
LAB_NAMED(cusolverDnXpotrf_bufferSize, x_potrf_size);
LAB_NAMED(cusolverDnXpotrf, x_potrf);
LAB_NAMED(cusolverDnXgeqrf_bufferSize, x_geqrf_size);
LAB_NAMED(cusolverDnXgeqrf, x_geqrf);
LAB_NAMED(cusolverDnXgesvd_bufferSize, x_gesvd_size);
LAB_NAMED(cusolverDnXgesvd, x_gesvd);
LAB_NAMED(cusolverDnXsyevd_bufferSize, x_syevd_size);
LAB_NAMED(cusolverDnXsyevd, x_syevd);
LAB_NAMED(cusolverDnXgeev_bufferSize, x_geev_size);
LAB_NAMED(cusolverDnXgeev, x_geev);
LAB_NAMED(cusolverDnXgetrs, x_getrs);
LAB_NAMED(cusolverDnXpotrs, x_potrs);

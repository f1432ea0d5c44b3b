// cuSOLVER of dense matrices (cusolverDn): LU, Cholesky and QR factors and what is solved with them, singular values, eigenvalues.
//
// Enters: column-major matrices of the device. Leaves: what the host's LAPACK computes, in the order of the handle's stream. A call that asks for
// workspace gets a size, which the workspace must have although it is not needed.
#include <algorithm>

#include "common/run/cudart/libraries/handle.h"
#include "common/run/cudart/libraries/host_blas.h"

using namespace lab::cudart;

namespace {

constexpr int kSolverNotInitialised = 1, kSolverInvalid = 3, kSolverFailed = 6, kSolverNotSupported = 9;
constexpr StatusCodes kSolverCodes{kSolverFailed, kSolverFailed, kSolverNotSupported};
constexpr int kSolverVersion[] = {12, 0, 4};
using SolverHandle = BlasHandle;

// The first argument is the handle.
template <class... P>
void must(const SolverHandle* handle, P... arguments) {
  if (handle == nullptr) refuse_argument(kSolverNotInitialised, "CUSOLVER_STATUS_NOT_INITIALIZED", 1);
  if (const int number = first_wrong(arguments...); number != 0)
    refuse_argument(kSolverInvalid, "CUSOLVER_STATUS_INVALID_VALUE", number);
}

// Elements of workspace, of every call for a matrix of this size.
std::int64_t work_elems(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kPanel = 32;
  return kPanel * std::max({std::int64_t{1}, rows, cols});
}
template <class T>
std::size_t work_bytes(std::int64_t rows, std::int64_t cols) {
  return static_cast<std::size_t>(work_elems(rows, cols)) * sizeof(T);
}

template <class T>
struct Square {
  const T* at;
  std::int64_t rows, cols, ld;
  [[nodiscard]] bool fits() const { return at != nullptr && ld >= std::max(std::int64_t{1}, rows); }
  [[nodiscard]] Matrix matrix(Half half = Half::Both) const {
    return {at, rows, cols, ld, elem_of<T>(), false, half};
  }
};
// A matrix that was loaded has its lines side by side.
int packed_ld(std::int64_t rows) { return static_cast<int>(std::max(std::int64_t{1}, rows)); }

// Where the pivots of a matrix lie: 32 or 64 bits each; null: none are searched for.
struct Pivots {
  const void* at;
  Elem type;
};

// Computes with the LAPACK of T; `body` gives what LAPACK says, which goes to the device.
template <class T, class Body>
int solve(const char* call, const SolverHandle& handle, const void* work, std::size_t bytes, int* info,
          Body body) {
  return library_call(
      call, handle.stream, false,
      [=](Arrays& arrays) {
        arrays.scratch(work, bytes);
        const std::int64_t said = body(arrays, host_lapack<T>());
        arrays.store<std::int64_t>(list_of(info, 1, Elem::I32), {said});
      },
      kSolverCodes);
}
// LAPACK says how large a workspace it likes where its size is -1.
template <class T, class Body>
void with_own_work(const Body& body) {
  T best{};
  const int asks = -1;
  body(&best, &asks);
  const int length = std::max(1, static_cast<int>(std::real(best)));
  std::vector<T> work(static_cast<std::size_t>(length));
  body(work.data(), &length);
}

char operation_letter(int operation) { return operation == 0 ? 'N' : operation == 1 ? 'T' : 'C'; }
bool is_operation_code(int operation) { return operation >= 0 && operation <= 2; }
bool is_fill(int fill) { return fill == 0 || fill == 1; }

// --- LU ---

// The first column without a pivot, counted from 1; 0: none.
template <class T>
int factor_in_order(std::vector<T>& a, std::size_t rows, std::size_t cols) {
  int first_zero = 0;
  for (std::size_t k = 0; k < std::min(rows, cols); ++k) {
    const T pivot = a[k * rows + k];
    if (pivot == T{}) {
      if (first_zero == 0) first_zero = static_cast<int>(k) + 1;
      continue;
    }
    for (std::size_t r = k + 1; r < rows; ++r) {
      a[k * rows + r] /= pivot;
      for (std::size_t c = k + 1; c < cols; ++c) a[c * rows + r] -= a[k * rows + r] * a[c * rows + k];
    }
  }
  return first_zero;
}
template <class T>
int run_getrf(const char* call, const SolverHandle& handle, Square<T> a, Pivots pivots, const void* work,
              int* info) {
  return solve<T>(
      call, handle, work, work_bytes<T>(a.rows, a.cols), info,
      [=](Arrays& arrays, const HostLapack<T>& lapack) {
        std::vector<T> values = arrays.load<T>(a.matrix());
        const int rows = static_cast<int>(a.rows), cols = static_cast<int>(a.cols), ld = packed_ld(a.rows);
        std::vector<int> rows_of(static_cast<std::size_t>(std::min(rows, cols)));
        int said = 0;
        if (pivots.at == nullptr) {
          said = factor_in_order(values, static_cast<std::size_t>(rows), static_cast<std::size_t>(cols));
        } else {
          lapack.getrf(&rows, &cols, values.data(), &ld, rows_of.data(), &said);
          arrays.store<std::int64_t>(list_of(pivots.at, std::min(rows, cols), pivots.type),
                                     {rows_of.begin(), rows_of.end()});
        }
        arrays.store<T>(a.matrix(), values);
        return said;
      });
}
template <class T>
int run_getrs(const char* call, const SolverHandle& handle, int operation, Square<T> a, Pivots pivots,
              Square<T> b, int* info) {
  return solve<T>(call, handle, nullptr, 0, info, [=](Arrays& arrays, const HostLapack<T>& lapack) {
    const std::vector<T> factors = arrays.load<T>(a.matrix());
    std::vector<T> values = arrays.load<T>(b.matrix());
    std::vector<int> rows_of;
    if (pivots.at != nullptr)
      for (const std::int64_t row : arrays.load<std::int64_t>(list_of(pivots.at, a.rows, pivots.type)))
        rows_of.push_back(static_cast<int>(row));
    for (std::int64_t k = 0; k < a.rows; ++k) {
      if (pivots.at == nullptr) rows_of.push_back(static_cast<int>(k) + 1);
      if (const int row = rows_of[static_cast<std::size_t>(k)]; row < 1 || row > a.rows)
        throw ApiError{Error::IllegalAddress,
                       msg("out-of-bounds: pivot {} is row {}, counted from 1, and the matrix has {} rows.",
                           k, row, a.rows)};
    }
    const int n = static_cast<int>(a.rows), sides = static_cast<int>(b.cols), ld = packed_ld(a.rows);
    const char how = operation_letter(operation);
    int said = 0;
    lapack.getrs(&how, &n, &sides, factors.data(), &ld, rows_of.data(), values.data(), &ld, &said, 1);
    arrays.store<T>(b.matrix(), values);
    return said;
  });
}

template <class T>
int getrf_size(const SolverHandle* handle, int rows, int cols, T* /*a*/, int ld, int* elems) {
  must(handle, 2, rows >= 0, 3, cols >= 0, 5, ld >= std::max(1, rows), 6, elems != nullptr);
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
       8, b != nullptr, 9, values.fits(), 10, info != nullptr);
  return run_getrs<T>(call, *handle, operation, factors, {pivots, Elem::I32}, values, info);
}

// --- Cholesky ---

// potrf and potri: one half of a matrix into itself.
template <class T, auto function>
int run_half(const char* call, const SolverHandle& handle, int fill, Square<T> a, const void* work,
             int* info) {
  return solve<T>(call, handle, work, work_bytes<T>(a.rows, a.rows), info,
                  [=](Arrays& arrays, const HostLapack<T>& lapack) {
                    std::vector<T> values = arrays.load<T>(a.matrix(half_of(fill)));
                    const int n = static_cast<int>(a.rows), ld = packed_ld(a.rows);
                    const char half = letter(half_of(fill));
                    int said = 0;
                    (lapack.*function)(&half, &n, values.data(), &ld, &said, 1);
                    arrays.store<T>(a.matrix(half_of(fill)), values);
                    return said;
                  });
}
template <class T>
int run_potrs(const char* call, const SolverHandle& handle, int fill, Square<T> a, Square<T> b, int* info) {
  return solve<T>(call, handle, nullptr, 0, info, [=](Arrays& arrays, const HostLapack<T>& lapack) {
    const std::vector<T> factor = arrays.load<T>(a.matrix(half_of(fill)));
    std::vector<T> values = arrays.load<T>(b.matrix());
    const int n = static_cast<int>(a.rows), sides = static_cast<int>(b.cols), ld = packed_ld(a.rows);
    const char half = letter(half_of(fill));
    int said = 0;
    lapack.potrs(&half, &n, &sides, factor.data(), &ld, values.data(), &ld, &said, 1);
    arrays.store<T>(b.matrix(), values);
    return said;
  });
}

template <class T>
int half_size(const SolverHandle* handle, int fill, int n, T* /*a*/, int ld, int* elems) {
  must(handle, 2, is_fill(fill), 3, n >= 0, 5, ld >= std::max(1, n), 6, elems != nullptr);
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

// --- QR ---

template <class T>
int run_geqrf(const char* call, const SolverHandle& handle, Square<T> a, const T* scales, const void* work,
              int* info) {
  return solve<T>(call, handle, work, work_bytes<T>(a.rows, a.cols), info,
                  [=](Arrays& arrays, const HostLapack<T>& lapack) {
                    std::vector<T> values = arrays.load<T>(a.matrix());
                    const int rows = static_cast<int>(a.rows), cols = static_cast<int>(a.cols),
                              ld = packed_ld(a.rows), count = std::min(rows, cols);
                    std::vector<T> found(static_cast<std::size_t>(count));
                    int said = 0;
                    with_own_work<T>([&](T* own, const int* length) {
                      lapack.geqrf(&rows, &cols, values.data(), &ld, found.data(), own, length, &said);
                    });
                    arrays.store<T>(a.matrix(), values);
                    arrays.store<T>(list_of(scales, count, elem_of<T>()), found);
                    return said;
                  });
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
                    const char where = side == 0 ? 'L' : 'R', how = operation_letter(operation);
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

// --- singular values, eigenvalues ---

template <class T>
struct Svd {
  signed char job_u, job_vt;
  Square<T> a, u, vt;  // u and vt as they are given: their columns are counted by what is asked for
  Real<T>* s;
};
template <class T>
Svd<T> svd_of(signed char job_u, signed char job_vt, std::int64_t rows, std::int64_t cols, T* a,
              std::int64_t lda, Real<T>* s, T* u, std::int64_t ldu, T* vt, std::int64_t ldvt) {
  const std::int64_t least = std::min(rows, cols);
  return {job_u,
          job_vt,
          {a, rows, cols, lda},
          {u, rows, job_u == 'A' ? rows : least, ldu},
          {vt, job_vt == 'A' ? cols : least, cols, ldvt},
          s};
}
bool is_job(signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; }
bool gives_matrix(signed char job) { return job == 'A' || job == 'S'; }
template <class T>
bool svd_fits(const Svd<T>& svd) {
  return svd.a.fits() && svd.s != nullptr && (!gives_matrix(svd.job_u) || svd.u.fits()) &&
         (!gives_matrix(svd.job_vt) || svd.vt.fits());
}

template <class T>
int run_gesvd(const char* call, const SolverHandle& handle, Svd<T> svd, const void* work, int* info) {
  return solve<T>(
      call, handle, work, work_bytes<T>(svd.a.rows, svd.a.cols), info,
      [=](Arrays& arrays, const HostLapack<T>& lapack) {
        std::vector<T> a = arrays.load<T>(svd.a.matrix());
        const auto room = [](const Square<T>& m) { return static_cast<std::size_t>(m.rows * m.cols); };
        std::vector<T> u(room(svd.u)), vt(room(svd.vt));
        const int rows = static_cast<int>(svd.a.rows), cols = static_cast<int>(svd.a.cols),
                  least = std::min(rows, cols), ld = packed_ld(rows), ldvt = packed_ld(svd.vt.rows);
        std::vector<Real<T>> s(static_cast<std::size_t>(least));
        const char job_u = svd.job_u, job_vt = svd.job_vt;
        int said = 0;
        with_own_work<T>([&](T* own, const int* length) {
          if constexpr (std::is_same_v<T, Real<T>>) {
            lapack.gesvd(&job_u, &job_vt, &rows, &cols, a.data(), &ld, s.data(), u.data(), &ld, vt.data(),
                         &ldvt, own, length, &said, 1, 1);
          } else {
            std::vector<Real<T>> real_work(5 * static_cast<std::size_t>(least) + 1);
            lapack.gesvd(&job_u, &job_vt, &rows, &cols, a.data(), &ld, s.data(), u.data(), &ld, vt.data(),
                         &ldvt, own, length, real_work.data(), &said, 1, 1);
          }
        });
        arrays.store<T>(svd.a.matrix(), a);
        arrays.store<Real<T>>(list_of(svd.s, least, elem_of<Real<T>>()), s);
        if (gives_matrix(svd.job_u)) arrays.store<T>(svd.u.matrix(), u);
        if (gives_matrix(svd.job_vt)) arrays.store<T>(svd.vt.matrix(), vt);
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
int run_syevd(const char* call, const SolverHandle& handle, bool vectors, int fill, Square<T> a,
              const Real<T>* values, const void* work, int* info) {
  return solve<T>(call, handle, work, work_bytes<T>(a.rows, a.rows), info,
                  [=](Arrays& arrays, const HostLapack<T>& lapack) {
                    std::vector<T> m = arrays.load<T>(a.matrix(half_of(fill)));
                    const int n = static_cast<int>(a.rows), ld = packed_ld(a.rows);
                    const int lengths[] = {
                        1 + 6 * n + 2 * n * n,
                        3 + 5 * n};  // the most that LAPACK asks for: of numbers, of integers
                    std::vector<T> own(static_cast<std::size_t>(lengths[0]));
                    std::vector<Real<T>> found(static_cast<std::size_t>(n)), real_work(own.size());
                    std::vector<int> integers(static_cast<std::size_t>(lengths[1]));
                    const char job = vectors ? 'V' : 'N', half = letter(half_of(fill));
                    int said = 0;
                    if constexpr (std::is_same_v<T, Real<T>>)
                      lapack.syevd(&job, &half, &n, m.data(), &ld, found.data(), own.data(), lengths,
                                   integers.data(), lengths + 1, &said, 1, 1);
                    else
                      lapack.syevd(&job, &half, &n, m.data(), &ld, found.data(), own.data(), lengths,
                                   real_work.data(), lengths, integers.data(), lengths + 1, &said, 1, 1);
                    arrays.store<T>(a.matrix(vectors ? Half::Both : half_of(fill)), m);
                    arrays.store<Real<T>>(list_of(values, n, elem_of<Real<T>>()), found);
                    return said;
                  });
}
template <class T>
int syevd_size(const SolverHandle* handle, int vectors, int fill, int n, const T* /*a*/, int ld,
               const Real<T>* /*values*/, int* elems) {
  must(handle, 2, vectors == 0 || vectors == 1, 3, is_fill(fill), 4, n >= 0, 6, ld >= std::max(1, n), 8,
       elems != nullptr);
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

// --- the 64-bit API: the same, with types as arguments ---

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
LAB_NAMED(cusolverDnCgetrf_bufferSize, getrf_size<std::complex<float>>);
LAB_NAMED(cusolverDnCgetrf, getrf<std::complex<float>>);
LAB_NAMED(cusolverDnCgetrs, getrs<std::complex<float>>);
LAB_NAMED(cusolverDnCpotrf_bufferSize, half_size<std::complex<float>>);
LAB_NAMED(cusolverDnCpotrf, half<std::complex<float>, &HostLapack<std::complex<float>>::potrf>);
LAB_NAMED(cusolverDnCpotrs, potrs<std::complex<float>>);
LAB_NAMED(cusolverDnCpotri_bufferSize, half_size<std::complex<float>>);
LAB_NAMED(cusolverDnCpotri, half<std::complex<float>, &HostLapack<std::complex<float>>::potri>);
LAB_NAMED(cusolverDnCgeqrf_bufferSize, getrf_size<std::complex<float>>);
LAB_NAMED(cusolverDnCgeqrf, geqrf<std::complex<float>>);
LAB_NAMED(cusolverDnCunmqr_bufferSize, ormqr_size<std::complex<float>>);
LAB_NAMED(cusolverDnCunmqr, ormqr<std::complex<float>>);
LAB_NAMED(cusolverDnCungqr_bufferSize, orgqr_size<std::complex<float>>);
LAB_NAMED(cusolverDnCungqr, orgqr<std::complex<float>>);
LAB_NAMED(cusolverDnCgesvd_bufferSize, gesvd_size<std::complex<float>>);
LAB_NAMED(cusolverDnCgesvd, gesvd<std::complex<float>>);
LAB_NAMED(cusolverDnCheevd_bufferSize, syevd_size<std::complex<float>>);
LAB_NAMED(cusolverDnCheevd, syevd<std::complex<float>>);
LAB_NAMED(cusolverDnZgetrf_bufferSize, getrf_size<std::complex<double>>);
LAB_NAMED(cusolverDnZgetrf, getrf<std::complex<double>>);
LAB_NAMED(cusolverDnZgetrs, getrs<std::complex<double>>);
LAB_NAMED(cusolverDnZpotrf_bufferSize, half_size<std::complex<double>>);
LAB_NAMED(cusolverDnZpotrf, half<std::complex<double>, &HostLapack<std::complex<double>>::potrf>);
LAB_NAMED(cusolverDnZpotrs, potrs<std::complex<double>>);
LAB_NAMED(cusolverDnZpotri_bufferSize, half_size<std::complex<double>>);
LAB_NAMED(cusolverDnZpotri, half<std::complex<double>, &HostLapack<std::complex<double>>::potri>);
LAB_NAMED(cusolverDnZgeqrf_bufferSize, getrf_size<std::complex<double>>);
LAB_NAMED(cusolverDnZgeqrf, geqrf<std::complex<double>>);
LAB_NAMED(cusolverDnZunmqr_bufferSize, ormqr_size<std::complex<double>>);
LAB_NAMED(cusolverDnZunmqr, ormqr<std::complex<double>>);
LAB_NAMED(cusolverDnZungqr_bufferSize, orgqr_size<std::complex<double>>);
LAB_NAMED(cusolverDnZungqr, orgqr<std::complex<double>>);
LAB_NAMED(cusolverDnZgesvd_bufferSize, gesvd_size<std::complex<double>>);
LAB_NAMED(cusolverDnZgesvd, gesvd<std::complex<double>>);
LAB_NAMED(cusolverDnZheevd_bufferSize, syevd_size<std::complex<double>>);
LAB_NAMED(cusolverDnZheevd, syevd<std::complex<double>>);
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
LAB_NAMED(cusolverDnXgetrs, x_getrs);
LAB_NAMED(cusolverDnXpotrs, x_potrs);

// Dense solvers (cusolverDn), by whichever API a program calls them: factors and what is solved with them, singular values, eigenvalues.
//
// Enters: column-major matrices of the device, arguments that fit. Leaves: what the host's LAPACK computes, in the order of the
// handle's stream. A call that asks for workspace gets a size, which the workspace must have although it is not needed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/run/cudart/libraries/handle.h"
#include "common/run/cudart/libraries/host_blas.h"

namespace lab::cudart {

inline constexpr int kSolverNotInitialised = 1, kSolverInvalid = 3, kSolverFailed = 6,
                     kSolverNotSupported = 9;
inline constexpr StatusCodes kSolverCodes{kSolverFailed, kSolverFailed, kSolverNotSupported};
using SolverHandle = BlasHandle;

// The first argument is the handle.
template <class... P>
void must(const SolverHandle* handle, P... arguments) {
  if (handle == nullptr) refuse_argument(kSolverNotInitialised, "CUSOLVER_STATUS_NOT_INITIALIZED", 1);
  if (const int number = first_wrong(arguments...); number != 0)
    refuse_argument(kSolverInvalid, "CUSOLVER_STATUS_INVALID_VALUE", number);
}

// Elements of workspace, of every call for a matrix of this size.
inline std::int64_t work_elems(std::int64_t rows, std::int64_t cols) {
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
inline int packed_ld(std::int64_t rows) { return static_cast<int>(std::max(std::int64_t{1}, rows)); }

// Where the pivots of a matrix lie: 32 or 64 bits each; null: none are searched for.
struct Pivots {
  const void* at;
  Elem type;
};

// Computes with the LAPACK of T, matrix by matrix; `body_of` gives what computes one, and that what LAPACK says, which
// goes to the device.
template <class T, class BodyOf>
int solve_each(const char* call, const SolverHandle& handle, const void* work, std::size_t bytes, int* info,
               std::int64_t count, BodyOf body_of) {
  return library_call(
      call, handle.stream, false,
      [=](Arrays& arrays) {
        arrays.scratch(work, bytes);
        std::vector<std::int64_t> said;
        for (std::int64_t k = 0; k < count; ++k) said.push_back(body_of(arrays, k)(arrays, host_lapack<T>()));
        arrays.store<std::int64_t>(list_of(info, count, Elem::I32), said);
      },
      kSolverCodes);
}
template <class T, class Body>
int solve(const char* call, const SolverHandle& handle, const void* work, std::size_t bytes, int* info,
          Body body) {
  return solve_each<T>(call, handle, work, bytes, info, 1, [=](Arrays&, std::int64_t) { return body; });
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

inline bool is_operation_code(int operation) { return operation >= 0 && operation <= 2; }
inline bool is_fill(int fill) { return fill == 0 || fill == 1; }

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
// Row by row, the row that it was exchanged with, counted from 1; without pivots each is its own. Throws ApiError for a
// row that the matrix does not have.
inline std::vector<int> exchanged_rows(Arrays& arrays, Pivots pivots, std::int64_t count) {
  std::vector<int> rows;
  if (pivots.at != nullptr)
    for (const std::int64_t row : arrays.load<std::int64_t>(list_of(pivots.at, count, pivots.type)))
      rows.push_back(static_cast<int>(row));
  for (std::int64_t k = 0; k < count; ++k) {
    if (pivots.at == nullptr) rows.push_back(static_cast<int>(k) + 1);
    if (const int row = rows[static_cast<std::size_t>(k)]; row < 1 || row > count)
      throw ApiError{Error::IllegalAddress,
                     msg("out-of-bounds: pivot {} is row {}, counted from 1, and the matrix has {} rows.", k,
                         row, count)};
  }
  return rows;
}
template <class T>
int run_getrs(const char* call, const SolverHandle& handle, int operation, Square<T> a, Pivots pivots,
              Square<T> b, int* info) {
  return solve<T>(call, handle, nullptr, 0, info, [=](Arrays& arrays, const HostLapack<T>& lapack) {
    const std::vector<T> factors = arrays.load<T>(a.matrix());
    std::vector<T> values = arrays.load<T>(b.matrix());
    const std::vector<int> rows_of = exchanged_rows(arrays, pivots, a.rows);
    const int n = static_cast<int>(a.rows), sides = static_cast<int>(b.cols), ld = packed_ld(a.rows);
    const char how = letter(operation);
    int said = 0;
    lapack.getrs(&how, &n, &sides, factors.data(), &ld, rows_of.data(), values.data(), &ld, &said, 1);
    arrays.store<T>(b.matrix(), values);
    return said;
  });
}

// --- Cholesky ---

// potrf and potri: one half of a matrix into itself.
template <class T, auto function>
auto half_body(int fill, Square<T> a) {
  return [=](Arrays& arrays, const HostLapack<T>& lapack) {
    std::vector<T> values = arrays.load<T>(a.matrix(half_of(fill)));
    const int n = static_cast<int>(a.rows), ld = packed_ld(a.rows);
    const char half = letter(half_of(fill));
    int said = 0;
    (lapack.*function)(&half, &n, values.data(), &ld, &said, 1);
    arrays.store<T>(a.matrix(half_of(fill)), values);
    return said;
  };
}
template <class T, auto function>
int run_half(const char* call, const SolverHandle& handle, int fill, Square<T> a, const void* work,
             int* info) {
  return solve<T>(call, handle, work, work_bytes<T>(a.rows, a.rows), info, half_body<T, function>(fill, a));
}
template <class T>
auto potrs_body(int fill, Square<T> a, Square<T> b) {
  return [=](Arrays& arrays, const HostLapack<T>& lapack) {
    const std::vector<T> factor = arrays.load<T>(a.matrix(half_of(fill)));
    std::vector<T> values = arrays.load<T>(b.matrix());
    const int n = static_cast<int>(a.rows), sides = static_cast<int>(b.cols), ld = packed_ld(a.rows);
    const char half = letter(half_of(fill));
    int said = 0;
    lapack.potrs(&half, &n, &sides, factor.data(), &ld, values.data(), &ld, &said, 1);
    arrays.store<T>(b.matrix(), values);
    return said;
  };
}
template <class T>
int run_potrs(const char* call, const SolverHandle& handle, int fill, Square<T> a, Square<T> b, int* info) {
  return solve<T>(call, handle, nullptr, 0, info, potrs_body(fill, a, b));
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
inline bool is_job(signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; }
inline bool gives_matrix(signed char job) { return job == 'A' || job == 'S'; }

// All but V, which is left to the caller: the rows of its conjugated transpose.
template <class T>
int decompose(Arrays& arrays, const HostLapack<T>& lapack, const Svd<T>& svd, std::vector<T>& vt) {
  std::vector<T> a = arrays.load<T>(svd.a.matrix());
  const auto room = [](const Square<T>& m) { return static_cast<std::size_t>(m.rows * m.cols); };
  std::vector<T> u(room(svd.u));
  vt.resize(room(svd.vt));
  const int rows = static_cast<int>(svd.a.rows), cols = static_cast<int>(svd.a.cols),
            least = std::min(rows, cols), ld = packed_ld(rows), ldvt = packed_ld(svd.vt.rows);
  std::vector<Real<T>> s(static_cast<std::size_t>(least));
  const char job_u = svd.job_u, job_vt = svd.job_vt;
  int said = 0;
  with_own_work<T>([&](T* own, const int* length) {
    if constexpr (std::is_same_v<T, Real<T>>) {
      lapack.gesvd(&job_u, &job_vt, &rows, &cols, a.data(), &ld, s.data(), u.data(), &ld, vt.data(), &ldvt,
                   own, length, &said, 1, 1);
    } else {
      std::vector<Real<T>> real_work(5 * static_cast<std::size_t>(least) + 1);
      lapack.gesvd(&job_u, &job_vt, &rows, &cols, a.data(), &ld, s.data(), u.data(), &ld, vt.data(), &ldvt,
                   own, length, real_work.data(), &said, 1, 1);
    }
  });
  arrays.store<T>(svd.a.matrix(), a);
  arrays.store<Real<T>>(list_of(svd.s, least, elem_of<Real<T>>()), s);
  if (gives_matrix(svd.job_u)) arrays.store<T>(svd.u.matrix(), u);
  return said;
}
template <class T>
int run_gesvd(const char* call, const SolverHandle& handle, Svd<T> svd, const void* work, int* info) {
  return solve<T>(call, handle, work, work_bytes<T>(svd.a.rows, svd.a.cols), info,
                  [=](Arrays& arrays, const HostLapack<T>& lapack) {
                    std::vector<T> vt;
                    const int said = decompose(arrays, lapack, svd, vt);
                    if (gives_matrix(svd.job_vt)) arrays.store<T>(svd.vt.matrix(), vt);
                    return said;
                  });
}

template <class T>
auto syevd_body(bool vectors, int fill, Square<T> a, const Real<T>* values) {
  return [=](Arrays& arrays, const HostLapack<T>& lapack) {
    std::vector<T> m = arrays.load<T>(a.matrix(half_of(fill)));
    const int n = static_cast<int>(a.rows), ld = packed_ld(a.rows);
    const int lengths[] = {1 + 6 * n + 2 * n * n,
                           3 + 5 * n};  // the most that LAPACK asks for: of numbers, of integers
    std::vector<T> own(static_cast<std::size_t>(lengths[0]));
    std::vector<Real<T>> found(static_cast<std::size_t>(n)), real_work(own.size());
    std::vector<int> integers(static_cast<std::size_t>(lengths[1]));
    const char job = vectors ? 'V' : 'N', half = letter(half_of(fill));
    int said = 0;
    if constexpr (std::is_same_v<T, Real<T>>)
      lapack.syevd(&job, &half, &n, m.data(), &ld, found.data(), own.data(), lengths, integers.data(),
                   lengths + 1, &said, 1, 1);
    else
      lapack.syevd(&job, &half, &n, m.data(), &ld, found.data(), own.data(), lengths, real_work.data(),
                   lengths, integers.data(), lengths + 1, &said, 1, 1);
    arrays.store<T>(a.matrix(vectors ? Half::Both : half_of(fill)), m);
    arrays.store<Real<T>>(list_of(values, n, elem_of<Real<T>>()), found);
    return said;
  };
}
template <class T>
int run_syevd(const char* call, const SolverHandle& handle, bool vectors, int fill, Square<T> a,
              const Real<T>* values, const void* work, int* info) {
  return solve<T>(call, handle, work, work_bytes<T>(a.rows, a.rows), info,
                  syevd_body(vectors, fill, a, values));
}
// Eigenvalues of any square matrix, and vectors from the right: of real ones, as LAPACK has them, two columns for each pair.
template <class T>
int run_geev(const char* call, const SolverHandle& handle, bool vectors, Square<T> a,
             const std::complex<Real<T>>* values, Square<T> right, const void* work, int* info) {
  return solve<T>(call, handle, work, work_bytes<T>(a.rows, a.rows), info,
                  [=](Arrays& arrays, const HostLapack<T>& lapack) {
                    std::vector<T> m = arrays.load<T>(a.matrix()), none(1);
                    const int n = static_cast<int>(a.rows), ld = packed_ld(a.rows);
                    const auto order = static_cast<std::size_t>(n);
                    std::vector<T> found_right(vectors ? order * order : 1);
                    std::vector<std::complex<Real<T>>> found(order);
                    const char no = 'N', job = vectors ? 'V' : 'N';
                    int said = 0;
                    with_own_work<T>([&](T* own, const int* length) {
                      if constexpr (std::is_same_v<T, Real<T>>) {
                        std::vector<T> re(order), im(order);
                        lapack.geev(&no, &job, &n, m.data(), &ld, re.data(), im.data(), none.data(), &kOne,
                                    found_right.data(), &ld, own, length, &said, 1, 1);
                        for (std::size_t k = 0; k < order; ++k) found[k] = {re[k], im[k]};
                      } else {
                        std::vector<Real<T>> real_work(2 * order);
                        lapack.geev(&no, &job, &n, m.data(), &ld, found.data(), none.data(), &kOne,
                                    found_right.data(), &ld, own, length, real_work.data(), &said, 1, 1);
                      }
                    });
                    arrays.store<T>(a.matrix(), m);
                    arrays.store<std::complex<Real<T>>>(list_of(values, n, elem_of<std::complex<Real<T>>>()),
                                                        found);
                    if (vectors) arrays.store<T>(right.matrix(), found_right);
                    return said;
                  });
}

}  // namespace lab::cudart

// The host's BLAS and LAPACK, which compute what programs ask cuBLAS and cuSOLVER for.
//
// Enters: dense column-major arrays of the host. Leaves: results in place. The library is whatever Debian
// calls libopenblas.so.0, or libblas.so.3 and liblapack.so.3, opened at the first call that computes, so that
// nothing else needs it.
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

namespace lab::cudart {

template <class T>
struct RealNumber {
  using type = T;
};
template <class T>
struct RealNumber<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealNumber<T>::type;

// Fortran's: everything by address. ger is geru of complex numbers, of which dot, nrm2 and asum are left out.
template <class T>
struct HostBlas {
  using I = const int*;
  using S = const T*;
  using C = const char*;
  void (*gemm)(C, C, I, I, I, S, S, I, S, I, S, T*, I) = nullptr;
  void (*gemv)(C, I, I, S, S, I, S, I, S, T*, I) = nullptr;
  void (*ger)(I, I, S, S, I, S, I, T*, I) = nullptr;
  void (*symm)(C, C, I, I, S, S, I, S, I, S, T*, I) = nullptr;
  void (*syrk)(C, C, I, I, S, S, I, S, T*, I) = nullptr;
  void (*trsm)(C, C, C, C, I, I, S, S, I, T*, I) = nullptr;
  void (*trmm)(C, C, C, C, I, I, S, S, I, T*, I) = nullptr;
  void (*axpy)(I, S, S, I, T*, I) = nullptr;
  T (*dot)(I, S, I, S, I) = nullptr;
  T (*nrm2)(I, S, I) = nullptr;
  T (*asum)(I, S, I) = nullptr;
};

// The same; a letter's length stands behind all arguments. Where two forms stand, the second is that of complex numbers.
template <class T>
struct HostLapack {
  using I = const int*;
  using S = const T*;
  using C = const char*;
  using L = std::size_t;
  using R = Real<T>*;
  template <class OfReal, class OfComplex>
  using By = std::conditional_t<std::is_same_v<T, Real<T>>, OfReal, OfComplex>;
  void (*getrf)(I, I, T*, I, int*, int*) = nullptr;
  void (*getrs)(C, I, I, S, I, I, T*, I, int*, L) = nullptr;
  void (*potrf)(C, I, T*, I, int*, L) = nullptr;
  void (*potrs)(C, I, I, S, I, T*, I, int*, L) = nullptr;
  void (*potri)(C, I, T*, I, int*, L) = nullptr;
  void (*geqrf)(I, I, T*, I, T*, T*, I, int*) = nullptr;
  void (*ormqr)(C, C, I, I, I, S, I, S, T*, I, T*, I, int*, L, L) = nullptr;  // unmqr
  void (*orgqr)(I, I, I, T*, I, S, T*, I, int*) = nullptr;                    // ungqr
  void (*gels)(C, I, I, I, T*, I, T*, I, T*, I, int*, L) = nullptr;
  By<void (*)(C, C, I, I, T*, I, R, T*, I, T*, I, T*, I, int*, L, L),
     void (*)(C, C, I, I, T*, I, R, T*, I, T*, I, T*, I, R, int*, L, L)>
      gesvd = nullptr;
  By<void (*)(C, C, I, T*, I, R, T*, I, int*, I, int*, L, L),
     void (*)(C, C, I, T*, I, R, T*, I, R, I, int*, I, int*, L, L)>
      syevd = nullptr;  // heevd
  By<void (*)(C, C, I, T*, I, R, R, T*, I, T*, I, T*, I, int*, L, L),
     void (*)(C, C, I, T*, I, T*, T*, I, T*, I, T*, I, R, int*, L, L)>
      geev = nullptr;
};

constexpr int kOne = 1;  // a step from element to element, by address

// Throws ApiError (NotSupported) when no BLAS is installed: what to install.
template <class T>
[[nodiscard]] const HostBlas<T>& host_blas();
template <class T>
[[nodiscard]] const HostLapack<T>& host_lapack();

}  // namespace lab::cudart

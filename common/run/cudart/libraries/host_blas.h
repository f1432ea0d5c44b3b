// The host's BLAS, which computes what programs ask cuBLAS for.
//
// Enters: dense column-major arrays of the host. Leaves: results in place. The library is whatever Debian
// calls libopenblas.so.0 or libblas.so.3, opened at the first call that computes, so that nothing else needs
// it.
#pragma once

#include <cstdint>

namespace lab::cudart {

// Fortran's: everything by address.
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

constexpr int kOne = 1;  // a step from element to element, by address

// Throws ApiError (NotSupported) when no BLAS is installed: what to install.
template <class T>
[[nodiscard]] const HostBlas<T>& host_blas();

}  // namespace lab::cudart

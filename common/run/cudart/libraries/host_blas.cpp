// The host's BLAS. See host_blas.h.
#include "common/run/cudart/libraries/host_blas.h"

#include <dlfcn.h>

#include <initializer_list>
#include <string>

#include "common/run/cudart/context.h"

namespace lab::cudart {
namespace {

// The first of these that is there, or null.
void* opened(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* const found = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
  }
  return nullptr;
}
void* blas_library() {
  static void* const library = opened({"libopenblas.so.0", "libblas.so.3", "libopenblas.so", "libblas.so"});
  if (library == nullptr) {
    throw ApiError{Error::NotSupported,
                   "cuBLAS is computed on the host by a BLAS library, and none is installed. Install one: "
                   "sudo apt install libopenblas0 (Fedora: openblas)."};
  }
  return library;
}
void* lapack_library() {
  static void* const library =
      opened({"libopenblas.so.0", "liblapack.so.3", "libopenblas.so", "liblapack.so"});
  if (library == nullptr) {
    throw ApiError{
        Error::NotSupported,
        "cuSOLVER is computed on the host by a LAPACK library, and none is installed. Install one: "
        "sudo apt install libopenblas0 (Fedora: openblas)."};
  }
  return library;
}

template <class Function>
void find(void* library, Function& function, char type, const char* name) {
  const std::string symbol = type + std::string(name) + "_";
  function = reinterpret_cast<Function>(dlsym(library, symbol.c_str()));
  if (function == nullptr)
    throw ApiError{Error::NotSupported, msg("the BLAS library of this machine has no {}.", symbol)};
}

template <class T>
HostBlas<T> open(char type) {
  constexpr bool kIsReal = std::is_same_v<T, Real<T>>;
  void* const library = blas_library();
  HostBlas<T> blas;
  find(library, blas.gemm, type, "gemm");
  find(library, blas.gemv, type, "gemv");
  find(library, blas.ger, type, kIsReal ? "ger" : "geru");
  find(library, blas.symm, type, "symm");
  find(library, blas.syrk, type, "syrk");
  find(library, blas.trsm, type, "trsm");
  find(library, blas.trmm, type, "trmm");
  find(library, blas.axpy, type, "axpy");
  if (!kIsReal) return blas;
  find(library, blas.dot, type, "dot");
  find(library, blas.nrm2, type, "nrm2");
  find(library, blas.asum, type, "asum");
  return blas;
}

template <class T>
HostLapack<T> open_lapack(char type) {
  constexpr bool kIsReal = std::is_same_v<T, Real<T>>;
  void* const library = lapack_library();
  HostLapack<T> lapack;
  find(library, lapack.getrf, type, "getrf");
  find(library, lapack.getrs, type, "getrs");
  find(library, lapack.potrf, type, "potrf");
  find(library, lapack.potrs, type, "potrs");
  find(library, lapack.potri, type, "potri");
  find(library, lapack.geqrf, type, "geqrf");
  find(library, lapack.ormqr, type, kIsReal ? "ormqr" : "unmqr");
  find(library, lapack.orgqr, type, kIsReal ? "orgqr" : "ungqr");
  find(library, lapack.gels, type, "gels");
  find(library, lapack.gesvd, type, "gesvd");
  find(library, lapack.syevd, type, kIsReal ? "syevd" : "heevd");
  find(library, lapack.geev, type, "geev");
  return lapack;
}

}  // namespace

#define LAB_BLAS(letter, ...)                                                       \
  template <>                                                                       \
  const HostBlas<__VA_ARGS__>& host_blas<__VA_ARGS__>() {                           \
    static const HostBlas<__VA_ARGS__> blas = open<__VA_ARGS__>(letter);            \
    return blas;                                                                    \
  }                                                                                 \
  template <>                                                                       \
  const HostLapack<__VA_ARGS__>& host_lapack<__VA_ARGS__>() {                       \
    static const HostLapack<__VA_ARGS__> lapack = open_lapack<__VA_ARGS__>(letter); \
    return lapack;                                                                  \
  }
LAB_BLAS('s', float)
LAB_BLAS('d', double)
LAB_BLAS('c', std::complex<float>)
LAB_BLAS('z', std::complex<double>)
#undef LAB_BLAS

}  // namespace lab::cudart

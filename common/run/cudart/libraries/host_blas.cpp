// The host's BLAS. See host_blas.h.
#include "common/run/cudart/libraries/host_blas.h"

#include <dlfcn.h>

#include <string>

#include "common/run/cudart/context.h"

namespace lab::cudart {
namespace {

void* library() {
  static void* const opened = [] {
    for (const char* name : {"libopenblas.so.0", "libblas.so.3", "libopenblas.so", "libblas.so"}) {
      if (void* const found = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return found;
    }
    return static_cast<void*>(nullptr);
  }();
  if (opened == nullptr) {
    throw ApiError{Error::NotSupported,
                   "cuBLAS is computed on the host by a BLAS library, and none is installed. Install one: "
                   "sudo apt install libopenblas0 (Fedora: openblas)."};
  }
  return opened;
}

template <class Function>
void find(Function& function, char type, const char* name) {
  const std::string symbol = type + std::string(name) + "_";
  function = reinterpret_cast<Function>(dlsym(library(), symbol.c_str()));
  if (function == nullptr)
    throw ApiError{Error::NotSupported, msg("the BLAS library of this machine has no {}.", symbol)};
}

template <class T>
HostBlas<T> open(char type) {
  HostBlas<T> blas;
  find(blas.gemm, type, "gemm");
  find(blas.gemv, type, "gemv");
  find(blas.ger, type, "ger");
  find(blas.symm, type, "symm");
  find(blas.syrk, type, "syrk");
  find(blas.trsm, type, "trsm");
  find(blas.trmm, type, "trmm");
  find(blas.axpy, type, "axpy");
  find(blas.dot, type, "dot");
  find(blas.nrm2, type, "nrm2");
  find(blas.asum, type, "asum");
  return blas;
}

}  // namespace

template <>
const HostBlas<float>& host_blas<float>() {
  static const HostBlas<float> blas = open<float>('s');
  return blas;
}
template <>
const HostBlas<double>& host_blas<double>() {
  static const HostBlas<double> blas = open<double>('d');
  return blas;
}

}  // namespace lab::cudart

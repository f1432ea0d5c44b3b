// cuBLAS: vectors whose element types the program names (axpyEx, dotEx, nrm2Ex, scalEx).
//
// Enters: device addresses with a cudaDataType each. Leaves: what is computed in f64 and rounded once, to the type of
// the result.
#include <algorithm>
#include <initializer_list>

#include "common/run/cudart/libraries/handle.h"
#include "common/run/cudart/libraries/host_blas.h"

using namespace lab::cudart;

namespace {

// The code for a type that is not computed, reported by name.
int refused(const char* call, BlasHandle* handle, std::initializer_list<Elem> types) {
  if (handle == nullptr) return kBlasNotInitialised;
  try {
    for (const Elem type : types) (void)bytes_of(type);
  } catch (const ApiError& error) {
    explain(call, error);
    return kBlasNotSupported;
  }
  return 0;
}

std::vector<double> values(Arrays& arrays, const void* at, int count, int step, Elem type) {
  std::vector<double> loaded = arrays.load<double>(vector_of(at, count, step, type));
  if (step < 0) std::reverse(loaded.begin(), loaded.end());
  return loaded;
}

}  // namespace

LAB_ENTRY int cublasDotEx(BlasHandle* h, int n, const void* x, Elem type_x, int dx, const void* y,
                          Elem type_y, int dy, void* r, Elem type_r, Elem how) {
  if (const int code = refused("cublasDotEx", h, {type_x, type_y, type_r, how}); code != 0) return code;
  // The library has the result in the type of both vectors alone, and adds up in f32 but for doubles.
  const Elem sums = type_x == Elem::F64 ? Elem::F64 : Elem::F32;
  if (type_y != type_x || type_r != type_x || how != sums) return kBlasNotSupported;
  const BlasHandle scalars = *h;
  const int count = std::max(n, 0);
  return library_call("cublasDotEx", h->stream, !scalars.device_scalars, [=](Arrays& arrays) {
    const std::vector<double> a = values(arrays, x, count, dx, type_x),
                              b = values(arrays, y, count, dy, type_y);
    give(arrays, scalars, r, type_r, host_blas<double>().dot(&count, a.data(), &kOne, b.data(), &kOne));
  });
}

LAB_ENTRY int cublasNrm2Ex(BlasHandle* h, int n, const void* x, Elem type_x, int dx, void* r, Elem type_r,
                           Elem how) {
  if (const int code = refused("cublasNrm2Ex", h, {type_x, type_r, how}); code != 0) return code;
  const BlasHandle scalars = *h;
  const int count = dx > 0 ? std::max(n, 0) : 0;
  return library_call("cublasNrm2Ex", h->stream, !scalars.device_scalars, [=](Arrays& arrays) {
    const std::vector<double> v = values(arrays, x, count, std::max(dx, 1), type_x);
    give(arrays, scalars, r, type_r, host_blas<double>().nrm2(&count, v.data(), &kOne));
  });
}

LAB_ENTRY int cublasAxpyEx(BlasHandle* h, int n, const void* alpha, Elem type_alpha, const void* x,
                           Elem type_x, int dx, void* y, Elem type_y, int dy, Elem how) {
  if (const int code = refused("cublasAxpyEx", h, {type_alpha, type_x, type_y, how}); code != 0) return code;
  if (alpha == nullptr) return kBlasInvalidValue;
  const Scalar by(*h, alpha, type_alpha);
  const int count = std::max(n, 0);
  return library_call("cublasAxpyEx", h->stream, false, [=](Arrays& arrays) {
    const double factor = by.value(arrays);
    const std::vector<double> a = values(arrays, x, count, dx, type_x);
    std::vector<double> b = values(arrays, y, count, dy, type_y);
    host_blas<double>().axpy(&count, &factor, a.data(), &kOne, b.data(), &kOne);
    if (dy < 0) std::reverse(b.begin(), b.end());
    arrays.store<double>(vector_of(y, count, dy, type_y), b);
  });
}

LAB_ENTRY int cublasScalEx(BlasHandle* h, int n, const void* alpha, Elem type_alpha, void* x, Elem type_x,
                           int dx, Elem how) {
  if (const int code = refused("cublasScalEx", h, {type_alpha, type_x, how}); code != 0) return code;
  if (alpha == nullptr) return kBlasInvalidValue;
  if (n <= 0 || dx <= 0) return 0;
  const Scalar by(*h, alpha, type_alpha);
  return library_call("cublasScalEx", h->stream, false, [=](Arrays& arrays) {
    const double factor = by.value(arrays);
    std::vector<double> v = values(arrays, x, n, dx, type_x);
    for (double& value : v) value *= factor;
    arrays.store<double>(vector_of(x, n, dx, type_x), v);
  });
}

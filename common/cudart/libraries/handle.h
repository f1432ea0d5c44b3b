// What a cuBLAS handle remembers, and the scalars that a program gives by address.
#pragma once

#include "common/cudart/libraries/library_call.h"

namespace lab::cudart {

struct BlasHandle {
  StreamHandle stream = nullptr;
  bool device_scalars = false;  // CUBLAS_POINTER_MODE_DEVICE
  int math_mode = 0, atomics_mode = 0;
};
constexpr int kBlasNotInitialised = 1, kBlasInvalidValue = 7, kBlasNotSupported = 15;

// alpha or beta: read now when it lies on the host, when the work is done when on the device.
class Scalar {
 public:
  Scalar(const BlasHandle& handle, const void* at, Elem type);
  [[nodiscard]] double value(Arrays& arrays) const;

 private:
  Matrix on_device_;
  double on_host_ = 0;
};

// A result that is one number, to host or device.
void give(Arrays& arrays, const BlasHandle& handle, void* to, Elem type, double value);

inline char letter(int operation) { return operation == 0 ? 'N' : 'T'; }  // CUBLAS_OP_N, _T, _C
template <class T>
constexpr Elem elem_of() {
  return sizeof(T) == 4 ? Elem::F32 : Elem::F64;
}

}  // namespace lab::cudart

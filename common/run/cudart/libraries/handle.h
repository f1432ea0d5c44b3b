// What a cuBLAS handle remembers, and the scalars that a program gives by address.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/run/cudart/libraries/library_call.h"

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

// A function's name for messages: without the version that the linker's name ends in.
template <std::size_t N>
struct CallName {
  consteval CallName(const char (&name)[N]) {  // NOLINT(google-explicit-constructor): a literal
    const std::string_view all(name, N - 1);
    all.substr(0, all.size() - (all.ends_with("_v2") ? 3 : 0)).copy(text, N);
  }
  char text[N]{};
};

// A body that takes its name, under that name.
template <class Body>
struct Named;
template <class... A>
struct Named<int (*)(const char*, A...)> {
  template <CallName name, int (*body)(const char*, A...)>
  static int run(A... values) {
    return body(name.text, values...);
  }
};

}  // namespace lab::cudart

// A row: a function of a library, and the body that its types choose.
#define LAB_NAMED(name, ...) \
  LAB_ROW(name,              \
          (&lab::cudart::Named<decltype(&__VA_ARGS__)>::run<lab::cudart::CallName(#name), &__VA_ARGS__>))

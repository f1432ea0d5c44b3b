// What a handle of cuBLAS, cuSPARSE or cuSOLVER remembers, and the scalars that a program gives by address.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "common/run/cudart/libraries/host_blas.h"
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
  template <class T = double>
  [[nodiscard]] T value(Arrays& arrays) const {
    return on_device_ ? arrays.load<T>(place_)[0] : number_at<T>(on_host_.data(), place_.type);
  }

 private:
  Matrix place_;
  bool on_device_;
  std::array<std::byte, 16> on_host_{};
};

// A result that is one number, to host or device.
template <class T>
void give(Arrays& arrays, const BlasHandle& handle, void* to, Elem type, T value) {
  if (!handle.device_scalars) return put_number(to, type, value);
  arrays.store<T>({to, 1, 1, 1, type, false}, {value});
}

inline Half half_of(int fill) { return fill == 1 ? Half::Upper : Half::Lower; }  // CUBLAS_FILL_MODE_UPPER
inline char letter(Half half) { return half == Half::Upper ? 'U' : 'L'; }
constexpr int kConjugated = 2;  // CUBLAS_OP_C
inline char letter(int operation) { return operation == 0 ? 'N' : operation == kConjugated ? 'C' : 'T'; }
// The operands of an operation that conjugates, where there is something to conjugate.
template <class T>
std::vector<T> conjugated(std::vector<T> values, bool yes) {
  if constexpr (!std::is_same_v<T, Real<T>>)
    for (T& value : values)
      if (yes) value = std::conj(value);
  return values;
}
template <class T>
using Wide =
    std::conditional_t<std::is_same_v<T, Real<T>>, double, std::complex<double>>;  // what sums are kept in
template <class T>
constexpr Elem elem_of() {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? Elem::F32 : Elem::F64;
  else
    return sizeof(T) == 8 ? Elem::C32 : Elem::C64;
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

template <class Call>
int saying_refusals(const char* name, const Call& call) {
  try {
    return call();
  } catch (const Refused& refused) {
    say_with_place(msg("{} returns {}: {}", std::string(name), std::string(refused.status), refused.why));
    return refused.code;
  }
}
// A body under a name, which it takes where it computes.
template <class Body>
struct Named;
template <class... A>
struct Named<int (*)(A...)> {
  template <CallName name, int (*body)(A...)>
  static int run(A... values) {
    return saying_refusals(name.text, [&] { return body(values...); });
  }
};
template <class... A>
struct Named<int (*)(const char*, A...)> {
  template <CallName name, int (*body)(const char*, A...)>
  static int run(A... values) {
    return saying_refusals(name.text, [&] { return body(name.text, values...); });
  }
};

}  // namespace lab::cudart

// A row: a function of a library, and the body that its types choose.
#define LAB_NAMED(name, ...) \
  LAB_ROW(name,              \
          (&lab::cudart::Named<decltype(&__VA_ARGS__)>::run<lab::cudart::CallName(#name), &__VA_ARGS__>))

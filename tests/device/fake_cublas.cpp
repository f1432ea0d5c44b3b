// cuBLAS without a GPU: what the lab calls of it, on the state of the fake driver. LAB_CUBLAS names the
// library.
#include <complex>
#include <cstring>
#include <span>
#include <vector>

#include "tests/device/fake_state.h"

using namespace lab::test;
using lab::device::Address;

extern "C" {
int cublasCreate_v2(void** handle) {
  ENTER;
  *handle = &state();
  return 0;
}
int cublasGetVersion_v2(void*, int* version) {
  *version = 130100;
  return 0;
}
}  // extern "C"

namespace {

// Column-major, as geam has it: out(i, j) = in(j, i); `out` is m × n.
template <typename T>
int transpose(int m, int n, const T* in, int in_lead, T* out, int out_lead) {
  const std::size_t in_elems = static_cast<std::size_t>(in_lead) * static_cast<std::size_t>(m);
  const std::size_t out_elems = static_cast<std::size_t>(out_lead) * static_cast<std::size_t>(n);
  std::vector<T> from(in_elems), to(out_elems);
  auto& simulator = *state().simulator;
  simulator.read(reinterpret_cast<Address>(in), std::as_writable_bytes(std::span(from)));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i)
      std::memcpy(&to[std::size_t(j) * std::size_t(out_lead) + std::size_t(i)],
                  &from[std::size_t(i) * std::size_t(in_lead) + std::size_t(j)], sizeof(T));
  }
  simulator.write(reinterpret_cast<Address>(out), std::as_bytes(std::span(to)));
  state().clock() += 3e-6 + double(in_elems) * sizeof(T) * 3e-12;
  return 0;
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): a name and a type
#define FAKE_GEAM(NAME, T)                                                                                   \
  extern "C" int NAME(void*, int, int, int m, int n, const T*, const T* a, int lda, const T*, const T*, int, \
                      T* c, int ldc) {                                                                       \
    ENTER;                                                                                                   \
    return transpose(m, n, a, lda, c, ldc);                                                                  \
  }
// NOLINTEND(bugprone-macro-parentheses)
FAKE_GEAM(cublasSgeam, float)
FAKE_GEAM(cublasDgeam, double)
FAKE_GEAM(cublasZgeam, std::complex<double>)

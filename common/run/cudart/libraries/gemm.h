// The product that cuBLAS and cuBLASLt share.
#pragma once

#include <cstdint>
#include <vector>

#include "common/run/cudart/libraries/library_call.h"

namespace lab::cudart {

struct GemmShape {
  std::int64_t m = 0, n = 0, k = 0;
  int op_a = 0, op_b = 0;  // CUBLAS_OP_N, _T, _C
};

// alpha op(A) op(B) + beta C: dense, column-major.
template <class T>
[[nodiscard]] std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, const GemmShape& shape,
                                     T alpha, T beta, std::vector<T> c);

// The type of alpha and beta for a cublasComputeType_t. Throws ApiError for one that is not computed.
[[nodiscard]] Elem scale_of_compute(int compute);

}  // namespace lab::cudart

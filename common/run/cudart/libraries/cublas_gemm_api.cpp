// cuBLAS: gemm in every form.
//
// Enters: column-major matrices of the device, of complex numbers too. Leaves: what the host's BLAS computes, in f32, or in f64 for
// f64 and integers; narrower results are rounded once, at the end.
#include <algorithm>
#include <map>

#include "common/run/cudart/libraries/gemm.h"
#include "common/run/cudart/libraries/handle.h"
#include "common/run/cudart/libraries/host_blas.h"

using namespace lab::cudart;

namespace lab::cudart {

template <class T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, const GemmShape& s, T alpha, T beta,
                       std::vector<T> c) {
  const int m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
  const int lda = std::max(1, s.op_a != 0 ? k : m), ldb = std::max(1, s.op_b != 0 ? n : k);
  const char op_a = letter(s.op_a), op_b = letter(s.op_b);
  if (m > 0 && n > 0)
    host_blas<T>().gemm(&op_a, &op_b, &m, &n, &k, &alpha, a.data(), &lda, b.data(), &ldb, &beta, c.data(),
                        &m);
  return c;
}
#define LAB_PRODUCT(...)                                                                                    \
  template std::vector<__VA_ARGS__> product(const std::vector<__VA_ARGS__>&,                                \
                                            const std::vector<__VA_ARGS__>&, const GemmShape&, __VA_ARGS__, \
                                            __VA_ARGS__, std::vector<__VA_ARGS__>)
LAB_PRODUCT(float);
LAB_PRODUCT(double);
LAB_PRODUCT(std::complex<float>);
LAB_PRODUCT(std::complex<double>);
#undef LAB_PRODUCT

}  // namespace lab::cudart

namespace {

struct Operand {
  const void* pointer;
  Elem type;
  int ld;
  long long stride = 0;  // of a batch
};
struct Gemm {
  int op_a, op_b, m, n, k;
  const void *alpha, *beta;
  Operand a, b, c;
  Elem scale;  // of alpha and beta
  int batches = 1;
  bool lists = false;  // the pointers are to arrays of pointers
};

bool wrong(const Gemm& g) {
  const int rows_a = g.op_a == 0 ? g.m : g.k, rows_b = g.op_b == 0 ? g.k : g.n;
  return g.m < 0 || g.n < 0 || g.k < 0 || g.batches < 0 || g.op_a < 0 || g.op_a > 2 || g.op_b < 0 ||
         g.op_b > 2 || g.a.ld < std::max(1, rows_a) || g.b.ld < std::max(1, rows_b) ||
         g.c.ld < std::max(1, g.m) || g.alpha == nullptr || g.beta == nullptr;
}

template <class T>
void compute(Arrays& arrays, const Gemm& g, const Scalar& by, const Scalar& keep) {
  const T alpha = by.value<T>(arrays), beta = keep.value<T>(arrays);
  const auto matrix = [&](const Operand& o, int rows, int cols, int batch) {
    const void* const base = g.lists ? arrays.pointer_in(o.pointer, batch) : o.pointer;
    return Matrix{base, rows, cols, o.ld, o.type, false}.at(g.lists ? 0 : batch * o.stride);
  };
  const GemmShape shape{g.m, g.n, g.k, g.op_a, g.op_b};
  for (int batch = 0; batch < g.batches; ++batch) {
    const Matrix c = matrix(g.c, g.m, g.n, batch);
    std::vector<T> start = beta == T{}
                               ? std::vector<T>(static_cast<std::size_t>(g.m) * static_cast<std::size_t>(g.n))
                               : arrays.load<T>(c);
    const auto a =
        arrays.load<T>(shape.op_a != 0 ? matrix(g.a, g.k, g.m, batch) : matrix(g.a, g.m, g.k, batch));
    const auto b =
        arrays.load<T>(shape.op_b != 0 ? matrix(g.b, g.n, g.k, batch) : matrix(g.b, g.k, g.n, batch));
    arrays.store<T>(c, product(a, b, shape, alpha, beta, std::move(start)));
  }
}

int gemm(const char* call, BlasHandle* handle, const Gemm& g) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (wrong(g)) return kBlasInvalidValue;
  const Scalar by(*handle, g.alpha, g.scale), keep(*handle, g.beta, g.scale);
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    switch (g.scale) {
      case Elem::C32:
        return compute<std::complex<float>>(arrays, g, by, keep);
      case Elem::C64:
        return compute<std::complex<double>>(arrays, g, by, keep);
      case Elem::F64:
      case Elem::I32:
        return compute<double>(arrays, g, by, keep);
      default:
        return compute<float>(arrays, g, by, keep);
    }
  });
}

}  // namespace

namespace lab::cudart {

Elem scale_of_compute(int compute) {
  // cublasComputeType_t from 64 on; below, cudaDataType in programs for an older CUDA.
  static const std::map<int, Elem> kScales = {
      {64, Elem::F16}, {65, Elem::F16}, {68, Elem::F32}, {69, Elem::F32}, {74, Elem::F32}, {75, Elem::F32},
      {77, Elem::F32}, {78, Elem::F32}, {70, Elem::F64}, {71, Elem::F64}, {72, Elem::I32}, {73, Elem::I32},
      {0, Elem::F32},  {1, Elem::F64},  {2, Elem::F16},  {10, Elem::I32}};
  if (const auto found = kScales.find(compute); found != kScales.end()) return found->second;
  throw ApiError{Error::NotSupported, msg("cublasComputeType_t {} is not computed here.", compute)};
}

}  // namespace lab::cudart

namespace {

// A call whose types come from the program: a type that is not computed is refused before anything else.
int gemm_ex(const char* call, BlasHandle* handle, int compute, Gemm g) {
  try {
    g.scale = scale_of_compute(compute);
    for (const Operand* o : {&g.a, &g.b, &g.c}) (void)bytes_of(o->type);
    if (is_complex(g.c.type)) g.scale = g.scale == Elem::F64 ? Elem::C64 : Elem::C32;
    for (const Operand* o : {&g.a, &g.b, &g.c})
      if ((is_complex(g.scale) || is_complex(o->type)) && o->type != g.scale) return kBlasNotSupported;
  } catch (const ApiError& error) {
    explain(call, error);
    return kBlasNotSupported;
  }
  return gemm(call, handle, g);
}

Operand operand(const void* pointer, Elem type, int ld, long long stride = 0) {
  return {pointer, type, ld, stride};
}

// One element type for all: matrices and scalars.
Gemm of_one_type(Elem type, int op_a, int op_b, int m, int n, int k, const void* alpha, const void* a,
                 int lda, const void* b, int ldb, const void* beta, const void* c, int ldc) {
  return {op_a, op_b, m, n, k, alpha, beta, {a, type, lda}, {b, type, ldb}, {c, type, ldc}, type};
}

Gemm strided(Gemm g, long long da, long long db, long long dc, int count) {
  g.a.stride = da, g.b.stride = db, g.c.stride = dc;
  g.batches = count;
  return g;
}

// The pointers are to arrays of pointers.
Gemm listed(Gemm g, int count) {
  g.batches = count;
  g.lists = true;
  return g;
}

template <class T, Elem type = elem_of<T>()>
int one(const char* call, BlasHandle* h, int op_a, int op_b, int m, int n, int k, const T* alpha, const T* a,
        int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  return gemm(call, h, of_one_type(type, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc));
}
template <class T, Elem type = elem_of<T>()>
int in_steps(const char* call, BlasHandle* h, int op_a, int op_b, int m, int n, int k, const T* alpha,
             const T* a, int lda, long long da, const T* b, int ldb, long long db, const T* beta, T* c,
             int ldc, long long dc, int count) {
  const Gemm first = of_one_type(type, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  return gemm(call, h, strided(first, da, db, dc, count));
}
template <class T, Elem type = elem_of<T>()>
int in_a_list(const char* call, BlasHandle* h, int op_a, int op_b, int m, int n, int k, const T* alpha,
              const T* const* a, int lda, const T* const* b, int ldb, const T* beta, T* const* c, int ldc,
              int count) {
  const Gemm each = of_one_type(type, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  return gemm(call, h, listed(each, count));
}

}  // namespace

LAB_NAMED(cublasSgemm_v2, one<float>);
LAB_NAMED(cublasDgemm_v2, one<double>);
LAB_NAMED(cublasCgemm_v2, one<std::complex<float>>);
LAB_NAMED(cublasZgemm_v2, one<std::complex<double>>);
LAB_NAMED(cublasCgemm3m, one<std::complex<float>>);
LAB_NAMED(cublasZgemm3m, one<std::complex<double>>);
LAB_NAMED(cublasHgemm, one<void, Elem::F16>);
LAB_NAMED(cublasSgemmStridedBatched, in_steps<float>);
LAB_NAMED(cublasDgemmStridedBatched, in_steps<double>);
LAB_NAMED(cublasCgemmStridedBatched, in_steps<std::complex<float>>);
LAB_NAMED(cublasZgemmStridedBatched, in_steps<std::complex<double>>);
LAB_NAMED(cublasHgemmStridedBatched, in_steps<void, Elem::F16>);
LAB_NAMED(cublasSgemmBatched, in_a_list<float>);
LAB_NAMED(cublasDgemmBatched, in_a_list<double>);
LAB_NAMED(cublasCgemmBatched, in_a_list<std::complex<float>>);
LAB_NAMED(cublasZgemmBatched, in_a_list<std::complex<double>>);
LAB_NAMED(cublasHgemmBatched, in_a_list<void, Elem::F16>);

LAB_ENTRY int cublasGemmEx(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const void* alpha,
                           const void* a, Elem type_a, int lda, const void* b, Elem type_b, int ldb,
                           const void* beta, void* c, Elem type_c, int ldc, int compute, int /*algorithm*/) {
  return gemm_ex(
      "cublasGemmEx", h, compute,
      {op_a, op_b, m, n, k, alpha, beta, {a, type_a, lda}, {b, type_b, ldb}, {c, type_c, ldc}, Elem::F32});
}
LAB_ENTRY int cublasSgemmEx(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const void* alpha,
                            const void* a, Elem type_a, int lda, const void* b, Elem type_b, int ldb,
                            const void* beta, void* c, Elem type_c, int ldc) {
  return gemm_ex(
      "cublasSgemmEx", h, 68,
      {op_a, op_b, m, n, k, alpha, beta, {a, type_a, lda}, {b, type_b, ldb}, {c, type_c, ldc}, Elem::F32});
}
LAB_ENTRY int cublasGemmStridedBatchedEx(BlasHandle* h, int op_a, int op_b, int m, int n, int k,
                                         const void* alpha, const void* a, Elem type_a, int lda, long long da,
                                         const void* b, Elem type_b, int ldb, long long db, const void* beta,
                                         void* c, Elem type_c, int ldc, long long dc, int count, int compute,
                                         int /*algorithm*/) {
  return gemm_ex("cublasGemmStridedBatchedEx", h, compute,
                 {op_a, op_b, m, n, k, alpha, beta, operand(a, type_a, lda, da), operand(b, type_b, ldb, db),
                  operand(c, type_c, ldc, dc), Elem::F32, count});
}
LAB_ENTRY int cublasGemmBatchedEx(BlasHandle* h, int op_a, int op_b, int m, int n, int k, const void* alpha,
                                  const void* a, Elem type_a, int lda, const void* b, Elem type_b, int ldb,
                                  const void* beta, void* c, Elem type_c, int ldc, int count, int compute,
                                  int /*algorithm*/) {
  return gemm_ex("cublasGemmBatchedEx", h, compute,
                 {op_a, op_b, m, n, k, alpha, beta, operand(a, type_a, lda), operand(b, type_b, ldb),
                  operand(c, type_c, ldc), Elem::F32, count, true});
}

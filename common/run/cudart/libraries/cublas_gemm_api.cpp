// cuBLAS: gemm in every form.
//
// Enters: column-major matrices of the device. Leaves: what the host's BLAS computes, in f32, or in f64 for
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
  const int lda = std::max(1, s.turn_a ? k : m), ldb = std::max(1, s.turn_b ? n : k);
  const char turn_a = s.turn_a ? 'T' : 'N', turn_b = s.turn_b ? 'T' : 'N';
  if (m > 0 && n > 0)
    host_blas<T>().gemm(&turn_a, &turn_b, &m, &n, &k, &alpha, a.data(), &lda, b.data(), &ldb, &beta, c.data(),
                        &m);
  return c;
}
template std::vector<float> product(const std::vector<float>&, const std::vector<float>&, const GemmShape&,
                                    float, float, std::vector<float>);
template std::vector<double> product(const std::vector<double>&, const std::vector<double>&, const GemmShape&,
                                     double, double, std::vector<double>);

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
  const T alpha = static_cast<T>(by.value(arrays)), beta = static_cast<T>(keep.value(arrays));
  const auto matrix = [&](const Operand& o, int rows, int cols, int batch) {
    const void* const base = g.lists ? arrays.pointer_in(o.pointer, batch) : o.pointer;
    return Matrix{base, rows, cols, o.ld, o.type, false}.at(g.lists ? 0 : batch * o.stride);
  };
  const GemmShape shape{g.m, g.n, g.k, g.op_a != 0, g.op_b != 0};
  for (int batch = 0; batch < g.batches; ++batch) {
    const Matrix c = matrix(g.c, g.m, g.n, batch);
    std::vector<T> start = beta == 0
                               ? std::vector<T>(static_cast<std::size_t>(g.m) * static_cast<std::size_t>(g.n))
                               : arrays.load<T>(c);
    const auto a = arrays.load<T>(shape.turn_a ? matrix(g.a, g.k, g.m, batch) : matrix(g.a, g.m, g.k, batch));
    const auto b = arrays.load<T>(shape.turn_b ? matrix(g.b, g.n, g.k, batch) : matrix(g.b, g.k, g.n, batch));
    arrays.store<T>(c, product(a, b, shape, alpha, beta, std::move(start)));
  }
}

int gemm(const char* call, BlasHandle* handle, const Gemm& g) {
  if (handle == nullptr) return kBlasNotInitialised;
  if (wrong(g)) return kBlasInvalidValue;
  const Scalar by(*handle, g.alpha, g.scale), keep(*handle, g.beta, g.scale);
  const bool wide = g.scale == Elem::F64 || g.scale == Elem::I32;
  return library_call(call, handle->stream, false, [=](Arrays& arrays) {
    wide ? compute<double>(arrays, g, by, keep) : compute<float>(arrays, g, by, keep);
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

template <Elem type, class T>
int one(const char* call, BlasHandle* h, int op_a, int op_b, int m, int n, int k, const T* alpha, const T* a,
        int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  return gemm(call, h, of_one_type(type, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc));
}
template <Elem type, class T>
int in_steps(const char* call, BlasHandle* h, int op_a, int op_b, int m, int n, int k, const T* alpha,
             const T* a, int lda, long long da, const T* b, int ldb, long long db, const T* beta, T* c,
             int ldc, long long dc, int count) {
  const Gemm first = of_one_type(type, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  return gemm(call, h, strided(first, da, db, dc, count));
}
template <Elem type, class T>
int in_a_list(const char* call, BlasHandle* h, int op_a, int op_b, int m, int n, int k, const T* alpha,
              const T* const* a, int lda, const T* const* b, int ldb, const T* beta, T* const* c, int ldc,
              int count) {
  const Gemm each = of_one_type(type, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  return gemm(call, h, listed(each, count));
}

}  // namespace

LAB_NAMED(cublasSgemm_v2, one<Elem::F32, float>);
LAB_NAMED(cublasDgemm_v2, one<Elem::F64, double>);
LAB_NAMED(cublasHgemm, one<Elem::F16, void>);
LAB_NAMED(cublasSgemmStridedBatched, in_steps<Elem::F32, float>);
LAB_NAMED(cublasDgemmStridedBatched, in_steps<Elem::F64, double>);
LAB_NAMED(cublasHgemmStridedBatched, in_steps<Elem::F16, void>);
LAB_NAMED(cublasSgemmBatched, in_a_list<Elem::F32, float>);
LAB_NAMED(cublasDgemmBatched, in_a_list<Elem::F64, double>);
LAB_NAMED(cublasHgemmBatched, in_a_list<Elem::F16, void>);

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

// cuBLASLt: one product with what follows it: bias, ReLU, GELU and their gradients.
//
// Enters: descriptors that programs fill attribute by attribute. Leaves: D = epilogue(alpha op(A) op(B) +
// beta C). A descriptor is the program's own memory or ours; it holds one of the structs below.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/run/cudart/libraries/gemm.h"
#include "common/run/cudart/libraries/handle.h"

using namespace lab::cudart;

namespace {

struct Layout {  // cublasLtMatrixLayout_t: 64 bytes
  Elem type;
  int order;  // 0: column-major, 1: row-major
  std::int64_t rows, cols, ld;
  int batches;
  std::int64_t stride;
};
static_assert(sizeof(Layout) <= 64);

struct Product {  // cublasLtMatmulDesc_t: 256 bytes
  int compute;
  Elem scale;
  int pointer_mode, op_a, op_b, op_c, fill;
  unsigned epilogue;
  const void* bias;
  std::int64_t bias_stride;
  void* aux;
  std::int64_t aux_ld, aux_stride;
  int aux_type, bias_type;  // -1: that of D
  bool unknown;             // an attribute that changes results and is not computed
};
static_assert(sizeof(Product) <= 256);

constexpr unsigned kRelu = 2, kBias = 4, kBiasGradient = 16, kGelu = 32, kReluGradient = 8,
                   kGeluGradient = 64, kAux = 128, kBiasGradientA = 256, kBiasGradientB = 512;

// Where each attribute lies, and its bytes. Others are scales of narrow types and hints.
struct Attribute {
  int id;
  std::size_t offset, bytes;
};
constexpr Attribute kLayoutAttributes[] = {{0, offsetof(Layout, type), 4},  {1, offsetof(Layout, order), 4},
                                           {2, offsetof(Layout, rows), 8},  {3, offsetof(Layout, cols), 8},
                                           {4, offsetof(Layout, ld), 8},    {5, offsetof(Layout, batches), 4},
                                           {6, offsetof(Layout, stride), 8}};
constexpr Attribute kProductAttributes[] = {
    {0, offsetof(Product, compute), 4},      {1, offsetof(Product, scale), 4},
    {2, offsetof(Product, pointer_mode), 4}, {3, offsetof(Product, op_a), 4},
    {4, offsetof(Product, op_b), 4},         {5, offsetof(Product, op_c), 4},
    {6, offsetof(Product, fill), 4},         {7, offsetof(Product, epilogue), 4},
    {8, offsetof(Product, bias), 8},         {10, offsetof(Product, bias_stride), 8},
    {11, offsetof(Product, aux), 8},         {12, offsetof(Product, aux_ld), 8},
    {13, offsetof(Product, aux_stride), 8},  {22, offsetof(Product, aux_type), 4},
    {26, offsetof(Product, bias_type), 4}};

template <std::size_t N>
const Attribute* attribute(const Attribute (&table)[N], int id) {
  const Attribute* const found =
      std::find_if(table, table + N, [&](const Attribute& row) { return row.id == id; });
  return found == table + N ? nullptr : found;
}

void start(Layout* layout, Elem type, std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  *layout = {type, 0, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cols), ld, 1, 0};
}
void start(Product* product, int compute, Elem scale) {
  *product = {};
  product->compute = compute;
  product->scale = scale;
  product->epilogue = 1;
  product->aux_type = product->bias_type = -1;
}

Matrix matrix(const void* at, const Layout& l, int batch) {
  return Matrix{at, l.rows, l.cols, l.ld, l.type, l.order == 1}.at(batch * l.stride);
}

// GELU by tanh, and its derivative.
double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }
double gelu_slope(double x) {
  const double t = std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

// What follows the product, on `d` of rows × cols.
template <class T>
void epilogue(Arrays& arrays, const Product& p, const Layout& to, int batch, std::vector<T>& d) {
  const auto rows = static_cast<std::size_t>(to.rows);
  const Elem aux_type = p.aux_type < 0 ? to.type : static_cast<Elem>(p.aux_type);
  const Elem bias_type = p.bias_type < 0 ? to.type : static_cast<Elem>(p.bias_type);
  const Matrix aux = Matrix{p.aux, to.rows, to.cols, p.aux_ld, aux_type, false}.at(batch * p.aux_stride);
  const Matrix bias = Matrix{p.bias, to.rows, 1, to.rows, bias_type, false}.at(batch * p.bias_stride);
  if ((p.epilogue & kBias) != 0) {
    const std::vector<T> b = arrays.load<T>(bias);
    for (std::size_t k = 0; k < d.size(); ++k) d[k] += b[k % rows];
  }
  if ((p.epilogue & kGelu) != 0) {
    if ((p.epilogue & kAux) != 0) arrays.store<T>(aux, d);
    for (T& value : d) value = static_cast<T>(gelu(static_cast<double>(value)));
  }
  if ((p.epilogue & kRelu) != 0) {
    for (T& value : d) value = std::max(value, T{0});
  }
  if ((p.epilogue & kGeluGradient) != 0) {
    const std::vector<T> x = arrays.load<T>(aux);
    for (std::size_t k = 0; k < d.size(); ++k) d[k] *= static_cast<T>(gelu_slope(static_cast<double>(x[k])));
  }
  if ((p.epilogue & kBiasGradient) != 0) {
    std::vector<T> sums(rows);
    for (std::size_t k = 0; k < d.size(); ++k) sums[k % rows] += d[k];
    arrays.store<T>(bias, sums);
  }
}

// The sums of A's rows, or of B's columns, over the inner dimension.
template <class T>
void input_gradient(Arrays& arrays, const Product& p, const Layout& to, const GemmShape& s,
                    const std::vector<T>& a, const std::vector<T>& b) {
  const bool of_a = (p.epilogue & kBiasGradientA) != 0;
  const std::int64_t count = of_a ? s.m : s.n;
  std::vector<T> sums(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t l = 0; l < s.k; ++l) {
      const std::int64_t in_a = s.op_a != 0 ? l + i * s.k : i + l * s.m,
                         in_b = s.op_b != 0 ? i + l * s.n : l + i * s.k;
      sums[static_cast<std::size_t>(i)] +=
          of_a ? a[static_cast<std::size_t>(in_a)] : b[static_cast<std::size_t>(in_b)];
    }
  }
  const Elem type = p.bias_type < 0 ? to.type : static_cast<Elem>(p.bias_type);
  arrays.store<T>({p.bias, count, 1, count, type, false}, sums);
}

struct Call {
  Product p;
  Layout a, b, c, d;
  const void *at_a, *at_b, *at_c;
  void* at_d;
};

template <class T>
void compute(Arrays& arrays, const Call& call, const Scalar& by, const Scalar& keep) {
  const T alpha = static_cast<T>(by.value(arrays)), beta = static_cast<T>(keep.value(arrays));
  const Product& p = call.p;
  const GemmShape shape{call.d.rows, call.d.cols, p.op_a == 0 ? call.a.cols : call.a.rows, p.op_a, p.op_b};
  for (int batch = 0; batch < call.d.batches; ++batch) {
    const auto a = arrays.load<T>(matrix(call.at_a, call.a, batch)),
               b = arrays.load<T>(matrix(call.at_b, call.b, batch));
    std::vector<T> c = beta == 0 ? std::vector<T>(static_cast<std::size_t>(call.d.rows * call.d.cols))
                                 : arrays.load<T>(matrix(call.at_c, call.c, batch));
    std::vector<T> d = product(a, b, shape, alpha, beta, std::move(c));
    epilogue(arrays, p, call.d, batch, d);
    if ((p.epilogue & (kBiasGradientA | kBiasGradientB)) != 0) input_gradient(arrays, p, call.d, shape, a, b);
    arrays.store<T>(matrix(call.at_d, call.d, batch), d);
  }
}

// Whether shapes fit, and everything that is asked for is computed here.
int refusal(const Call& call) {
  const Product& p = call.p;
  const std::int64_t m = p.op_a == 0 ? call.a.rows : call.a.cols, k = p.op_a == 0 ? call.a.cols : call.a.rows;
  const std::int64_t k_of_b = p.op_b == 0 ? call.b.rows : call.b.cols,
                     n = p.op_b == 0 ? call.b.cols : call.b.rows;
  if (m != call.d.rows || n != call.d.cols || k != k_of_b) return kBlasInvalidValue;
  for (const Layout* l : {&call.a, &call.b, &call.d}) {
    if (l->order > 1) return kBlasNotSupported;
    (void)bytes_of(l->type);
  }
  const bool relu_mask = (p.epilogue & kReluGradient) != 0 || (p.epilogue & (kRelu | kAux)) == (kRelu | kAux);
  const bool needs_aux = (p.epilogue & kAux) != 0,
             needs_bias = (p.epilogue & (kBias | kBiasGradient | kBiasGradientA | kBiasGradientB)) != 0;
  if ((needs_aux && p.aux == nullptr) || (needs_bias && p.bias == nullptr)) return kBlasInvalidValue;
  return relu_mask || p.unknown || p.op_c != 0 || p.pointer_mode > 1 ? kBlasNotSupported : 0;
}

}  // namespace

LAB_ENTRY int cublasLtCreate(BlasHandle** handle) {
  *handle = new BlasHandle;
  return 0;
}
LAB_ENTRY int cublasLtDestroy(BlasHandle* handle) {
  delete handle;
  return 0;
}
LAB_ENTRY std::size_t cublasLtGetVersion() { return 130000; }

LAB_ENTRY int cublasLtMatrixLayoutInit_internal(Layout* layout, std::size_t /*bytes*/, Elem type,
                                                std::uint64_t rows, std::uint64_t cols, std::int64_t ld) {
  start(layout, type, rows, cols, ld);
  return 0;
}
LAB_ENTRY int cublasLtMatrixLayoutCreate(Layout** layout, Elem type, std::uint64_t rows, std::uint64_t cols,
                                         std::int64_t ld) {
  start(*layout = new Layout, type, rows, cols, ld);
  return 0;
}
LAB_ENTRY int cublasLtMatrixLayoutDestroy(Layout* layout) {
  delete layout;
  return 0;
}
LAB_ENTRY int cublasLtMatrixLayoutSetAttribute(Layout* layout, int id, const void* value, std::size_t bytes) {
  const Attribute* const row = attribute(kLayoutAttributes, id);
  if (row == nullptr) return kBlasNotSupported;
  if (bytes < row->bytes) return kBlasInvalidValue;
  std::memcpy(reinterpret_cast<std::byte*>(layout) + row->offset, value, row->bytes);
  return 0;
}

LAB_ENTRY int cublasLtMatmulDescInit_internal(Product* product, std::size_t /*bytes*/, int compute,
                                              Elem scale) {
  start(product, compute, scale);
  return 0;
}
LAB_ENTRY int cublasLtMatmulDescCreate(Product** product, int compute, Elem scale) {
  start(*product = new Product, compute, scale);
  return 0;
}
LAB_ENTRY int cublasLtMatmulDescDestroy(Product* product) {
  delete product;
  return 0;
}
LAB_ENTRY int cublasLtMatmulDescSetAttribute(Product* product, int id, const void* value, std::size_t bytes) {
  constexpr int kSmCount = 15, kFastAccumulation = 25;
  if (id == kSmCount || id == kFastAccumulation) return 0;  // change no result
  const Attribute* const row = attribute(kProductAttributes, id);
  if (row == nullptr) {
    product->unknown = true;
    return 0;
  }
  if (bytes < row->bytes) return kBlasInvalidValue;
  std::memcpy(reinterpret_cast<std::byte*>(product) + row->offset, value, row->bytes);
  return 0;
}

LAB_ENTRY int cublasLtMatmulPreferenceInit_internal(void* /*preference*/, std::size_t /*bytes*/) { return 0; }
LAB_ENTRY int cublasLtMatmulPreferenceCreate(void** preference) {
  *preference = new std::uint64_t[8]();
  return 0;
}
LAB_ENTRY int cublasLtMatmulPreferenceDestroy(void* preference) {
  delete[] static_cast<std::uint64_t*>(preference);
  return 0;
}
LAB_ENTRY int cublasLtMatmulPreferenceSetAttribute(void* /*preference*/, int /*id*/, const void* /*value*/,
                                                   std::size_t /*bytes*/) {
  return 0;
}

// There is one way to compute it, and it needs no workspace.
struct Heuristic {
  std::uint64_t algorithm[8];
  std::size_t workspace_bytes;
  int state;
  float waves;
  int reserved[4];
};
LAB_ENTRY int cublasLtMatmulAlgoGetHeuristic(BlasHandle* /*handle*/, const Product* product, const Layout* a,
                                             const Layout* b, const Layout* c, const Layout* d,
                                             void* /*preference*/, int wanted, Heuristic* results,
                                             int* found) {
  if (product == nullptr || a == nullptr || b == nullptr || c == nullptr || d == nullptr || wanted < 1)
    return kBlasInvalidValue;
  results[0] = {};
  results[0].waves = 1;
  *found = 1;
  return 0;
}

LAB_ENTRY int cublasLtMatmul(BlasHandle* handle, const Product* product, const void* alpha, const void* a,
                             const Layout* a_layout, const void* b, const Layout* b_layout, const void* beta,
                             const void* c, const Layout* c_layout, void* d, const Layout* d_layout,
                             const void* /*algorithm*/, void* /*workspace*/, std::size_t /*workspace_bytes*/,
                             StreamHandle stream) {
  if (handle == nullptr) return kBlasNotInitialised;
  const Call call{*product, *a_layout, *b_layout, *c_layout, *d_layout, a, b, c, d};
  try {
    (void)scale_of_compute(product->compute);
    if (const int code = refusal(call); code != 0) {
      if (code == kBlasNotSupported)
        context().say_once(
            "cublasLtMatmul: this layout, epilogue or scaling is not computed here (docs/run.md).");
      return code;
    }
  } catch (const ApiError& error) {
    explain("cublasLtMatmul", error);
    return kBlasNotSupported;
  }
  BlasHandle scalars;
  scalars.device_scalars = product->pointer_mode == 1;
  const Scalar by(scalars, alpha, product->scale), keep(scalars, beta, product->scale);
  const bool wide = product->scale == Elem::F64 || product->scale == Elem::I32;
  return library_call("cublasLtMatmul", stream, false, [=](Arrays& arrays) {
    wide ? compute<double>(arrays, call, by, keep) : compute<float>(arrays, call, by, keep);
  });
}

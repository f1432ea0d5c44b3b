// cuBLAS and cuBLASLt: every call against loops of this program, in types whose results are exact here.
// golden: none
// nvcc: -lcublas -lcublasLt
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int failures = 0;
static void check(const char* what, bool good) {
  std::printf("%-28s %s\n", what, good ? "ok" : "WRONG");
  failures += !good;
}
#define CHECK(call)                                                                       \
  do {                                                                                    \
    if (const int code = static_cast<int>(call)) std::printf("%s: %d\n", #call, code), std::exit(1); \
  } while (0)

template <class T>
struct Device {
  T* at = nullptr;
  size_t count;
  explicit Device(const std::vector<T>& host) : count(host.size()) {
    CHECK(cudaMalloc(&at, count * sizeof(T)));
    CHECK(cudaMemcpy(at, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Device() { cudaFree(at); }
  std::vector<T> back() const {
    std::vector<T> host(count);
    CHECK(cudaMemcpy(host.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
};

// Small whole numbers: every sum is exact in every type.
template <class T>
std::vector<T> numbers(int count, int seed) {
  std::vector<T> v(count);
  for (int k = 0; k < count; ++k) v[k] = T(float((k * 7 + seed * 5) % 11 - 5));
  return v;
}

// C = 2 op(A) op(B) + 3 C, column-major.
template <class T>
std::vector<T> expected(bool ta, bool tb, int m, int n, int k, const std::vector<T>& a, int lda, const std::vector<T>& b, int ldb,
                        std::vector<T> c, int ldc) {
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += float(ta ? a[l + i * lda] : a[i + l * lda]) * float(tb ? b[j + l * ldb] : b[l + j * ldb]);
      c[i + j * ldc] = T(2 * sum + 3 * float(c[i + j * ldc]));
    }
  return c;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  for (size_t k = 0; k < a.size(); ++k)
    if (float(a[k]) != float(b[k])) return false;
  return a.size() == b.size();
}

using C32 = std::complex<float>;
cuComplex* at(const Device<C32>& array) { return reinterpret_cast<cuComplex*>(array.at); }

// Element (r, c) of op(M), 3 by 3: as it lies, transposed, transposed and conjugated.
C32 element(const std::vector<C32>& m, int op, int r, int c) {
  const C32 value = op == CUBLAS_OP_N ? m[r + 3 * c] : m[c + 3 * r];
  return op == CUBLAS_OP_C ? std::conj(value) : value;
}

void complex_calls(cublasHandle_t handle) {
  std::vector<C32> a, b, c;
  for (int k = 0; k < 9; ++k) {
    a.push_back(C32(k * 7 % 11 - 5, k * 5 % 7 - 3));
    b.push_back(C32(k * 3 % 11 - 4, k * 4 % 9 - 2));
    c.push_back(C32(k - 4, 2 * k % 5));
  }
  const Device<C32> da(a), db(b);
  const C32 by(2, -1), keep(1, 3);
  const auto *alpha = reinterpret_cast<const cuComplex*>(&by), *beta = reinterpret_cast<const cuComplex*>(&keep);
  const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
  bool products = true, typed = true, sums = true, vectors = true;
  for (const cublasOperation_t left : ops)
    for (const cublasOperation_t right : ops) {
      Device<C32> dc(c), dt(c), ds(c), dv(c);
      CHECK(cublasCgemm(handle, left, right, 3, 3, 3, alpha, at(da), 3, at(db), 3, beta, at(dc), 3));
      CHECK(cublasGemmEx(handle, left, right, 3, 3, 3, alpha, da.at, CUDA_C_32F, 3, db.at, CUDA_C_32F, 3, beta, dt.at, CUDA_C_32F, 3,
                         CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
      CHECK(cublasCgeam(handle, left, right, 3, 3, alpha, at(da), 3, beta, at(db), 3, at(ds), 3));
      CHECK(cublasCgemv(handle, left, 3, 3, alpha, at(da), 3, at(db), 1, beta, at(dv), 1));
      const auto product = dc.back(), sum = ds.back(), vector = dv.back();
      for (int i = 0; i < 9; ++i) {
        const int row = i % 3, col = i / 3;
        C32 p = keep * c[i], v = keep * c[row];
        for (int l = 0; l < 3; ++l) {
          p += by * element(a, left, row, l) * element(b, right, l, col);
          v += by * element(a, left, row, l) * b[l];
        }
        products = products && product[i] == p;
        sums = sums && sum[i] == by * element(a, left, row, col) + keep * element(b, right, row, col);
        vectors = vectors && (i > 2 || vector[i] == v);
      }
      typed = typed && dt.back() == product;
    }
  check("complex gemm", products);
  check("complex gemmEx", typed);
  check("complex geam", sums);
  check("complex gemv", vectors);
  C32 plain, conjugated, want, wanted;
  float norm = 0, sum = 0, squares = 0, parts = 0;
  int largest = 0;
  CHECK(cublasCdotu(handle, 9, at(da), 1, at(db), 1, reinterpret_cast<cuComplex*>(&plain)));
  CHECK(cublasCdotc(handle, 9, at(da), 1, at(db), 1, reinterpret_cast<cuComplex*>(&conjugated)));
  CHECK(cublasScnrm2(handle, 9, at(da), 1, &norm));
  CHECK(cublasScasum(handle, 9, at(da), 1, &sum));
  CHECK(cublasIcamax(handle, 9, at(da), 1, &largest));
  float most = -1;
  int first = 0;
  for (int k = 0; k < 9; ++k) {
    want += a[k] * b[k], wanted += std::conj(a[k]) * b[k], squares += std::norm(a[k]);
    const float size = std::fabs(a[k].real()) + std::fabs(a[k].imag());
    parts += size;
    if (size > most) most = size, first = k + 1;
  }
  check("dotu, dotc", plain == want && conjugated == wanted);
  check("complex nrm2, asum, amax", std::fabs(norm - std::sqrt(squares)) < 1e-5f && sum == parts && largest == first);
  Device<C32> du(c), dg(c);
  CHECK(cublasCgeru(handle, 3, 3, alpha, at(da), 1, at(db), 1, at(du), 3));
  CHECK(cublasCgerc(handle, 3, 3, alpha, at(da), 1, at(db), 1, at(dg), 3));
  const auto outer = du.back(), with_conjugates = dg.back();
  bool good = true;
  for (int i = 0; i < 9; ++i) {
    good = good && outer[i] == c[i] + by * a[i % 3] * b[i / 3];
    good = good && with_conjugates[i] == c[i] + by * a[i % 3] * std::conj(b[i / 3]);
  }
  check("geru, gerc", good);
  check("gemmEx of complex and real", cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 3, 3, 3, alpha, da.at, CUDA_C_32F, 3, db.at,
                                                   CUDA_R_32F, 3, beta, du.at, CUDA_C_32F, 3, CUBLAS_COMPUTE_32F,
                                                   CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
}

int main() {
  cublasHandle_t handle;
  CHECK(cublasCreate(&handle));
  CHECK(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
  CHECK(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
  const int m = 5, n = 4, k = 3, lda = 6, ldb = 7, ldc = 8;
  const float two = 2, three = 3;
  const double dtwo = 2, dthree = 3;
  for (int mode = 0; mode < 4; ++mode) {
    const bool ta = mode & 1, tb = mode & 2;
    const auto a = numbers<float>(lda * 6, 1), b = numbers<float>(ldb * 6, 2), c = numbers<float>(ldc * n, 3);
    Device<float> da(a), db(b), dc(c);
    CHECK(cublasSgemm(handle, ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, &two, da.at, lda, db.at, ldb,
                      &three, dc.at, ldc));
    check("sgemm", same(dc.back(), expected(ta, tb, m, n, k, a, lda, b, ldb, c, ldc)));
  }
  {
    const auto a = numbers<double>(15, 1), b = numbers<double>(12, 2), c = numbers<double>(20, 3);
    Device<double> da(a), db(b), dc(c);
    CHECK(cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &dtwo, da.at, m, db.at, k, &dthree, dc.at, m));
    check("dgemm", same(dc.back(), expected(false, false, m, n, k, a, m, b, k, c, m)));
  }
  {
    const auto a = numbers<__half>(15, 1), b = numbers<__half>(12, 2), c = numbers<__half>(20, 3);
    Device<__half> da(a), db(b), dc(c);
    CHECK(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &two, da.at, CUDA_R_16F, m, db.at, CUDA_R_16F, k, &three, dc.at,
                       CUDA_R_16F, m, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    check("gemmEx of halves", same(dc.back(), expected(false, false, m, n, k, a, m, b, k, c, m)));
  }
  {
    const auto a = numbers<float>(30, 1), b = numbers<float>(24, 2), c = numbers<float>(40, 3);
    Device<float> da(a), db(b), dc(c), again(c);
    CHECK(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &two, da.at, m, 15, db.at, k, 12, &three, dc.at, m, 20, 2));
    Device<const float*> la({da.at, da.at + 15}), lb({db.at, db.at + 12});
    Device<float*> lc({again.at, again.at + 20});
    CHECK(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &two, la.at, m, lb.at, k, &three, lc.at, m, 2));
    const std::vector<float> a1(a.begin() + 15, a.end()), b1(b.begin() + 12, b.end()), c1(c.begin() + 20, c.end());
    const auto second = expected(false, false, m, n, k, a1, m, b1, k, c1, m);
    const auto got = dc.back();
    check("strided batch", same(std::vector<float>(got.begin() + 20, got.end()), second));
    check("batch of pointers", same(again.back(), got));
  }
  {
    const auto x = numbers<float>(40, 1), y = numbers<float>(40, 2);
    Device<float> dx(x), dy(y);
    float dot = 0, norm = 0, sum = 0, want = 0, squares = 0, wanted_sum = 0;
    int largest = 0, smallest = 0;
    CHECK(cublasSdot(handle, 20, dx.at, 2, dy.at, 1, &dot));
    CHECK(cublasSnrm2(handle, 40, dx.at, 1, &norm));
    CHECK(cublasSasum(handle, 40, dx.at, 1, &sum));
    CHECK(cublasIsamax(handle, 40, dx.at, 1, &largest));
    CHECK(cublasIsamin(handle, 40, dx.at, 1, &smallest));
    for (int i = 0; i < 20; ++i) want += x[2 * i] * y[i];
    for (int i = 0; i < 40; ++i) squares += x[i] * x[i], wanted_sum += std::fabs(x[i]);
    check("dot with a step", dot == want);
    check("nrm2", std::fabs(norm - std::sqrt(squares)) < 1e-4f);
    check("asum", sum == wanted_sum);
    check("amax, amin", std::fabs(x[largest - 1]) == 5 && x[smallest - 1] == 0);
    const int many = 1 << 20;
    const float one = std::sqrt(65504.0f / many);
    Device<float> equal(std::vector<float>(many, one));
    float long_dot = 0, long_sum = 0;
    CHECK(cublasSdot(handle, many, equal.at, 1, equal.at, 1, &long_dot));
    CHECK(cublasSasum(handle, many, equal.at, 1, &long_sum));
    check("a million equal products add up", std::fabs(long_dot - many * double(one) * one) < 0.1);
    check("a million equal numbers add up", std::fabs(long_sum - many * double(one)) < 0.1);
    CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
    Device<float> result(std::vector<float>(1));
    CHECK(cublasSdot(handle, 40, dx.at, 1, dy.at, 1, result.at));
    CHECK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
    want = 0;
    for (int i = 0; i < 40; ++i) want += x[i] * y[i];
    check("dot into the device", result.back()[0] == want);
    CHECK(cublasSaxpy(handle, 40, &two, dx.at, 1, dy.at, 1));
    CHECK(cublasSscal(handle, 40, &three, dy.at, 1));
    CHECK(cublasSswap(handle, 40, dx.at, 1, dy.at, 1));
    const auto changed = dx.back();
    bool good = same(dy.back(), x);
    for (int i = 0; i < 40; ++i) good = good && changed[i] == 3 * (2 * x[i] + y[i]);
    check("axpy, scal, swap", good);
    const float cosine = 0.5f, sine = 2;  // exact products
    CHECK(cublasSrot(handle, 40, dx.at, 1, dy.at, 1, &cosine, &sine));
    const auto turned = dx.back(), other = dy.back();
    good = true;
    for (int i = 0; i < 40; ++i)
      good = good && turned[i] == 0.5f * changed[i] + 2 * x[i] && other[i] == 0.5f * x[i] - 2 * changed[i];
    check("rot", good);
  }
  {
    const auto a = numbers<float>(15, 1), x = numbers<float>(5, 2);
    Device<float> da(a), dx(x), dy(std::vector<float>(3, NAN)), dt(std::vector<float>(15));
    const float one = 1, zero = 0;
    CHECK(cublasSgemv(handle, CUBLAS_OP_T, 5, 3, &one, da.at, 5, dx.at, 1, &zero, dy.at, 1));  // beta 0: NaN is not read
    bool good = true;
    const auto y = dy.back();
    for (int j = 0; j < 3; ++j) {
      float sum = 0;
      for (int i = 0; i < 5; ++i) sum += a[i + 5 * j] * x[i];
      good = good && y[j] == sum;
    }
    check("gemv, beta 0", good);
    CHECK(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 3, 5, &one, da.at, 5, &zero, nullptr, 3, dt.at, 3));
    const auto t = dt.back();
    good = true;
    for (int i = 0; i < 15; ++i) good = good && t[i] == a[i / 3 + 5 * (i % 3)];
    check("geam transposes", good);
    const std::vector<float> triangle{2, 4, 6, 0, 1, 3, 0, 0, 4}, right{2, 5, 13};
    Device<float> dl(triangle), dr(right);
    CHECK(cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 3, 1, &one, dl.at, 3, dr.at, 3));
    check("trsm", same(dr.back(), {1, 1, 1}));
  }
  {
    cublasLtHandle_t lt;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t la, lb, lc;
    cublasLtMatmulPreference_t preference;
    CHECK(cublasLtCreate(&lt));
    CHECK(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const cublasOperation_t turned = CUBLAS_OP_T;
    const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
    const auto a = numbers<float>(15, 1), b = numbers<float>(12, 2), bias = numbers<float>(5, 4);
    Device<float> da(a), db(b), dbias(bias), dd(std::vector<float>(20));
    CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned));
    CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    CHECK(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &dbias.at, sizeof dbias.at));
    CHECK(cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, 3, 5, 3));
    CHECK(cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, 3, 4, 3));
    CHECK(cublasLtMatrixLayoutCreate(&lc, CUDA_R_32F, 5, 4, 5));
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    cublasLtMatmulHeuristicResult_t heuristic;
    int found = 0;
    CHECK(cublasLtMatmulAlgoGetHeuristic(lt, desc, la, lb, lc, lc, preference, 1, &heuristic, &found));
    const float one = 1, zero = 0;
    CHECK(cublasLtMatmul(lt, desc, &one, da.at, la, db.at, lb, &zero, dd.at, lc, dd.at, lc, &heuristic.algo, nullptr, 0, nullptr));
    const auto d = dd.back();
    bool good = found == 1;
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 5; ++i) {
        float sum = bias[i];
        for (int l = 0; l < 3; ++l) sum += a[l + 3 * i] * b[l + 3 * j];
        good = good && d[i + 5 * j] == std::fmax(sum, 0.0f);
      }
    check("cublasLt, bias and relu", good);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatrixLayoutDestroy(la), cublasLtMatrixLayoutDestroy(lb), cublasLtMatrixLayoutDestroy(lc);
    cublasLtMatmulDescDestroy(desc);
    cublasLtDestroy(lt);
  }
  {
    const auto x = numbers<__half>(30, 1), y = numbers<__half>(30, 2);
    Device<__half> dx(x), dy(y);
    __half dot = 0;
    float wide = 0, want = 0;
    CHECK(cublasDotEx(handle, 30, dx.at, CUDA_R_16F, 1, dy.at, CUDA_R_16F, 1, &dot, CUDA_R_16F, CUDA_R_32F));
    for (int i = 0; i < 30; ++i) want += float(x[i]) * float(y[i]);
    check("dotEx of halves", float(dot) == float(__half(want)));
    check("dotEx of halves into a float", cublasDotEx(handle, 30, dx.at, CUDA_R_16F, 1, dy.at, CUDA_R_16F, 1, &wide, CUDA_R_32F,
                                                      CUDA_R_32F) == CUBLAS_STATUS_NOT_SUPPORTED);
  }
  complex_calls(handle);
  check("a wrong leading dimension", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 5, 4, 3, &two, nullptr, 2, nullptr, 3, &two, nullptr,
                                                 5) == CUBLAS_STATUS_INVALID_VALUE);
  CHECK(cublasDestroy(handle));
  return failures != 0;
}

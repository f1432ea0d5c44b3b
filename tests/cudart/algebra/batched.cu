// Many small matrices through cuBLAS, by drawn sizes: codes, what each call says of each matrix, and whether what comes out solves what
// went in. An H200 prints the same lines (batched.h200.txt).
#include <cublas_v2.h>

#include <algorithm>
#include <complex>
#include <cstdio>
#include <random>
#include <vector>

namespace {

using Wide = std::complex<double>;
template <class T>
struct Types;
#define TYPES(T, device, letter)                                  \
  template <>                                                     \
  struct Types<T> {                                               \
    using On = device;                                            \
    static constexpr char kLetter = #letter[0];                   \
    static constexpr auto getrf = cublas##letter##getrfBatched;   \
    static constexpr auto getri = cublas##letter##getriBatched;   \
    static constexpr auto getrs = cublas##letter##getrsBatched;   \
    static constexpr auto geqrf = cublas##letter##geqrfBatched;   \
    static constexpr auto gels = cublas##letter##gelsBatched;     \
    static constexpr auto matinv = cublas##letter##matinvBatched; \
  }
TYPES(float, float, S);
TYPES(double, double, D);
TYPES(std::complex<float>, cuComplex, C);
TYPES(std::complex<double>, cuDoubleComplex, Z);

std::mt19937 draw(5);
cublasHandle_t handle;
constexpr int kBatch = 3;

// Matrices side by side, `ld` rows each, of which `rows` count, and the list of where they begin.
template <class T>
struct Many {
  int rows, cols, ld;
  std::vector<T> host;
  T* device = nullptr;
  typename Types<T>::On** list = nullptr;
  Many(int r, int c, int spare = 0)
      : rows(r), cols(c), ld(std::max(1, r + spare)), host(std::size_t(ld) * std::max(1, c) * kBatch, T(77)) {
    cudaMalloc(&device, host.size() * sizeof(T));
    std::vector<typename Types<T>::On*> places;
    for (int k = 0; k < kBatch; ++k)
      places.push_back(reinterpret_cast<typename Types<T>::On*>(device) + k * ld * std::max(1, c));
    cudaMalloc(&list, sizeof(void*) * kBatch);
    cudaMemcpy(list, places.data(), sizeof(void*) * kBatch, cudaMemcpyHostToDevice);
    give();
  }
  Many(const Many&) = delete;
  ~Many() { cudaFree(device), cudaFree(list); }
  T& at(int k, int r, int c) { return host[(std::size_t(k) * std::max(1, cols) + c) * ld + r]; }
  void give() { cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }
  void take() { cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost); }
  Many& drawn(double diagonal = 0) {
    std::normal_distribution<double> number;
    for (int k = 0; k < kBatch; ++k)
      for (int c = 0; c < cols; ++c)
        for (int r = 0; r < rows; ++r) {
          const Wide value(number(draw) + (r == c ? diagonal : 0), number(draw));
          if constexpr (sizeof(T) == sizeof(std::complex<T>) / 2 || std::is_floating_point_v<T>)
            at(k, r, c) = T(value.real());
          else
            at(k, r, c) = T(value);
        }
    give();
    return *this;
  }
};

// The largest element of op(A) X - B, as a share of what is there.
template <class T>
double error(Many<T>& a, Many<T>& x, Many<T>& b, int operation = 0) {
  double worst = 0, largest = 1;
  const int inner = operation == 0 ? a.cols : a.rows, outer = operation == 0 ? a.rows : a.cols;
  for (int k = 0; k < kBatch; ++k)
    for (int c = 0; c < x.cols; ++c)
      for (int r = 0; r < outer; ++r) {
        Wide sum = 0;
        for (int i = 0; i < inner; ++i) {
          const Wide e = operation == 0 ? a.at(k, r, i) : a.at(k, i, r);
          sum += (operation == 2 ? std::conj(e) : e) * Wide(x.at(k, i, c));
          largest = std::max(largest, std::abs(Wide(x.at(k, i, c))));
        }
        worst = std::max(worst, std::abs(sum - Wide(b.at(k, r, c))));
      }
  return worst / largest;
}
template <class T>
bool small(double value) {
  return value < (sizeof(T) / (std::is_floating_point_v<T> ? 1 : 2) == 4 ? 2e-3 : 1e-10);
}

struct Ints {
  int* device = nullptr;
  std::vector<int> host;
  explicit Ints(int count) : host(std::max(1, count), 99) {
    cudaMalloc(&device, host.size() * sizeof(int));
    cudaMemcpy(device, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice);
  }
  Ints(const Ints&) = delete;
  ~Ints() { cudaFree(device); }
  void print() {
    cudaMemcpy(host.data(), device, host.size() * sizeof(int), cudaMemcpyDeviceToHost);
    for (int k = 0; k < kBatch; ++k) std::printf(" %d", host[k]);
  }
};
template <class T>
typename Types<T>::On* const* readable(Many<T>& m) {
  return m.list;
}

template <class T>
void factors(int n, int spare, bool pivots, int operation) {
  using B = Types<T>;
  Many<T> a(n, n, spare), before(n, n, spare), inverse(n, n), ones(n, n), b(n, 2), x(n, 2, 1);
  before.drawn(pivots ? 0 : 9);
  a.host = before.host;
  a.give();
  b.drawn();
  for (int k = 0; k < kBatch; ++k)
    for (int r = 0; r < n; ++r) {
      for (int c = 0; c < n; ++c) ones.at(k, r, c) = T(r == c);
      for (int c = 0; c < 2; ++c) x.at(k, r, c) = b.at(k, r, c);
    }
  x.give();
  Ints rows(n * kBatch), info(kBatch), info2(kBatch);
  int* const by = pivots ? rows.device : nullptr;
  std::printf("%c n %d spare %d pivots %d operation %d: getrf %d", B::kLetter, n, spare, pivots, operation,
              B::getrf(handle, n, a.list, a.ld, by, info.device, kBatch));
  info.print();
  std::printf(" getri %d",
              B::getri(handle, n, readable(a), a.ld, by, inverse.list, inverse.ld, info2.device, kBatch));
  info2.print();
  int said = 99;
  std::printf(" getrs %d", B::getrs(handle, cublasOperation_t(operation), n, 2, readable(a), a.ld, by, x.list,
                                    x.ld, &said, kBatch));
  inverse.take(), x.take();
  std::printf(" %d inverse %s solution %s\n", said,
              small<T>(error(before, inverse, ones)) ? "right" : "wrong",
              small<T>(error(before, x, b, operation)) ? "right" : "wrong");
  if (n > 32) return;
  Ints info3(kBatch);
  std::printf("  matinv %d", B::matinv(handle, n, readable(before), before.ld, inverse.list, inverse.ld,
                                       info3.device, kBatch));
  info3.print();
  inverse.take();
  std::printf(" %s\n", small<T>(error(before, inverse, ones)) ? "right" : "wrong");
}

// R of QR gives A's own products; the least squares' error is orthogonal to A.
template <class T>
void squares(int m, int n) {
  using B = Types<T>;
  Many<T> a(m, n, 1), before(m, n, 1), scales(std::min(m, n), 1), c(m, 2), b(m, 2), x(n, 2), zero(n, 2),
      rest(m, 2);
  before.drawn();
  a.host = before.host;
  a.give();
  int said = 99, said2 = 99;
  const int code = B::geqrf(handle, m, n, a.list, a.ld, scales.list, &said, kBatch);
  std::printf("%c %d x %d: geqrf %d %d", B::kLetter, m, n, code, said);
  a.take();
  double worst = 0;
  for (int k = 0; k < kBatch; ++k)
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q) {
        Wide sum = 0;
        for (int r = 0; r < m; ++r) {
          sum += std::conj(Wide(before.at(k, r, p))) * Wide(before.at(k, r, q));
          if (r <= std::min(p, q)) sum -= std::conj(Wide(a.at(k, r, p))) * Wide(a.at(k, r, q));
        }
        worst = std::max(worst, std::abs(sum) / m);
      }
  std::printf(" %s", small<T>(worst) ? "right" : "wrong");
  a.host = before.host;
  a.give();
  b.drawn();
  c.host = b.host;
  c.give();
  Ints info(kBatch);
  std::printf(" gels %d",
              B::gels(handle, CUBLAS_OP_N, m, n, 2, a.list, a.ld, c.list, c.ld, &said2, info.device, kBatch));
  std::printf(" %d", said2);
  info.print();
  c.take();
  for (int k = 0; k < kBatch; ++k)
    for (int s = 0; s < 2; ++s) {
      for (int r = 0; r < std::min(m, n); ++r) x.at(k, r, s) = c.at(k, r, s);
      for (int r = 0; r < m; ++r) {
        Wide sum = Wide(b.at(k, r, s));
        for (int i = 0; i < n; ++i) sum -= Wide(before.at(k, r, i)) * Wide(x.at(k, i, s));
        if constexpr (std::is_floating_point_v<T>)
          rest.at(k, r, s) = T(sum.real());
        else
          rest.at(k, r, s) = T(sum);
      }
      for (int i = 0; i < n; ++i) zero.at(k, i, s) = T(0);
    }
  std::printf(" %s\n", m < n ? "-" : small<T>(error(before, rest, zero, 2) / m) ? "right" : "wrong");
}

// One matrix of the batch has no inverse; then arguments that cannot be.
void refusals() {
  Many<double> a(3, 3), c(3, 3), s(3, 1);
  a.drawn();
  for (int r = 0; r < 3; ++r) a.at(1, r, 1) = 2 * a.at(1, r, 0);
  for (int r = 0; r < 3; ++r) a.at(2, r, 0) = 0;
  a.at(1, 0, 0) = 1, a.at(1, 1, 0) = 0, a.at(1, 2, 0) = 0, a.at(1, 0, 1) = 2, a.at(1, 1, 1) = 0,
             a.at(1, 2, 1) = 0;
  a.give();
  Ints rows(9), info(3), other(3);
  std::printf("singular: matinv %d", cublasDmatinvBatched(handle, 3, a.list, 3, c.list, 3, info.device, 3));
  info.print();
  std::printf(" getrf %d", cublasDgetrfBatched(handle, 3, a.list, 3, rows.device, info.device, 3));
  info.print();
  std::printf(" getri %d",
              cublasDgetriBatched(handle, 3, a.list, 3, rows.device, c.list, 3, other.device, 3));
  other.print();
  std::printf("\ngetrf %d %d %d %d\n",
              cublasDgetrfBatched(handle, -1, a.list, 3, rows.device, info.device, 3),
              cublasDgetrfBatched(handle, 3, a.list, 2, rows.device, info.device, 3),
              cublasDgetrfBatched(handle, 3, a.list, 3, rows.device, info.device, -1),
              cublasDgetrfBatched(handle, 0, a.list, 1, rows.device, info.device, 0));
  std::printf("matinv %d %d %d\n", cublasDmatinvBatched(handle, 33, a.list, 33, c.list, 33, info.device, 3),
              cublasDmatinvBatched(handle, 3, a.list, 3, c.list, 2, info.device, 3),
              cublasDmatinvBatched(nullptr, 3, a.list, 3, c.list, 3, info.device, 3));
  std::printf("getri %d %d\n",
              cublasDgetriBatched(handle, 3, a.list, 2, rows.device, c.list, 3, info.device, 3),
              cublasDgetriBatched(handle, 3, a.list, 3, rows.device, c.list, 3, info.device, -1));
  int said[9];
  std::fill(said, said + 9, 99);
  const int codes[] = {
      cublasDgetrsBatched(handle, cublasOperation_t(7), 3, 1, a.list, 3, rows.device, c.list, 3, said, 3),
      cublasDgetrsBatched(handle, CUBLAS_OP_N, -1, 1, a.list, 3, rows.device, c.list, 3, said + 1, 3),
      cublasDgetrsBatched(handle, CUBLAS_OP_N, 3, -1, a.list, 3, rows.device, c.list, 3, said + 2, 3),
      cublasDgetrsBatched(handle, CUBLAS_OP_N, 3, 1, a.list, 2, rows.device, c.list, 3, said + 3, 3),
      cublasDgetrsBatched(handle, CUBLAS_OP_N, 3, 1, a.list, 3, rows.device, c.list, 2, said + 4, 3),
      cublasDgetrsBatched(handle, CUBLAS_OP_N, 3, 1, a.list, 3, rows.device, c.list, 3, said + 5, -1),
      cublasDgeqrfBatched(handle, -1, 3, a.list, 3, s.list, said + 6, 3),
      cublasDgeqrfBatched(handle, 3, 3, a.list, 2, s.list, said + 7, 3),
      cublasDgelsBatched(handle, CUBLAS_OP_N, 3, 3, 1, a.list, 2, c.list, 3, said + 8, nullptr, 3)};
  for (int k = 0; k < 9; ++k) std::printf("%s%d %d", k == 0 ? "said " : ", ", codes[k], said[k]);
  int t = 99, w = 99, b = 99;
  const int more[] = {
      cublasDgelsBatched(handle, CUBLAS_OP_T, 3, 3, 1, a.list, 3, c.list, 3, &t, nullptr, 3),
      cublasDgelsBatched(handle, CUBLAS_OP_N, 2, 3, 1, a.list, 3, c.list, 3, &w, nullptr, 3),
      cublasDgelsBatched(handle, CUBLAS_OP_N, 3, 2, 1, a.list, 3, c.list, 3, &b, nullptr, -1)};
  std::printf("\ngels %d %d, %d %d, %d %d\n", more[0], t, more[1], w, more[2], b);
}

template <class T>
void all() {
  for (const int n : {1, 3, 32, 33}) factors<T>(n, n % 2 * 2, n != 32, n % 3);
  for (const int m : {1, 5, 20}) squares<T>(m, std::max(1, m - 3));
  squares<T>(4, 6);
}

}  // namespace

int main() {
  cublasCreate(&handle);
  all<float>(), all<double>(), all<std::complex<float>>(), all<std::complex<double>>();
  refusals();
  std::printf("last %d\n", int(cudaDeviceSynchronize()));
}

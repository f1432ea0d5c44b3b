// Templates as libraries use them: functors, lambdas handed to kernels, non-type parameters, classes with device methods.
// nvcc: -std=c++17 --extended-lambda
#include <cstdio>
#include <type_traits>
#include <utility>
#include <vector>

template <typename T>
class DeviceVector {
 public:
  explicit DeviceVector(const std::vector<T> &host) : size_(host.size()) {
    cudaMalloc(&data_, size_ * sizeof(T));
    cudaMemcpy(data_, host.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  DeviceVector(const DeviceVector &) = delete;
  DeviceVector(DeviceVector &&o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(o.size_) {}
  ~DeviceVector() { cudaFree(data_); }
  std::vector<T> toHost() const {
    std::vector<T> h(size_);
    cudaMemcpy(h.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return h;
  }
  T *data() { return data_; }
  size_t size() const { return size_; }

 private:
  T *data_ = nullptr;
  size_t size_;
};

template <typename T, typename F>
__global__ void transform_kernel(T *data, size_t n, F f) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) data[i] = f(data[i]);
}

template <typename T, typename F>
void transform(DeviceVector<T> &v, F f) {
  transform_kernel<<<4, 64>>>(v.data(), v.size(), f);
}

struct Affine {
  int a, b;
  template <typename T>
  __host__ __device__ T operator()(T x) const { return T(a) * x + T(b); }
};

template <int Power>
struct Pow {
  template <typename T>
  __host__ __device__ constexpr T operator()(T x) const {
    if constexpr (Power == 0) return T(1);
    else return x * Pow<Power - 1>{}(x);
  }
};

template <typename... Fs>
struct Chain;
template <>
struct Chain<> {
  template <typename T>
  __host__ __device__ T operator()(T x) const { return x; }
};
template <typename F, typename... Rest>
struct Chain<F, Rest...> {
  F first;
  Chain<Rest...> rest;
  template <typename T>
  __host__ __device__ T operator()(T x) const { return rest(first(x)); }
};

template <typename T, typename F>
int check(const char *name, F f) {
  std::vector<T> h;
  for (int i = 0; i < 777; ++i) h.push_back(T(i % 20 - 9));
  DeviceVector<T> v(h);
  transform(v, f);
  std::vector<T> got = v.toHost();
  int wrong = 0;
  for (size_t i = 0; i < h.size(); ++i) wrong += got[i] != f(h[i]);
  std::printf("%-14s %zu-byte %s: f(3) = %g, %d wrong\n", name, sizeof(T), std::is_floating_point_v<T> ? "float  " : "integer",
              (double)got[12], wrong);
  return wrong;
}

int main() {
  int bad = 0, offset = 5;
  bad += check<int>("affine", Affine{3, -4});
  bad += check<double>("affine", Affine{3, -4});
  bad += check<short>("power", Pow<3>{});
  bad += check<long long>("power", Pow<9>{});
  bad += check<float>("chain", Chain<Affine, Pow<2>, Affine>{{2, 1}, {{}, {{1, -7}, {}}}});
  bad += check<int>("lambda", [=] __host__ __device__(int x) { return x * x + offset; });
  bad += check<unsigned char>("lambda", [] __host__ __device__(unsigned char x) { return (unsigned char)(x ^ 0x5a); });
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return bad;
}

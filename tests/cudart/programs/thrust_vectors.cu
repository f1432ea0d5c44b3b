// Thrust: vectors, transform, reduce, sort, fill and sequences.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include <algorithm>
#include <iostream>

struct saxpy_functor {
  const float a;
  saxpy_functor(float _a) : a(_a) {}
  __host__ __device__ float operator()(const float &x, const float &y) const { return a * x + y; }
};

int main() {
  thrust::device_vector<int> D(10, 1);
  thrust::fill(D.begin(), D.begin() + 7, 9);
  thrust::host_vector<int> H(5);
  thrust::sequence(H.begin(), H.end());
  thrust::copy(H.begin(), H.end(), D.begin());
  for (int i = 0; i < (int)D.size(); i++) std::cout << "D[" << i << "] = " << D[i] << (i % 5 == 4 ? "\n" : "  ");
  const int n = 3000;
  thrust::device_vector<float> X(n), Y(n);
  thrust::sequence(X.begin(), X.end());
  thrust::fill(Y.begin(), Y.end(), 0.5f);
  thrust::transform(X.begin(), X.end(), Y.begin(), Y.begin(), saxpy_functor(2.0f));
  float sum = thrust::reduce(Y.begin(), Y.end(), 0.0f, thrust::plus<float>());
  std::cout << "sum " << (long)sum << std::endl;
  thrust::host_vector<int> keys(n);
  for (int i = 0; i < n; ++i) keys[i] = (int)((i * 7919LL) % 10007);
  thrust::device_vector<int> dk = keys;
  thrust::sort(dk.begin(), dk.end());
  thrust::host_vector<int> sorted = dk;
  std::sort(keys.begin(), keys.end());
  bool same = std::equal(keys.begin(), keys.end(), sorted.begin());
  std::cout << "sorted " << (same ? "as on the host" : "WRONGLY") << ", largest " << sorted[n - 1] << std::endl;
  return same && (long)sum == (long)n * (n - 1) + n / 2 ? 0 : 1;
}

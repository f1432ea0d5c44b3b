// cuRAND's host API: moments of each distribution, and the same numbers for the same seed.
// golden: none
// nvcc: -lcurand
#include <curand.h>

#include <cmath>
#include <cstdio>
#include <vector>

static int failures = 0;

template <class T, class Fill>
std::vector<T> drawn(curandGenerator_t generator, size_t count, const Fill& fill) {
  T* at;
  cudaMalloc(&at, count * sizeof(T));
  if (fill(generator, at, count) != CURAND_STATUS_SUCCESS) ++failures;
  std::vector<T> host(count);
  cudaMemcpy(host.data(), at, count * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(at);
  return host;
}

template <class T>
void moments(const char* what, const std::vector<T>& v, double mean, double deviation) {
  double sum = 0, squares = 0;
  for (T x : v) sum += x;
  const double got = sum / v.size();
  for (T x : v) squares += (x - got) * (x - got);
  const double spread = std::sqrt(squares / v.size());
  const bool good = std::fabs(got - mean) < 5 * deviation / std::sqrt(double(v.size())) && std::fabs(spread / deviation - 1) < 0.03;
  std::printf("%-16s %s\n", what, good ? "ok" : "WRONG");
  failures += !good;
}

int main() {
  const size_t count = 40000;
  curandGenerator_t g;
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
  curandSetPseudoRandomGeneratorSeed(g, 1234);
  const auto uniform = drawn<float>(g, count, curandGenerateUniform);
  moments("uniform", uniform, 0.5, std::sqrt(1 / 12.0));
  for (float x : uniform) failures += !(x > 0 && x <= 1);
  moments("uniform double", drawn<double>(g, count, curandGenerateUniformDouble), 0.5, std::sqrt(1 / 12.0));
  moments("normal", drawn<float>(g, count, [](auto g, float* p, size_t n) { return curandGenerateNormal(g, p, n, 3, 2); }), 3, 2);
  moments("normal double", drawn<double>(g, count, [](auto g, double* p, size_t n) { return curandGenerateNormalDouble(g, p, n, -1, 0.5); }), -1, 0.5);
  moments("Poisson", drawn<unsigned>(g, count, [](auto g, unsigned* p, size_t n) { return curandGeneratePoisson(g, p, n, 9); }), 9, 3);
  moments("bits", drawn<unsigned>(g, count, curandGenerate), 2147483647.5, 4294967296.0 / std::sqrt(12.0));
  curandSetPseudoRandomGeneratorSeed(g, 1234);
  curandSetGeneratorOffset(g, 0);  // a seed alone goes on where it was
  std::printf("same seed        %s\n", drawn<float>(g, count, curandGenerateUniform) == uniform ? "ok" : "WRONG");
  std::printf("odd normal       %s\n", curandGenerateNormal(g, nullptr, 3, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE ? "ok" : "WRONG");
  curandDestroyGenerator(g);

  // Sobol's numbers: each is the one before it with one direction vector of its dimension added.
  curandCreateGenerator(&g, CURAND_RNG_QUASI_SOBOL32);
  const auto sobol = drawn<unsigned>(g, 64, curandGenerate);
  curandDirectionVectors32_t* vectors = nullptr;
  curandGetDirectionVectors32(&vectors, CURAND_DIRECTION_VECTORS_32_JOEKUO6);
  bool same = vectors != nullptr;
  for (int k = 1; same && k < 64; ++k) same = (sobol[k] ^ sobol[k - 1]) == vectors[0][__builtin_ctz(~(k - 1))];
  std::printf("directions       %s\n", same ? "ok" : "WRONG");
  unsigned* scramble = nullptr;
  unsigned long long* scramble64 = nullptr;
  curandDirectionVectors64_t* vectors64 = nullptr;
  const bool tables = curandGetScrambleConstants32(&scramble) == 0 && curandGetScrambleConstants64(&scramble64) == 0 &&
                      curandGetDirectionVectors64(&vectors64, CURAND_DIRECTION_VECTORS_64_JOEKUO6) == 0 &&
                      scramble[0] != scramble[1] && scramble64[0] != scramble64[1] && vectors64[0][0] == 1ull << 63;
  int major = 0;
  std::printf("tables           %s\n", tables && curandGetProperty(MAJOR_VERSION, &major) == 0 && major >= 10 ? "ok" : "WRONG");
  curandDestroyGenerator(g);
  return failures != 0;
}

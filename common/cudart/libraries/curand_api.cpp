// cuRAND's host API: generators and their distributions.
//
// Enters: calls of libcurand.so. Leaves: numbers of the distributions that were asked for, the same for the
// same seed, but of another sequence than cuRAND's, which is told at the first call. Quasi-random generators
// are refused.
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include "common/cudart/libraries/library_call.h"

using namespace lab::cudart;

namespace {

constexpr int kNotInitialised = 101, kTypeError = 103, kOutOfRange = 104, kNotMultiple = 105,
              kLaunchFailure = 201;
constexpr int kFirstQuasi = 200, kVersion = 10400;

struct Generator {
  std::mt19937_64 engine;
  std::uint64_t seed = 0;
  int type = 0;
  bool on_host = false;
  StreamHandle stream = nullptr;
  void begin(std::uint64_t offset = 0) {
    engine.seed(seed * 0x9e3779b97f4a7c15ull + static_cast<std::uint64_t>(type));
    engine.discard(offset);
  }
  std::uint32_t bits() { return static_cast<std::uint32_t>(engine() >> 32); }
  // In (0, 1], as cuRAND has it.
  double unit() { return (static_cast<double>(engine() >> 11) + 1) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }
};

int create(Generator** made, int type, bool on_host) {
  if (made == nullptr || type < 100) return kTypeError;
  if (type >= kFirstQuasi) {
    context().say_once("cuRAND: quasi-random generators are not simulated. Take CURAND_RNG_PSEUDO_DEFAULT.");
    return kTypeError;
  }
  context().say_once(
      "cuRAND: the numbers have the distributions that are asked for, and are others than a GPU's for the "
      "same seed.");
  *made = new Generator;
  (*made)->type = type;
  (*made)->on_host = on_host;
  (*made)->begin();
  return 0;
}

// `count` numbers, drawn now, in the order of the calls; written in the order of the stream.
template <class T, class Draw>
int generate(const char* call, Generator* g, T* to, std::size_t count, const Draw& draw) {
  if (g == nullptr) return kNotInitialised;
  std::vector<T> numbers(count);
  for (T& number : numbers) number = draw(*g);
  if (g->on_host) return std::memcpy(to, numbers.data(), count * sizeof(T)), 0;
  const int code = library_call(call, g->stream, false, [to, numbers = std::move(numbers)](Arrays& arrays) {
    arrays.store_bytes(to, std::as_bytes(std::span(numbers)));
  });
  return code == 0 ? 0 : kLaunchFailure;
}

template <class T>
int normals(const char* call, Generator* g, T* to, std::size_t count, T mean, T deviation, bool logarithmic) {
  if (count % 2 != 0) return kNotMultiple;
  return generate(call, g, to, count, [=](Generator& from) {
    const double value = static_cast<double>(mean) + static_cast<double>(deviation) * from.normal();
    return static_cast<T>(logarithmic ? std::exp(value) : value);
  });
}

}  // namespace

LAB_ENTRY int curandCreateGenerator(Generator** made, int type) { return create(made, type, false); }
LAB_ENTRY int curandCreateGeneratorHost(Generator** made, int type) { return create(made, type, true); }
LAB_ENTRY int curandDestroyGenerator(Generator* g) {
  if (g == nullptr) return kNotInitialised;
  delete g;
  return 0;
}
LAB_ENTRY int curandGetVersion(int* version) {
  *version = kVersion;
  return 0;
}
LAB_ENTRY int curandSetStream(Generator* g, StreamHandle stream) {
  if (g == nullptr) return kNotInitialised;
  g->stream = stream;
  return 0;
}
LAB_ENTRY int curandSetPseudoRandomGeneratorSeed(Generator* g, unsigned long long seed) {
  if (g == nullptr) return kNotInitialised;
  g->seed = seed;
  g->begin();
  return 0;
}
LAB_ENTRY int curandSetGeneratorOffset(Generator* g, unsigned long long offset) {
  if (g == nullptr) return kNotInitialised;
  g->begin(offset);
  return 0;
}
LAB_ENTRY int curandSetGeneratorOrdering(Generator* g, int /*order*/) {
  return g == nullptr ? kNotInitialised : 0;
}
LAB_ENTRY int curandGenerateSeeds(Generator* g) { return g == nullptr ? kNotInitialised : 0; }

LAB_ENTRY int curandGenerate(Generator* g, std::uint32_t* to, std::size_t count) {
  return generate("curandGenerate", g, to, count, [](Generator& from) { return from.bits(); });
}
LAB_ENTRY int curandGenerateLongLong(Generator* /*g*/, std::uint64_t* /*to*/, std::size_t /*count*/) {
  return kTypeError;  // of 64-bit quasi-random generators alone
}
LAB_ENTRY int curandGenerateUniform(Generator* g, float* to, std::size_t count) {
  return generate("curandGenerateUniform", g, to, count,
                  [](Generator& from) { return static_cast<float>(from.bits()) * 0x1p-32f + 0x1p-33f; });
}
LAB_ENTRY int curandGenerateUniformDouble(Generator* g, double* to, std::size_t count) {
  return generate("curandGenerateUniformDouble", g, to, count, [](Generator& from) { return from.unit(); });
}
LAB_ENTRY int curandGenerateNormal(Generator* g, float* to, std::size_t count, float mean, float deviation) {
  return normals("curandGenerateNormal", g, to, count, mean, deviation, false);
}
LAB_ENTRY int curandGenerateNormalDouble(Generator* g, double* to, std::size_t count, double mean,
                                         double deviation) {
  return normals("curandGenerateNormalDouble", g, to, count, mean, deviation, false);
}
LAB_ENTRY int curandGenerateLogNormal(Generator* g, float* to, std::size_t count, float mean,
                                      float deviation) {
  return normals("curandGenerateLogNormal", g, to, count, mean, deviation, true);
}
LAB_ENTRY int curandGenerateLogNormalDouble(Generator* g, double* to, std::size_t count, double mean,
                                            double deviation) {
  return normals("curandGenerateLogNormalDouble", g, to, count, mean, deviation, true);
}
LAB_ENTRY int curandGeneratePoisson(Generator* g, std::uint32_t* to, std::size_t count, double lambda) {
  if (lambda <= 0) return kOutOfRange;
  std::poisson_distribution<std::uint32_t> poisson(lambda);
  return generate("curandGeneratePoisson", g, to, count,
                  [&](Generator& from) { return poisson(from.engine); });
}

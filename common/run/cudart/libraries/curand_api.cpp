// cuRAND's host API: generators and their distributions, by the real library.
//
// Enters: calls of libcurand.so. Leaves: the numbers of the library's own generators on the host, which need
// no GPU, written to the device in the order of the stream.
#include <dlfcn.h>

#include "common/run/cudart/libraries/library_call.h"
#include "common/run/cudart/request.h"

using namespace lab::cudart;

namespace {

constexpr int kNoGenerator = 101, kTypeError = 103, kLaunchFailure = 201, kInitialisationFailed = 203;

// Its own symbols come first: ours have the same names.
void* curand_function(const char* name) {
  static void* const library = [] {
    const std::string& named = request().curand;
    return named.empty() ? nullptr : dlopen(named.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  }();
  if (library == nullptr) {
    context().say_once(
        "the program draws random numbers (cuRAND), and libcurand is not beside nvcc. Install it: pip "
        "install nvidia-curand, or a CUDA Toolkit.");
    return nullptr;
  }
  return dlsym(library, name);
}

template <class... Arguments>
int of_curand(const char* name, Arguments... arguments) {
  auto* const function = reinterpret_cast<int (*)(Arguments...)>(curand_function(name));
  return function == nullptr ? kInitialisationFailed : function(arguments...);
}

struct Generator {
  void* real = nullptr;
  bool on_host = false;
  StreamHandle stream = nullptr;
};

int create(Generator** made, int type, bool on_host) {
  if (made == nullptr) return kTypeError;
  auto generator = std::make_unique<Generator>();
  generator->on_host = on_host;
  const int code = of_curand("curandCreateGeneratorHost", &generator->real, type);
  if (code == 0) *made = generator.release();
  return code;
}

template <class... Arguments>
int set(const char* call, Generator* g, Arguments... arguments) {
  return g == nullptr ? kNoGenerator : of_curand(call, g->real, arguments...);
}

// `count` numbers, drawn now, in the order of the calls; written in the order of the stream.
template <class T, class... Arguments>
int generate(const char* call, Generator* g, T* to, std::size_t count, Arguments... arguments) {
  if (g == nullptr) return kNoGenerator;
  std::vector<T> numbers(g->on_host ? 0 : count);
  T* const at = g->on_host ? to : numbers.data();
  const int code = of_curand(call, g->real, at, count, arguments...);
  if (code != 0 || g->on_host) return code;
  const int stored = library_call(call, g->stream, false, [to, numbers = std::move(numbers)](Arrays& arrays) {
    arrays.store_bytes(to, std::as_bytes(std::span(numbers)));
  });
  return stored == 0 ? 0 : kLaunchFailure;
}

}  // namespace

LAB_ENTRY int curandCreateGenerator(Generator** made, int type) { return create(made, type, false); }
LAB_ENTRY int curandCreateGeneratorHost(Generator** made, int type) { return create(made, type, true); }
LAB_ENTRY int curandDestroyGenerator(Generator* g) {
  const int code = set("curandDestroyGenerator", g);
  delete g;
  return code;
}
LAB_ENTRY int curandGetVersion(int* version) { return of_curand("curandGetVersion", version); }
LAB_ENTRY int curandGetProperty(int which, int* value) {
  return of_curand("curandGetProperty", which, value);
}
// Tables in the host's memory.
LAB_ENTRY int curandGetDirectionVectors32(void** vectors, int set) {
  return of_curand("curandGetDirectionVectors32", vectors, set);
}
LAB_ENTRY int curandGetDirectionVectors64(void** vectors, int set) {
  return of_curand("curandGetDirectionVectors64", vectors, set);
}
LAB_ENTRY int curandGetScrambleConstants32(void** constants) {
  return of_curand("curandGetScrambleConstants32", constants);
}
LAB_ENTRY int curandGetScrambleConstants64(void** constants) {
  return of_curand("curandGetScrambleConstants64", constants);
}
LAB_ENTRY int curandSetStream(Generator* g, StreamHandle stream) {
  if (g == nullptr) return kNoGenerator;
  g->stream = stream;
  return 0;
}
LAB_ENTRY int curandSetPseudoRandomGeneratorSeed(Generator* g, unsigned long long seed) {
  return set("curandSetPseudoRandomGeneratorSeed", g, seed);
}
LAB_ENTRY int curandSetGeneratorOffset(Generator* g, unsigned long long offset) {
  return set("curandSetGeneratorOffset", g, offset);
}
LAB_ENTRY int curandSetGeneratorOrdering(Generator* g, int order) {
  return set("curandSetGeneratorOrdering", g, order);
}
LAB_ENTRY int curandSetQuasiRandomGeneratorDimensions(Generator* g, unsigned dimensions) {
  return set("curandSetQuasiRandomGeneratorDimensions", g, dimensions);
}
LAB_ENTRY int curandGenerateSeeds(Generator* g) { return set("curandGenerateSeeds", g); }

LAB_ENTRY int curandGenerate(Generator* g, std::uint32_t* to, std::size_t count) {
  return generate("curandGenerate", g, to, count);
}
LAB_ENTRY int curandGenerateLongLong(Generator* g, unsigned long long* to, std::size_t count) {
  return generate("curandGenerateLongLong", g, to, count);
}
LAB_ENTRY int curandGenerateUniform(Generator* g, float* to, std::size_t count) {
  return generate("curandGenerateUniform", g, to, count);
}
LAB_ENTRY int curandGenerateUniformDouble(Generator* g, double* to, std::size_t count) {
  return generate("curandGenerateUniformDouble", g, to, count);
}
LAB_ENTRY int curandGenerateNormal(Generator* g, float* to, std::size_t count, float mean, float deviation) {
  return generate("curandGenerateNormal", g, to, count, mean, deviation);
}
LAB_ENTRY int curandGenerateNormalDouble(Generator* g, double* to, std::size_t count, double mean,
                                         double deviation) {
  return generate("curandGenerateNormalDouble", g, to, count, mean, deviation);
}
LAB_ENTRY int curandGenerateLogNormal(Generator* g, float* to, std::size_t count, float mean,
                                      float deviation) {
  return generate("curandGenerateLogNormal", g, to, count, mean, deviation);
}
LAB_ENTRY int curandGenerateLogNormalDouble(Generator* g, double* to, std::size_t count, double mean,
                                            double deviation) {
  return generate("curandGenerateLogNormalDouble", g, to, count, mean, deviation);
}
LAB_ENTRY int curandGeneratePoisson(Generator* g, std::uint32_t* to, std::size_t count, double lambda) {
  return generate("curandGeneratePoisson", g, to, count, lambda);
}

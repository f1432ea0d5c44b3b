// The seed of a test that draws its cases, and the draws.
//
// Enters: LAB_SEED, else what LAB_SEED_BASE (of .ci/run: the commit) and the test's name give, else the clock.
// Leaves: the same draws for the same seed on every machine; the seed is printed, so that a run that fails can
// be repeated. A seed that failed once stands as a row beside its generator. LAB_DRAWS makes a run longer: so
// many times the usual number of draws.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace lab::drawn {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  // SplitMix64: the standard library's distributions differ from one library to the next.
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  bool one_in(std::size_t count) { return below(count) == 0; }
  template <class Value>
  const Value& among(const std::vector<Value>& values) {
    return values[below(values.size())];
  }
  template <class Value>
  void shuffle(std::vector<Value>& values) {
    for (std::size_t left = values.size(); left > 1; --left) std::swap(values[left - 1], values[below(left)]);
  }

 private:
  std::uint64_t state_;
};

// FNV-1a, so that a checking machine asks the same of the same commit, and something else of the next.
inline std::uint64_t from_base(const std::string& base, const std::string& what) {
  std::uint64_t seed = 0xCBF29CE484222325u;
  for (const char byte : base + " " + what) {
    seed = (seed ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
  }
  return seed % 1'000'000'007u;
}

// Called once a test; `what` stands before the seed in the log.
inline std::uint64_t seed_of_run(const char* what) {
  const auto given = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  const std::string chosen = given("LAB_SEED"), base = given("LAB_SEED_BASE");
  const auto now = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  const std::uint64_t seed = !chosen.empty() ? std::strtoull(chosen.c_str(), nullptr, 10)
                             : !base.empty() ? from_base(base, what)
                                             : now % 1'000'000'007u;
  std::printf("%s: LAB_SEED=%llu\n", what, static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  return seed;
}

inline std::size_t draws_of_run(std::size_t usual) {
  const char* times = std::getenv("LAB_DRAWS");
  const unsigned long long factor = times == nullptr ? 1 : std::strtoull(times, nullptr, 10);
  return usual * static_cast<std::size_t>(factor == 0 ? 1 : factor);
}

}  // namespace lab::drawn

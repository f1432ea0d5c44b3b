// Puts the driver without a GPU (fake_cuda.cpp) in place of the real one, for a scope.
//
// Enters: what shall go wrong. Leaves: the environment as it was.
#pragma once

#include <cstdlib>
#include <string>

namespace lab::test {

class FakeDriver {
 public:
  // `driver` and `cublas`: other libraries than the fake one.
  explicit FakeDriver(const std::string& settings = {}, const std::string& driver = {},
                      const std::string& cublas = {}) {
    setenv("FAKE_CUDA", settings.c_str(), 1);
    setenv("LAB_CUDA_DRIVER", driver.empty() ? LAB_FAKE_CUDA : driver.c_str(), 1);
    setenv("LAB_CUBLAS", cublas.empty() ? LAB_FAKE_CUDA : cublas.c_str(), 1);
  }
  ~FakeDriver() {
    for (const char* name : {"FAKE_CUDA", "LAB_CUDA_DRIVER", "LAB_CUBLAS"}) unsetenv(name);
  }
  FakeDriver(const FakeDriver&) = delete;
  FakeDriver& operator=(const FakeDriver&) = delete;
  // A library that is no driver.
  static const char* no_driver() { return "libm.so.6"; }
};

}  // namespace lab::test

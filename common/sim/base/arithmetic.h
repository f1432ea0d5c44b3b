// The processor's arithmetic as C++ begins with it: to nearest, subnormals kept, no signals.
//
// Enters: a thread of a program that may have set another one (-ffast-math does, for a whole process). Leaves: the same, behind
// the scope. Threads that are started within it inherit it.
#pragma once

#include <cfenv>

namespace lab::sim {

class DefaultArithmetic {
 public:
  DefaultArithmetic() {
    std::fegetenv(&callers_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultArithmetic() { std::fesetenv(&callers_); }
  DefaultArithmetic(const DefaultArithmetic&) = delete;
  DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;

 private:
  std::fenv_t callers_{};
};

}  // namespace lab::sim

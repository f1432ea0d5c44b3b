// A variable that has another value while a scope lasts, however the scope is left.
#pragma once

#include <utility>

namespace lab::cucc {

template <class T>
class Restored {
 public:
  Restored(T& variable, T meanwhile)
      : variable_(variable), before_(std::exchange(variable, std::move(meanwhile))) {}
  ~Restored() { variable_ = std::move(before_); }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;

 private:
  T& variable_;
  T before_;
};

}  // namespace lab::cucc

// Threads that are over when their list is.
#pragma once

#include <thread>
#include <utility>
#include <vector>

namespace lab::base {

class Threads {
 public:
  Threads() = default;
  ~Threads() { join(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  template <class F>
  void start(F&& work) {
    threads_.emplace_back(std::forward<F>(work));
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
};

}  // namespace lab::base

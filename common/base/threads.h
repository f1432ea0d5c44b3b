// Threads that are over when their list is, and how many are worth starting.
#pragma once

#if defined(__linux__)
#include <sched.h>
#endif

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

namespace lab::base {

// The cores that this process may run on: fewer than the machine's under taskset, a batch system or a
// container.
[[nodiscard]] inline unsigned usable_cores() {
#if defined(__linux__)
  cpu_set_t mine;
  if (::sched_getaffinity(0, sizeof mine, &mine) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&mine)));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

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

// A line that says that work goes on: for people at a terminal, when it takes longer than a moment.
//
// Enters: what is being done; from time to time how far it is. Leaves: one line on standard error, written
// over itself and wiped at the end. Nothing at all when standard error is no terminal.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace lab::cli {

class Waiting {
 public:
  // `wanted` false: says nothing.
  explicit Waiting(std::string what, bool wanted = true);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  // Something more exact than what was said at first.
  void at(std::string what);
  void reached(std::size_t done, std::size_t all) {
    done_ = done;
    all_ = all;
  }

 private:
  void show();
  [[nodiscard]] std::string line(double seconds) const;
  std::string what_;
  std::atomic<std::size_t> done_{0}, all_{0};
  std::mutex lock_;
  std::condition_variable bell_;
  bool over_ = false;
  std::thread thread_;
};

// What `work` gives; meanwhile the line.
template <class Work>
auto waited(std::string what, bool wanted, const Work& work) {
  const Waiting waiting(std::move(what), wanted);
  return work();
}

}  // namespace lab::cli

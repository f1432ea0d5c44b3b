// The line of a waiting person. See progress.h.
#include "common/run/cudart/progress.h"
#include "common/run/cudart/request.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

namespace lab::cudart {
namespace {

using namespace std::chrono_literals;
constexpr auto kQuiet = 2s;
constexpr auto kStep = 250ms;

bool a_person_waits() {
  const char* term = std::getenv("TERM");
  return request().progress && ::isatty(STDERR_FILENO) == 1 && term != nullptr &&
         std::string_view(term) != "dumb";
}

void put(const std::string& text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

}  // namespace

Progress& Progress::the() {
  static Progress& one = *new Progress;
  return one;
}

Progress::Progress() : wanted_(a_person_waits()) {
  if (wanted_) std::thread([this] { watch(); }).detach();
}

void Progress::begin(const std::string& kernel) {
  if (!wanted_) return;
  {
    const std::lock_guard guard(lock_);
    begun_ = Clock::now();
    if (launch_++ == 0) first_ = begun_, next_ = begun_ + kQuiet;
    kernel_ = kernel.substr(0, kernel.find('('));
    running_ = true;
  }
  bell_.notify_one();
}

void Progress::end(std::uint64_t lane_instructions) {
  if (!wanted_) return;
  const std::lock_guard guard(lock_);
  busy_ += Clock::now() - begun_;
  lane_instructions_ += lane_instructions;
  running_ = false;
  if (shown_) put("\r\x1b[K");
  shown_ = false;
}

void Progress::watch() {
  std::unique_lock guard(lock_);
  for (;;) {
    bell_.wait(guard, [this] { return running_; });
    if (Clock::now() < next_) {
      // A launch that ends before is not worth a line; the next one may be.
      const auto until = next_;
      guard.unlock();
      std::this_thread::sleep_until(until);
      guard.lock();
      continue;
    }
    show();
    next_ = Clock::now() + kStep;
  }
}

void Progress::show() {
  const std::chrono::duration<double> all = Clock::now() - first_, busy = busy_;
  char text[256];
  int length = std::snprintf(text, sizeof text, "\r\x1b[Klaunch %llu: %.60s, %.0f s",
                             static_cast<unsigned long long>(launch_), kernel_.c_str(), all.count());
  if (lane_instructions_ != 0 && busy.count() > 0) {
    length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length),
                            ", %.2f G lane instructions/s",
                            static_cast<double>(lane_instructions_) / busy.count() / 1e9);
  }
  put({text, static_cast<std::size_t>(length)});
  shown_ = true;
}

}  // namespace lab::cudart

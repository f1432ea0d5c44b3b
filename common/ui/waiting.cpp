// A line that says that work goes on.
#include "common/ui/waiting.h"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "common/base/text/text.h"

namespace lab::cli {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 700ms, kBeat = 250ms;

bool terminal_listens() {
#ifdef __EMSCRIPTEN__
  return false;  // it has no threads
#else
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
#endif
}

}  // namespace

Waiting::Waiting(std::string what, bool wanted) : what_(std::move(what)) {
  if (wanted && terminal_listens()) thread_ = std::thread([this] { show(); });
}

Waiting::~Waiting() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(lock_);
    over_ = true;
  }
  bell_.notify_all();
  thread_.join();
}

void Waiting::at(std::string what) {
  const std::lock_guard guard(lock_);
  what_ = std::move(what);
}

// The estimate: what is left goes on as fast as what was done.
std::string Waiting::line(double seconds) const {
  const std::size_t done = done_, all = all_;
  std::string text = what_;
  if (all != 0) text += " · " + text::tr("{} of {} done", done, all);
  text += fmt::format(" · {:.0f} s", seconds);
  if (done != 0 && done < all && seconds > 2) {
    const double left = seconds * double(all - done) / double(done);
    text += " · " + (left < 90 ? text::tr("about {:.0f} s left", left)
                               : text::tr("about {:.0f} min left", left / 60));
  }
  return text;
}

void Waiting::show() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock guard(lock_);
  if (bell_.wait_for(guard, kPatience, [this] { return over_; })) return;
  do {
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print(stderr, "\r\x1b[K{}", line(seconds.count()));
    std::fflush(stderr);
  } while (!bell_.wait_for(guard, kBeat, [this] { return over_; }));
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace lab::cli

// A line that says that work goes on.
#include "common/cli/waiting.h"

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
  const char* term = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

Waiting::Waiting(std::string what, bool wanted) : what_(std::move(what)) {
  if (wanted && terminal_listens()) thread_ = std::thread([this] { tell(); });
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

void Waiting::tell() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock guard(lock_);
  if (bell_.wait_for(guard, kPatience, [this] { return over_; })) return;
  do {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
    const std::string far = all_ == 0 ? "" : " · " + text::tr("{} of {} done", done_.load(), all_.load());
    fmt::print(stderr, "\r\x1b[K{}{} · {} s", text::retell(what_), far, seconds);
    std::fflush(stderr);
  } while (!bell_.wait_for(guard, kBeat, [this] { return over_; }));
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
}

}  // namespace lab::cli

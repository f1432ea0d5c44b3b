// The pager. See the header.
#include "common/ui/pager.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace lab::cli {
namespace {

std::string pager_command() {
  const char* chosen = std::getenv("PAGER");
  const std::string command = chosen != nullptr ? chosen : "less";
  return command == "cat" ? "" : command;
}

// Whether the pager took the text. When the user quits early the pipe breaks; that is no error.
bool through([[maybe_unused]] const std::string& command, [[maybe_unused]] const std::string& text) {
#ifdef __EMSCRIPTEN__
  return false;  // a page scrolls by itself
#else
  std::fflush(stdout);
  setenv("LESS", "FRX", 0);  // as git does: colours; no pager for one screen; the text stays there afterwards
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  std::FILE* pager = popen((command + " 2>/dev/null").c_str(), "w");
  int status = -1;
  if (pager != nullptr) {
    std::fwrite(text.data(), 1, text.size(), pager);
    status = pclose(pager);
  }
  std::signal(SIGPIPE, before);
  constexpr int kNotFound = 127;
  return status != -1 && (!WIFEXITED(status) || WEXITSTATUS(status) != kNotFound);
#endif
}

}  // namespace

std::size_t terminal_rows() {
  winsize size{};
  return isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

void print_paged(const std::string& text) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  const std::size_t rows = terminal_rows();
  const std::string command = pager_command();
  if (rows == 0 || lines < rows || command.empty() || !through(command, text)) fmt::print("{}", text);
}

}  // namespace lab::cli

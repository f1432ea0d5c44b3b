// Keys as they are pressed, at a terminal. See keys.h.
#include "common/ui/keys.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace lab::cli {
namespace {

constexpr std::array kEnds = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
termios as_it_was;  // NOLINT: a signal handler reads it

void restore_and_end(int signal) {
  tcsetattr(STDIN_FILENO, TCSANOW, &as_it_was);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

Keys::Keys() {
  tcgetattr(STDIN_FILENO, &as_it_was);
  termios by_key = as_it_was;
  by_key.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  by_key.c_cc[VMIN] = 1;
  by_key.c_cc[VTIME] = 0;
  for (const int end : kEnds) std::signal(end, restore_and_end);
  tcsetattr(STDIN_FILENO, TCSANOW, &by_key);
}

Keys::~Keys() {
  tcsetattr(STDIN_FILENO, TCSANOW, &as_it_was);
  for (const int end : kEnds) std::signal(end, SIG_DFL);
}

bool Keys::are_there() {
#ifdef __EMSCRIPTEN__
  return false;  // a page has keys of its own
#else
  return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
#endif
}

int Keys::pressed() {
  pollfd one{STDIN_FILENO, POLLIN, 0};
  if (poll(&one, 1, 0) <= 0) return 0;
  unsigned char key = 0;
  return read(STDIN_FILENO, &key, 1) == 1 ? key : -1;
}

}  // namespace lab::cli

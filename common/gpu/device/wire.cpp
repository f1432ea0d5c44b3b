// Packets over a socket. See wire.h.
#include "common/gpu/device/wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>

namespace lab::device {
namespace {

using Clock = std::chrono::steady_clock;

// Milliseconds for poll: -1 waits without end.
int left_until(Clock::time_point deadline, bool endless) {
  if (endless) return -1;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<long>(left + 1, 0, 1'000'000));
}

Received read_exactly(int socket, char* to, std::size_t size, Clock::time_point deadline, bool endless) {
  while (size > 0) {
    pollfd wanted{socket, POLLIN, 0};
    const int wait = left_until(deadline, endless);
    const int ready = poll(&wanted, 1, wait);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && !endless && Clock::now() >= deadline) return Received::TooLate;
    if (ready == 0) continue;
    const ssize_t got = recv(socket, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Received::Gone;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return Received::Whole;
}

bool send_exactly(int socket, const char* from, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(socket, from, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    from += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace

bool send(int socket, const Packet& packet) {
  const std::uint64_t size = packet.bytes().size();
  return send_exactly(socket, reinterpret_cast<const char*>(&size), sizeof size) &&
         send_exactly(socket, packet.bytes().data(), size);
}

Received receive(int socket, Packet& packet, std::chrono::milliseconds limit) {
  const bool endless = limit.count() == 0;
  const Clock::time_point deadline = Clock::now() + limit;
  packet = {};
  std::uint64_t size = 0;
  if (const auto got = read_exactly(socket, reinterpret_cast<char*>(&size), sizeof size, deadline, endless);
      got != Received::Whole) {
    return got;
  }
  packet.bytes().resize(size);
  return read_exactly(socket, packet.bytes().data(), size, deadline, endless);
}

}  // namespace lab::device

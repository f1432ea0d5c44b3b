// Whether memory of the host that a node of a graph names is still there when the node runs.
//
// Enters: a pointer, when the node is made; each free of the program (the library stands in front of the C
// library's). Leaves: what became of the memory. A buffer is known by its address, so that another one which
// was given the same place does not hide that the first is gone; a variable on the stack by the frame and the
// function that it lies in.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/run/cudart/host_room.h"
#include "common/run/cudart/streams.h"

namespace lab::cudart {

class HostLife {
 public:
  explicit HostLife(const void* pointer);
  ~HostLife();
  HostLife(const HostLife&) = delete;
  HostLife& operator=(const HostLife&) = delete;

  enum class State : std::uint8_t { There, Freed, Returned };
  [[nodiscard]] State state(const Context& c) const;
  [[nodiscard]] bool is_mapped() const;
  // The program frees these bytes.
  static void freed(std::uintptr_t low, std::size_t size_bytes);
  [[nodiscard]] static bool any_watched() { return watched_.load(std::memory_order_relaxed) != 0; }

 private:
  static std::atomic<std::size_t> watched_;
  const std::uintptr_t at_;
  const std::optional<Frame> frame_;
  const pthread_t thread_;
  std::atomic<bool> freed_{false};
};

// The work of a node that copies to or from host memory at these places. Where one is gone, that is reported.
[[nodiscard]] Work while_host_lives(Work work, const std::vector<const void*>& places);

}  // namespace lab::cudart

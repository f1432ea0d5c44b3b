// How much room there is behind a pointer of the host.
//
// Enters: a pointer. Leaves: what glibc's malloc gave behind it, when it is the start of such a buffer; the
// rest of the frame or of the variable that it lies in. Nothing is asked of the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lab::cudart {

// Nothing: no start of a buffer from malloc or new, or not certainly one.
[[nodiscard]] std::optional<std::size_t> host_room(const void* pointer);
// The frame of this thread's stack that a pointer lies in: its end, which no variable of it can pass, and the
// function whose it is.
struct Frame {
  std::uintptr_t end = 0, function = 0;
  bool operator==(const Frame&) const = default;
};
[[nodiscard]] std::optional<Frame> frame_of(const void* pointer);

// A global or static variable of the host: its name, and the bytes from the pointer to its end.
struct HostVariable {
  std::string symbol;
  std::size_t room_bytes = 0;
};
[[nodiscard]] std::optional<HostVariable> host_variable(const void* pointer);

}  // namespace lab::cudart

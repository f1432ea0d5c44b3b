// What two processes on one machine say to each other: packets over a socket.
//
// Enters: plain values and strings, put one after the other. Leaves: the same, taken in the same order. Both
// ends are the same program, so nothing is translated. A packet that is too short throws WireError.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/base/text/message_json.h"

namespace lab::device {

class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Packet {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T> Packet& put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Packet& put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
    return *this;
  }
  Packet& put_message(const Message& message) {
    return put_text(message.english()).put_text(text::json_of(message));
  }
  template <typename T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string get_text() {
    const auto size = get<std::uint64_t>();
    return {take(size), size};
  }
  Message get_message() {
    const std::string english = get_text();
    return text::message_from(base::Json::try_parse(get_text()).value_or(nullptr), english);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::string& bytes() { return bytes_; }

 private:
  const char* take(std::uint64_t size) {
    if (size > bytes_.size() - at_) throw WireError("a packet is too short");
    const char* here = bytes_.data() + at_;
    at_ += size;
    return here;
  }
  std::string bytes_;
  std::size_t at_ = 0;
};

// False: the other side is gone.
[[nodiscard]] bool send(int socket, const Packet& packet);
enum class Received { Whole, Gone, TooLate };
// Waits without end when `limit` is zero.
[[nodiscard]] Received receive(int socket, Packet& packet, std::chrono::milliseconds limit);

}  // namespace lab::device

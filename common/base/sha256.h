// A fingerprint of bytes (SHA-256, FIPS 180-4) that cannot be forged: names of cache entries and the proof
// that one is intact.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lab::base {

class Sha256 {
 public:
  void update(std::string_view bytes);
  // The length goes in first, so that ("ab", "c") and ("a", "bc") differ.
  void update_field(std::string_view bytes);
  [[nodiscard]] std::string hex();  // ends the computation

 private:
  void mix(const std::uint8_t* chunk);
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::size_t pending_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
};

[[nodiscard]] std::string sha256(std::string_view bytes);
// HMAC (RFC 2104) with it: a fingerprint that cannot be computed without the key.
[[nodiscard]] std::string hmac_sha256(std::string_view key, std::string_view message);

}  // namespace lab::base

// The operands with which the golden results of instruction forms were made on a GPU.
//
// Enters: the name of a form and the kinds of its operands. Leaves: the bits that thread t reads, the same
// numbers that tools/golden/forms.py drew. tests/golden/README.md specifies them; edges.h holds the edge
// values.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/golden/edges.h"

namespace lab::golden {

inline constexpr int kThreads = 160;  // one block
inline constexpr int kSlots = 4;      // 64-bit words a thread reads, and may write

class Splitmix64 {
 public:
  explicit Splitmix64(std::string_view name) {
    for (const char byte : name) state_ = (state_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  }
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

struct FloatShape {
  int exponent_bits, fraction_bits;
};
inline const std::map<std::string, FloatShape>& float_shapes() {
  static const std::map<std::string, FloatShape> shapes = {
      {"f16", {5, 10}}, {"bf16", {8, 7}}, {"f32", {8, 23}}, {"f64", {11, 52}}};
  return shapes;
}
inline std::uint64_t low_bits(int count) {
  return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

inline bool is_pair(const std::string& kind) { return kind.ends_with("x2"); }
inline std::string half_of(const std::string& kind) {
  return is_pair(kind) ? kind.substr(0, kind.size() - 2) : kind;
}

inline std::uint64_t edge(const std::string& kind, std::uint64_t index) {
  const std::vector<std::uint64_t>& values = edges().at(half_of(kind));
  const std::uint64_t low = values[index % values.size()];
  return is_pair(kind) ? low | values[(index + 5) % values.size()] << 16 : low;
}

inline std::uint64_t random_integer(int bits, std::uint64_t r, std::uint64_t choice) {
  const std::uint64_t ones = low_bits(bits);
  if (choice < 6) return r & ones;
  if (choice < 10) return ((r & 255) - 2 * (r & 128)) & ones;  // -128 to 127
  if (choice < 12) return std::uint64_t{1} << ((r >> 8) % static_cast<std::uint64_t>(bits));
  return (r & ones) >> ((r >> 50) % static_cast<std::uint64_t>(bits));
}

inline std::uint64_t random_value(const std::string& kind, Splitmix64& random) {
  if (is_pair(kind)) {
    const std::uint64_t low = random_value(half_of(kind), random);
    return low | random_value(half_of(kind), random) << 16;
  }
  const std::uint64_t r = random.next(), choice = r >> 60;
  if (choice >= 14 || kind == "pred" || kind == "tiny") return edge(kind, (r >> 8) & 0xffff);
  const auto shape = float_shapes().find(kind);
  if (shape == float_shapes().end()) return random_integer(std::stoi(kind.substr(1)), r, choice);
  const auto [exponent_bits, fraction_bits] = shape->second;
  if (choice >= 8) return r & low_bits(1 + exponent_bits + fraction_bits);  // any bits
  const std::uint64_t bias = low_bits(exponent_bits - 1);
  return ((r >> 59) & 1) << (exponent_bits + fraction_bits) |  // a number of a common size
         (bias - 8 + ((r >> 52) & 15)) << fraction_bits | (r & low_bits(fraction_bits));
}

// What each thread reads. First edge values meet each other, as many as fit in the block, then random ones.
inline std::vector<std::array<std::uint64_t, kSlots>> operands(const std::string& name,
                                                               const std::vector<std::string>& kinds) {
  constexpr std::array<std::uint64_t, 5> kMeeting = {1, kThreads, 12, 5, 3};
  const std::uint64_t side = kMeeting[kinds.size()];
  std::uint64_t meetings = 1;
  for (std::size_t k = 0; k < kinds.size(); ++k) meetings *= side;
  if (kinds.size() == 1) {
    const bool small = kinds[0] == "pred" || kinds[0] == "tiny";
    meetings = small ? 0 : edges().at(half_of(kinds[0])).size();
  }
  Splitmix64 random(name);
  std::vector<std::array<std::uint64_t, kSlots>> rows(kThreads);
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    std::uint64_t weight = meetings;
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      weight = kinds.size() == 1 ? 1 : weight / side;
      const std::uint64_t index = kinds.size() == 1 ? t : t / (weight == 0 ? 1 : weight) % side;
      rows[t][k] = t < meetings ? edge(kinds[k], index) : random_value(kinds[k], random);
    }
  }
  return rows;
}

}  // namespace lab::golden

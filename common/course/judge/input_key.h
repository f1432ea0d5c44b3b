// Where the inputs of a kernel come from: a key, and the kernel itself.
//
// Enters: the key of a class (or the public one of practice), the PTX of a kernel. Leaves: numbers that
// is unknown before the kernel is finished: which sizes are measured, what the matrices hold, in which
// order shapes are run. They come from HMAC-SHA256(key, PTX without debug rows), so a comment or #line
// changes nothing, and a kernel that holds its own inputs would hold its own fingerprint.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace lab::judge {

inline constexpr std::string_view kPracticeKey = "practice";

// What the kernel is, whatever its source looked like: its tokens, as the simulator reads them, a line each;
// without comments, .loc and .file rows, and debug sections.
[[nodiscard]] std::string without_debug_rows(std::string_view ptx);

// Its opcodes with their modifiers, each once, in their order by letter: what stays when constants, names,
// registers and the order of statements change.
[[nodiscard]] std::string opcodes_of(std::string_view ptx);

// The numbers that it compares with or holds in a register, each once, in the order of their bits.
[[nodiscard]] std::vector<std::uint64_t> numbers_of(std::string_view ptx);

// Whether it learns the order in which threads come: by an atomic that gives back what it found, or by asking a barrier.
[[nodiscard]] bool learns_order(std::string_view ptx);

class InputKey {
 public:
  InputKey() = default;  // of no kernel: for runs that do not grade
  InputKey(std::string_view key, std::string_view ptx);
  // The same for all kernels with these opcodes: a constant that is changed until shapes are friendly changes
  // no shape.
  [[nodiscard]] static InputKey of_opcodes(std::string_view key, std::string_view ptx) {
    return {key, opcodes_of(ptx)};
  }
  // What the kernel's own instructions name: inputs hold these, too.
  [[nodiscard]] const std::vector<std::uint64_t>& named() const { return named_; }
  // The kernel can tell in which order its threads come.
  [[nodiscard]] bool learns_order() const { return learns_order_; }
  // A keyed function of some numbers (SipHash-2-4): the same for the same numbers, else as good as chance.
  [[nodiscard]] std::uint64_t draw(std::initializer_list<std::int64_t> of) const;

 private:
  std::vector<std::uint64_t> named_;
  bool learns_order_ = false;
  std::array<std::uint64_t, 2> words_{0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
};

}  // namespace lab::judge

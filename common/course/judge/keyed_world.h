// What `in` holds, on demand: every address of it has the word that the key gives that address.
//
// Enters: a problem, the key. Leaves: the bytes of any piece of `in`, in whatever order and however often
// they are asked for. A matrix of any size can be looked at, and costs what of it is read; a kernel sees the
// same world in every launch. Elements are numbered as pattern.h does; beyond 2^32 words, where numbers
// begin again, the cipher's key is another one. Of elements of 1 and 2 bytes it is the first part (pass 0).
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "common/course/judge/pattern.h"
#include "common/sim/memory/memory.h"

namespace lab::judge {

class KeyedWorld final : public sim::ContentSource {
 public:
  KeyedWorld(const Problem& problem, const InputKey& key) : problem_(problem), key_(key) {}
  void lay_out(std::uint64_t first, std::span<std::byte> piece) override;

 private:
  // The words `first`, `first + 1`, … of the matrix.
  void words(std::uint64_t first, std::span<std::uint32_t> to);
  const Words& cipher(std::uint64_t round);
  Problem problem_;
  const InputKey& key_;
  std::map<std::uint64_t, Words> ciphers_;  // by the upper half of a number
};

}  // namespace lab::judge

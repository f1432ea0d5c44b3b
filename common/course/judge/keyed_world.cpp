// Pieces of `in`. See keyed_world.h.
#include "common/course/judge/keyed_world.h"

#include <algorithm>
#include <cstring>

namespace lab::judge {

const Words& KeyedWorld::cipher(std::uint64_t round) {
  const auto known = ciphers_.find(round);
  if (known != ciphers_.end()) return known->second;
  const Words first = words_for(problem_, key_);
  const Words made = round == 0 ? first
                                : Words(key_.draw({problem_.rows, problem_.cols, problem_.elem_bytes,
                                                   problem_.batch, static_cast<std::int64_t>(round), -1}),
                                        32);
  return ciphers_.emplace(round, made).first->second;
}

void KeyedWorld::words(std::uint64_t first, std::span<std::uint32_t> to) {
  while (!to.empty()) {
    const std::uint64_t left = (std::uint64_t{1} << 32) - (first & 0xffffffffu);
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(left, to.size()));
    cipher(first >> 32).run(static_cast<std::uint32_t>(first), to.first(count));
    first += count;
    to = to.subspan(count);
  }
}

// Elements of 4 bytes and more are words side by side. The padding between rows has words of its own: what a
// kernel reads there looks like anything else.
void KeyedWorld::lay_out(std::uint64_t first, std::span<std::byte> piece) {
  const auto elem = static_cast<std::uint64_t>(problem_.elem_bytes);
  const std::uint64_t word_bytes = std::min<std::uint64_t>(elem, 4);
  std::vector<std::uint32_t> found((piece.size() + word_bytes - 1) / word_bytes);
  words(first / word_bytes, found);
  if (word_bytes == 4) return void(std::memcpy(piece.data(), found.data(), piece.size()));
  for (std::size_t at = 0; at < piece.size(); ++at)
    std::memcpy(&piece[at], reinterpret_cast<const std::byte*>(&found[at / word_bytes]) + at % word_bytes, 1);
}

}  // namespace lab::judge

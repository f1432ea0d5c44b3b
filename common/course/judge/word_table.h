// A map from 32-bit words to notes, for millions of words that are needed briefly.
//
// Enters: words, and a note for each. Leaves: the notes. A hash table with open addressing; emptying it costs
// nothing and keeps its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lab::judge {

template <class Value>
class WordTable {
 public:
  void clear() { ++round_, count_ = 0; }
  // A new one holds Value{}. Valid until the next call.
  Value& at(std::uint32_t word) {
    if (2 * count_ >= cells_.size()) grow();
    Cell& cell = cells_[place_of(word)];
    if (cell.round != round_) cell = {round_, word, {}}, ++count_;
    return cell.value;
  }
  // Null where nothing is noted.
  [[nodiscard]] const Value* find(std::uint32_t word) const {
    const Cell& cell = cells_[place_of(word)];
    return cell.round == round_ ? &cell.value : nullptr;
  }

 private:
  struct Cell {
    std::uint32_t round = 0, word = 0;
    Value value{};
  };
  [[nodiscard]] std::size_t place_of(std::uint32_t word) const {
    for (std::size_t i = word * 0x9e3779b1u;; ++i) {
      const Cell& cell = cells_[i & (cells_.size() - 1)];
      if (cell.round != round_ || cell.word == word) return i & (cells_.size() - 1);
    }
  }
  void grow() {
    const std::vector<Cell> old = std::exchange(cells_, std::vector<Cell>(2 * cells_.size()));
    for (const Cell& cell : old)
      if (cell.round == round_) cells_[place_of(cell.word)] = cell;
  }

  std::vector<Cell> cells_ = std::vector<Cell>(1024);  // a power of two, never more than half full
  std::uint32_t round_ = 1;
  std::size_t count_ = 0;
};

}  // namespace lab::judge

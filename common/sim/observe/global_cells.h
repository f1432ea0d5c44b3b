// What is remembered of the lines of global memory: rows, cells, and where they lie.
//
// Enters: who touched which granules of a line. Leaves: the tags of those that did. A line begins as up to
// two *rows* (threads side by side), and gets *cells* (a writer, a reader and one more for each granule)
// where that does not say all. Cells are kept by few epochs, each tag a byte, until an eighth epoch comes;
// then as three planes of whole tags, of which a line has only those that it needs. So a line of 128 bytes
// takes 40, 124, or 12 and up to 384 bytes; memory that a line gives back serves the next one.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lab::sim {

inline constexpr std::uint32_t kLineGranules = 32;

// Things of one kind by number, from 1 on. They stay where they are, so that growing copies nothing.
template <class Thing>
class Pool {
 public:
  static constexpr std::uint32_t kPiece = 4096;
  std::uint32_t make() {
    if (free_.empty()) {
      if (used_ % kPiece == 0 && used_ / kPiece == pieces_.size())
        pieces_.push_back(std::make_unique_for_overwrite<Thing[]>(kPiece));
      (*this)[++used_] = {};
      return used_;
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    (*this)[number] = {};
    return number;
  }
  void give_back(std::uint32_t number) { free_.push_back(number); }
  void clear() {
    used_ = 0;
    free_.clear();
  }
  Thing& operator[](std::uint32_t number) { return pieces_[(number - 1) / kPiece][(number - 1) % kPiece]; }
  const Thing& operator[](std::uint32_t number) const {
    return pieces_[(number - 1) / kPiece][(number - 1) % kPiece];
  }
  [[nodiscard]] std::uint64_t bytes() const {  // that things in use take
    return (used_ - free_.size()) * sizeof(Thing) + free_.capacity() * sizeof(std::uint32_t);
  }

 private:
  std::vector<std::unique_ptr<Thing[]>> pieces_;
  std::vector<std::uint32_t> free_;
  std::uint32_t used_ = 0;
};

// A row: threads side by side, granule g touched by thread `home + (g >> shift)`.
struct LineRow {
  std::uint32_t reads = 0, writes = 0;  // granules
  std::uint32_t read_epoch = 0, write_epoch = 0;
  std::int16_t home = 0;
  std::uint8_t shift = 0;
  [[nodiscard]] bool used() const { return (reads | writes) != 0; }
};
using LineRows = std::array<LineRow, 2>;

// Tags: epoch << 5 | lane; 0: nobody.
struct Cell {
  std::uint32_t writer = 0, reader = 0;
  std::uint32_t other = 0;  // a strong writer, or a second reader
};

// Where a line stands.
struct LinePlace {
  enum class Form : std::uint8_t { Nothing, Rows, Few, Wide };
  std::uint32_t number : 29 = 0;
  std::uint32_t refused : 1 = 0;  // there was no room for more
  std::uint32_t form_ : 2 = 0;
  [[nodiscard]] Form form() const { return static_cast<Form>(form_); }
};

class LineStates {
 public:
  void clear();  // of all lines
  [[nodiscard]] LineRows& make_rows(LinePlace& place);
  [[nodiscard]] LineRows& rows(const LinePlace& place) { return rows_[place.number]; }
  void make_cells(LinePlace& place);  // of rows, or of nothing

  // Makes room for tags of one more epoch in the line; afterwards `put` takes them.
  void admit(LinePlace& place, std::uint32_t epoch);
  [[nodiscard]] Cell cell(const LinePlace& place, std::uint32_t granule) const;
  void put(const LinePlace& place, std::uint32_t granule, const Cell& before, const Cell& after);

  // Gives back what a line needs no more. Then epochs that it names: `act` gets them by reference.
  void tidy(LinePlace& place);
  template <class Act>
  void for_epochs(const LinePlace& place, const Act& act);
  [[nodiscard]] std::uint64_t bytes() const {
    return rows_.bytes() + few_.bytes() + wide_.bytes() + planes_.bytes();
  }

 private:
  static constexpr std::uint32_t kFew = 7, kPlanes = 3;
  using Plane = std::array<std::uint32_t, kLineGranules>;
  struct Few {  // tags: number in `epochs` + 1, << 5 | lane
    std::array<std::uint32_t, kFew> epochs{};
    std::array<std::array<std::uint8_t, kLineGranules>, kPlanes> tags{};
  };
  struct Wide {
    std::array<std::uint32_t, kPlanes> planes{};  // 0: all zeros
  };
  static void forget_unused(Few& few);
  void widen(LinePlace& place);
  void narrow(LinePlace& place);
  [[nodiscard]] static std::uint32_t tag_of(const Few& few, std::uint8_t tag) {
    return tag == 0 ? 0 : few.epochs[(tag >> 5) - 1] << 5 | (tag & 31u);
  }

  Pool<LineRows> rows_;
  Pool<Few> few_;
  Pool<Wide> wide_;
  Pool<Plane> planes_;
};

template <class Act>
void LineStates::for_epochs(const LinePlace& place, const Act& act) {
  switch (place.form()) {
    case LinePlace::Form::Nothing:
      return;
    case LinePlace::Form::Rows:
      for (LineRow& row : rows_[place.number]) {
        if (row.reads != 0) act(row.read_epoch);
        if (row.writes != 0) act(row.write_epoch);
      }
      return;
    case LinePlace::Form::Few:
      for (std::uint32_t& epoch : few_[place.number].epochs) {
        if (epoch != 0) act(epoch);
      }
      return;
    case LinePlace::Form::Wide:
      for (const std::uint32_t plane : wide_[place.number].planes) {
        if (plane == 0) continue;
        for (std::uint32_t& tag : planes_[plane]) {
          if (tag == 0) continue;
          std::uint32_t epoch = tag >> 5;
          act(epoch);
          tag = epoch << 5 | (tag & 31u);
        }
      }
      return;
  }
}

}  // namespace lab::sim

// What is remembered of the lines of global memory: rows, cells, and where they lie.
//
// Enters: who touched which granules of a line. Leaves: the tags of those that did. A line begins as up to
// two *rows* (threads side by side), and gets *cells* (a writer, a reader and one more for each granule)
// where that does not say all. Cells are kept by few epochs, each tag a byte, until an eighth epoch comes;
// then as three planes of whole tags, of which a line has only those that it needs. So a line of 128 bytes
// takes 40, 124, or 12 and up to 384 bytes; memory that a line gives back serves the next one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace lab::sim {

inline constexpr std::uint32_t kLineGranules = 32;

// Things of one kind by number, from 1 on. They stay where they are, so that growing copies nothing.
template <class Thing>
class Pool {
 public:
  static constexpr std::uint32_t kPiece = 256;
  std::uint32_t make() {
    if (free_.empty()) {
      if (used_ % kPiece == 0 && used_ / kPiece == pieces_.size())
        pieces_.emplace_back(new Thing[kPiece]);  // not cleared
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

// Tags: epoch << 5 | lane; 0: none.
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

struct FewCells {  // tags: number in `epochs` + 1, << 5 | lane
  static constexpr std::uint32_t kEpochs = 7, kPlanes = 3;
  std::array<std::uint32_t, kEpochs> epochs{};
  std::array<std::array<std::uint8_t, kLineGranules>, kPlanes> tags{};
};
struct WideCells {
  std::array<std::uint32_t, FewCells::kPlanes> planes{};  // 0: all zeros
};
using CellPlane = std::array<std::uint32_t, kLineGranules>;

// A line's cells while one access is checked.
class LineCells {
 public:
  LineCells(FewCells& few, std::uint32_t number) : few_(&few), number_(number) {}
  LineCells(WideCells& wide, Pool<CellPlane>& planes) : wide_(&wide), planes_(&planes) {}
  [[nodiscard]] Cell operator[](std::uint32_t granule) const {
    return {tag(0, granule), tag(1, granule), tag(2, granule)};
  }
  // Tags that differ are those of the epoch that the line was opened for, or 0.
  void put(std::uint32_t granule, const Cell& before, const Cell& after) {
    if (before.writer != after.writer) set(0, granule, after.writer);
    if (before.reader != after.reader) set(1, granule, after.reader);
    if (before.other != after.other) set(2, granule, after.other);
  }

  [[nodiscard]] std::uint32_t tag(std::uint32_t plane, std::uint32_t granule) const {
    if (few_ != nullptr) {
      const std::uint32_t tag = few_->tags[plane][granule];
      return tag == 0 ? 0 : few_->epochs[(tag >> 5) - 1] << 5 | (tag & 31u);
    }
    const std::uint32_t number = wide_->planes[plane];
    return number == 0 ? 0 : (*planes_)[number][granule];
  }
  // What a plane has of neighbouring granules: the epoch of them all, 0 where it has nothing, or several.
  [[nodiscard]] std::optional<std::uint32_t> one_epoch(std::uint32_t plane, std::uint32_t first,
                                                       std::uint32_t count) const;
  // Whether they are those of neighbouring lanes, from `lane` on.
  [[nodiscard]] bool begins_at(std::uint32_t lane, std::uint32_t plane, std::uint32_t first,
                               std::uint32_t count) const;
  // Gives them to such lanes; `tag`: of the first, or 0.
  void fill(std::uint32_t plane, std::uint32_t first, std::uint32_t count, std::uint32_t tag) {
    for (std::uint32_t k = 0; k < count; ++k) set(plane, first + k, tag == 0 ? 0 : tag + k);
  }

 private:
  void set(std::uint32_t plane, std::uint32_t granule, std::uint32_t tag) {
    if (few_ != nullptr) {
      few_->tags[plane][granule] = tag == 0 ? 0 : static_cast<std::uint8_t>(number_ << 5 | (tag & 31u));
      return;
    }
    std::uint32_t& number = wide_->planes[plane];
    if (number == 0 && tag != 0) number = planes_->make();
    if (number != 0) (*planes_)[number][granule] = tag;
  }
  FewCells* few_ = nullptr;
  WideCells* wide_ = nullptr;
  Pool<CellPlane>* planes_ = nullptr;
  std::uint32_t number_ = 0;  // of the epoch, among the few
};

class LineStates {
 public:
  void clear();  // of all lines
  [[nodiscard]] LineRows& make_rows(LinePlace& place);
  [[nodiscard]] LineRows& rows(const LinePlace& place) { return rows_[place.number]; }
  void make_cells(LinePlace& place);  // of rows, or of nothing

  // The cells of a line, for accesses under this epoch. Until the line, or any, is given more or tidied.
  [[nodiscard]] LineCells open(LinePlace& place, std::uint32_t epoch);

  // The host will want what is remembered of the line, soon.
  void fetch_ahead(const LinePlace& place) const {
    if (place.form() != LinePlace::Form::Few) return;
    const auto* const few = reinterpret_cast<const std::byte*>(&few_[place.number]);
    __builtin_prefetch(few, 1);
    __builtin_prefetch(few + sizeof(Few) - 1, 1);
  }

  // Gives back what a line needs no more. Then epochs that it names: `act` gets them by reference.
  void tidy(LinePlace& place);
  template <class Act>
  void for_epochs(const LinePlace& place, const Act& act);
  [[nodiscard]] std::uint64_t bytes() const {
    return rows_.bytes() + few_.bytes() + wide_.bytes() + planes_.bytes();
  }

 private:
  using Few = FewCells;
  using Wide = WideCells;
  using Plane = CellPlane;
  static constexpr std::uint32_t kFew = Few::kEpochs, kPlanes = Few::kPlanes;
  static void forget_unused(Few& few);
  void widen(LinePlace& place);
  void narrow(LinePlace& place);
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

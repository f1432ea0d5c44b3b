// The shapes on which a kernel is asked everything: the product of what sides can be, drawn by the key.
//
// Enters: the key, the kernel's tile, the chapter's element and GPUs. Leaves: problems. A side has a length
// (seven classes) and a rest (whole tiles, whole sectors, 16 bytes, anything). Each pair of lengths is drawn
// twice: in whole tiles both ways, and cut off, with the eight pairs of rests by turns. Squares of each
// length come besides. Sides of one class lie evenly over it (a sequence by van der Corput, which the key
// shifts): no draw leaves a gap.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "common/course/judge/sample_trial.h"
#include "common/course/judge/subject.h"

namespace lab::judge {
namespace {

struct Lengths {
  std::int64_t least, most;
};
constexpr std::array<Lengths, 7> kLengths = {
    {{1, 1}, {2, 64}, {65, 128}, {129, 512}, {513, 1024}, {1025, 4224}, {4225, 9000}}};
// Beyond all of these, and what a matrix is the other way.
constexpr Lengths kFar = {9001, 60'000}, kBeside = {100, 2000};
constexpr std::int64_t kPlaces = 256;
enum class Rest : std::uint8_t { Tiles, Sectors, Packs, Any };  // Packs: of 16 bytes, where no sector ends
constexpr std::int64_t kSampleSector = 32, kSamplePack = 16, kLeastTile = 32, kMostOfTile = 4096;
// Several GPUs are simulated whole, one after the other.
constexpr std::int64_t kMostOfSeveral = 60'000;

class Draw {
 public:
  Draw(const InputKey& key, const TileShape& tile, const Problem& like, const std::string& entry)
      : key_(key), tile_(tile), like_(like), entry_(entry.empty() ? 0 : entry.back()) {}

  // In whole tiles, and cut off.
  std::vector<Problem> far() {
    for (const bool whole : {true, false})
      for (const auto& [rows, cols] : {std::pair(kFar, kBeside), {kBeside, kFar}, {kFar, kFar}}) {
        const auto rest = [&] { return whole ? Rest::Tiles : cut_off_anyhow(); };
        Problem p = like_;
        p.rows = in_class(rows, tile_.rows, rest(), draw(kPlaces));
        p.cols = in_class(cols, tile_.cols, rest(), draw(kPlaces));
        add(p);
      }
    return std::move(shapes_);
  }

  std::vector<Problem> all() {
    const auto shift = static_cast<std::size_t>(draw(static_cast<std::int64_t>(kCutOff.size())));
    for (std::size_t i = 0; i < kLengths.size(); ++i)
      for (std::size_t j = 0; j < kLengths.size(); ++j) {
        const auto [rows, cols] = cut_off((3 * i + j + shift) % kCutOff.size(), i, j);
        // Several GPUs are simulated whole: one of both.
        const bool whole = (i + j + shift) % 3 == 0;
        if (like_.gpus <= 1 || whole) add(pair(i, j, Rest::Tiles, Rest::Tiles));
        if (like_.gpus > 1 && whole) continue;
        add(pair(i, j, rows, cols));
      }
    for (std::size_t i = 1; i < kLengths.size(); ++i)
      for (const Rest rest : {Rest::Tiles, cut_off_anyhow()}) {
        Problem p = like_;
        p.rows = p.cols = side(i, std::max(tile_.rows, tile_.cols), rest, most(), 3);
        add(p);
      }
    return std::move(shapes_);
  }

 private:
  // Rests of rows and columns, but for whole tiles both ways.
  static constexpr std::array<std::pair<Rest, Rest>, 8> kCutOff = {{{Rest::Tiles, Rest::Sectors},
                                                                    {Rest::Any, Rest::Any},
                                                                    {Rest::Sectors, Rest::Tiles},
                                                                    {Rest::Tiles, Rest::Any},
                                                                    {Rest::Sectors, Rest::Sectors},
                                                                    {Rest::Any, Rest::Tiles},
                                                                    {Rest::Sectors, Rest::Any},
                                                                    {Rest::Any, Rest::Sectors}}};
  // A third of what ends anywhere ends with 16 bytes: that both sides do is rare by chance, and where it is
  // so lanes move 16 bytes.
  [[nodiscard]] std::pair<Rest, Rest> cut_off(std::size_t which, std::size_t i, std::size_t j) const {
    const auto& [rows, cols] = kCutOff[which];
    const bool packs =
        key_.draw({0x7061636b, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)}) % 3 == 0;
    const auto of = [&](Rest rest) { return packs && rest == Rest::Any ? Rest::Packs : rest; };
    return {of(rows), of(cols)};
  }
  Rest cut_off_anyhow() {
    constexpr std::array kAll = {Rest::Sectors, Rest::Packs, Rest::Any};
    return kAll[static_cast<std::size_t>(draw(3))];
  }
  std::int64_t draw(std::int64_t of) {
    return static_cast<std::int64_t>(key_.draw({0x70726f64, like_.elem_bytes, like_.gpus, entry_, ++drawn_}) %
                                     static_cast<std::uint64_t>(of));
  }
  [[nodiscard]] std::int64_t most() const { return like_.gpus > 1 ? kMostOfSeveral : kMostEver; }

  Problem pair(std::size_t i, std::size_t j, Rest rows, Rest cols) {
    // The shorter one first: the other has what is left.
    Problem p = like_;
    if (i <= j) {
      p.rows = side(i, tile_.rows, rows, most() / kLengths[j].least, 2 * j);
      p.cols = side(j, tile_.cols, cols, most() / p.rows, 2 * i + 1);
    } else {
      p.cols = side(j, tile_.cols, cols, most() / kLengths[i].least, 2 * i + 1);
      p.rows = side(i, tile_.rows, rows, most() / p.cols, 2 * j);
    }
    return p;
  }

  // The `which`th of the class, of the kind that is asked for where there is one. Even numbers are rows, odd
  // ones columns, half a step beside them.
  std::int64_t side(std::size_t of, int tile, Rest rest, std::int64_t most, std::size_t which) {
    constexpr std::int64_t kStep = 32;  // eight steps
    const auto shift =
        static_cast<std::int64_t>(key_.draw({0x7368696674, static_cast<std::int64_t>(of)}) % kPlaces);
    const std::int64_t place = (shift + kStep * reversed(which / 2) +
                                static_cast<std::int64_t>(which % 2) * kStep / 2 + draw(kStep / 4)) %
                               kPlaces;
    const bool parts = (static_cast<std::int64_t>(which / 2) + shift) % 2 == 0;
    return in_class({kLengths[of].least, std::min(kLengths[of].most, most)}, tile, rest, place, parts);
  }

  // At one of 256 places of a class. Where no whole tile fits: `parts`: a half, a quarter, … of one, the largest
  // that does; else a multiple of 32.
  [[nodiscard]] std::int64_t in_class(const Lengths& of, int tile, Rest rest, std::int64_t place,
                                      bool parts = true) const {
    const std::int64_t least = of.least, end = std::max(of.most, least);
    const std::int64_t n = least + place * (end - least + 1) / kPlaces;
    const std::int64_t sector = std::max<std::int64_t>(1, kSampleSector / like_.elem_bytes);
    const auto whole = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(tile, kLeastTile, kMostOfTile))));
    const auto multiple = [&](std::int64_t step) {
      const std::int64_t down = n / step * step;
      return down >= least ? down : down + step <= end ? down + step : std::int64_t{0};
    };
    std::int64_t step = whole;
    while (step > kLeastTile && multiple(step) == 0) step = parts ? step / 2 : kLeastTile;
    const std::int64_t tiles = multiple(step), sectors = multiple(sector);
    if (rest == Rest::Tiles && tiles != 0) return tiles;
    const std::int64_t pack = std::max<std::int64_t>(1, kSamplePack / like_.elem_bytes),
                       packs = multiple(pack);
    if (rest == Rest::Packs && packs != 0)
      return packs % sector != 0 || packs + pack > end ? packs : packs + pack;
    if (rest != Rest::Any && sectors != 0)
      return sectors % kLeastTile == 0 && sectors + sector <= end ? sectors + sector : sectors;
    return n % sector == 0 && n + 1 <= end ? n + 1 : n;
  }

  // Three bits: 0, 4, 2, 6, 1, 5, 3, 7.
  static std::int64_t reversed(std::size_t k) {
    return static_cast<std::int64_t>((k & 1) << 2 | (k & 2) | (k >> 2 & 1));
  }

  void add(const Problem& p) {
    // A strip counts as whole tiles: most of what runs there is outside of it.
    const auto whole = [](std::int64_t side) { return (side + kLeastTile - 1) / kLeastTile * kLeastTile; };
    const std::int64_t elems = Subject::has_costs(p) ? p.rows * p.cols : whole(p.rows) * whole(p.cols);
    if (like_.gpus > 1 && elems > 2 * kMostOfSeveral) return;
    if (std::find(shapes_.begin(), shapes_.end(), p) == shapes_.end()) shapes_.push_back(p);
  }

  const InputKey& key_;
  const TileShape tile_;
  const Problem like_;
  const std::int64_t entry_;
  std::int64_t drawn_ = 0;
  std::vector<Problem> shapes_;
};

}  // namespace

std::vector<Problem> Subject::sample(const Problem& like, const std::string& entry) {
  if (inputs_.only) {
    Problem alone = like;
    alone.rows = inputs_.only->rows, alone.cols = inputs_.only->cols;
    return {alone};
  }
  std::vector<Problem> shapes = Draw(shape_key_, covered_at_once(launch_shape(entry)), like, entry).all();
  if (like.gpus > 1) spread_over_gpus(shapes);
  return shapes;
}

void Subject::spread_over_gpus(std::span<Problem> shapes) const {
  constexpr int kLeast = 2, kMost = 8;
  const auto first = static_cast<std::size_t>(shape_key_.draw({0x67707573}) % (kMost - kLeast + 1));
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    shapes[k].gpus = kLeast + static_cast<int>((first + k) % (kMost - kLeast + 1));
    shapes[k].uneven = shapes[k].gpus % 2 == 0;
  }
}

std::vector<Problem> Subject::far_sample(const Problem& like, const std::string& entry) {
  if (inputs_.only || like.gpus > 1) return {};
  return Draw(shape_key_, covered_at_once(launch_shape(entry)), like, entry).far();
}

std::vector<Problem> Subject::whole_sample(const Problem& like) {
  if (inputs_.only) return {};
  const auto drawn = [&](std::int64_t which, std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(shape_key_.draw({0x77686f6c65, which}) %
                                             static_cast<std::uint64_t>(most - least + 1));
  };
  std::vector<Problem> shapes(3, like);
  constexpr std::int64_t kLeast = 513, kMost = 1023, kMostSquare = 1 << 19;
  shapes[0].rows = drawn(0, kLeast, kMost);
  shapes[0].cols = drawn(1, kLeast, std::clamp(kMostSquare / shapes[0].rows, kLeast, kMost));
  for (const std::size_t k : {1, 2}) {
    const auto of = static_cast<std::int64_t>(2 * k);
    const std::int64_t length = drawn(of, 1025, 4096), other = drawn(of + 1, 64, kMostTriedWhole / length);
    shapes[k].rows = k == 1 ? length : other, shapes[k].cols = k == 1 ? other : length;
  }
  return shapes;
}

}  // namespace lab::judge

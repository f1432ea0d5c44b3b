// The shapes on which a kernel is asked everything: the product of what sides can be, drawn by the key.
//
// Enters: the key, the kernel's tile, the chapter's element and GPUs. Leaves: problems. A side has a length
// (seven classes) and a rest (whole tiles, whole sectors, anything). Each pair of lengths is drawn once,
// rests in a Latin square over them: so each length of one side meets each rest of the other, and each pair
// of rests occurs. Squares of each length come besides, and of some pairs one is the other, turned.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "common/judge/sample_trial.h"
#include "common/judge/subject.h"

namespace lab::judge {
namespace {

struct Lengths {
  std::int64_t least, most;
};
constexpr std::array<Lengths, 7> kLengths = {
    {{1, 1}, {2, 64}, {65, 128}, {129, 512}, {513, 1024}, {1025, 4224}, {4225, 9000}}};
enum class Rest : std::uint8_t { Tiles, Sectors, Any };
constexpr std::int64_t kSampleSector = 32, kLeastTile = 32, kMostOfTile = 4096;
// Several GPUs are simulated whole, one after the other.
constexpr std::int64_t kMostOfSeveral = 700'000;

class Draw {
 public:
  Draw(const InputKey& key, const TileShape& tile, const Problem& like, const std::string& entry)
      : key_(key), tile_(tile), like_(like), entry_(entry.empty() ? 0 : entry.back()) {}

  std::vector<Problem> all() {
    const auto rows_from = static_cast<std::size_t>(draw(3)), cols_from = static_cast<std::size_t>(draw(3));
    for (std::size_t i = 0; i < kLengths.size(); ++i)
      for (std::size_t j = 0; j < kLengths.size(); ++j) {
        if (i > j && draw(3) == 0) continue;  // the other one of the pair, turned
        const bool turned = i < j && draw(3) == 0;
        const Problem p = pair(i, j, static_cast<Rest>((i + j + rows_from) % 3),
                               static_cast<Rest>((i + 2 * j + cols_from) % 3));
        add(p.rows, p.cols);
        if (turned) add(p.cols, p.rows);
      }
    for (std::size_t i = 1; i < kLengths.size(); ++i) {
      const std::int64_t n =
          side(kLengths[i], std::max(tile_.rows, tile_.cols), static_cast<Rest>(draw(3)), most());
      add(n, n);
    }
    return std::move(shapes_);
  }

 private:
  std::int64_t draw(std::int64_t of) {
    return static_cast<std::int64_t>(key_.draw({0x70726f64, like_.elem_bytes, like_.gpus, entry_, ++drawn_}) %
                                     static_cast<std::uint64_t>(of));
  }
  [[nodiscard]] std::int64_t most() const { return like_.gpus > 1 ? kMostOfSeveral : kMostEver; }

  Problem pair(std::size_t i, std::size_t j, Rest rows, Rest cols) {
    // The shorter one first: the other has what is left.
    Problem p = like_;
    if (i <= j) {
      p.rows = side(kLengths[i], tile_.rows, rows, most() / kLengths[j].least);
      p.cols = side(kLengths[j], tile_.cols, cols, most() / p.rows);
    } else {
      p.cols = side(kLengths[j], tile_.cols, cols, most() / kLengths[i].least);
      p.rows = side(kLengths[i], tile_.rows, rows, most() / p.cols);
    }
    return p;
  }

  // Between both, of the kind that is asked for where there is one.
  std::int64_t side(const Lengths& of, int tile, Rest rest, std::int64_t most) {
    const std::int64_t least = of.least, end = std::max(std::min(of.most, most), least);
    const std::int64_t n = least + draw(end - least + 1);
    const std::int64_t sector = std::max<std::int64_t>(1, kSampleSector / like_.elem_bytes);
    const auto whole = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(tile, kLeastTile, kMostOfTile))));
    const auto multiple = [&](std::int64_t step) {
      const std::int64_t down = n / step * step;
      return down >= least ? down : down + step <= end ? down + step : std::int64_t{0};
    };
    const std::int64_t tiles = multiple(whole), small_tiles = multiple(kLeastTile),
                       sectors = multiple(sector);
    if (rest == Rest::Tiles && tiles != 0) return tiles;
    if (rest == Rest::Tiles && small_tiles != 0) return small_tiles;
    if (rest != Rest::Any && sectors != 0)
      return sectors % kLeastTile == 0 && sectors + sector <= end ? sectors + sector : sectors;
    return n % sector == 0 && n + 1 <= end ? n + 1 : n;
  }

  void add(std::int64_t rows, std::int64_t cols) {
    if (like_.gpus > 1 && rows * cols > 2 * kMostOfSeveral) return;
    Problem p = like_;
    p.rows = rows, p.cols = cols;
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
  return Draw(input_key_, covered_at_once(launch_shape(entry)), like, entry).all();
}

}  // namespace lab::judge

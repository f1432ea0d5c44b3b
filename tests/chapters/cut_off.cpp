// Matrices whose last tiles are cut off. See the header.
#include "tests/chapters/cut_off.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace lab::course {
namespace {

using namespace lab::judge;

constexpr std::int64_t kStep = 128, kStripStep = 64, kLongestStep = 2048, kSectorBytes = 32;
// Of a strip: longer than 1024, by up to six steps more.
constexpr std::int64_t kLongSide = 9 * kStep, kLongSides = 7;

struct Side {
  std::int64_t whole = 0, more = 0;  // elements of whole tiles, and behind them
};

class Drawn {
 public:
  Drawn(Check& check, const Target& target)
      : check_(check),
        target_(target),
        tile_(covered_at_once(check.subject().launch_shape(target.entry))),
        problem_(check.chapter().measured) {}

  [[nodiscard]] CutOff square() const {
    const auto side = [&](int tile, int which) {
      const std::int64_t step = step_of(tile, kStep);
      const std::uint64_t drawn = draw(which);
      return Side{step > kStep ? step : static_cast<std::int64_t>(2 + drawn % 2) * step, rest(drawn / 2)};
    };
    return made(side(tile_.rows, 0), side(tile_.cols, 1));
  }

  [[nodiscard]] CutOff small() const {
    return made({step_of(tile_.rows, kStripStep), rest(draw(0))},
                {step_of(tile_.cols, kStripStep), rest(draw(1))});
  }

  // Along the longer side of a tile that is a strip itself.
  [[nodiscard]] CutOff strip() const {
    const std::int64_t rows = step_of(tile_.rows, kStripStep), cols = step_of(tile_.cols, kStripStep);
    const std::uint64_t drawn = draw(2);
    const bool high = rows != cols ? rows > cols : drawn % 2 == 0;
    const std::int64_t least = kLongSide + static_cast<std::int64_t>(drawn / 2 % kLongSides) * kStep;
    const auto side = [&](std::int64_t step, bool is_long, int which) {
      return Side{is_long ? (least + step - 1) / step * step : step, rest(draw(which))};
    };
    return made(side(rows, high, 3), side(cols, !high, 4));
  }

 private:
  [[nodiscard]] std::uint64_t draw(int which) const {
    const auto of = static_cast<std::int64_t>(target_.entry.empty() ? 0 : target_.entry.back());
    return check_.subject().input_key().draw({0x63757473, which, of});
  }
  [[nodiscard]] std::int64_t rest(std::uint64_t drawn) const {
    return static_cast<std::int64_t>(1 + drawn % 3) * kSectorBytes / problem_.elem_bytes;
  }
  [[nodiscard]] CutOff made(const Side& rows, const Side& cols) const {
    CutOff matrix{problem_};
    matrix.problem.rows = rows.whole + rows.more, matrix.problem.cols = cols.whole + cols.more;
    matrix.inside = static_cast<std::uint64_t>(rows.whole * cols.whole);
    matrix.edge = static_cast<std::uint64_t>(matrix.problem.rows * matrix.problem.cols) - matrix.inside;
    return matrix;
  }

  Check& check_;
  const Target& target_;
  TileShape tile_;
  Problem problem_;
};

std::string why_ragged(const Problem& p) {
  return fmt::format(
      "A matrix of {}, whose rows start on 16 bytes: what is good for multiples of a tile is good here too.",
      describe(p));
}

}  // namespace

std::int64_t step_of(int tile, std::int64_t least) {
  const std::int64_t side = std::clamp<std::int64_t>(tile, least, kLongestStep);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(side)));
}

std::uint64_t most_when_cut_off(const CutOff& matrix, std::uint64_t for_32_elems) {
  return matrix.inside * for_32_elems / 32 * 9 / 8 + 2 * matrix.edge;
}

std::vector<CutOff> cut_off(Check& check, const Target& target) {
  const Drawn drawn(check, target);
  return {drawn.square(), drawn.strip()};
}

std::vector<CutOff> small_cut_off(Check& check, const Target& target) {
  const Drawn drawn(check, target);
  return {drawn.small(), drawn.strip()};
}

std::string why_cut_off(const CutOff& matrix) {
  return fmt::format(
      "A matrix of {}: only its last tiles are cut off. Let a test in the block tell these from the others, "
      "which cost what they cost everywhere.",
      describe(matrix.problem));
}

void few_sectors_when_cut_off(Check& check, const std::vector<CutOff>& matrices, std::uint64_t for_32_elems,
                              const Target& target) {
  for (const CutOff& matrix : matrices) {
    if (!check.passing()) return;
    check.at_most(check.subject().run(matrix.problem, target), Metric::GlobalSectors,
                  most_when_cut_off(matrix, for_32_elems), "uncoalesced", why_cut_off(matrix));
  }
}

void few_sectors_when_cut_off(Check& check, std::uint64_t for_32_elems) {
  few_sectors_when_cut_off(check, cut_off(check), for_32_elems);
}

void good_tiles_when_cut_off(Check& check) {
  if (!check.passing()) return;
  const std::vector<CutOff> matrices = cut_off(check);
  (void)check.subject().exchange(matrices.front().problem);  // asked below, and counted in the same run
  few_sectors_when_cut_off(check, matrices, kBothWays);
  for (const CutOff& matrix : matrices) {
    if (check.passing())
      check.at_most(check.subject().run(matrix.problem), Metric::SharedWavefronts,
                    most_when_cut_off(matrix, 2), "bank-conflict", why_cut_off(matrix));
  }
  // Of the strip, edges are too large a part.
  if (check.passing()) check.exchanged(matrices.front().problem, {});
}

std::vector<Problem> ragged_shapes(Check& check) {
  std::vector<Problem> shapes = check.subject().drawn_shapes();
  Problem strip = cut_off(check).back().problem;
  strip.rows += 3, strip.cols += 5;
  shapes.push_back(strip);
  return shapes;
}

void few_sectors_when_ragged(Check& check) {
  if (!check.is_exchanged()) return;  // a goal of its own says that, and says more
  const auto most = [](std::int64_t rows, std::int64_t cols) {
    return static_cast<std::uint64_t>(2 * rows * ((cols + 7) / 8));
  };
  for (const Problem& p : ragged_shapes(check)) {
    if (!check.passing()) return;
    (void)check.subject().exchange(p);  // asked below, and counted in the same run
    const Run& run = check.subject().run(p);
    const std::uint64_t load = most(p.rows, p.cols), store = most(p.cols, p.rows);
    const std::string why =
        fmt::format("A matrix of {} floats: neighbouring lanes should touch neighbouring elements here too.",
                    describe(p));
    check.at_most(run, Metric::GlobalStoreSectors, store, "uncoalesced", why);
    check.at_most(run, Metric::GlobalLoadSectors, load, "uncoalesced", why);
    if (check.passing()) check.at_most(run, Metric::GlobalSectors, load + store, "other-path", kAllPaths);
  }
}

void exchanged_when_ragged(Check& check) {
  constexpr std::int64_t kLeast = 9;  // a tile with fewer rows leaves them with who read them
  for (const Problem& p : ragged_shapes(check))
    if (check.passing() && std::min(p.rows, p.cols) >= kLeast) check.exchanged(p, {});
}

void no_conflicts_when_ragged(Check& check, const std::string& why) {
  for (const Problem& p : ragged_shapes(check)) {
    if (!check.passing()) return;
    const Run& run = check.subject().run(p);
    check.at_most(run, Metric::SharedLoadWavefronts, run.counters[lab::sim::Path::SharedLoad].ideal,
                  "bank-conflict", why);
    check.at_most(run, Metric::SharedStoreWavefronts, run.counters[lab::sim::Path::SharedStore].ideal,
                  "bank-conflict", why);
    if (check.passing())
      check.at_most(run, Metric::SharedWavefronts, run.counters.shared_total().ideal, "other-path",
                    kAllPaths);
  }
}

std::vector<Problem> ragged_packs(Check& check) {
  constexpr int kRowBytes = 16;
  std::vector<Problem> shapes = check.subject().drawn_shapes();
  shapes.push_back(cut_off(check).back().problem);
  return with_rows_of(shapes, kRowBytes, check.chapter().measured.elem_bytes);
}

void few_packs_sectors_when_ragged(Check& check) {
  constexpr std::int64_t kSide = 64;  // the TMA unit counts whole boxes where a tile is cut off
  const int bytes = check.chapter().measured.elem_bytes;
  for (const Problem& p : ragged_packs(check)) {
    if (!check.passing()) return;
    const auto whole = [](std::int64_t side) { return (side + kSide - 1) / kSide * kSide; };
    const std::int64_t one_way = whole(p.rows) * whole(p.cols) * bytes / kSectorBytes;
    check.at_most(check.subject().run(p), Metric::GlobalSectors, static_cast<std::uint64_t>(4 * one_way),
                  "uncoalesced", why_ragged(p));
  }
}

void few_packs_wavefronts_when_ragged(Check& check) {
  for (const Problem& p : ragged_packs(check)) {
    if (!check.passing()) return;
    const Run& run = check.subject().run(p);
    // What an edge leaves of a request has wavefronts of its own.
    check.at_most(run, Metric::SharedWavefronts, run.counters.shared_total().ideal * 3 / 2, "bank-conflict",
                  why_ragged(p));
  }
}

}  // namespace lab::course

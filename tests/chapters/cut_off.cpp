// Matrices whose last tiles are cut off. See the header.
#include "tests/chapters/cut_off.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>

namespace lab::course {
namespace {

using namespace lab::judge;

constexpr std::int64_t kStep = 128, kStripStep = 64, kLongestStep = 2048, kSectorBytes = 32;
// The long side of a strip: longer than 1024, by up to six steps more.
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

  [[nodiscard]] CutOff odd() const {
    const auto side = [&](int tile, int which) {
      return Side{step_of(tile, kStripStep), static_cast<std::int64_t>(1 + 2 * (draw(which) % 15))};
    };
    CutOff matrix = made(side(tile_.rows, 5), side(tile_.cols, 6));
    matrix.eighths = 16;
    return matrix;
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
    CutOff matrix{.problem = problem_};
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

}  // namespace

std::int64_t step_of(int tile, std::int64_t least) {
  const std::int64_t side = std::clamp<std::int64_t>(tile, least, kLongestStep);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(side)));
}

std::uint64_t most_when_cut_off(const CutOff& matrix, std::uint64_t for_32_elems) {
  return matrix.inside * for_32_elems / 32 * matrix.eighths / 8 + 2 * matrix.edge;
}

std::vector<CutOff> cut_off(Check& check, const Target& target) {
  const Drawn drawn(check, target);
  return {drawn.square(), drawn.strip()};
}

std::vector<CutOff> small_cut_off(Check& check, const Target& target) {
  const Drawn drawn(check, target);
  return {drawn.small(), drawn.strip()};
}

CutOff odd_cut_off(Check& check, const Target& target) { return Drawn(check, target).odd(); }

Message why_cut_off(const CutOff& matrix) {
  return msg(
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

}  // namespace lab::course

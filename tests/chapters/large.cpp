// Some blocks of large matrices, against those of a measured one. See the header.
#include "tests/chapters/large.h"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "common/judge/reasons.h"
#include "common/judge/subject.h"
#include "common/sim/memory/memory.h"
#include "tests/chapters/cut_off.h"

namespace lab::course {
namespace {

using namespace lab::judge;

// In steps of 128 elements: from `least` on, so many lengths.
struct Lengths {
  std::int64_t least, count;
};
constexpr std::int64_t kLargeStep = 128, kBytesOfSector = 32, kLeastSide = 512, kRests = 31;
constexpr Lengths kNearSides{5, 12}, kFarSides{17, 17};

// What a launch counts, and the code of having more of it than on the measured shape.
constexpr std::pair<Metric, const char*> kCosts[] = {{Metric::GlobalSectors, "uncoalesced"},
                                                     {Metric::GlobalRequests, "narrow-access"},
                                                     {Metric::SharedWavefronts, "bank-conflict"},
                                                     {Metric::SharedRequests, "narrow-access"}};

// What carries elements in this kernel, and the code of having less of it.
struct Way {
  const char* code;
  const char* what;
  std::uint64_t (*bytes)(const sim::Counters&);
};
constexpr Way kWays[] = {{"not-exchanged", "bytes through shared memory",
                          [](const sim::Counters& c) { return value(c, Metric::SharedBytes); }},
                         {"few-remote", "bytes to or from other blocks",
                          [](const sim::Counters& c) {
                            return c[sim::Path::ClusterStore].bytes + c[sim::Path::ClusterLoad].bytes;
                          }},
                         {"not-async", "bytes copied by cp.async",
                          [](const sim::Counters& c) { return c[sim::Path::GlobalAsync].bytes; }},
                         {"few-matrices", "bytes through matrix instructions", [](const sim::Counters& c) {
                            return c[sim::Path::SharedMatrixLoad].bytes +
                                   c[sim::Path::SharedMatrixStore].bytes;
                          }}};

LargeProblem large_problem(Check& check, const Target& target, Ends ends, bool cut, bool is_long,
                           int elem_bytes = 0) {
  const TileShape tile = covered_at_once(check.subject().launch_shape(target.entry));
  const auto draw = [&](int which) {
    return static_cast<std::int64_t>(
        check.subject().input_key().draw({0x6c61726765, cut, is_long, which, target.entry.back()}) >> 1);
  };
  const bool high = draw(0) % 2 == 0;
  const auto side = [&](int covered, const Lengths& of, int which) {
    const std::int64_t step = step_of(covered, kLargeStep),
                       least = (of.least + draw(which) % of.count) * kLargeStep;
    return (least + step - 1) / step * step;
  };
  const Lengths other = is_long && draw(1) % 2 == 0 ? kFarSides : kNearSides;
  LargeProblem large{check.chapter().measured};
  if (elem_bytes != 0) large.problem.elem_bytes = elem_bytes;
  large.whole_rows = side(tile.rows, is_long && high ? kFarSides : other, 2);
  large.whole_cols = side(tile.cols, is_long && !high ? kFarSides : other, 3);
  const auto rest = [&](int which) {
    if (!cut) return std::int64_t{0};
    if (ends == Ends::Anywhere && is_long) return 1 + draw(which) % kRests;
    return (1 + draw(which) % 3) * kBytesOfSector / large.problem.elem_bytes;
  };
  large.problem.rows = large.whole_rows + rest(4), large.problem.cols = large.whole_cols + rest(5);
  return large;
}

// Rows of one matrix begin inside of sectors.
bool is_ragged(const Problem& p) {
  const std::int64_t whole = kBytesOfSector / p.elem_bytes;
  return p.rows % whole != 0 || p.cols % whole != 0;
}

std::uint64_t issued_by_lanes(const Run& run) { return run.warp_instructions * sim::kWarpLanes; }

// One large shape beside the measured one.
class Compared {
 public:
  Compared(Check& check, const LargeRun& large, const Run& measured)
      : check_(check), large_(large), measured_(measured), of_(elems(measured)) {}

  void judge() {
    for (const auto& [metric, code] : kCosts) at_most(metric, code);
    for (const Way& way : kWays) at_least(way);
    few_instructions();
    few_waits();
  }

 private:
  // By blocks or by elements: one that is cut off may do as much as any other, and a tile that does not
  // divide the measured shape is cut off there.
  [[nodiscard]] std::uint64_t most(std::uint64_t measured, std::uint64_t eighths) const {
    return eighths *
               std::max(measured * large_.elems / of_, measured * large_.blocks / measured_.grid.count()) /
               8 +
           1;
  }
  void fail(Reason reason) {
    if (!check_.passing()) return;  // one is enough
    reason.message = fmt::format(
        "shape {}: some of its blocks were run. What is good for one size is good for larger ones too: for "
        "each "
        "element a block costs what it costs where {} is turned.",
        describe(large_.run.problem), describe(measured_.problem));
    reason.problem = large_.run.problem;
    if (large_.run.entry != check_.chapter().entry) reason.entry = large_.run.entry;
    check_.fail(std::move(reason));
  }
  void fail(const char* code, const char* figure, std::uint64_t found, std::uint64_t goal) {
    Reason reason;
    reason.code = code;
    reason.figures.push_back({figure, found, goal});
    fail(std::move(reason));
  }

  void at_most(Metric metric, const char* code) {
    // Where rows begin anywhere, wide accesses become narrow ones.
    if (metric.unit == Unit::Requests && is_ragged(large_.run.problem)) return;
    // Eight neighbours touch two sectors where rows begin anywhere.
    const bool twice = metric == Metric::GlobalSectors && is_ragged(large_.run.problem);
    const std::uint64_t bound = most(value(measured_.counters, metric), twice ? 18 : 9) + 2 * large_.edge;
    if (value(large_.run.counters, metric) > bound) fail(reason_of(large_.run, metric, bound, code, {}));
  }
  void at_least(const Way& way) {
    // Of small matrices that begin anywhere, rows at the edges of tiles may go through the tile twice.
    const std::uint64_t eighths = is_ragged(large_.run.problem) ? 4 : 7;
    const std::uint64_t goal =
        way.bytes(measured_.counters) * eighths * (large_.elems - large_.edge) / (8 * of_);
    const std::uint64_t found = way.bytes(large_.run.counters);
    if (found < goal) fail(way.code, way.what, found, goal);
  }
  void few_instructions() {
    const auto any = static_cast<std::uint64_t>(check_.chapter().most_instructions);
    const std::uint64_t bound =
        is_ragged(large_.run.problem)
            ? std::max(any * large_.elems, most(issued_by_lanes(measured_), 10)) + any * large_.edge
            : most(issued_by_lanes(measured_), 10) + any * large_.edge;
    if (issued_by_lanes(large_.run) > bound)
      fail("many-instructions", "instructions issued, by lanes", issued_by_lanes(large_.run), bound);
  }
  // The bounds of the measured shapes (checks_work.cpp).
  void few_waits() {
    const BlockFindings &blocks = large_.run.blocks, &same = measured_.blocks;
    const std::uint64_t waits = blocks.waits + blocks.one_word.polls,
                        most_waits = std::max(large_.elems / 8, most(same.waits + same.one_word.polls, 9)),
                        most_slept = std::max(large_.elems, most(same.slept, 9));
    if (waits > most_waits) fail("many-waits", "waits of warps", waits, most_waits);
    if (blocks.slept > most_slept) fail("many-waits", "nanoseconds slept", blocks.slept, most_slept);
    const std::uint64_t atomics = large_.run.counters[sim::Path::GlobalAtomic].bytes,
                        most_atomics =
                            large_.elems * static_cast<std::uint64_t>(measured_.problem.elem_bytes) / 16;
    if (atomics > most_atomics) fail("other-path", "bytes moved by atomics", atomics, most_atomics);
  }

  Check& check_;
  const LargeRun& large_;
  const Run& measured_;
  std::uint64_t of_;  // elements of the measured shape
};

}  // namespace

std::vector<LargeProblem> large_shapes(Check& check, const Target& target, Ends ends) {
  if (const std::optional<Problem>& only = check.subject().inputs().only) {  // a failure is repeated
    if (std::min(only->rows, only->cols) <= kLeastSide) return {};
    const TileShape tile = covered_at_once(check.subject().launch_shape(target.entry));
    LargeProblem large{check.chapter().measured};
    large.problem.rows = only->rows, large.problem.cols = only->cols;
    const std::int64_t rows = step_of(tile.rows, kLargeStep), cols = step_of(tile.cols, kLargeStep);
    large.whole_rows = only->rows / rows * rows, large.whole_cols = only->cols / cols * cols;
    return {large};
  }
  std::vector<LargeProblem> shapes;
  for (const bool is_long : {false, true})
    for (const bool cut : {false, true}) shapes.push_back(large_problem(check, target, ends, cut, is_long));
  return shapes;
}

void as_good_when_large(Check& check, const std::vector<LargeProblem>& shapes, const Run& measured,
                        const Target& target) {
  for (const LargeProblem& shape : shapes) {
    if (!check.passing()) return;
    try {
      const LargeRun large = check.subject().large(shape, target);
      if (!large.run.correct()) return check.right(large.run);
      Compared(check, large, measured).judge();
    } catch (const std::bad_alloc&) {
      return;  // here is no room for it; what is known of smaller ones stands
    }
  }
}

void types_as_good_when_large(Check& check, Target (*target_of)(int elem_bytes)) {
  if (check.subject().inputs().only) return;
  for (const int bytes : kTypeBytes) {
    if (bytes == check.chapter().measured.elem_bytes) continue;
    const Target target = target_of(bytes);
    const Problem square{.rows = 1024, .cols = 1024, .elem_bytes = bytes};
    const Problem measured = check.subject().measured_shapes(square, target.entry).back();
    as_good_when_large(check, {large_problem(check, target, Ends::WithSectors, false, true, bytes)},
                       check.subject().run(measured, target), target);
  }
}

void as_good_when_large(Check& check, Ends ends) {
  if (!check.passing()) return;
  Target target;
  target.entry = check.chapter().entry;
  const std::vector<Problem> measured =
      check.subject().measured_shapes(check.chapter().measured, target.entry);
  as_good_when_large(check, large_shapes(check, target, ends), check.subject().run(measured.back(), target),
                     target);
}

}  // namespace lab::course

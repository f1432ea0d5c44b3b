// Bounds on what is drawn. See everywhere.h.
#include "tests/chapters/everywhere.h"

#include "tests/chapters/both_ways.h"

#include <fmt/core.h>

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "common/course/judge/reasons.h"
#include "common/sim/memory/memory.h"
#include "common/sim/observe/access_analysis.h"

namespace lab::course {
namespace {

using namespace lab::judge;

constexpr std::int64_t kWholeSector = 32;
constexpr std::uint64_t kWarp = 32, kBankBytes = 128, kFew = 4;

// What costs too much on the measured shape has a goal of its own there, with its own words: no bound below
// is narrower than that goal. Here it is asked of what the measured shape does not show.
constexpr Shown kSectors = 1, kRequests = 2, kSharedRequests = 4, kWavefronts = 8;

class Asked {
 public:
  Asked(Check& check, const Cost& cost, const Run& run, const Share& share, Shown shown)
      : check_(check),
        cost_(cost),
        run_(run),
        share_(share),
        rows_(rows_of(run.problem)),
        elem_(static_cast<std::uint64_t>(run.problem.elem_bytes)),
        elems_(share.elems),
        edge_(share.edge),
        apart_(cost.edges_apart ? share.apart : 0),
        shown_(shown) {}

  // What is above its bound in a measured run, without a statement.
  static Shown shown_by(Check& check, const Cost& cost, const Run& measured) {
    const Share share = whole_share(measured.shape, measured.problem);
    Asked asked(check, cost, measured, share, 0);
    Shown above = 0;
    asked.above_ = &above;
    asked.global(), asked.shared();
    if (!asked.requests_are_a_goal()) above &= ~kRequests;
    if (cost.wavefronts.of(asked.rows_) == 0) above &= ~kSharedRequests;
    if (!cost.tile || cost.wavefronts.of(asked.rows_) == 0) above &= ~kWavefronts;
    return above;
  }

  void global() {
    const TileShape tile = covered_at_once(run_.shape);
    if (const Eighths& both = cost_.both_sectors; both.of(rows_) != 0)
      at_most(kSectors, Metric::GlobalSectors,
              sectors(tile.cols, both) + sectors(tile.rows, both) + 4 * edge_ + 2 * apart_, "uncoalesced");
    if (const Eighths& each = cost_.sectors; each.of(rows_) != 0) {
      const std::uint64_t most_stored = sectors(tile.rows, each) + 2 * edge_ + apart_ + 2,
                          most_loaded = sectors(tile.cols, each) + 2 * edge_ + apart_ + 2 + below();
      at_most(kSectors, Metric::GlobalStoreSectors, most_stored, "uncoalesced");
      at_most(kSectors, Metric::GlobalLoadSectors, most_loaded, "uncoalesced");
      at_most(kSectors, Metric::GlobalSectors, most_stored + most_loaded, "other-path");
    }
    const bool wide = rows_ != Rows::Anywhere;
    at_most(kRequests, Metric::GlobalRequests,
            requests(wide ? lane_bytes() : elem_, wide && requests_are_a_goal() ? 8 : cost_.requests),
            "narrow-access");
    if (above_ == nullptr && check_.passing()) few_atomics(check_, run_);
  }

  // Sectors of the last row, loaded again for each row of a tile that lies below it. Of wide elements that is
  // most of what walking along columns costs, and not allowed.
  [[nodiscard]] std::uint64_t below() const {
    constexpr std::uint64_t kWidest = 4;
    if (elem_ > kWidest) return 0;
    return share_.below * elem_ / sim::kSectorBytes + share_.rows_below;
  }

  // Where no tile, or one of any kind, is asked for: 32 banks one by one, each way.
  void any_tile() {
    at_most(kWavefronts, Metric::SharedWavefronts,
            2 * (share_.reached + kFew) * std::max<std::uint64_t>(1, elem_ / 4), "bank-conflict");
  }

  void shared() {
    const Eighths& most = cost_.wavefronts;
    if (!cost_.tile || most.of(rows_) == 0) any_tile();
    if (!cost_.tile || cost_.sectors.of(rows_) == 0) return;
    at_most(kSharedRequests, Metric::SharedRequests, requests(elem_, cost_.requests), "narrow-access");
    if (most.of(rows_) == 0) return;
    // A lane that moves a single byte fills a quarter of a bank. A tile that is cut off may take what a whole
    // one takes.
    const std::uint64_t narrow = std::max<std::uint64_t>(elem_, 4),
                        bytes =
                            share_.inside * (lane_bytes() < narrow ? narrow : elem_) * most.of_whole(rows_) +
                            (share_.reached - share_.inside) * narrow * most.of(rows_);
    at_most(kWavefronts, Metric::SharedWavefronts, 2 * bytes / kBankBytes / 8 + kFew, "bank-conflict");
  }

  // Who takes part, and how much of it is work: of warps, in blocks that the matrix does not cut.
  void work() {
    if (!check_.passing()) return;
    check_.work(run_, run_.blocks.warps * share_.inside / std::max<std::uint64_t>(1, share_.covered));
  }

  void carried() {
    const sim::Counters& c = run_.counters;
    // Blocks that do not work at their own places may be those that the matrix cuts.
    const std::uint64_t inside =
        run_.sampled ? std::min(share_.inside, run_.stored_bytes() / elem_) : share_.inside;
    switch (cost_.carrier) {
      case Carrier::Any:
        return;
      case Carrier::AsyncCopies:
        if (rows_ == Rows::Anywhere) return;
        return fail_below("not-async", "bytes copied by cp.async", c[sim::Path::GlobalAsync].bytes,
                          inside * elem_ * 7 / 8);
      case Carrier::Matrices:
        return fail_below("few-matrices", "bytes through matrix instructions",
                          c[sim::Path::SharedMatrixLoad].bytes + c[sim::Path::SharedMatrixStore].bytes,
                          inside * elem_ * 7 / 8);
      case Carrier::Cluster: {
        const auto blocks =
            static_cast<std::uint64_t>(std::max({run_.shape.cluster.x, run_.shape.cluster.y, 1}));
        return fail_below("few-remote", "bytes to or from other blocks",
                          c[sim::Path::ClusterStore].bytes + c[sim::Path::ClusterLoad].bytes,
                          inside * elem_ / blocks * (blocks - 1) * 7 / 8);
      }
    }
  }

 private:
  [[nodiscard]] std::uint64_t lane_bytes() const { return std::max(cost_.lane_bytes, elem_); }
  // Where a lane moves an element, none counts them.
  [[nodiscard]] bool requests_are_a_goal() const { return cost_.lane_bytes > elem_; }
  // One way's sectors: a row of a tile shorter than a sector takes one all the same. A tile of a row or two
  // has no rows that short by need: its neighbours' blocks could share theirs.
  [[nodiscard]] std::uint64_t sectors(int row_of_tile, const Eighths& most) const {
    const std::uint64_t bytes = static_cast<std::uint64_t>(std::max(row_of_tile, kLeastSide)) * elem_,
                        moved = cost_.whole_tiles ? std::max(elems_, share_.covered) : elems_;
    const std::uint64_t eighths =
        share_.inside * most.of_whole(rows_) + (moved - share_.inside) * most.of(rows_);
    return eighths * elem_ / std::min<std::uint64_t>(kWholeSector, std::max<std::uint64_t>(bytes, 1)) / 8;
  }
  // Both ways, when a lane moves so many bytes. A tile that is cut off may take what a whole one takes whose
  // lanes move one element each, and half as many again for what is outside: lanes of a warp end apart there.
  [[nodiscard]] std::uint64_t requests(std::uint64_t bytes_of_lane, std::uint64_t whole) const {
    const std::uint64_t inside = share_.inside, cut_off = share_.reached - inside;
    return 2 * (inside * elem_ / bytes_of_lane * whole + (cut_off + cut_off / 2) * cost_.requests) / kWarp /
               8 +
           kFew;
  }
  [[nodiscard]] Message where() const {
    return msg(
        "A matrix of {}: what is good for one shape is good for every one. Only elements at the ends of rows "
        "and columns may cost more.",
        describe(run_.problem));
  }
  void at_most(Shown kind, Metric metric, std::uint64_t bound, const char* code) {
    if ((shown_ & kind) != 0) return;
    if (above_ != nullptr) {
      if (Check::counted(run_, metric, bound) > bound) *above_ |= kind;
      return;
    }
    // A path need not be used: matrices of a column, say, need no tile.
    if (check_.passing() && value(run_.counters, metric) > bound)
      check_.at_most(run_, metric, bound, code, where());
  }
  void fail_below(const char* code, const char* figure, std::uint64_t found, std::uint64_t least) {
    if (found >= least || !check_.passing()) return;
    Reason reason;
    reason.code = code;
    reason.message = where();
    reason.figures.push_back({figure, found, least});
    check_.fail_on(run_, std::move(reason));
  }

  Check& check_;
  const Cost& cost_;
  const Run& run_;
  const Share& share_;
  const Rows rows_;
  const std::uint64_t elem_, elems_, edge_, apart_;
  const Shown shown_;
  Shown* above_ = nullptr;
};

// A kernel without a tile fails where its chapter asks for one; then no more is said of it here.
bool lacks_its_tile(Check& check, const Cost& cost) {
  return cost.tile && check.measured().counters.shared_total().requests == 0;
}

void ask_of(Check& check, const Cost& cost, Ask ask, const Problem& p, const Target& target, Shown shown) {
  const Run& run = check.subject().drawn(p, target, cost.tile);
  ask_everything(check, cost, ask, run, shown);
  if (!check.passing() || ask == Ask::Global || !cost.tile) return;
  if (cost.sectors.of(rows_of(p)) == 0 || !check.subject().follows_values(p, target)) return;
  const ExchangeFindings& found = check.subject().exchange_of_drawn(p, target);
  check.exchanged_in(found, run, std::max(run.share.thin, cost.edges_apart ? run.share.apart : 0));
  const bool seen = run.sampled ? run.share.inside == run.share.covered
                                : run.share.inside != 0 && run.grid.count() <= Exchange::kFewBlocks;
  if (cost.every_word && seen && check.passing()) check.every_word_used(found, run);
}

// Where matrices are longer than any that is run whole.
void ask_far(Check& check, const Cost& cost, Ask ask, const Target& target, Shown shown) {
  const ChapterInfo& chapter = check.chapter();
  for (const Problem& p : with_rows_of(check.subject().far_sample(chapter.measured, target.entry),
                                       chapter.row_bytes, chapter.measured.elem_bytes)) {
    if (!check.passing()) return;
    try {
      const std::optional<Run>& run = check.subject().some_blocks(p, target);
      if (run) ask_everything(check, cost, ask, *run, shown);
    } catch (const std::bad_alloc&) {
      return;  // here is less address space than a GPU has memory
    }
  }
}

}  // namespace

Rows rows_of(const Problem& p) {
  const auto all = [&](std::int64_t bytes) {
    return p.in_pitch() * p.elem_bytes % bytes == 0 && p.out_pitch() * p.elem_bytes % bytes == 0;
  };
  if (!p.has_whole_packs()) return Rows::Anywhere;
  return all(kWholeSector) ? Rows::WithSectors : Rows::With16Bytes;
}

Shown shown_on_measured(Check& check, const Cost& cost) {
  const Run& measured = check.measured();
  return measured.correct() ? Asked::shown_by(check, cost, measured) : 0;
}

void ask_everything(Check& check, const Cost& cost, Ask ask, const Run& run, Shown shown) {
  if (!run.correct()) return check.right(run);
  if (!Subject::has_costs(run.problem) || run.share.elems < Subject::kLeastElems) return;
  Asked asked(check, cost, run, run.share, shown);
  if (ask != Ask::Shared) asked.global();
  if (ask != Ask::Global) asked.shared();
  if (ask == Ask::All) asked.work(), asked.carried();
}

std::vector<Problem> shapes_everywhere(Check& check, int elem_bytes, const Target& target) {
  Problem like = check.chapter().measured;
  if (elem_bytes != 0) like.elem_bytes = elem_bytes;
  return with_rows_of(check.subject().sample(like, target.entry), check.chapter().row_bytes, like.elem_bytes);
}

std::vector<Problem> a_few_everywhere(Check& check, std::int64_t least_side) {
  constexpr std::int64_t kMost = 1 << 17, kStepOfMeasured = 128;
  constexpr std::size_t kFewShapes = 4;
  std::vector<Problem> shapes = shapes_everywhere(check);
  std::erase_if(shapes, [&](const Problem& p) {
    const bool like_measured = p.rows % kStepOfMeasured == 0 && p.cols % kStepOfMeasured == 0;
    return like_measured || std::min(p.rows, p.cols) < least_side || p.rows * p.cols > kMost;
  });
  const std::size_t every = shapes.size() / kFewShapes + 1,
                    first = check.subject().shape_key().draw({0x666577}) % every;
  std::vector<Problem> few;
  for (std::size_t k = first; k < shapes.size(); k += every) few.push_back(shapes[k]);
  if (shapes.empty()) return few;
  std::vector<Problem> asked = check.subject().measured_shapes(check.chapter().measured, "transpose");
  asked.insert(asked.end(), few.begin(), few.end());
  for (const Problem& p :
       both_ways(check, asked, [&](std::uint64_t drawn) { return shapes[drawn % shapes.size()]; }))
    few.push_back(p);
  return few;
}

void everywhere(Check& check, const Cost& cost, Ask ask, const Target& target) {
  if (!check.passing()) return;
  check.that(true, "", "");
  if (lacks_its_tile(check, cost)) return;
  const Shown shown = shown_on_measured(check, cost);
  for (const Problem& p : shapes_everywhere(check, 0, target)) {
    if (!check.passing()) return;
    ask_of(check, cost, ask, p, target, shown);
  }
  ask_far(check, cost, ask, target, shown);
  const ChapterInfo& chapter = check.chapter();
  for (const Problem& p : check.subject().other_ways(chapter.measured, chapter.row_bytes, target)) {
    if (!check.passing()) return;
    ask_of(check, cost, ask, p, target, shown);
  }
}

void everywhere_by_type(Check& check, const Cost& cost, Ask ask, Target (*target_of)(int elem_bytes)) {
  constexpr std::size_t kOf = 7;
  if (lacks_its_tile(check, cost)) return;
  for (const int bytes : kTypeBytes) {
    if (bytes == check.chapter().measured.elem_bytes) continue;
    const Target target = target_of(bytes);
    const std::vector<Problem> shapes = shapes_everywhere(check, bytes, target);
    const std::size_t first = check.subject().shape_key().draw({0x74797065, bytes}) % kOf;
    for (std::size_t k = first; k < shapes.size() && check.passing(); k += kOf)
      ask_of(check, cost, ask, shapes[k], target, 0);
    Problem like = check.chapter().measured;
    like.elem_bytes = bytes;
    for (const Problem& p : check.subject().other_ways(like, check.chapter().row_bytes, target))
      if (check.passing()) ask_of(check, cost, ask, p, target, 0);
  }
}

}  // namespace lab::course

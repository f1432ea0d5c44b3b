// Chapter 09: any shape, pitch and batch of 4-byte elements, each at the cost that its alignment allows.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/chapters/everywhere.h"

namespace lab::chapter_09 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(wide(exchanging(listed_chapter("09_any_matrix"))));

namespace {

constexpr std::array kSides = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 20};

// Plain, pitched on either side, pitched so that packs fit or not, batched.
std::vector<Problem> any_matrices() {
  std::vector<Problem> all;
  const auto add = [&](std::int64_t rows, std::int64_t cols, std::int64_t in_pad, std::int64_t out_pad,
                       std::int64_t batch) {
    all.push_back({.rows = rows,
                   .cols = cols,
                   .in_pitch_elems = cols + in_pad,
                   .out_pitch_elems = rows + out_pad,
                   .batch = batch});
  };
  for (const Problem& p : smaller_awkward_shapes(4)) add(p.rows, p.cols, 0, 0, 1);
  for (const int rows : kSides) {
    for (const int cols : kSides) add(rows, cols, cols % 3, rows % 5, 1 + rows % 3);
  }
  add(64, 64, 16, 32, 3);  // packs fit everywhere
  add(64, 96, 1, 0, 2);    // rows of `in` start anywhere
  add(96, 64, 0, 3, 2);    // rows of `out` start anywhere
  add(61, 67, 61, 67, 2);  // ends inside a pack of an aligned row
  add(128, 132, 4, 8, 1);  // a last tile that is not full
  add(260, 36, 12, 4, 4);
  return all;
}

constexpr Problem kAligned{
    .rows = 256, .cols = 384, .in_pitch_elems = 400, .out_pitch_elems = 264, .batch = 3};
constexpr Problem kPitched{
    .rows = 301, .cols = 219, .in_pitch_elems = 223, .out_pitch_elems = 302, .batch = 2};

// Rows of 32-byte sectors: the next multiple of 8 floats.
std::int64_t whole(std::int64_t elems) { return (elems + 7) / 8 * 8; }

// More matrices than any list below names: what holds for a few of them alone earns nothing.
std::int64_t many_matrices(Check& check) {
  return 4 + static_cast<std::int64_t>(check.subject().input_key().draw({0x6261746368}) % 29);
}

// All rows of both matrices start on a sector, and end with one: as good as a dense matrix. The last come
// from the key, as in the lists below: what holds for known sizes alone earns nothing.
std::vector<Problem> aligned(Check& check) {
  std::vector<Problem> all = {kAligned};
  const std::string entry = pitched_target(4).entry;
  for (const Problem& p : check.subject().measured_shapes(kAligned, entry)) {
    if (p != kAligned)
      all.push_back({.rows = p.rows,
                     .cols = p.cols,
                     .in_pitch_elems = p.cols + 24,
                     .out_pitch_elems = p.rows + 40,
                     .batch = 2});
  }
  // Many small ones, of a tile at least.
  const TileShape tile = check.subject().launch_shape(entry).tile;
  const std::int64_t rows = std::max(64, tile.rows), cols = std::max(128, tile.cols);
  all.push_back({.rows = rows,
                 .cols = cols,
                 .in_pitch_elems = cols + 24,
                 .out_pitch_elems = rows + 8,
                 .batch = many_matrices(check)});
  return all;
}

// Rows of `out` start on a sector, and end anywhere; rows of `in` start anywhere.
std::vector<Problem> whole_rows_out(Check& check) {
  std::vector<Problem> all = {{.rows = 1000, .cols = 777}};
  for (const Problem& p : check.subject().drawn_shapes())
    all.push_back({.rows = p.rows, .cols = p.cols, .out_pitch_elems = whole(p.rows), .batch = 2});
  return all;
}

// Rows start and end anywhere, on one side or on both.
const std::vector<Problem>& ragged() {
  static const std::vector<Problem> all = {{.rows = 1000, .cols = 777}, kPitched};
  return all;
}

// Dense matrices in both entries, others in the one that takes pitches.
Target target_of(const Problem& p) {
  const bool dense = p.in_pitch() == p.cols && p.out_pitch() == p.rows && p.batch == 1;
  return dense ? Target{} : pitched_target(4);
}

// Asks the same of each, until one fails.
template <class Goal>
void on_all(Check& check, const std::vector<Problem>& problems, const Goal& goal) {
  for (const Problem& p : problems) {
    if (check.passing()) goal(check.subject().run(p, target_of(p)));
  }
}

// The measured shapes of the plain entry, then those with pitches: what holds for packs holds for all of
// them.
template <class Goal>
void on_aligned(Check& check, const Goal& goal) {
  on_measured(check, goal);
  if (check.passing()) on_all(check, aligned(check), goal);
}

// The least for one side: its rows follow each other through all matrices of the batch.
std::uint64_t least_of_in(const Problem& p, int request_elems) {
  return sectors_of_rows(p.batch * p.rows, p.cols, p.in_pitch(), 4, request_elems);
}
std::uint64_t least_of_out(const Problem& p, int request_elems) {
  return sectors_of_rows(p.batch * p.cols, p.rows, p.out_pitch(), 4, request_elems);
}

constexpr Cost kCost{.lane_bytes = 16};

// Batches have up to sixteen small matrices, or up to three large ones.
std::int64_t batch_of(const Problem& p, std::int64_t k) {
  constexpr std::int64_t kElems = 60'000, kMost = 16, kMostOfLarge = 3;
  return 1 + k * 5 % std::clamp(kElems / (p.rows * p.cols), kMostOfLarge, kMost);
}

// Rows that start on sectors, on packs, or anywhere; so much longer than what they hold. Parts of larger matrices: small
// ones lie in rows that are up to three times as long, every seventh and every fifth up to 64 times.
enum class Starts : std::uint8_t { Sectors, Packs, Anywhere };
void set_pitches(Problem& p, Starts starts, std::int64_t in_more, std::int64_t out_more) {
  constexpr std::int64_t kSmall = 1 << 16, kTimes = 3, kInFar = 6, kOutFar = 4, kFar = 6;
  const bool is_small = p.rows * p.cols <= kSmall, packs = starts != Starts::Anywhere;
  const auto times = [&](std::int64_t more, std::int64_t far, std::int64_t drawn) {
    return !is_small ? 0 : more == far ? std::int64_t{2} << drawn % kFar : more % kTimes;
  };
  const std::int64_t in_gap = times(in_more, kInFar, p.rows + p.cols) * p.cols,
                     out_gap = times(out_more, kOutFar, 3 * p.rows + p.cols) * p.rows,
                     pack = starts == Starts::Packs ? 4 : 0;
  p.in_pitch_elems = in_gap + (packs ? (p.cols + 27) / 4 * 4 + pack : p.cols + 1 + in_more);
  p.out_pitch_elems = out_gap + (packs ? (p.rows + 43) / 4 * 4 + pack : p.rows + out_more);
  if (packs) p.in_pitch_elems = p.in_pitch_elems / 4 * 4, p.out_pitch_elems = p.out_pitch_elems / 4 * 4;
}

// Two of a few whole tiles, whose rows and buffers start inside of sectors.
Problem two_small(Check& check) {
  const TileShape tile = check.subject().launch_shape(pitched_target(4).entry).tile;
  Problem p{.rows = std::max(64, tile.rows), .cols = std::max(128, tile.cols)};
  set_pitches(p, Starts::Packs, 0, 0);
  p.batch = 2;
  return p;
}

// Eight to sixteen matrices that end inside of tiles, whatever else is drawn; of those in packs up to 255.
Problem many_small(Check& check, bool packs) {
  constexpr std::int64_t kLeast = 33, kSides = 27, kWidth = 8, kLeastBatch = 8, kDoublings = 5;
  const auto draw = [&](std::int64_t which, std::int64_t of) {
    return static_cast<std::int64_t>(check.subject().shape_key().draw({0x6d616e79, packs, which}) %
                                     static_cast<std::uint64_t>(of));
  };
  const auto side = [&](std::int64_t which) {
    const std::int64_t drawn = kLeast + draw(which, kSides);
    return drawn + (drawn % kWidth == 0);
  };
  Problem p{.rows = side(0), .cols = side(1)};
  set_pitches(p, packs ? Starts::Packs : Starts::Anywhere, draw(2, 7), draw(3, 5));
  const std::int64_t least = kLeastBatch << (packs ? draw(5, kDoublings) : 0);
  p.batch = least + draw(4, least);
  return p;
}

// The drawn shapes with pitches: rows that start on packs, or anywhere, and several matrices.
void pitched_everywhere(Check& check) {
  const Target target = pitched_target(4);
  const Shown shown = shown_on_measured(check, kCost);
  const std::uint64_t first = check.subject().shape_key().draw({0x73746172}) % 2;
  std::int64_t k = 0;
  for (Problem p : shapes_everywhere(check, 4, target)) {
    if (!check.passing()) return;
    const Starts packed =
        (static_cast<std::uint64_t>(k) / 2 + first) % 2 == 0 ? Starts::Sectors : Starts::Packs;
    set_pitches(p, k % 2 == 0 ? packed : Starts::Anywhere, k % 7, k % 5);
    p.batch = batch_of(p, k);
    ++k;
    ask_everything(check, kCost, Ask::All, check.subject().drawn(p, target, false), shown);
  }
  for (const Problem& p : {many_small(check, true), many_small(check, false), two_small(check)})
    if (check.passing())
      ask_everything(check, kCost, Ask::All, check.subject().drawn(p, target, false), shown);
  for (const Problem& p : check.subject().other_ways(kPitched, check.chapter().row_bytes, target))
    if (check.passing())
      ask_everything(check, kCost, Ask::All, check.subject().drawn(p, target, false), shown);
}

// Wavefronts over what the same words would take side by side.
void no_conflicts(Check& check, const Run& run) {
  const char* why =
      "Lanes that are served together must lie in different banks, with one element per lane too.";
  check.at_most(run, Metric::SharedStoreWavefronts, run.counters[lab::sim::Path::SharedStore].ideal,
                "bank-conflict", why);
  check.at_most(run, Metric::SharedLoadWavefronts, run.counters[lab::sim::Path::SharedLoad].ideal,
                "bank-conflict", why);
}

// Both sides together against the least of both. The side that is further from its own least is blamed, and
// that is its goal.
void both_at_least(Check& check, const Run& run, std::uint64_t least_load, std::uint64_t least_store) {
  const std::uint64_t load = run.counters[lab::sim::Path::GlobalLoad].cost,
                      store = run.counters[lab::sim::Path::GlobalStore].cost;
  const bool reached = load + store <= least_load + least_store;
  const bool blame_load = load + least_store > store + least_load;
  const Message why =
      msg("A matrix of {} floats: neighbouring lanes should touch neighbouring elements here too.",
          describe(run.problem));
  check.at_most(run, blame_load ? Metric::GlobalLoadSectors : Metric::GlobalStoreSectors,
                reached      ? std::max(load, store)
                : blame_load ? least_load
                             : least_store,
                "uncoalesced", why);
  if (check.passing())
    check.at_most(run, Metric::GlobalSectors, least_load + least_store, "other-path", kAllPaths);
}

}  // namespace

HOLDS("right", "right on every shape", 3) { check.right_on_every_shape(); }

HOLDS("right-pitched", "right for every pitch and batch", 3) {
  std::vector<Problem> all = any_matrices();
  constexpr std::int64_t kMany = 65, kMore = 448;
  const auto more = static_cast<std::int64_t>(check.subject().input_key().draw({0x6d6f7265}) % kMore);
  all.push_back({.rows = 7, .cols = 9, .in_pitch_elems = 10, .out_pitch_elems = 8, .batch = kMany + more});
  check.right_on(all, pitched_target(4));
}

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) {
  right_beyond_32_bits(check);
  if (check.passing()) right_beyond_32_bits(check, pitched_target(4));
}

GOAL("wide-access", "16 bytes per lane", 2) {
  // As in chapter 08.
  (void)check.subject().exchange(kAligned, target_of(kAligned));  // asked below, and counted in the same run
  on_aligned(check, [&](const Run& run) {
    const Message why = msg("A matrix of {}: where all rows start on 16 bytes, a lane can move a float4.",
                            describe(run.problem));
    check.at_most(run, Metric::GlobalLoadRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::GlobalStoreRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::SharedLoadRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::SharedStoreRequests, vector_requests(run), "narrow-access", why);
    if (!check.passing()) return;
    check.at_most(run, Metric::GlobalRequests, 2 * vector_requests(run), "other-path", kAllPaths);
    check.at_most(run, Metric::SharedRequests, 2 * vector_requests(run), "other-path", kAllPaths);
  });
  if (check.passing()) check.exchanged();
  if (check.passing()) check.exchanged(kAligned, target_of(kAligned));
  if (check.passing()) on_aligned(check, [&](const Run& run) { check.rows_both_ways(run, kWholeRows); });
}

GOAL("whole-sectors", "whole sectors", 3) {
  on_aligned(check, [&](const Run& run) {
    whole_sectors(check, run);
    check.no_idle_blocks(run);
  });
}

GOAL("whole-writes", "no sector written in two pieces where rows of `out` start with one", 2) {
  // What a row of `out` covers is the least that any kernel can write. It is reached when tiles and requests
  // meet where sectors do. What fills no pack at the end of a row may go element by element.
  on_all(check, whole_rows_out(check), [&](const Run& run) {
    const Problem& p = run.problem;
    const auto rests = static_cast<std::uint64_t>(p.batch * p.cols * (p.rows % 4));
    check.at_most(run, Metric::GlobalStoreSectors, least_of_out(p, static_cast<int>(p.rows)) + rests,
                  "uncoalesced",
                  msg("A matrix of {}: where two requests meet inside a sector, it is written in two pieces.",
                      describe(p)));
  });
}

GOAL("ragged-rows", "ragged rows at their least", 3) {
  // Rows of 777 floats start anywhere, so a lane can move 4 bytes at once and a request 32 neighbours: 128
  // bytes that touch 4 sectors or 5. sectors_of_rows adds that up, row by row. Both ways count together: a
  // block may read some rows twice in order to write whole sectors, when it saves more than it costs.
  (void)check.subject().exchange(kPitched, target_of(kPitched));
  on_all(check, ragged(), [&](const Run& run) {
    both_at_least(check, run, least_of_in(run.problem, 32), least_of_out(run.problem, 32));
  });
  // Where rows of `out` start on a sector, a block may read some rows twice; rows of `in` start anywhere.
  on_all(check, whole_rows_out(check), [&](const Run& run) {
    const Problem& p = run.problem;
    check.at_most(run, Metric::GlobalSectors,
                  least_of_out(p, static_cast<int>(p.rows)) + 2 * least_of_in(p, 32), "other-path",
                  kAllPaths);
  });
  if (check.passing()) check.exchanged(kPitched, target_of(kPitched));
  everywhere(check, kCost, Ask::All);
  pitched_everywhere(check);
}

KEEPS("conflict-free", "conflict-free", 3) {
  on_aligned(check, [&](const Run& run) { no_conflicts(check, run); });
}

PREDICTION("ragged-sectors", "sectors of a request on 1000 × 777", 2) {
  const Run& run = check.subject().run({.rows = 1000, .cols = 777});
  check.predicted(
      &lab::Predictions::global_load_sectors_per_request,
      sectors_per_request(run.counters[lab::sim::Path::GlobalLoad]),
      "A row of `in` is 777 floats long, so rows start anywhere in a sector: 32 neighbours touch 5 sectors, "
      "or 4 in one row of eight.");
  check.predicted(&lab::Predictions::global_store_sectors_per_request,
                  sectors_per_request(run.counters[lab::sim::Path::GlobalStore]),
                  "A row of `out` is 1000 floats long, 125 sectors: every row starts with a sector, and so "
                  "does every request.");
}

}  // namespace lab::chapter_09

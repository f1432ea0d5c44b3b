// Chapter 11: cp.async, and several tiles on their way.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/course/judge/reasons.h"
#include "common/sim/memory/memory.h"
#include "tests/chapters/both_ways.h"
#include "tests/chapters/cut_off.h"
#include "tests/chapters/everywhere.h"
#include "tests/chapters/flight.h"

namespace lab::chapter_11 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(wide(exchanging(listed_chapter("11_async_copy"))));

namespace {

// Every byte of `in` comes by cp.async, once.
void all_by_copies(Check& check, const Run& run) {
  const std::uint64_t bytes = 4 * elems(run), copied = run.counters[lab::sim::Path::GlobalAsync].bytes;
  if (copied >= bytes && run.counters[lab::sim::Path::GlobalLoad].bytes == copied)
    return check.that(true, "not-async", "");
  Reason reason = reason_of(run, Metric::GlobalLoadRequests, 0, "not-async", {});
  reason.message =
      msg("shape {}: cp.async copied {} of {} bytes that were read. An ordinary load keeps its thread until "
          "the value is in a register; a copy goes to shared memory by itself.",
          describe(run.problem), lab::sim::grouped(copied),
          lab::sim::grouped(run.counters[lab::sim::Path::GlobalLoad].bytes));
  reason.figures = {{"bytes copied by cp.async", copied, bytes}};
  reason.problem = run.problem;
  check.fail(std::move(reason));
}

// The first tiles of a block cannot be asked for earlier, and blocks of four tiles are long enough to hide
// that: (1.75 + 4) / 4 is less than 1.5. Behind them nothing need be waited for. With room for two tiles,
// each two wait for three quarters of one, in whatever way they synchronise.
// Every eighth block of a matrix as large as 1024 × 1024 is watched, or a few less, so that these lie in all
// columns of the grid: the last one may be short. Which of them comes from the key.
void asked_for_early(Check& check, const Problem& problem, std::uint64_t at_edges = 0) {
  constexpr std::int64_t kLarge = 1 << 19;
  const device::Dim3 grid = grid_of(check.subject().launch_shape(), problem);
  std::uint64_t every = 8;
  while (std::gcd(every, std::uint64_t{grid.x}) != 1) ++every;
  const bool all = problem.rows * problem.cols < kLarge || grid.count() < 2 * every;
  const std::uint64_t rest = check.subject().input_key().draw({0x666c79}) % every;
  Flight flight = all ? Flight() : Flight(every, rest), some = flight;
  Target target;
  target.checked = false;  // it has been
  const bool in_part = !all && check.subject().judged_in({every, rest}, problem, target, some);
  const Run run = in_part ? check.subject().run(problem) : check.subject().judged(problem, target, flight);
  // Each byte once, each way. Where rows end inside of a tile, lanes that are left over may repeat its last
  // bytes, as those of cooperative_groups::memcpy_async do.
  const std::int64_t across = (problem.cols + 63) / 64 * 64;
  check.at_most(run, Metric::GlobalBytes,
                4 * elems(run) + 4 * static_cast<std::uint64_t>(problem.rows * across), "other-path",
                kAllPaths);
  if (!check.passing()) return;
  const FlightFindings found = (in_part ? some : flight).findings();
  const std::uint64_t goal =
      found.at_once + std::min(found.at_once / 2, found.at_once / 32 + 2 * found.tiles);
  const bool handed = !all || found.handed + 4 * at_edges >= 4 * elems(run);
  if (handed && found.with_copies <= goal) return check.that(true, "not-in-flight", "");
  Reason reason;
  reason.code = "not-in-flight";
  reason.file = found.file;
  reason.line = found.line;
  reason.problem = problem;
  if (!handed) {
    reason.message =
        msg("shape {}: {} of {} bytes come out of a tile that a copy filled and a wait made ready. The "
            "others take another way: let every element come by a copy.",
            describe(problem), big(found.handed), big(4 * elems(run)));
    reason.figures.push_back({"bytes handed from copies to stores", found.handed, 4 * elems(run)});
    return check.fail(std::move(reason));
  }
  reason.message =
      msg("shape {}: if a copy took as long as storing two tiles, blocks would take {:.2f} times as long as "
          "their stores. With copies two tiles ahead it is at most {:.2f}. Start each copy two tiles before "
          "it is needed, and wait for the oldest group alone.",
          describe(problem), static_cast<double>(found.with_copies) / static_cast<double>(found.at_once),
          static_cast<double>(goal) / static_cast<double>(found.at_once));
  reason.figures.push_back({"time with slow copies, in stored bytes", found.with_copies, goal});
  check.fail(std::move(reason));
}

// A matrix of other sides whose blocks have all their tiles.
Problem whole_blocks(const LaunchShape& shape, std::uint64_t drawn) {
  constexpr std::int64_t kMostElems = 1 << 20, kLeast = 8, kLengths = 8, kBlocks = 4;
  const bool walks_rows = shape.tile.rows >= shape.tile.cols;
  const std::int64_t along = walks_rows ? shape.tile.rows : shape.tile.cols, step = drawn % 2 == 0 ? 4 : 1,
                     least = kLeast << (drawn >> 1) % kLengths,
                     side = (least + static_cast<std::int64_t>(drawn >> 8 & 0xffff) % least) / step * step,
                     across = std::min(side, std::max(kLeast, kMostElems / along)),
                     blocks = std::min<std::int64_t>(std::int64_t{1} << (drawn >> 32) % kBlocks,
                                                     std::max<std::int64_t>(1, kMostElems / along / across));
  const std::int64_t more = static_cast<std::int64_t>(drawn >> 40) % blocks;  // any number of blocks
  Problem p{.rows = (blocks + more) * along, .cols = across};
  if (!walks_rows) std::swap(p.rows, p.cols);
  return p;
}

// Every other four times as wide: a switch by the grid may hold for none of fewer blocks.
Problem wide_blocks(const LaunchShape& shape, std::uint64_t drawn) {
  constexpr std::int64_t kTimes = 4;
  constexpr int kWide = 50;  // a bit that little else is drawn by
  Problem p = whole_blocks(shape, drawn);
  if ((drawn >> kWide & 1) != 0) (shape.tile.rows >= shape.tile.cols ? p.cols : p.rows) *= kTimes;
  return p;
}

// One block with all its tiles, up to 64 elements across. Each launch has data, addresses and clocks of its own, so that
// a wait that comes late in one launch of some, whatever decides it, is met under most keys.
std::vector<Problem> single_blocks(Check& check) {
  constexpr std::int64_t kBlocks = 12;
  constexpr std::uint64_t kSides = 0xffff00, kLengths = 3;
  std::vector<Problem> all;
  for (std::int64_t k = 0; k < kBlocks; ++k) {
    const std::uint64_t drawn = check.subject().shape_key().draw({0x6f6e6573, k});
    all.push_back(
        whole_blocks(check.subject().launch_shape(), (drawn & kSides) | (drawn >> 32) % kLengths << 1));
  }
  return all;
}

// Waits that come late on some shapes alone: shapes that are drawn, and what the kernel decides by its shape.
std::vector<Problem> other_shapes(Check& check) {
  constexpr std::int64_t kDrawn = 2, kMostElems = 1 << 17;
  const LaunchShape& shape = check.subject().launch_shape();
  std::vector<Problem> all = single_blocks(check);
  const std::int64_t most = std::ssize(all) + kDrawn;
  for (std::int64_t k = 0; std::ssize(all) < most; ++k) {
    const Problem p = whole_blocks(shape, check.subject().shape_key().draw({0x6c617465, k}));
    if (p.rows * p.cols <= kMostElems || k > 64) all.push_back(p);
  }
  std::vector<Problem> asked = check.subject().measured_shapes(check.chapter().measured, "transpose");
  asked.insert(asked.end(), all.begin(), all.end());
  for (const Problem& p :
       both_ways(check, asked, [&](std::uint64_t drawn) { return wide_blocks(shape, drawn); }))
    all.push_back(p);
  return all;
}

}  // namespace

constexpr Cost kCost{.sectors = {9, 12, 0},
                     .lane_bytes = 16,
                     .edges_apart = true,
                     .wavefronts = {10, 10, 0},
                     .carrier = Carrier::AsyncCopies};

HOLDS("right", "right on every shape", 4) { check.right_on_every_shape(); }

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("asynchronous", "everything comes by cp.async", 3) {
  on_measured(check, [&](const Run& run) { all_by_copies(check, run); });
  everywhere(check, kCost, Ask::All);
  if (check.passing()) check.exchanged();
}

GOAL("in-flight", "two tiles on their way while one is turned", 4) {
  on_measured(check, [&](const Run& run) { asked_for_early(check, run.problem); });
  const CutOff strip = cut_off(check).back();
  if (check.passing()) asked_for_early(check, strip.problem, strip.edge);
  if (!check.passing()) return;
  for (const Problem& p : other_shapes(check))
    if (check.passing()) asked_for_early(check, p);
}

KEEPS("whole-sectors", "whole sectors", 1) {
  on_measured(check, [&](const Run& run) {
    whole_sectors(check, run);
    check.no_idle_blocks(run);
  });
}

KEEPS("wide-access", "16 bytes per lane", 2) {
  // As in chapter 08: a copy is a request of global and of shared memory.
  const char* why = "Where all rows start on 16 bytes, a lane can move a float4.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::GlobalLoadRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::GlobalStoreRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::SharedLoadRequests, vector_requests(run), "narrow-access", why);
    check.at_most(run, Metric::SharedStoreRequests, vector_requests(run), "narrow-access", why);
    if (!check.passing()) return;
    check.at_most(run, Metric::GlobalRequests, 2 * vector_requests(run), "other-path", kAllPaths);
    check.at_most(run, Metric::SharedRequests, 2 * vector_requests(run), "other-path", kAllPaths);
    if (check.passing()) check.rows_both_ways(run, kWholeRows);
  });
}

KEEPS("conflict-free", "conflict-free", 2) {
  // 4 wavefronts of 128 bytes for each of the requests. What copies of 16 bytes write takes none of its own.
  const char* why =
      "8 lanes with 16 bytes each are served at once: their 8 float4 must lie in 8 different chunks of 16 "
      "bytes, counted modulo 128.";
  on_measured(check, [&](const Run& run) {
    check.at_most(run, Metric::SharedLoadWavefronts, 4 * vector_requests(run), "bank-conflict", why);
    if (check.passing())
      check.at_most(run, Metric::SharedWavefronts, 8 * vector_requests(run), "bank-conflict", why);
  });
  everywhere(check, kCost, Ask::Shared);
}

PREDICTION("request-of-copies", "what is on its way, and a request of small copies", 2) {
  check.predicted(&lab::Predictions::loaded_bytes_at_once_per_thread, 2 * 64 * 64 * 4 / 256,
                  "Of three stages two are started before the first wait: 2 tiles of 16 KiB, shared by 256 "
                  "threads.");
  check.predicted(
      &lab::Predictions::shared_store_wavefronts_per_request, 4,
      "A swizzle moves whole chunks of 16 bytes. The first floats of 32 chunks lie in 8 of the 32 "
      "banks, 4 in each. A copy of 16 bytes takes no wavefront at all.");
}

}  // namespace lab::chapter_11

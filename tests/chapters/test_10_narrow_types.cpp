// Chapter 10: elements of 1 to 16 bytes, 16 bytes per lane.
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "tests/chapters/everywhere.h"

namespace lab::chapter_10 {

using namespace lab::judge;
using namespace lab::course;

CHAPTER(wide(exchanging(listed_chapter("10_narrow_types"))));

namespace {

constexpr std::array kOtherBytes = {1, 2, 8, 16};  // every_shape() has judged floats

// What a run moves one way.
std::uint64_t bytes_of(const Run& run) {
  return elems(run) * static_cast<std::uint64_t>(run.problem.elem_bytes);
}

}  // namespace

// Where rows start anywhere, a lane may go element by element.
constexpr Cost kCost{.sectors = {9, 12, 0}, .lane_bytes = 16, .edges_apart = true};

HOLDS("right", "right on every shape", 3) { check.right_on_every_shape(); }

HOLDS("right-typed", "right for every element type", 3) {
  for (const int bytes : kOtherBytes) right_on_typed_shapes(check, bytes);
}

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("wide-access", "16 bytes per lane, for every element type", 4) {
  // 32 lanes of 16 bytes: 512 bytes in a request. Into the tile goes what a thread turns: 4 elements or 16
  // bytes.
  on_every_type(check, typed_target, [&](const Run& run, const Message& why) {
    const std::uint64_t most = bytes_of(run) / 512;
    const std::uint64_t turned = std::max(most, elems(run) / (32 * 4));
    check.at_most(run, Metric::GlobalLoadRequests, most, "narrow-access", why);
    check.at_most(run, Metric::GlobalStoreRequests, most, "narrow-access", why);
    check.at_most(run, Metric::SharedLoadRequests, most, "narrow-access", why);
    check.at_most(run, Metric::SharedStoreRequests, turned, "narrow-access", why);
    if (!check.passing()) return;
    check.at_most(run, Metric::GlobalRequests, 2 * most, "other-path", kAllPaths);
    check.at_most(run, Metric::SharedRequests, most + turned, "other-path", kAllPaths);
    check.no_idle_blocks(run);
  });
  if (check.passing()) exchanged_by_type(check, typed_target);
  // A tile of smaller elements may be short of neighbours in 16 bytes: 64 × 64 bytes have four.
  if (check.passing())
    on_every_type(check, typed_target, [&](const Run& run, const Message& why) {
      if (run.problem.elem_bytes >= 4) check.rows_both_ways(run, Message(why).line(kWholeRows));
    });
}

KEEPS("whole-sectors", "whole sectors for every element type", 2) {
  on_every_type(check, typed_target, [&](const Run& run, const Message& why) {
    const std::uint64_t least = bytes_of(run) / 32;
    check.at_most(run, Metric::GlobalLoadSectors, least, "uncoalesced", why);
    check.at_most(run, Metric::GlobalStoreSectors, least, "uncoalesced", why);
    if (check.passing()) check.at_most(run, Metric::GlobalSectors, 2 * least, "other-path", kAllPaths);
  });
}

GOAL("full-wavefronts", "128 bytes in every wavefront", 4) {
  // All banks at once, each way. One byte per lane fills a quarter of them.
  on_every_type(check, typed_target, [&](const Run& run, const Message& why) {
    const std::uint64_t least = bytes_of(run) / 128;
    check.at_most(run, Metric::SharedStoreWavefronts, least, "bank-conflict", why);
    check.at_most(run, Metric::SharedLoadWavefronts, least, "bank-conflict", why);
    if (check.passing()) check.at_most(run, Metric::SharedWavefronts, 2 * least, "other-path", kAllPaths);
  });
  everywhere(check, kCost, Ask::All);
  everywhere_by_type(check, kCost, Ask::All, typed_target);
}

PREDICTION("request-of-bytes", "requests of a matrix of bytes", 2) {
  const Run& run = check.subject().run({.rows = 1024, .cols = 1024, .elem_bytes = 1}, typed_target(1));
  check.predicted(
      &lab::Predictions::global_load_sectors_per_request, 2,
      "A row of 777 bytes starts anywhere in a sector. Of 32 places one gives 32 bytes a sector of "
      "their own; from the other 31 they reach into the next.");
  check.predicted(&lab::Predictions::shared_store_wavefronts_per_request,
                  wavefronts_per_request(run.counters[lab::sim::Path::SharedStore]),
                  "A turned word holds 4 bytes: 32 lanes store 128 bytes, a word in each bank.", 1);
  check.predicted(&lab::Predictions::shared_load_wavefronts_per_request,
                  wavefronts_per_request(run.counters[lab::sim::Path::SharedLoad]),
                  "Out of the tile a lane takes 16 bytes: 512 in a request, 128 in a wavefront.", 4);
}

}  // namespace lab::chapter_10

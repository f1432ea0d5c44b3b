// Chapter 16: a matrix over two GPUs, turned by one kernel that stores into the peer.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "common/course/judge/link_watch.h"
#include "common/course/judge/named_lines.h"
#include "common/course/judge/split_trial.h"
#include "common/sim/memory/memory.h"
#include "tests/chapters/both_ways.h"
#include "tests/chapters/cut_off.h"
#include "tests/chapters/everywhere.h"

namespace lab::chapter_16 {

using namespace lab::judge;
using namespace lab::course;

namespace {

ChapterInfo on_two_gpus(ChapterInfo chapter) {
  chapter.most_instructions = 256;  // where blocks go is divided out, by each thread: one element takes 205
  return chapter;
}

}  // namespace

CHAPTER(on_two_gpus(exchanging(listed_chapter("16_two_gpus"))));

namespace {

// Each element whose row of `out` lies on another GPU than its row of `in` crosses once.
std::uint64_t crossing_bytes(const Run& run) {
  const Problem& p = run.problem;
  std::int64_t elems = 0;
  for (int from = 0; from < p.gpus; ++from) {
    const std::int64_t rows = share_of(p.rows, from, p.gpus, p.uneven).count;
    elems += rows * (p.cols - share_of(p.cols, from, p.gpus, p.uneven).count);
  }
  return static_cast<std::uint64_t>(elems * p.elem_bytes);
}

Reason about(const Run& run, const char* code, const Message& words) {
  Reason reason;
  reason.code = code;
  reason.message = msg("{}: {}", msg("shape {}", describe(run.problem)), words);
  reason.problem = run.problem;
  return reason;
}

// A whole line of 128 bytes goes as one packet, with 16 bytes of protocol.
void whole_lines(Check& check, const Run& run) {
  if (!run.correct()) return check.right(run);
  check.at_most(
      run, Metric::LinkStoreSectors, crossing_bytes(run) / 32, "uncoalesced",
      "A sector of which only a part is sent costs the link as much as a whole one, and more protocol.");
  if (!check.passing()) return;
  const LinkFindings& found = run.links;
  const std::uint64_t least = found.sent / kLinkLineBytes * (kLinkLineBytes + kLinkProtocolBytes);
  if (found.carried <= least) return;
  Reason reason =
      about(run, "short-packets",
            msg("the link carries {} bytes for {} that are sent, and {} would do. A packet has at most the "
                "128 bytes of a line that a warp stores at once, and 16 bytes of protocol whatever it has.",
                big(found.carried), big(found.sent), big(least)));
  reason.file = found.file, reason.line = found.line;
  reason.figures.push_back({"bytes that links carry", found.carried, least});
  check.fail(std::move(reason));
}

// In each part of its time a GPU sends the share of its stores that it sends over all, or a quarter more.
void by_turns(Check& check, const Run& run) {
  if (!run.correct()) return check.right(run);
  const LinkFindings& found = run.links;
  const auto& [gpu, bytes, of] = found.busiest_sender;
  if (4 * bytes * found.stored <= 5 * found.sent * of) return check.that(true, "link-rests", "");
  Reason reason = about(
      run, "link-rests",
      msg("of {} bytes that blocks of GPU {} store while they run together, {} go to other GPUs, and of all "
          "its stores {} %. So the links have too much to do now and nothing later. Blocks start in the "
          "order of blockIdx.x, then y, then z: let neighbours in this order go to different GPUs.",
          big(of), gpu, big(bytes), 100 * found.sent / found.stored));
  reason.file = found.file, reason.line = found.line;
  name_shares(reason, found.file);
  reason.figures.push_back({"bytes sent together", bytes, of * found.sent / found.stored * 5 / 4});
  check.fail(std::move(reason));
}

// No GPU gets more than its share and a quarter of all that is sent at a time. Of more than four, whose shares
// are few tiles, half of it and a block from each: strips that go round leave a rest, and with it all may begin
// at one GPU.
void to_all_at_once(Check& check, const Run& run) {
  if (!run.correct()) return check.right(run);
  const LinkFindings& found = run.links;
  const auto& [gpu, bytes, of] = found.busiest_receiver;
  const auto gpus = static_cast<std::uint64_t>(run.problem.gpus);
  const std::uint64_t least_blocks = 8, blocks = std::max(least_blocks, found.blocks_together);
  const std::uint64_t most = gpus <= 4 ? 5 * of / gpus / 4 : 6 * of / gpus / 4 + of / blocks;
  if (bytes <= most) return check.that(true, "link-rests", "");
  Reason reason = about(run, "link-rests",
                        msg("of {} bytes that all GPUs send at a time, GPU {} gets {}: its link is full, and "
                            "those of the others rest. Let each GPU begin with another one.",
                            big(of), gpu, big(bytes)));
  reason.file = found.file, reason.line = found.line;
  name_shares(reason, found.file);
  reason.figures.push_back({"bytes that one GPU gets", bytes, most});
  reason.facts = {"one-receiver"};
  check.fail(std::move(reason));
}

std::vector<Problem> over_other_gpus(std::int64_t rows, std::int64_t cols) {
  std::vector<Problem> shapes;
  for (const int gpus : {2, 3, 4})
    shapes.push_back({.rows = rows, .cols = cols, .gpus = gpus, .uneven = gpus != 3});
  return shapes;
}

// Other numbers of GPUs, and shares that are no multiples of anything.
std::vector<Problem> other_shares() {
  constexpr std::array kSides = {1, 2, 3, 7, 31, 32, 33, 64, 65, 100, 131};
  std::vector<Problem> shapes;
  for (const int rows : kSides) {
    for (const int cols : kSides)
      for (const Problem& p : over_other_gpus(rows, cols)) shapes.push_back(p);
  }
  shapes.push_back({.rows = 509, .cols = 263, .gpus = 3, .uneven = true});
  shapes.push_back({.rows = 263, .cols = 509, .gpus = 8});
  return shapes;
}

void crosses_once(Check& check, const Run& run) {
  if (!run.correct()) return check.right(run);
  const sim::Counters& c = run.counters;
  const std::uint64_t crossed =
      c[sim::Path::LinkLoad].bytes + c[sim::Path::LinkStore].bytes + c[sim::Path::LinkAtomic].bytes;
  const std::uint64_t least = crossing_bytes(run);
  if (crossed == least) return check.that(true, "crosses-twice", "");
  Reason reason = about(run, "crosses-twice",
                        msg("{} bytes go over the link, and {} have to: what is read from another GPU, or "
                            "written there twice, goes over it as well.",
                            big(crossed), big(least)));
  reason.figures.push_back({"bytes over the link", crossed, least});
  const auto most = std::max_element(run.lines.begin(), run.lines.end(), [](const auto& a, const auto& b) {
    return a.counters[sim::Path::LinkStore].bytes < b.counters[sim::Path::LinkStore].bytes;
  });
  if (most != run.lines.end() && most->counters[sim::Path::LinkStore].bytes != 0) {
    reason.file = most->file, reason.line = most->line;
    name_loops(reason, reason.file, {reason.line});
  }
  check.fail(std::move(reason));
}

// Sides that are drawn: all shares are multiples of 32, so that lines can be whole, and each GPU has several
// tiles for each other one.
Problem drawn_for(Check& check, int gpus, std::int64_t least, std::int64_t most) {
  const std::int64_t step = std::int64_t{32} * gpus;
  const auto side = [&](std::int64_t which) {
    const std::uint64_t steps = static_cast<std::uint64_t>(most / step - (least - 1) / step);
    return step *
           ((least + step - 1) / step +
            static_cast<std::int64_t>(check.subject().input_key().draw({0x67707573, gpus, which}) % steps));
  };
  return {.rows = side(0), .cols = side(1), .gpus = gpus};
}

// On two GPUs, of those that a kernel decides about by the shape alone, otherwise than about the measured ones. Rows of
// both matrices end with lines.
std::vector<Problem> decided_otherwise(Check& check) {
  const auto side = [](std::uint64_t step, std::uint64_t of) {
    constexpr std::uint64_t kLeast = 256, kMost = 1024;
    return static_cast<std::int64_t>(kLeast + of % ((kMost - kLeast) / step) * step);
  };
  const std::vector<Problem> asked = check.subject().measured_shapes(check.chapter().measured, "transpose");
  return both_ways(check, asked, [&](std::uint64_t drawn) {
    return Problem{.rows = side(64, drawn), .cols = side(32, drawn >> 32), .gpus = 2};
  });
}

// The measured shapes on two GPUs; one on four, and one on another number of them.
template <class Goal>
void on_two_and_more(Check& check, const Goal& goal) {
  constexpr std::array kOthers = {3, 5, 6, 7, 8};
  const int other = kOthers[check.subject().input_key().draw({0x6f74686572}) % kOthers.size()];
  on_measured(check, goal);
  if (check.passing()) goal(check.subject().run(drawn_for(check, 4, 512, 896)));
  if (check.passing()) goal(check.subject().run(drawn_for(check, other, 400, 672)));
  for (const Problem& p : check.subject().once("otherwise", [&] { return decided_otherwise(check); }))
    if (check.passing()) goal(check.subject().run(p));
}

// Long both ways, with shares that end anywhere: few tiles of many are cut off, so all GPUs have as much to
// send as where shares are whole tiles.
std::optional<Problem> large_one(Check& check) {
  std::vector<Problem> whole = check.subject().whole_sample(check.chapter().measured);
  if (whole.empty()) return std::nullopt;
  whole.front().gpus = 2 + static_cast<int>(check.subject().shape_key().draw({0x6c61726765}) % 3);
  return whole.front();
}

// The drawn shapes on two to eight GPUs by turns, and one long both ways; each byte crosses once there too.
void everywhere_on_several(Check& check) {
  std::vector<Problem> shapes = shapes_everywhere(check);
  if (const std::optional<Problem> large = large_one(check)) shapes.push_back(*large);
  const Shown shown = shown_on_measured(check, {});
  for (const Problem& p : shapes) {
    if (!check.passing()) return;
    const Run& run = check.subject().drawn(p, {}, false);
    ask_everything(check, {}, Ask::All, run, shown);
    if (check.passing() && Subject::has_costs(p)) crosses_once(check, run);
  }
}

}  // namespace

HOLDS("right", "right on every shape, on two GPUs", 4) { check.right_on_every_shape(); }

HOLDS("other-shares", "right for other numbers of GPUs and uneven shares", 2) {
  const std::optional<Problem>& only = check.subject().inputs().only;
  if (only) return check.right_on(over_other_gpus(only->rows, only->cols));
  check.right_on_a_part(other_shares(), {.of = 3});
  for (const Problem& p : shapes_everywhere(check))
    if (check.passing()) check.right(check.subject().drawn(p, {}, false));
}

KEEPS("crosses-once", "each byte crosses once", 2) {
  on_two_and_more(check, [&](const Run& run) { crosses_once(check, run); });
}

GOAL("whole-lines", "the link carries whole lines", 4) {
  on_two_and_more(check, [&](const Run& run) { whole_lines(check, run); });
}

GOAL("by-turns", "links are busy both ways all the time", 4) {
  on_two_and_more(check, [&](const Run& run) { by_turns(check, run); });
  on_two_and_more(check, [&](const Run& run) {
    if (check.passing() && run.problem.gpus > 2) to_all_at_once(check, run);
  });
  const std::optional<Problem> large = large_one(check);
  if (!large || !check.passing()) return;
  const Run& run = check.subject().drawn(*large, {}, false);
  by_turns(check, run);
  if (check.passing() && large->gpus > 2) to_all_at_once(check, run);
}

GOAL("through-a-tile", "turned in shared memory, ideal sectors", 3) {
  on_two_and_more(check, [&](const Run& run) {
    whole_sectors(check, run);
    check.no_idle_blocks(run);
    if (check.passing()) check.rows_both_ways(run, kWholeRows);
  });
  if (check.passing()) check.exchanged();
  everywhere_on_several(check);
}

GOAL("conflict-free", "conflict-free", 1) {
  on_two_and_more(check, [&](const Run& run) {
    check.at_most(run, Metric::SharedStoreWavefronts, scalar_requests(run), "bank-conflict");
    check.at_most(run, Metric::SharedLoadWavefronts, scalar_requests(run), "bank-conflict");
    if (check.passing())
      check.at_most(run, Metric::SharedWavefronts, 2 * scalar_requests(run), "other-path", kAllPaths);
  });
}

PREDICTION("sectors-sent", "sectors that one GPU sends", 1) {
  const Run& run = check.measured();
  check.predicted(&lab::Predictions::link_store_sectors, run.counters[sim::Path::LinkStore].cost / 2,
                  "512 of its rows have 512 elements each whose rows of `out` lie on the other GPU.");
}

PREDICTION("bytes-of-a-store", "what the link carries for one store", 1) {
  const LinkFindings& found = check.measured().links;
  check.predicted(
      &lab::Predictions::link_bytes_per_store, found.stores == 0 ? 0 : found.carried / found.stores,
      "32 lanes store 128 bytes side by side, a whole line: one packet, with 16 bytes of protocol.", 144);
}

}  // namespace lab::chapter_16

// Chapter 17: eight tables, each with a cause to name; then the kernels behind them, each to be fixed.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "common/course/judge/exam.h"
#include "common/course/judge/task.h"
#include "tests/chapters/cut_off.h"
#include "tests/chapters/findings.h"

namespace lab::chapter_17 {

using namespace lab::judge;
using namespace lab::course;

namespace {

struct SealedKernel {
  std::string_view name, cause, rows;  // rows of its table that prove it; "": where nothing is wasted
};
constexpr std::array<SealedKernel, 12> kSealed = {
    {{"turn_1", "e4c3ace6c9da", "7da44dd51fc0"},
     {"turn_2", "e4f9c44c429e", "b1142af741e1"},
     {"turn_3", "0da3248200c8", "fa0c48699d32d4c949deb1cf8f8985cc91e9ae08fa9163e9"},
     {"turn_4", "417915c53e65", "86c1de25a95e"},
     {"turn_5", "b33cd0723750", "8b98841c51fb"},
     {"sum", "c822ddc2e999", "349710b3b2f35dfc53ac103edc22563c73e541bd636a552b"},
     {"histogram", "c731d558ce7c", "7c5177496aa419ecadad1c5b"},
     {"stencil", "175bd2465262", "1837854bfad9160f23cda26f"},
     {"both_1", "61e96f0eba2e", "e231fd9c6e2d"},
     {"both_2", "492012d2c6d4", "a021b572d896"},
     {"well_1", "53fadef14f1a", ""},
     {"well_2", "e01bcbe108d7", ""}}};

bool is_right(const Finding& finding, const ExamTable& table) {
  const auto* const kernel = std::find_if(kSealed.begin(), kSealed.end(),
                                          [&](const SealedKernel& k) { return k.name == table.kernel; });
  return is_sealed(finding, table.kernel, {kernel->cause, kernel->rows});
}

// Which of them stands behind a table follows from the key and the seat.
void named(Check& check, std::size_t table) {
  const ExamTable t = exam_tables(check.subject().inputs().exam_key(), check.subject().seat()).at(table);
  found(check, t.name, [&](const Finding& finding) { return is_right(finding, t); });
}

// A fix counts with the finding of its own table; of a kernel that none of this seat's tables shows, with half
// of all. Who writes the healthy kernel again and again has read nothing.
void counts_with_its_table(Check& check, const std::string& entry) {
  std::size_t right = 0, own = 0, own_right = 0;
  const std::vector<ExamTable> tables =
      exam_tables(check.subject().inputs().exam_key(), check.subject().seat());
  for (const ExamTable& t : tables) {
    const bool is = is_right(check.subject().finding(t.name), t);
    right += is ? 1 : 0;
    own += t.kernel == entry ? 1 : 0;
    own_right += is && t.kernel == entry ? 1 : 0;
  }
  const bool counts = own != 0 ? own_right != 0 : 2 * right >= tables.size();
  check.that(
      counts, "finding-wrong",
      own != 0
          ? msg("A fix counts with the finding of its own table, and that of {} is not right yet.", entry)
          : msg("None of your tables shows {}: its fix counts once half of your findings are right.", entry));
}

// Nothing runs before every table has a finding. True when the kernel may be run.
bool is_there(Check& check, const std::string& entry) {
  for (const ExamTable& t : exam_tables(check.subject().inputs().exam_key(), check.subject().seat())) {
    const bool said = missing_in(check.subject().finding(t.name), t.name).empty();
    check.that(
        said, "finding-missing",
        msg("FINDING_OF({}) says nothing yet. The kernels come once every table has a finding.", t.name));
    if (!said) return false;
  }
  const std::vector<std::string> entries = check.subject().entries();
  const bool there = std::find(entries.begin(), entries.end(), entry) != entries.end();
  check.that(there, "no-entry",
             msg("The file has no kernel `{}` yet: ./lab tables 17 --sources adds it.", entry));
  return there;
}

// A kernel need not use the path at all.
void within(Check& check, const Run& run, Metric metric, std::uint64_t bound, const char* code,
            const char* why = "") {
  if (value(run.counters, metric) != 0) check.at_most(run, metric, bound, code, why);
}

Target target_of(const std::string& entry, lab::TaskKind kind) {
  Target target;
  target.entry = entry;
  target.task = task_of(kind);  // whatever the file says
  return target;
}

// goal(run, elements to reckon with): where tiles are cut off, blocks are as many as for twice the elements,
// and some of their warps have nothing to do.
template <class Goal>
void is_fixed(Check& check, const std::string& entry, lab::TaskKind kind, const Goal& goal) {
  if (!is_there(check, entry)) return;
  counts_with_its_table(check, entry);
  if (!check.passing()) return;
  const Target target = target_of(entry, kind);
  right_on_pages(check, target);
  for (const Problem& p : page_shapes(check, entry)) {
    if (!check.passing()) return;
    const Run& run = check.subject().run(p, target);
    check.no_idle_blocks(run);
    goal(run, elems(run));
  }
  if (!check.passing() || kind == lab::TaskKind::kTranspose) return;
  const Run& run = check.subject().run(small_cut_off(check, target).back().problem, target);
  goal(run, 2 * elems(run));
}

// As the healthy kernel: one float per lane at most, whole sectors, no conflict, nothing besides.
void turned(Check& check, const std::string& entry) {
  is_fixed(check, entry, lab::TaskKind::kTranspose, [&](const Run& run, std::uint64_t) {
    whole_sectors(check, run);
    within(check, run, Metric::GlobalRequests, 2 * scalar_requests(run), "too-many-requests");
    within(check, run, Metric::SharedLoadWavefronts, run.counters[lab::sim::Path::SharedLoad].ideal,
           "bank-conflict");
    within(check, run, Metric::SharedStoreWavefronts, run.counters[lab::sim::Path::SharedStore].ideal,
           "bank-conflict");
    within(check, run, Metric::SharedWavefronts, 2 * scalar_requests(run), "other-path", kAllPaths);
  });
  if (!check.passing()) return;
  const Target target = target_of(entry, lab::TaskKind::kTranspose);
  few_sectors_when_cut_off(check, small_cut_off(check, target), kBothWays, target);
  for (const CutOff& matrix : small_cut_off(check, target)) {
    if (check.passing())
      within(check, check.subject().run(matrix.problem, target), Metric::SharedWavefronts,
             most_when_cut_off(matrix, 2), "bank-conflict");
  }
}

// As many threads as before: fewer would hide what each of them wastes.
void keeps_threads(Check& check, const Run& run, std::uint64_t elems_per_thread) {
  check.that(run.grid.count() * run.block.count() * elems_per_thread >= elems(run), "changed-idea",
             "There are fewer threads than before: keep .block and .tile of the launch shape.");
}

}  // namespace

CHAPTER(listed_chapter("17_read_the_profiler"));

GOAL("table-a", "table A: its cause", 1) { named(check, 0); }
GOAL("table-b", "table B: its cause", 1) { named(check, 1); }
GOAL("table-c", "table C: its cause", 1) { named(check, 2); }
GOAL("table-d", "table D: its cause", 1) { named(check, 3); }
GOAL("table-e", "table E: its cause", 1) { named(check, 4); }
GOAL("table-f", "table F: its cause", 1) { named(check, 5); }
GOAL("table-g", "table G: its cause", 1) { named(check, 6); }
GOAL("table-h", "table H: its cause", 1) { named(check, 7); }

GOAL("turn-1", "turn_1, fixed", 1) { turned(check, "turn_1"); }
GOAL("turn-2", "turn_2, fixed", 1) { turned(check, "turn_2"); }
GOAL("turn-3", "turn_3, fixed", 1) { turned(check, "turn_3"); }
GOAL("turn-4", "turn_4, fixed", 1) { turned(check, "turn_4"); }
GOAL("turn-5", "turn_5, fixed", 1) { turned(check, "turn_5"); }

GOAL("sum", "sum, fixed", 2) {
  is_fixed(check, "sum", lab::TaskKind::kSum, [&](const Run& run, std::uint64_t most) {
    // 256 threads take 4096 elements and leave 256 parts, 8 requests. When each of 8 steps halves the warps
    // that act, a load and a store in each are 2 * (4 + 2 + 1 + 5 * 1) = 24 more; 48 in all are allowed.
    // Where every step wakes all warps they are 102.
    keeps_threads(check, run, 16);
    const bool more_threads = run.grid.count() * run.block.count() * 16 > most;
    within(
        check, run, Metric::SharedRequests, most * 3 / 256, "too-many-requests",
        more_threads
            ? "There are more threads than before, and each adds a part: keep .block and .tile of the launch "
              "shape."
            : "Most lanes of these requests do nothing: let neighbouring threads act, so that whole warps "
              "have nothing to do.");
    // Neighbouring threads that act on words 2, 4, 8, ... apart meet in banks: 149 wavefronts, and the cause
    // is fixed.
    within(check, run, Metric::SharedWavefronts, most * 10 / 256, "bank-conflict",
           "The parts should lie side by side: an array without gaps.");
    within(check, run, Metric::GlobalRequests, most / 32 + most / 512, "too-many-requests");
    within(check, run, Metric::GlobalSectors, most / 8 + most / 256, "too-many-sectors");
  });
}

GOAL("histogram", "histogram, fixed", 2) {
  is_fixed(check, "histogram", lab::TaskKind::kHistogram, [&](const Run& run, std::uint64_t most) {
    // A block of 8192 elements adds 256 counts to `out`: 8 requests of 4 sectors.
    keeps_threads(check, run, 32);
    within(check, run, Metric::GlobalRequests, most / 32 + most / 1024, "too-many-requests",
           "Count in shared memory first; then let neighbouring threads add the block's counts to `out`, "
           "each once.");
    // 32 numbers at random fall in one bank 3.5 at a time; with clearing, copies for each warp and adding
    // up 4.
    within(check, run, Metric::SharedWavefronts, most * 6 / 32, "bank-conflict",
           "Neighbouring counts should lie in neighbouring banks: an array of counts, without gaps.");
    within(check, run, Metric::GlobalSectors, most / 8 + most / 256, "too-many-sectors");
  });
}

GOAL("stencil", "stencil, fixed", 2) {
  is_fixed(check, "stencil", lab::TaskKind::kStencil, [&](const Run& run, std::uint64_t most) {
    // A thread that walks down 8 rows loads 10 elements.
    few_atomics(check, run);
    within(check, run, Metric::GlobalLoadSectors, elems(run) / 8 * 5 / 4, "repeated-access");
    within(check, run, Metric::GlobalSectors, elems(run) / 8 * 9 / 4, "other-path", kAllPaths);
    within(check, run, Metric::GlobalRequests, most / 32 * 9 / 4, "too-many-requests");
  });
}

}  // namespace lab::chapter_17

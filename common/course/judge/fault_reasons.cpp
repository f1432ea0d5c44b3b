// What a fault or a wrong element says of the kernel: which guard, index or barrier it comes from.
//
// Enters: a Run that is not correct. Leaves: a Reason. The simulator knows buffers and bytes; matrices,
// tiles and declared arrays are known here. Counters that are too high have words of their own (reasons.cpp).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/base/cpp_text.h"
#include "common/course/judge/declared.h"
#include "common/course/judge/reasons.h"
#include "common/course/judge/tensor_maps.h"
#include "common/sim/base/kernel_name.h"

namespace lab::judge {
namespace {

std::vector<SharedArray> array_of(const sim::Fault& fault) {
  bool named = fault.kind == sim::FaultKind::OutOfBounds;
  fault.sentence().for_each_place(
      [&](const text::Place& place) { named |= place.variable_offset_bytes == fault.array_offset_bytes; });
  if (fault.array_bytes == 0 || !named) return {};
  SharedArray array(fault.array_name, fault.array_offset_bytes, fault.array_bytes);
  take_declaration(array, declared_in(fault.file));
  return array.elem_bytes == 0 ? std::vector<SharedArray>{} : std::vector{std::move(array)};
}

// One more line, where the declaration says more than bytes do.
Message about_elements(const sim::Fault& fault, const SharedArray& array) {
  const std::uint64_t bytes = fault.address - array.offset_bytes;
  constexpr std::uint64_t kFar = 16;             // as many arrays further no index is meant
  const bool inside = bytes < array.size_bytes;  // of an array that another one's index has reached
  if (fault.kind == sim::FaultKind::OutOfBounds && (inside || bytes > kFar * array.size_bytes)) return {};
  const std::string place = element_at(array, bytes);
  const bool rows = array.extents.size() == 2;
  if (fault.kind == sim::FaultKind::OutOfBounds)
    return msg("That is where `{}` would be; the last element is `{}`.", place,
               element_at(array, array.size_bytes - array.elem_bytes));
  // The same place by the name that it has in the row above.
  const std::uint64_t row = rows ? bytes / array.row_bytes() : 0;
  const bool two_stores = fault.about == sim::About::TwoStores;
  if (two_stores && row != 0)
    return msg(
        "Do both name the same two indices? Or is one of them past the end of a row: a row of `{0}` has {1} "
        "elements, so `{0}[{2}][{3}]` is `{4}` too.",
        array.name, array.extents[1], row - 1,
        array.extents[1] + bytes % array.row_bytes() / array.elem_bytes, place);
  return {};
}

// The thread's element where one thread takes one element: does the matrix have it?
std::optional<bool> is_inside(const Run& run, const sim::Fault& fault) {
  const LaunchShape& s = run.shape;
  if (s.tile.rows != s.block.y || s.tile.cols != s.block.x) return std::nullopt;
  const bool by_cols = s.block_x_walks == kCols;
  const std::int64_t row =
      std::int64_t{by_cols ? fault.block.y : fault.block.x} * s.tile.rows + fault.thread.y;
  const std::int64_t col =
      std::int64_t{by_cols ? fault.block.x : fault.block.y} * s.tile.cols + fault.thread.x;
  return row < run.problem.rows && col < run.problem.cols;
}

// How many elements one access moves.
int elems_at_once(const Problem& p, const sim::Fault& fault) {
  return std::max(1, static_cast<int>(fault.access_bytes) / p.elem_bytes);
}

// The simulator knows buffers; here we know matrices, and which element the thread has.
Message about_matrices(const Run& run, const sim::Fault& fault) {
  const Problem& p = run.problem;
  if (!run.task.empty())
    return msg(
        "`in` has {} rows of {} elements, {} in all: which of them does this index name, and which threads "
        "does "
        "the guard let through?",
        p.rows, p.cols, big(p.rows * p.cols));
  const Message lengths =
      msg("from one row to the next it is {} in `in` and {} in `out`", p.in_pitch(), p.out_pitch());
  if (p.gpus > 1)
    return msg(
        "Each GPU has its own rows of both matrices, and counts them from 0: subtract from the row the first "
        "one that lies there, gpus.first_row of `in`, gpus.first_col of `out`. From one row to the next it "
        "is {} in `in` and {} in `out`.",
        p.in_pitch(), p.out_pitch());
  const std::optional<bool> inside = is_inside(run, fault);
  const int elems = elems_at_once(p, fault);
  if (elems != 1 && (p.rows % elems != 0 || p.cols % elems != 0))
    return msg(
        "It moves {0} elements at once, and the matrix ends before the last: take this way only where both "
        "sides, {1} and {2}, are multiples of {0}.",
        elems, p.rows, p.cols);
  if (p.batch > 1)
    return msg(
        "Compare the index: from one row to the next it is {} in `in` and {} in `out`, from one matrix of "
        "the batch to the next {} and {}. Then the guard: `in` is {}×{}, `out` {}×{}.",
        p.in_pitch(), p.out_pitch(), p.in_stride(), p.out_stride(), p.rows, p.cols, p.cols, p.rows);
  if (!inside)
    return msg(
        "Two things to compare: the guard with the matrix that is accessed (`in` is {}×{}, `out` {}×{}), and "
        "the index with the length of its rows: {}.",
        p.rows, p.cols, p.cols, p.rows, lengths);
  if (*inside)
    return msg("Its element of `in` exists, so the guard is right and the index is not: {}.", lengths);
  return msg("Its element lies outside of `in`, {}×{}: guard the access with row < rows && col < cols.",
             p.rows, p.cols);
}

// Where all rows begin at a multiple of the access, the index within a row is what does not.
void explain_alignment(Reason& reason, const Run& run, const sim::Fault& fault) {
  const Problem& p = run.problem;
  const int elems = elems_at_once(p, fault);
  if (fault.kind != sim::FaultKind::Misaligned || elems == 1) return;
  if (p.in_pitch() % elems != 0 || p.out_pitch() % elems != 0) return;
  reason.facts.emplace_back("inside-row");
  reason.message.line(
      msg("All rows of this matrix begin at a multiple of {} bytes, so it is the place in the row: the "
          "column that is accessed must be a multiple of {}.",
          fault.access_bytes, elems));
}

// A thread that has exited releases barriers: what it left undone shows elsewhere.
void explain_who_left(Reason& reason, const Run& run) {
  static constexpr std::array<std::string_view, 4> kComeFromIt = {"never-written", "uninitialised-shared",
                                                                  "shared-race", "barrier-divergence"};
  if (std::find(kComeFromIt.begin(), kComeFromIt.end(), reason.code) == kComeFromIt.end()) return;
  for (const sim::Fault& note : run.notes) {
    if (note.kind != sim::FaultKind::BarrierDivergence) continue;
    const EarlyReturn early = return_past_barrier(kernel_text(note.file), note.line);
    if (early.line != 0) return blame_return(reason, early, note.file);
    reason.message.line(msg(
        "Threads reach the end of the kernel while others wait at the barrier of line {}: every thread must "
        "come to it equally often. Take it out of the branch or loop that not all of them go through.",
        text::Line{note.line}));
    return;
  }
}

// An instruction of a whole warp that some lanes are missing in: lanes that leave in a round miss in the next.
void explain_missing_lanes(Reason& reason, const sim::Fault& fault) {
  if (fault.kind != sim::FaultKind::WarpSync) return;
  const int line = only_return_beside(kernel_text(fault.file), fault.line);
  if (line == 0) return;
  reason.facts.emplace_back("return-before-barrier");
  reason.message.line(
      msg("Do lanes leave at the `return` of line {}? Line {} needs all 32 of the warp: guard the access "
          "instead.",
          text::Line{line}, text::Line{fault.line}));
}

// Addresses that lie in no block of the cluster, or are none of shared memory.
constexpr unsigned kRankBits = 24;  // an address of another block has the block's rank above these

Message about_ranks(const Run& run, const sim::Fault& fault) {
  const auto blocks =
      static_cast<std::uint64_t>(run.shape.cluster.x) * static_cast<std::uint64_t>(run.shape.cluster.y);
  const std::uint64_t rank = fault.address >> kRankBits;
  if (fault.about != sim::About::SharedOffset || blocks <= 1 || rank < blocks) return {};
  return msg(
      "It is an address of block {} of the cluster, and the cluster has {}: which number does the kernel "
      "give to "
      "lab::in_block?",
      rank, blocks);
}

// What a kernel takes for its shared memory, and is none: no address of a cluster, where it asks for no peer.
bool is_no_shared_address(const Run& run, const sim::Fault& fault) {
  return fault.kind == sim::FaultKind::PeerGone && run.shape.cluster.x * run.shape.cluster.y == 1 &&
         kernel_text(fault.file).find("in_block(") == std::string::npos;
}

bool is_started_twice(const sim::Fault& fault) {  // a copy that one thread alone should start
  return fault.kind == sim::FaultKind::AsyncEarly && fault.about == sim::About::OnePlace;
}

// The simulator has CUDA's own names, for any program; the course has shorter ones.
Message in_words_of_the_course(const Run& run, const sim::Fault& fault) {
  using Kind = sim::FaultKind;
  const bool of_cluster = run.shape.cluster.x * run.shape.cluster.y > 1;
  if (fault.kind == Kind::UninitialisedLocal && run.shared_bytes == 0)
    return "If all threads of the block are to share the array, __shared__ is missing in front of it.";
  if (fault.kind == Kind::PoisonedGlobal && run.task.empty())
    return "That is `out`, which has no values before the kernel writes them: elements are read from `in`, "
           "or from the tile.";
  if (fault.kind == Kind::ProxyFence) return "In this course that fence is lab::fence_for_tma().";
  if (fault.fix.act == sim::Fix::Act::Wait &&
      kernel_text(fault.file).find("copy_async<") != std::string::npos)
    return "In this course lab::commit_copies() ends a group, and lab::wait_copies<N>() waits for all groups "
           "but "
           "the newest N.";
  if (is_started_twice(fault)) return {};
  if (fault.kind == Kind::AsyncEarly)
    return "In this course lab::wait(&barrier, phase) waits for a copy into the tile, and "
           "lab::commit_and_wait_for_reads() for one out of it.";
  if (is_no_shared_address(run, fault)) return "Is __shared__ missing in front of its declaration?";
  if (fault.kind == Kind::PeerGone && !of_cluster)
    return "In this course .cluster of LAUNCH_SHAPE asks for them.";
  if (fault.kind == Kind::PeerGone || fault.fix.act == sim::Fix::Act::ClusterBarrier ||
      (fault.kind == Kind::UninitialisedShared && of_cluster &&
       kernel_text(fault.file).find("sync_cluster(") == std::string::npos))
    return "In this course cluster.sync() is lab::sync_cluster().";
  return {};
}

Message at(const std::set<int>& lines) {
  Message numbers;
  for (const int line : lines)
    numbers = numbers.empty() ? msg("{}", text::Line{line}) : msg("{}, {}", numbers, text::Line{line});
  return lines.size() == 1 ? msg("line {}", numbers) : msg("lines {}", numbers);
}

constexpr std::size_t kMostNamed = 4;  // loops or guards: more say nothing

Message about_pitches(const Problem& p) {
  const Message rows =
      msg("From one row to the next it is {} in `in` and {} in `out`: the pitches, not the sizes.",
          p.in_pitch(), p.out_pitch());
  if (p.batch == 1) return rows;
  return msg("{} {}", rows,
             msg("blockIdx.z counts the matrices: from one to the next it is {} in `in` and "
                 "{} in `out`.",
                 p.in_stride(), p.out_stride()));
}

template <class Is>
std::set<int> lines_with(const std::string& file, const Is& is) {
  std::set<int> lines;
  std::istringstream text(base::without_comments(kernel_text(file)));
  std::string here;
  for (int line = 1; std::getline(text, here); ++line)
    if (is(here)) lines.insert(line);
  return lines;
}

// Lines that use this array by index: the store that missed a place is among them.
std::set<int> uses_of(const std::string& source, const std::string& array) {
  std::set<int> lines;
  int line = 1;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] == '\n') ++line;
    const bool begins = at == 0 || !base::in_word(source[at - 1]);
    if (begins && source.compare(at, array.size() + 1, array + "[") == 0 &&
        line_of(source, line).find("__shared__") == std::string::npos)
      lines.insert(line);
  }
  return lines;
}

// A loop from 0 to `rows` or `cols`, as the source has it.
bool goes_over_the_matrix(const sim::Fault& fault) {
  const std::string text = base::without_comments(kernel_text(fault.file));
  const std::set<int> loops = loops_around(text, {fault.line});
  return std::any_of(loops.begin(), loops.end(), [&](int loop) {
    const std::string line = line_of(text, loop);
    return line.find("= 0;") != line.npos &&
           (line.find("< rows") != line.npos || line.find("< cols") != line.npos);
  });
}

// Names the branch around what one thread should do, and the line of its condition's name.
void name_branches(Reason& reason, const sim::Fault& fault) {
  const std::set<int> branches = branches_around(kernel_text(fault.file), fault.line);
  if (branches.empty())
    reason.message.line(
        msg("No `if` stands around line {}: all threads of the block come there.", text::Line{fault.line}));
  else if (branches.size() <= kMostNamed)
    reason.message.line(msg("Which threads come there is decided at {}.", at(branches)));
}

void name_index(Reason& reason, const sim::Fault& fault) {
  const std::set<int> lines = definitions_of(kernel_text(fault.file), fault.line);
  if (!lines.empty() && lines.size() <= kMostNamed + 1)
    reason.message.line(msg("Its index is made of what is computed at {}.", at(lines)));
}

// What an mbarrier waits for whose phase never ends.
void name_expected(Reason& reason, const sim::Fault& fault) {
  const std::set<int> lines = lines_with(fault.file, [](const std::string& line) {
    return line.find("lab::init(") != line.npos || line.find("lab::arrive_and_expect(") != line.npos;
  });
  if (!lines.empty() && lines.size() <= kMostNamed)
    reason.message.line(msg("What the barrier waits for is said at {}.", at(lines)));
}

void explain_fault(Reason& reason, const Run& run, const sim::Fault& fault) {
  const std::vector<SharedArray> arrays = array_of(fault);
  // The launch gave the buffers their names: of these two we know the matrix.
  const bool matrix_edge =
      fault.about == sim::About::BufferEdge && (fault.buffer == "in" || fault.buffer == "out");
  sim::Fault shown = fault;
  // In a transpose no element has two writers, the second of whom is to stay; and none is added to.
  const bool one_line = fault.other_line == fault.line && fault.line != 0 && fault.other_file == fault.file;
  const bool in_place = run.task.empty() && fault.kind == sim::FaultKind::SharedRace && one_line &&
                        fault.about == sim::About::Else && !fault.advice.empty();
  const bool ordered = fault.about == sim::About::OnePlace && !fault.advice.empty();
  if (matrix_edge || ordered || in_place) shown.advice = {};
  if (ordered || in_place) reason.fix = {}, shown.fix = {};
  Message sentence = shown.sentence();
  if (is_no_shared_address(run, fault))
    sentence = msg("line {} is given an address that lies in no shared memory of its block.", fault.line);
  if (fault.kind == sim::FaultKind::BudgetExceeded && fault.other_line != 0) {
    const std::string text = kernel_text(fault.file);
    const std::set<int> loops = loops_around(text, {fault.other_line});
    if (loops_around(text, {fault.line}).empty() && loops.size() == 1) {  // the callee's line has no loop
      reason.line = *loops.begin();
      sentence =
          msg("the block did more than a transpose can need and is not done; its hottest loop is at line {}, "
              "and of "
              "its rounds nothing is left but what the function does that it calls. Does the loop's "
              "condition ever "
              "become false?",
              reason.line);
    }
  }
  name_elements(sentence, arrays);
  reason.message = std::move(sentence);
  for (const SharedArray& array : arrays) {
    reason.message.line(about_elements(fault, array));
  }
  if (fault.kind == sim::FaultKind::BudgetExceeded && !run.each_thread_takes_all &&
      goes_over_the_matrix(fault))
    reason.message.line(
        "If it ends, a thread goes over the whole matrix there: let it take its own element, or its share of "
        "a tile.");
  if (fault.about == sim::About::TwoStores || fault.about == sim::About::OnePlace)
    reason.facts.emplace_back("one-place"), name_helpers(reason, fault.file, {fault.line});
  if (fault.about == sim::About::TwoStores) name_loops(reason, fault.file, {fault.line});
  using Act = sim::Fix::Act;
  if (fault.fix.act == Act::Atomic || fault.fix.act == Act::AtomicResult || fault.fix.act == Act::AtomicStore)
    reason.facts.emplace_back("by-atomic");
  explain_alignment(reason, run, fault);
  if (fault.kind == sim::FaultKind::Misaligned || ordered) name_index(reason, fault);
  if (fault.kind == sim::FaultKind::Deadlock) name_expected(reason, fault);
  const bool wide = matrix_edge && elems_at_once(run.problem, fault) != 1;
  const bool by_guard = matrix_edge && !wide && !is_inside(run, fault).value_or(false);
  if (fault.fix.act == Act::Guard && !by_guard) reason.fix = {};  // a guard would hide what is wrong
  if (matrix_edge) {
    reason.message.line(about_matrices(run, fault));
    if (run.problem.gpus > 1)
      name_shares(reason, fault.file);
    else if (!is_inside(run, fault))
      name_index(reason, fault);
    if (!is_inside(run, fault).value_or(false)) name_guards(reason, fault.file, {fault.line});
    reason.facts.emplace_back("global");
    if (wide) reason.facts.emplace_back("pack");
  } else if (fault.about == sim::About::SharedOffset ||
             (fault.kind == sim::FaultKind::OutOfBounds && run.shape.cluster.x * run.shape.cluster.y > 1)) {
    reason.facts.emplace_back("shared");
    name_helpers(reason, fault.file, {fault.line});
    name_loops(reason, fault.file, {fault.line});
    reason.message.line(msg(".block says {} × {} threads.", run.shape.block.x, run.shape.block.y));
    if (const ClusterShape& cluster = run.shape.cluster; cluster.x * cluster.y > 1)
      reason.message.line(msg(".cluster says {} × {} blocks.", cluster.x, cluster.y));
  }
  if (fault.kind == sim::FaultKind::BudgetExceeded && !run.each_thread_takes_all)
    name_loops(reason, fault.file, {fault.line});
  if (in_place)
    reason.message.line(
        msg("No barrier orders one run of line {} with itself: elements that change places go "
            "to another array.",
            text::Line{fault.line}));
  explain_missing_lanes(reason, fault);
  reason.message.line(about_ranks(run, fault));
  reason.message.line(in_words_of_the_course(run, shown));
  const bool arrives = fault.kind == sim::FaultKind::BarrierDivergence &&
                       line_of(kernel_text(fault.file), fault.line).find("arrive") != std::string::npos;
  if (arrives || is_started_twice(fault)) name_branches(reason, fault);
  if (fault.kind == sim::FaultKind::UninitialisedShared && fault.array_bytes != 0) {
    std::set<int> lines =
        uses_of(base::without_comments(kernel_text(fault.file)), sim::short_name(fault.array_name));
    lines.insert(fault.line);
    if (lines.size() == 3)  // of two the other is named
      reason.message.line(msg("`{}` is used at {}.", sim::short_name(fault.array_name), at(lines)));
    name_helpers(reason, fault.file, lines);
    name_guards(reason, fault.file, lines);
    if (fault.fix.act != Act::BlockBarrier) name_loops(reason, fault.file, lines);
  }
}

}  // namespace

void blame_return(Reason& reason, const EarlyReturn& early, const std::string& file) {
  reason.facts.emplace_back("return-before-barrier");
  if (reason.line == 0) reason.file = file, reason.line = early.line;
  reason.message.line(early.line < early.barrier_line
                          ? msg("The `return` of line {} stands before the barrier of line {}: a thread that "
                                "leaves there does "
                                "nothing of what comes after. Guard the access instead.",
                                text::Line{early.line}, text::Line{early.barrier_line})
                          : msg("The `return` of line {} ends the loop for its thread, and others wait at "
                                "the barrier of line "
                                "{}: every thread must come to it. Guard the access instead.",
                                text::Line{early.line}, text::Line{early.barrier_line}));
}

// Where an index is computed from the number of the block, or of the thread too: no access, and no loop.
void name_origins(Reason& reason, const std::string& file, bool of_blocks) {
  const auto computes = [](const std::string& line) {
    return line.find(" = ") != line.npos && line.find_first_of("[;") == line.rfind(';');
  };
  const std::set<int> lines = lines_with(file, [&](const std::string& line) {
    return computes(line) &&
           (line.find("blockIdx.") != line.npos || (!of_blocks && line.find("threadIdx.") != line.npos));
  });
  if (lines.empty() || lines.size() > kMostNamed || lines == std::set{reason.line}) return;
  reason.message.line(msg("Which row and column a thread has is computed at {}.", at(lines)));
}

void name_shares(Reason& reason, const std::string& file) {
  constexpr std::size_t kMostShares = 8;
  const std::set<int> lines = lines_with(file, [](const std::string& line) {
    return line.find("gpus.") != line.npos || line.find("blockIdx.") != line.npos;
  });
  if (!lines.empty() && lines.size() <= kMostShares)
    reason.message.line(msg("Which GPU has which rows and columns is computed at {}.", at(lines)));
}

void name_helpers(Reason& reason, const std::string& file, const std::set<int>& lines) {
  const std::set<int> helpers = helpers_of(kernel_text(file), lines);
  if (helpers.empty() || helpers.size() > kMostNamed) return;
  reason.message.line(msg("The place in shared memory is computed at {}.", at(helpers)));
}

void name_guards(Reason& reason, const std::string& file, const std::set<int>& lines) {
  std::set<int> guards = guards_of(kernel_text(file), lines);
  std::erase_if(guards, [&](int line) { return lines.contains(line); });  // these are named
  if (guards.empty() || guards.size() > kMostNamed) return;
  reason.message.line(
      msg("Which elements get there is decided at {}: all that the matrix has, and no others?", at(guards)));
}

void name_loops(Reason& reason, const std::string& file, const std::set<int>& lines) {
  const std::set<int> loops = loops_around(kernel_text(file), lines);
  if (loops.empty() || loops.size() > kMostNamed) return;
  reason.message.line(
      msg("Which places a thread takes is decided at {} too: do start, step and end of a loop there fit "
          ".block and the tile?",
          at(loops)));
}

// An element of the right row or of the right column: what is missing in the other index.
void explain_shifted(Reason& reason, const Run& run) {
  const std::int64_t rows = run.mismatch->rows_off, cols = run.mismatch->cols_off;
  if ((rows == 0) == (cols == 0)) return;
  const std::int64_t by = std::abs(rows + cols);
  const Message what = cols < 0   ? msg("It is of the right row of `in`, and its column is {} too small", by)
                       : cols > 0 ? msg("It is of the right row of `in`, and its column is {} too large", by)
                       : rows < 0 ? msg("It is of the right column of `in`, and its row is {} too small", by)
                                  : msg("It is of the right column of `in`, and its row is {} too large", by);
  const std::int64_t tile = rows != 0 ? run.shape.tile.rows : run.shape.tile.cols;
  if (tile == 0 || by % tile != 0) {
    reason.message.line(msg("{}.", what));
    return;
  }
  reason.message.line(
      rows != 0 ? msg("{}, by whole tiles: does every access add the first row of its tile?", what)
                : msg("{}, by whole tiles: does every access add the first column of its tile?", what));
}

// That distinguishes a wrong grid from a wrong loop.
void explain_missing(Reason& reason, const Run& run, bool is_read) {
  const Problem& p = run.problem;
  const TileShape& tile = run.shape.tile;
  const std::int64_t row = run.mismatch->col, col = run.mismatch->row;  // of `in`
  if (tile.rows == 0) return;
  const bool one_line = run.shared_bytes == 0;  // then who reads it writes it
  const bool begins = (row % tile.rows == 0 && col % tile.cols == 0) || p.gpus > 1;
  if (is_read && begins && !one_line && run.mismatch->batch == 0) {
    if (row % tile.rows == 0 && col % tile.cols == 0 && row + col != 0)
      reason.facts.emplace_back("whole-tiles");
    reason.message.line(
        "Some thread reads it, so it is lost on the way out: which threads come to its place in the tile, "
        "which "
        "index of `out` do they compute, and what do they ask before?");
    return;
  }
  if (row == 0 && col == 0 && run.mismatch->batch == 0) {
    reason.message.line(p.gpus > 1 ? msg("Each GPU starts {} × {} × {} blocks, one for each tile of its "
                                         "rows: does the order that is made "
                                         "of blockIdx.x, .y and .z reach each of them once?",
                                         run.grid.x, run.grid.y, run.grid.z)
                                   : "It is the first element: which row and column does the kernel compute "
                                     "where blockIdx and threadIdx "
                                     "are 0, and do its guards let this thread through?");
    return;
  }
  if (run.mismatch->batch != 0) {
    reason.message.line(
        msg("blockIdx.z counts the matrices: from one to the next it is {} in `in` and {} in `out`.",
            p.in_stride(), p.out_stride()));
  } else if (p.in_pitch() != p.cols || p.out_pitch() != p.rows) {
    reason.message.line(about_pitches(p));
  } else if (row % tile.rows == 0 && col % tile.cols == 0) {
    reason.facts.emplace_back("whole-tiles");
    reason.message.line(about_tile_left_out(run.shape, row, col));
  } else if (run.mismatch->in_first_tile && run.problem.gpus <= 1) {
    // Not by .block_x_walks, which is right or wrong for whole tiles.
    const std::int64_t down = row / tile.rows, right = col / tile.cols;
    const bool by_cols = run.shape.block_x_walks == kCols;
    reason.facts.emplace_back("other-tile");
    reason.message.line(
        msg("In the first tile the same place is written, so the threads of a block reach it. .tile says "
            "{} rows and {} columns: does block ({},{}) begin in row {} and column {} of `in`?",
            tile.rows, tile.cols, by_cols ? right : down, by_cols ? down : right, down * tile.rows,
            right * tile.cols));
  } else {
    reason.facts.emplace_back("inside-tile");
    reason.message.line(run.shared_bytes != 0
                            ? msg("It lies inside a tile of {} rows and {} columns of `in`, as .tile says: "
                                  "do the threads of one "
                                  "block reach all of it, on the way in and on the way out, and do the "
                                  "guards let them through?",
                                  tile.rows, tile.cols)
                            : msg("It lies inside a tile of {} rows and {} columns of `in`, as .tile says: "
                                  "do the threads of one "
                                  "block reach all of it, and does the guard let them through?",
                                  tile.rows, tile.cols));
    reason.message.line(msg(".block says {} × {} threads.", run.shape.block.x, run.shape.block.y));
    if (const ClusterShape& cluster = run.shape.cluster; cluster.x * cluster.y > 1)
      reason.message.line(
          msg(".cluster says that blocks which are neighbours along blockIdx.{} share their memory: does the "
              "kernel count them along that axis?",
              cluster.x > 1 ? "x" : "y"));
  }
}

bool may_be_followed(const Mismatch& mismatch) {
  return mismatch.code == "wrong-element" || mismatch.code == "never-written" ||
         mismatch.code == "padding-written";
}

namespace {

// `out[col, row]`, as other languages have it.
bool has_comma_in_brackets(const std::string& file, int line) {
  std::istringstream text(base::without_comments(kernel_text(file)));
  std::string here;
  for (int at = 0; at < line; ++at) std::getline(text, here);
  for (std::size_t open = 0; (open = here.find('[', open)) != here.npos; ++open) {
    const std::size_t end = here.find_first_of("[](){}", open + 1), comma = here.find(',', open);
    if (open != 0 && base::in_word(here[open - 1]) && end != here.npos && here[end] == ']' && comma < end)
      return true;
  }
  return false;
}

bool has_fact(const Reason& reason, std::string_view fact) {
  return std::find(reason.facts.begin(), reason.facts.end(), fact) != reason.facts.end();
}

bool are_few(const ElementLines::Lines& lines) {
  constexpr std::size_t kMostNamed = 8;
  return !lines.empty() && lines.size() <= kMostNamed;
}

// From `in` into shared memory and out of it.
std::vector<Message> path_words(const Run& run, const ElementLines& lines) {
  const std::int64_t row = run.mismatch->col, col = run.mismatch->row;  // of `in`
  const std::string element = run.problem.batch == 1
                                  ? fmt::format("in({},{})", row, col)
                                  : fmt::format("in[{}]({},{})", run.mismatch->batch, row, col);
  if (lines.read.empty() && are_few(lines.reads_in) && run.problem.gpus <= 1)
    return {msg("No thread reads {} and uses it; `in` is read at {}.", element, at(lines.reads_in))};
  if (!are_few(lines.read)) return {};
  std::vector<Message> words = {msg("{} is read at {}.", element, at(lines.read))};
  if (are_few(lines.kept)) words.push_back(msg("It is kept in shared memory at {}.", at(lines.kept)));
  if (are_few(lines.taken)) words.push_back(msg("It is read from there at {}.", at(lines.taken)));
  if (!lines.follows || run.mismatch->foreign) return words;  // changed bits are not followed
  if (lines.kept.empty() && are_few(lines.keeps))
    words.push_back(msg("No thread keeps it in shared memory, which is written at {}.", at(lines.keeps)));
  if (!lines.kept.empty() && lines.taken.empty() && are_few(lines.takes))
    words.push_back(
        msg("No thread reads it from there and uses it; shared memory is read at {}.", at(lines.takes)));
  return words;
}

}  // namespace

void name_lines(Reason& reason, const Run& run, const ElementLines& lines) {
  if (run.mismatch->code == "padding-written") {
    if (!are_few(lines.written)) return;
    reason.file = lines.file, reason.line = *lines.written.begin();
    reason.message.line(about_pitches(run.problem));
    return;
  }
  const bool missed = lines.read.empty() && are_few(lines.reads_in) && run.task.empty();
  const bool place = run.mismatch->code == "wrong-element" && are_few(lines.written);
  const ElementLines::Lines& written = place ? lines.written : lines.writes_out;
  // Where no thread comes to a store, the load is what there is.
  const ElementLines::Lines& first = missed ? lines.reads_in : written.empty() ? lines.read : written;
  if (!are_few(first)) return;
  reason.file = lines.file, reason.line = *first.begin();
  std::vector<Message> words = path_words(run, lines);
  // Where one line does it all, its number stands before the words.
  const bool one_line = written.size() == 1 && written == (missed ? lines.reads_in : lines.read);
  if ((one_line && !missed) || !run.task.empty()) words.clear();  // a sum is no element that travels
  const bool named = !run.task.empty() && written.size() == 1;    // by the reason's line
  if (!one_line && !named && are_few(written))
    words.push_back(place ? msg("The place in `out` is written at {}.", at(written))
                          : msg("`out` is written at {}.", at(written)));
  const bool left_out = run.mismatch->code == "never-written" || lines.read.empty() ||
                        lines.kept.empty() != lines.taken.empty();
  const bool whole_tiles = has_fact(reason, "whole-tiles");  // no loop of a block is to blame for them
  if (left_out && run.problem.gpus > 1) name_shares(reason, lines.file);
  if (lines.kept.empty() != lines.taken.empty()) {
    std::set<int> tile = lines.kept;
    tile.insert(lines.takes.begin(), lines.takes.end());
    name_helpers(reason, lines.file, tile);
  } else if (left_out && run.problem.gpus <= 1 && run.task.empty())
    name_origins(reason, lines.file, whole_tiles || has_fact(reason, "other-tile"));
  if (run.task.empty() ? left_out && !whole_tiles : lines.written.empty()) {
    std::set<int> all_lines = lines.reads_in;
    all_lines.insert(lines.writes_out.begin(), lines.writes_out.end());
    name_loops(reason, lines.file, all_lines);
  }
  if (has_comma_in_brackets(lines.file, reason.line))
    reason.message.line("A comma in [ ] takes what stands behind it alone: an index is one number.");
  Message all;
  for (const Message& one : words) all = all.empty() ? one : msg("{} {}", all, one);
  if (!all.empty()) reason.message.line(all);
}

Reason reason_of(const sim::Fault& fault) {
  Reason reason;
  reason.code = sim::code(fault.kind);
  reason.message = fault.sentence();
  reason.file = fault.file;
  reason.line = fault.line;
  using Act = sim::Fix::Act;
  // What to write there is the task; where a wait stands, for which groups, and whose an element is, too.
  if (fault.fix.act != Act::Initialise && fault.fix.act != Act::Wait && fault.fix.act != Act::OwnElement)
    reason.fix = fault.fix;
  return reason;
}

Reason reason_of(const Run& run) {
  Reason reason;
  if (!run.faults.empty()) {
    reason = reason_of(run.faults.front());
    explain_fault(reason, run, run.faults.front());
    if (run.each_thread_takes_all) reason.code = kWholeMatrix;
  } else if (run.mismatch) {
    reason.code = run.mismatch->code;
    reason.message = run.mismatch->message;
    const std::int64_t wrong = run.mismatch->wrong_elems, all = run.mismatch->elems;
    if (wrong > 1) reason.message.line(msg("{} of {} elements are wrong.", big(wrong), big(all)));
    if (run.mismatch->holds_zero) reason.facts.emplace_back("zero");
    if (run.mismatch->foreign) {
      reason.facts.emplace_back("foreign");
      reason.message.line(
          "Elements must arrive bit by bit: is everything that holds them on their way of their own type?");
    }
  }
  explain_who_left(reason, run);
  reason.facts.emplace_back(run.task.empty() ? "transpose" : run.task);
  reason.message = msg("{}: {}", msg("shape {}", describe(run.problem)), reason.message);
  reason.problem = run.problem;
  if (run.entry != "transpose") reason.entry = run.entry;
  return reason;
}

}  // namespace lab::judge

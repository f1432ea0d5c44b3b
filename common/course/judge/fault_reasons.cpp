// What a fault says of the kernel: which guard, index or barrier it comes from.
//
// Enters: a Run that is not correct. Leaves: a Reason. The simulator knows buffers and bytes; matrices,
// tiles and declared arrays are known here. Wrong elements: element_reasons.cpp; counters: reasons.cpp.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/base/cpp_text.h"
#include "common/course/judge/declared.h"
#include "common/course/judge/named_lines.h"
#include "common/course/judge/reasons.h"
#include "common/course/judge/source_lines.h"
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
        "does the guard let through?",
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
      "give to lab::in_block?",
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

bool no_such_rank(const Run& run, const sim::Fault& fault) {
  const auto blocks = static_cast<std::uint64_t>(run.shape.cluster.x * run.shape.cluster.y);
  return fault.kind == sim::FaultKind::PeerGone && fault.address >> kRankBits > blocks;
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
           "but the newest N.";
  if (is_started_twice(fault)) return {};
  if (fault.kind == Kind::AsyncEarly)
    return "In this course lab::wait(&barrier, phase) waits for a copy into the tile, and "
           "lab::commit_and_wait_for_reads() for one out of it.";
  if (is_no_shared_address(run, fault)) return "Is __shared__ missing in front of its declaration?";
  if (fault.kind == Kind::PeerGone && (!of_cluster || no_such_rank(run, fault)))
    return "In this course .cluster of LAUNCH_SHAPE asks for them.";
  if (fault.kind == Kind::PeerGone || fault.fix.act == sim::Fix::Act::ClusterBarrier ||
      (fault.kind == Kind::UninitialisedShared && of_cluster &&
       kernel_text(fault.file).find("sync_cluster(") == std::string::npos))
    return "In this course cluster.sync() is lab::sync_cluster().";
  return {};
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

// The place of the block in the matrix as an index of the tile: each block has a tile, and it counts from 0.
bool name_index_by_block(Reason& reason, const sim::Fault& fault, const std::set<int>& uses) {
  const std::string text = base::without_comments(kernel_text(fault.file));
  for (const int line : uses) {
    const std::string here = line_of(text, line);
    const std::size_t begin = here.find(sim::short_name(fault.array_name) + "[");
    if (begin == here.npos) continue;
    const std::string place = here.substr(begin, here.find_first_of("=;,", begin) - begin);
    std::set<int> blocks = definitions_of(with_line(text, line, place), line);
    std::erase_if(blocks, [&](int at) { return line_of(text, at).find("blockIdx.") == std::string::npos; });
    if (blocks.empty() || blocks.size() > kMostNamed) continue;
    reason.line = line;
    reason.facts.emplace_back("by-block");
    reason.message.line(
        msg("The place at line {} counts from the matrix's first block, by blockIdx at {}. Each block has an "
            "array of its own, in which places count from 0: by threadIdx and the loop.",
            text::Line{line}, line_list(blocks)));
    return true;
  }
  return false;
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

// How large an array is that an access leaves.
void name_declaration(Reason& reason, const sim::Fault& fault) {
  const std::string array = " " + sim::short_name(fault.array_name) + "[";
  const std::set<int> lines = lines_with(fault.file, [&](const std::string& line) {
    return line.find("__shared__ ") != line.npos && line.find(array) != line.npos;
  });
  if (fault.array_bytes != 0 && lines.size() == 1)
    reason.message.line(msg("`{}` is declared at {}.", sim::short_name(fault.array_name), line_list(lines)));
}

// What decides which place of shared memory a line reaches.
void name_what_reaches(Reason& reason, const Run& run, const sim::Fault& fault) {
  name_declaration(reason, fault);
  name_helpers(reason, fault.file, {fault.line});
  name_loops(reason, fault.file, {fault.line});
  reason.message.line(msg(".block says {} × {} threads.", run.shape.block.x, run.shape.block.y));
  if (const ClusterShape& cluster = run.shape.cluster; cluster.x * cluster.y > 1)
    reason.message.line(msg(".cluster says {} × {} blocks.", cluster.x, cluster.y));
}

// Names the branch around what one thread should do, and the line of its condition's name.
void name_branches(Reason& reason, const sim::Fault& fault) {
  const std::set<int> branches = branches_around(kernel_text(fault.file), fault.line);
  if (branches.empty())
    reason.message.line(
        msg("No `if` stands around line {}: all threads of the block come there.", text::Line{fault.line}));
  else if (branches.size() <= kMostNamed)
    reason.message.line(msg("Which threads come there is decided at {}.", line_list(branches)));
}

void name_index(Reason& reason, const sim::Fault& fault) {
  std::set<int> lines = definitions_of(kernel_text(fault.file), fault.line);
  if (lines.size() > kMostNamed + 1) lines = definitions_of(kernel_text(fault.file), fault.line, 1);
  if (!lines.empty() && lines.size() <= kMostNamed + 1)
    reason.message.line(msg("Its index is made of what is computed at {}.", line_list(lines)));
}

// What an mbarrier waits for whose phase never ends.
void name_expected(Reason& reason, const sim::Fault& fault) {
  std::set<int> lines = lines_with(fault.file, [](const std::string& line) {
    return line.find("lab::init(") != line.npos || line.find("lab::arrive_and_expect(") != line.npos;
  });
  lines.merge(constants_of(kernel_text(fault.file), lines));
  if (!lines.empty() && lines.size() <= kMostNamed + 1)
    reason.message.line(msg("What the barrier waits for is said at {}.", line_list(lines)));
}

// A wait is there, and the copy into the tile was not waited for.
void name_waits(Reason& reason, const sim::Fault& fault) {
  const std::set<int> lines =
      lines_with(fault.file, [](const std::string& line) { return line.find("lab::wait(&") != line.npos; });
  if (!lines.empty() && lines.size() <= kMostNamed)
    reason.message.line(
        msg("Threads wait at {}: is it for the phase that this copy ends, and before line {}?",
            line_list(lines), text::Line{fault.line}));
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
              "and of its rounds nothing is left but what the function does that it calls. Does the loop's "
              "condition ever become false?",
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
  const bool misaligned = fault.kind == sim::FaultKind::Misaligned;
  if (misaligned || matrix_edge || (fault.about == sim::About::OnePlace && fault.array_bytes == 0))
    name_calls(reason, fault.file, {fault.line});
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
    if (!name_index_by_block(reason, fault, {fault.line})) name_what_reaches(reason, run, fault);
  }
  if (fault.kind == sim::FaultKind::BudgetExceeded && !run.each_thread_takes_all)
    name_loops(reason, fault.file, {fault.line});
  if (fault.about == sim::About::OnePlace && fault.array_bytes == 0)  // in global memory
    reason.message.line(msg(".block says {} × {} threads.", run.shape.block.x, run.shape.block.y));
  if (in_place)
    reason.message.line(
        msg("No barrier orders one run of line {} with itself: elements that change places go "
            "to another array.",
            text::Line{fault.line}));
  if (no_such_rank(run, fault)) {
    std::set<int> lines = definitions_of(kernel_text(fault.file), fault.line);
    lines.insert(fault.line);
    name_constants(reason, fault.file, lines);
  }
  explain_missing_lanes(reason, fault);
  reason.message.line(about_ranks(run, fault));
  reason.message.line(in_words_of_the_course(run, shown));
  const bool arrives = fault.kind == sim::FaultKind::BarrierDivergence &&
                       line_of(kernel_text(fault.file), fault.line).find("arrive") != std::string::npos;
  if (arrives || is_started_twice(fault))
    name_branches(reason, fault);
  else if (fault.about == sim::About::CopyInto)
    name_waits(reason, fault);
  if (fault.kind == sim::FaultKind::UninitialisedShared && fault.array_bytes != 0) {
    std::set<int> lines =
        uses_of(base::without_comments(kernel_text(fault.file)), sim::short_name(fault.array_name));
    lines.insert(fault.line);
    if (name_index_by_block(reason, fault, lines)) return;
    if (lines.size() > 2 && lines.size() <= 2 * kMostNamed)  // of two the other is named
      reason.message.line(msg("`{}` is used at {}.", sim::short_name(fault.array_name), line_list(lines)));
    name_helpers(reason, fault.file, lines);
    name_guards(reason, fault.file, lines, true);
    if (fault.fix.act != Act::BlockBarrier) name_loops(reason, fault.file, lines);
  }
}

}  // namespace

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

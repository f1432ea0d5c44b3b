// What a wrong or missing element says of the kernel: where in the tiling it lies, which lines it travels on.
//
// Enters: a Run whose `out` is wrong, the lines that the element was followed on. Leaves: sentences in the Reason.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/cpp_text.h"
#include "common/course/judge/named_lines.h"
#include "common/course/judge/reasons.h"
#include "common/course/judge/tensor_maps.h"

namespace lab::judge {
namespace {

Message about_pitches(const Problem& p) {
  const Message rows =
      msg("From one row to the next it is {} in `in` and {} in `out`: the pitches, not the sizes.",
          p.in_pitch(), p.out_pitch());
  if (p.batch == 1) return rows;
  return msg("{} {}", rows,
             msg("blockIdx.z counts the matrices: from one to the next it is {} in `in` and {} in `out`.",
                 p.in_stride(), p.out_stride()));
}

}  // namespace

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
        "which index of `out` do they compute, and what do they ask before?");
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
                                  "do the threads of one block reach all of it, on the way in and on the way "
                                  "out, and do the guards let them through?",
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
    return {msg("No thread reads {} and uses it; `in` is read at {}.", element, line_list(lines.reads_in))};
  if (!are_few(lines.read)) return {};
  std::vector<Message> words = {msg("{} is read at {}.", element, line_list(lines.read))};
  if (are_few(lines.kept)) words.push_back(msg("It is kept in shared memory at {}.", line_list(lines.kept)));
  if (are_few(lines.taken)) words.push_back(msg("It is read from there at {}.", line_list(lines.taken)));
  if (!lines.follows || run.mismatch->foreign) return words;  // changed bits are not followed
  if (lines.kept.empty() && are_few(lines.keeps))
    words.push_back(
        msg("No thread keeps it in shared memory, which is written at {}.", line_list(lines.keeps)));
  if (!lines.kept.empty() && lines.taken.empty() && are_few(lines.takes))
    words.push_back(msg("No thread reads it from there and uses it; shared memory is read at {}.",
                        line_list(lines.takes)));
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
  if (!are_few(first)) {
    if (run.problem.gpus > 1) name_shares(reason, lines.file);
    return;
  }
  reason.file = lines.file, reason.line = *first.begin();
  std::vector<Message> words = path_words(run, lines);
  // Where one line does it all, its number stands before the words.
  const bool one_line = written.size() == 1 && written == (missed ? lines.reads_in : lines.read);
  if ((one_line && !missed) || !run.task.empty()) words.clear();  // a sum is no element that travels
  const bool named = !run.task.empty() && written.size() == 1;    // by the reason's line
  if (!one_line && !named && are_few(written))
    words.push_back(place ? msg("The place in `out` is written at {}.", line_list(written))
                          : msg("`out` is written at {}.", line_list(written)));
  if (place && lines.follows && lines.taken.empty() && !lines.filled.empty())
    words.push_back(msg("What arrives there was stored in shared memory at {}.", line_list(lines.filled)));
  const bool left_out = run.mismatch->code == "never-written" || lines.read.empty() ||
                        lines.kept.empty() != lines.taken.empty();
  const bool whole_tiles = has_fact(reason, "whole-tiles");  // no loop of a block is to blame for them
  // What is said of a return before the barrier says more.
  const bool leaves =
      run.mismatch->code == "never-written" && return_before_barrier(kernel_text(lines.file)).line != 0;
  if (left_out && run.problem.gpus > 1) {
    name_shares(reason, lines.file);
    name_origins(reason, lines.file, false);
  }
  if (!leaves && lines.kept.empty() != lines.taken.empty()) {
    std::set<int> tile = lines.kept;
    tile.insert(lines.takes.begin(), lines.takes.end());
    name_helpers(reason, lines.file, tile);
  } else if (!leaves && left_out && run.problem.gpus <= 1 && run.task.empty())
    name_origins(reason, lines.file, whole_tiles || has_fact(reason, "other-tile"));
  if (!leaves && (run.task.empty() ? left_out && !whole_tiles : lines.written.empty())) {
    std::set<int> all_lines = lines.reads_in;
    all_lines.insert(lines.writes_out.begin(), lines.writes_out.end());
    name_loops(reason, lines.file, all_lines);
    if (run.mismatch->code == "never-written" && run.task.empty() && run.problem.gpus <= 1)
      name_guards(reason, lines.file, all_lines);
  }
  if (!leaves && run.task.empty() && run.problem.gpus <= 1) {
    std::set<int> way = lines.reads_in;
    if (!missed) way.insert(lines.writes_out.begin(), lines.writes_out.end());
    name_calls(reason, lines.file, way);
  }
  if (line_of(kernel_text(lines.file), reason.line).find("store_tile(") != std::string::npos)
    reason.message.line(
        "The first coordinate of a tile counts along the rows of its matrix: of `out` it is a row of `in`.");
  if (has_comma_in_brackets(lines.file, reason.line))
    reason.message.line("A comma in [ ] takes what stands behind it alone: an index is one number.");
  Message all;
  for (const Message& one : words) all = all.empty() ? one : msg("{} {}", all, one);
  if (!all.empty()) reason.message.line(all);
}

}  // namespace lab::judge

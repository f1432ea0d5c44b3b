// Chapter 07: one swizzle formula for any row, chunk and element size; tiles of 32 × 16 elements of 1 to 16
// bytes.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "common/course/judge/named_lines.h"
#include "common/course/judge/reasons.h"
#include "tests/chapters/everywhere.h"

namespace lab::chapter_07 {

using namespace lab::judge;
using namespace lab::course;

namespace {

// The formula is computed for every access, and may be written with divisions.
ChapterInfo with_a_formula(ChapterInfo chapter) {
  chapter.most_instructions = 256;
  return chapter;
}

}  // namespace

CHAPTER(with_a_formula(exchanging(listed_chapter("07_swizzle_formula"))));

namespace {

constexpr int kBankLineBytes = 128;        // 32 banks of 4 bytes
constexpr std::int64_t kRowsOfLines = 32;  // as many as chunks fit into them at most

struct Sizes {
  int row_bytes, chunk_bytes, elem_bytes;
  std::int64_t rows = 64;
  [[nodiscard]] int cols() const { return row_bytes / elem_bytes; }
  [[nodiscard]] Message name() const {
    return msg("rows of {} bytes, chunks of {}, elements of {}", row_bytes, chunk_bytes, elem_bytes);
  }
};

// Powers of two, element <= chunk <= row; a bank is 4 bytes wide, so is a chunk at least.
// More from the key, of many rows or of long ones, of longer chunks or of both: a formula has no end.
std::vector<Sizes> all_sizes(Check& check) {
  std::vector<Sizes> all;
  for (const int elem : kTypeBytes) {
    for (int chunk = std::max(elem, 4); chunk <= 16; chunk *= 2) {
      for (int row = chunk; row <= 512; row *= 2) all.push_back({row, chunk, elem});
    }
  }
  const auto listed = static_cast<std::int64_t>(all.size());
  // Elements of the chunk sizes above, and of 32 and 64 bytes; no element is so long, but swizzles of Blackwell
  // have such chunks. More than one chunk in a row, or there is nothing to permute.
  struct Kind {
    int chunk_bytes, least_row, rows_of_row;  // 0: drawn; bytes, lengths from there on
    std::int64_t least_rows, most_rows;
  };
  constexpr std::array<Kind, 9> kKinds = {{{0, 32, 2, 384, 992},
                                           {32, 4096, 1, 64, 64},
                                           {0, 32, 2, 1024, 2048},
                                           {0, 1024, 3, 64, 64},
                                           {0, 8192, 1, 64, 64},
                                           {0, 128, 1, 384, 992},
                                           {0, 256, 2, 384, 992},
                                           {32, 64, 4, 64, 192},
                                           {64, 128, 4, 64, 192}}};
  for (std::size_t which = 0; which < kKinds.size(); ++which) {
    const Kind& kind = kKinds[which];
    const auto draw = [&](std::int64_t what, std::int64_t of) {
      return static_cast<std::int64_t>(
          check.subject().input_key().draw({0x73776d70, static_cast<std::int64_t>(which), what}) %
          static_cast<std::uint64_t>(of));
    };
    Sizes more = all[static_cast<std::size_t>(draw(0, listed))];
    if (kind.chunk_bytes != 0) more.chunk_bytes = kind.chunk_bytes;
    more.row_bytes = std::max(2 * more.chunk_bytes, kind.least_row << draw(1, kind.rows_of_row));
    more.rows =
        kind.least_rows + draw(2, (kind.most_rows - kind.least_rows) / kRowsOfLines + 1) * kRowsOfLines;
    all.push_back(more);
  }
  return all;
}

// What the kernel file's own formula says, asked through its entry swizzle_map.
const Table& map_of(Check& check, const Sizes& s) {
  const std::array<std::int64_t, 3> integers = {s.row_bytes, s.chunk_bytes, s.elem_bytes};
  return check.subject().table("swizzle_map", {static_cast<std::uint32_t>(s.rows), 1, 1}, {64, 1, 1},
                               s.rows * s.cols(), integers);
}

bool has_faults(Check& check, const Table& table) {
  if (table.faults.empty()) return false;
  Reason reason = reason_of(table.faults.front());
  name_loops(reason, reason.file, {reason.line});
  check.fail(std::move(reason));
  return true;
}

constexpr int kNeverWritten = static_cast<int>(0xcdcdcdcd);  // as the simulator fills new memory

// "" when every row of the map is a permutation of its columns.
Message not_one_to_one(const Sizes& s, const Table& map) {
  for (std::int64_t row = 0; row < s.rows; ++row) {
    std::vector<int> holder(static_cast<std::size_t>(s.cols()), -1);
    for (int col = 0; col < s.cols(); ++col) {
      const int to = map.values[static_cast<std::size_t>(row * s.cols() + col)];
      if (to == kNeverWritten)
        return msg(
            "{}: the kernel swizzle_map has stored nothing for element ({},{}): at which index does it "
            "store, "
            "and do its threads come to every column?",
            s.name(), row, col);
      if (to < 0)
        return msg(
            "{}: element ({},{}) goes to column {}. A division by zero gives -1 on a GPU: is every divisor "
            "at least 1, also for rows longer than {} bytes?",
            s.name(), row, col, to, kBankLineBytes);
      if (to >= s.cols())
        return msg("{}: element ({},{}) goes to column {}, outside of its row of {}.", s.name(), row, col, to,
                   s.cols());
      int& other = holder[static_cast<std::size_t>(to)];
      if (other >= 0)
        return msg("{}: in row {} the elements of columns {} and {} both go to column {}.", s.name(), row,
                   other, col, to);
      other = col;
    }
  }
  return {};
}

// "" when elements of one chunk stay side by side.
Message breaks_chunk(const Sizes& s, const Table& map) {
  const int chunk_elems = s.chunk_bytes / s.elem_bytes;
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    const auto in_chunk = static_cast<int>(i % static_cast<std::size_t>(chunk_elems));
    const int first = map.values[i - static_cast<std::size_t>(in_chunk)];
    if (map.values[i] != first + in_chunk || first % chunk_elems != 0)
      return msg("{}: the elements of a chunk do not stay together: row {}, column {} goes to {}.", s.name(),
                 i / static_cast<std::size_t>(s.cols()), i % static_cast<std::size_t>(s.cols()),
                 map.values[i]);
  }
  return {};
}

// As many neighbouring rows as chunks fit into the 32 banks: in each column they must lie in as many places
// of the banks. Then lanes that walk down a column meet in no bank.
Message conflicts_in_column(const Sizes& s, const Table& map) {
  if (Message message = not_one_to_one(s, map); !message.empty()) return message;  // no place to speak of
  const int places = kBankLineBytes / s.chunk_bytes;
  for (std::int64_t row0 = 0; row0 < s.rows; row0 += places) {
    for (int col = 0; col < s.cols(); ++col) {
      std::uint32_t used = 0;  // at most 32 places, a bit each
      for (std::int64_t row = row0; row < row0 + places; ++row) {
        const std::int64_t at =
            row * s.row_bytes +
            std::int64_t{map.values[static_cast<std::size_t>(row * s.cols() + col)]} * s.elem_bytes;
        used |= 1u << at % kBankLineBytes / s.chunk_bytes;
      }
      const int distinct = std::popcount(used);
      if (distinct != places)
        return msg("{}: column {} of rows {} to {} takes {} of the {} places of the 32 banks.", s.name(), col,
                   row0, row0 + places - 1, distinct, places);
    }
  }
  return {};
}

void for_all_sizes(Check& check, const char* code, Message (*wrong)(const Sizes&, const Table&)) {
  for (const Sizes& s : all_sizes(check)) {
    const Table& map = map_of(check, s);
    if (has_faults(check, map)) return;
    const Message message = wrong(s, map);
    check.that(message.empty(), code, message);
    if (!message.empty()) return;
  }
}

}  // namespace

HOLDS("right", "right for elements of 1 to 16 bytes", 4) {
  check.right_on_every_shape();
  for (const int bytes : kTypeBytes) {
    // Those of floats are among every_shape, and run through the same entry.
    if (bytes != 4) right_on_typed_shapes(check, bytes);
  }
}

HOLDS("beyond-32-bits", "right beyond 2^32 elements", 1) { right_beyond_32_bits(check); }

GOAL("one-to-one", "one to one", 2) {
  for_all_sizes(check, "leaves-row", not_one_to_one);
  for_all_sizes(check, "breaks-chunk", breaks_chunk);
}

GOAL("distinct-columns", "most distinct columns", 2) {
  for_all_sizes(check, "bank-conflict", conflicts_in_column);
}

GOAL("conflict-free", "conflict-free at the best rate", 4) {
  // 1024 × 1024 elements: 32,768 requests each way. Up to 4 bytes per lane: one wavefront. 8 bytes: half a
  // warp fills all banks, so 2. 16 bytes: a quarter does, so 4.
  on_every_type(check, typed_target, [&](const Run& run, const Message& why) {
    const std::uint64_t best =
        scalar_requests(run) * static_cast<std::uint64_t>(std::max(1, run.problem.elem_bytes / 4));
    check.at_most(run, Metric::SharedStoreWavefronts, best, "bank-conflict", why);
    check.at_most(run, Metric::SharedLoadWavefronts, best, "bank-conflict", why);
    if (check.passing()) check.at_most(run, Metric::SharedWavefronts, 2 * best, "other-path", kAllPaths);
  });
  if (check.passing()) exchanged_by_type(check, typed_target);
  everywhere(check, {.edges_apart = true}, Ask::All);
  everywhere_by_type(check, {.lane_bytes = 1, .edges_apart = true}, Ask::All, typed_target);
}

KEEPS("no-padding", "a tile of 32 × 16, no padding", 1) {
  check.shared_bytes_at_most(check.measured(), 32 * 16 * 4, "32 rows of 16 floats.");
  if (check.passing()) check.shared_all_used();
  everywhere(check, {.edges_apart = true, .every_word = true}, Ask::All);
  // Rows of 16 floats are 2 whole sectors, columns of 32 are 4.
  on_measured(check, [&](const Run& run) {
    whole_sectors(check, run);
    check.no_idle_blocks(run);
    if (check.passing()) check.rows_both_ways(run, kWholeRows);
  });
}

}  // namespace lab::chapter_07

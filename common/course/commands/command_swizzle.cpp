// `lab inspect swizzle`: a formula for the column in which an element is kept → the tile in memory with its
// banks, the formula's name in CuTe, and what row and column accesses of every width cost.
//
// Enters: a formula (or the sizes of the course's general one, or B,M,S of CuTe) and a tile. Leaves: a
// picture and a table, or one JSON object. Exit code 1 when two elements would share one place.
#include <fmt/core.h>

#include <bit>

#include "common/base/errors.h"
#include "common/course/commands/commands.h"
#include "common/course/explore/tile_formula.h"
#include "common/course/explore/tile_map.h"
#include "common/course/report/json.h"
#include "common/kernel/swizzle.cuh"
#include "common/ui/picture_colours.h"
#include "common/ui/table.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

using base::UsageError;
using explore::AccessCost;

constexpr int kRowsShown = 32;

struct SwizzleOptions {
  std::string formula, cute;
  explore::TileShape tile;
  int chunk_bytes = 0;
  bool json = false;
};

// What was chosen, in words, and the map that it makes.
struct Swizzle {
  std::string text;
  explore::TileMap map;
};

bool power_of_two(int n) { return n > 0 && std::has_single_bit(static_cast<unsigned>(n)); }

void check_tile(const explore::TileShape& t) {
  if (t.rows < 1 || t.rows > 1024 || t.cols < 1 || t.cols > 1024)
    throw UsageError("--rows and --cols of a tile lie between 1 and 1024.");
  if (!power_of_two(t.elem_bytes) || t.elem_bytes > 16) throw UsageError("--elem-bytes is 1, 2, 4, 8 or 16.");
  if (t.pad_elems < 0 || t.pad_elems > 64) throw UsageError("--pad lies between 0 and 64 elements.");
  if (t.bytes() > 233'472)
    throw UsageError(msg("The tile takes {} bytes; a block has 232 448 bytes of shared memory at most.",
                         report::grouped(t.bytes())));
}

Swizzle general(const SwizzleOptions& o) {
  const int row_bytes = o.tile.cols * o.tile.elem_bytes;
  const int chunk = o.chunk_bytes != 0 ? o.chunk_bytes : std::max(4, o.tile.elem_bytes);
  if (!power_of_two(row_bytes) || !power_of_two(chunk) || chunk < o.tile.elem_bytes || chunk > row_bytes ||
      chunk > 128)
    throw UsageError(msg(
        "The general formula wants powers of two with element <= chunk <= row, and chunks of at most "
        "128 bytes; here: {} <= {} <= {} bytes. Or give a formula: ./lab inspect swizzle \"(x + y) % {}\"",
        o.tile.elem_bytes, chunk, row_bytes, o.tile.cols));
  return {fmt::format("the general formula: rows of {} bytes, chunks of {}, elements of {}", row_bytes, chunk,
                      o.tile.elem_bytes),
          explore::map_tile(o.tile, [&](std::int64_t y, std::int64_t x) {
            return swizzle(static_cast<int>(y), static_cast<int>(x), row_bytes, chunk, o.tile.elem_bytes);
          })};
}

Swizzle from_cute(const SwizzleOptions& o) {
  explore::CuteSwizzle s;
  int used = 0;
  const bool read = std::sscanf(o.cute.c_str(), "%2d,%2d,%2d%n", &s.bits, &s.base, &s.shift, &used) == 3 &&
                    static_cast<std::size_t>(used) == o.cute.size();
  if (!read || s.bits < 0 || s.base < 0 || s.shift < s.bits || s.bits > 10 || s.base > 20 || s.shift > 20)
    throw UsageError(msg("--cute \"{}\": write B,M,S with S at least B, such as 5,0,5.", o.cute));
  if (o.tile.pad_elems != 0)
    throw UsageError("--cute permutes offsets of a tile without padding; leave --pad out.");
  return {fmt::format("Swizzle<{},{},{}> of offsets in elements", s.bits, s.base, s.shift),
          explore::map_tile(o.tile, [&](std::int64_t y, std::int64_t x) {
            const auto at =
                static_cast<std::int64_t>(s.apply(static_cast<std::uint64_t>(y * o.tile.cols + x)));
            return at - y * o.tile.cols;
          })};
}

Swizzle chosen(const SwizzleOptions& o) {
  check_tile(o.tile);
  if ((o.formula.empty() ? 0 : 1) + (o.cute.empty() ? 0 : 1) + (o.chunk_bytes == 0 ? 0 : 1) > 1)
    throw UsageError("Give a formula, --cute or --chunk-bytes, one of them.");
  try {
    if (!o.cute.empty()) return from_cute(o);
    if (o.formula.empty()) return general(o);
    const explore::TileFormula formula(o.formula);
    return {"column = " + o.formula,
            explore::map_tile(o.tile, [&](std::int64_t y, std::int64_t x) { return formula(y, x); })};
  } catch (const explore::FormulaError& error) {
    throw UsageError(text::message_of(error));
  }
}

std::string cute_text(const explore::TileMap& map) {
  const auto name = explore::cute_name(map);
  if (!name) return "none: it is no XOR of higher bits of the offset into lower ones";
  if (name->bits == 0) return "none needed: rows lie as they come";
  const int log = std::countr_zero(static_cast<unsigned>(map.shape.elem_bytes));
  return fmt::format("Swizzle<{},{},{}> of offsets in elements, Swizzle<{},{},{}> of offsets in bytes",
                     name->bits, name->base, name->shift, name->bits, name->base + log, name->shift);
}

// The tile as the program sees it: element (y, x), in the bank that is printed.
std::string picture(const explore::TileMap& map, report::ColourDepth depth) {
  const bool colour = depth != report::ColourDepth::None;
  const int cols = std::min(map.shape.cols, 32), rows = std::min(map.shape.rows, kRowsShown);
  const std::size_t terminal = report::terminal_columns();
  // Without colour three columns a bank, and where these do not fit, one character.
  const bool letters = !colour && terminal != 0 && terminal < 6 + 3 * static_cast<std::size_t>(cols);
  const auto cell = [&](unsigned number) {
    if (letters) return fmt::format(" {}", "0123456789abcdefghijklmnopqrstuv"[number]);
    return colour ? fmt::format("{:2}", number) : fmt::format("{:3}", number);
  };
  std::string text = letters ? tr("  (one character a number: 0-9, a = 10 … v = 31)") + "\n" : "";
  text += "  y\\x ";
  for (int x = 0; x < cols; ++x) text += cell(static_cast<unsigned>(x));
  text += "\n";
  for (int y = 0; y < rows; ++y) {
    text += fmt::format("  {:3} ", y);
    for (int x = 0; x < cols; ++x) {
      const unsigned bank = map.at(y, x) / 4 % 32;
      text += colour ? report::on_bank(cell(bank), bank, depth) : cell(bank);
    }
    text += "\n";
  }
  if (rows < map.shape.rows || cols < map.shape.cols)
    text += fmt::format("  (rows 0 to {} of {}, columns 0 to {} of {}; --json has all)\n", rows - 1,
                        map.shape.rows, cols - 1, map.shape.cols);
  return text;
}

std::string cost_table(const std::vector<explore::AccessCost>& costs, const report::Style& style) {
  report::Table table;
  table.column("bytes per lane")
      .column("row load")
      .column("row store")
      .column("column load")
      .column("column store");
  table.column("ideal row, column");
  for (const explore::AccessCost& c : costs) {
    const auto cell = [&](unsigned n, unsigned ideal) {
      return report::Cell{c.possible ? std::to_string(n) : "-",
                          n > ideal ? report::Ink::Bad : report::Ink::Plain};
    };
    table.row({{std::to_string(c.width_bytes)},
               cell(c.row_load, c.ideal_row),
               cell(c.row_store, c.ideal_row),
               cell(c.column_load, c.ideal_column),
               cell(c.column_store, c.ideal_column),
               {c.possible ? fmt::format("{}, {}", c.ideal_row, c.ideal_column) : tr("torn apart")}});
  }
  return table.text(style, "  ");
}

report::Json as_json(const Swizzle& s) {
  const explore::TileMap& map = s.map;
  report::Json json = {{"swizzle", s.text},
                       {"rows", map.shape.rows},
                       {"cols", map.shape.cols},
                       {"elem_bytes", map.shape.elem_bytes},
                       {"pad_elems", map.shape.pad_elems},
                       {"bijective", map.clash.empty()},
                       {"problem", map.clash.english()},
                       {"cute", nullptr}};
  if (const auto name = explore::cute_name(map))
    json["cute"] = {{"bits", name->bits}, {"base", name->base}, {"shift", name->shift}, {"unit", "elements"}};
  json["accesses"] = report::Json::array();
  for (const explore::AccessCost& c : explore::costs(map)) {
    report::Json access = {{"width_bytes", c.width_bytes}, {"possible", c.possible}};
    if (c.possible) {
      access["row"] = {{"load_wavefronts", c.row_load},
                       {"store_wavefronts", c.row_store},
                       {"ideal_wavefronts", c.ideal_row}};
      access["column"] = {{"load_wavefronts", c.column_load},
                          {"store_wavefronts", c.column_store},
                          {"ideal_wavefronts", c.ideal_column}};
    }
    json["accesses"].push_back(access);
  }
  json["offsets"] = report::Json::array();
  for (int y = 0; y < map.shape.rows; ++y) {
    report::Json row = report::Json::array();
    for (int x = 0; x < map.shape.cols; ++x) row.push_back(map.at(y, x));
    json["offsets"].push_back(row);
  }
  return json;
}

int run(const Session& session, const SwizzleOptions& options) {
  const Swizzle s = chosen(options);
  const report::Style style = session.style();
  if (options.json) {
    print_json(as_json(s));
  } else {
    fmt::print("{}\n{}\n\n", style.paint(text::translated_form(s.text), report::Ink::Strong),
               tr("{} × {} elements of {} bytes, {} bytes of shared memory", s.map.shape.rows,
                  s.map.shape.cols, s.map.shape.elem_bytes, report::grouped(s.map.shape.bytes())));
    fmt::print("{}\n{}\n", tr("The bank of element (y, x):"),
               picture(s.map, report::colour_depth(style.colour)));
    fmt::print("{}\n{}\n", tr("Wavefronts of the worst request, by the bytes that each lane moves:"),
               cost_table(explore::costs(s.map), style));
    fmt::print("{}   {}\n", tr("In CuTe"), text::translated_form(cute_text(s.map)));
    if (!s.map.clash.empty()) fmt::print("{}\n", style.paint(translated(s.map.clash), report::Ink::Bad));
  }
  return static_cast<int>(s.map.clash.empty() ? base::ExitCode::Passed : base::ExitCode::NotYet);
}

}  // namespace

Command swizzle_command(const Session& session) {
  Command command{"swizzle",
                  "Draws where a formula puts the elements of a tile, and what reading it costs.\nExample: "
                  "./lab inspect swizzle \"(x + 5) % 32\"    ./lab inspect swizzle \"x\" --pad 2    ./lab "
                  "inspect swizzle --rows 8 --cols 64 --elem-bytes 2 --chunk-bytes 16"};
  static SwizzleOptions o;
  command.option(
      "formula", o.formula,
      "The column that keeps element (y, x): operators of C, x, y, numbers. Left out: the course's "
      "general formula (docs/swizzle.md)");
  command.option("--rows", o.tile.rows, "Rows of the tile").with_default();
  command.option("--cols", o.tile.cols, "Columns of the tile").with_default();
  command.option("--elem-bytes", o.tile.elem_bytes, "Bytes of an element").with_default();
  command.option("--pad", o.tile.pad_elems, "Unused elements at the end of each row").with_default();
  command.option("--chunk-bytes", o.chunk_bytes, "The general formula, with chunks of so many bytes");
  command.option("--cute", o.cute, "CuTe's Swizzle<B,M,S> of offsets in elements, as B,M,S");
  command.json(o.json);
  command.run = [&session] { return run(session, o); };
  return command;
}

}  // namespace lab::cli

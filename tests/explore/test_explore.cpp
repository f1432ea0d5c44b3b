// Formulas, maps of tiles and typed access patterns, on drawn inputs, each against a reference as simple as
// can be.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "common/base/errors.h"
#include "common/course/explore/pattern_input.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/explore/tile_formula.h"
#include "common/course/explore/tile_map.h"
#include "tests/drawn/draws.h"

using namespace lab::explore;
using lab::base::UsageError;
using lab::drawn::Draws;

namespace {

// A formula that was drawn as a tree: its text, with no more brackets than C needs, and its value, which the
// tree knows by itself.
struct Tree {
  std::string op;  // "x", "y", "7", "~", "neg", or an operator with two sides
  std::unique_ptr<Tree> left, right;
};

// C's levels: a higher one binds more tightly.
int level(const std::string& op) {
  static const std::map<std::string, int> levels = {{"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4},
                                                    {"+", 5}, {"-", 5}, {"*", 6}, {"/", 6},  {"%", 6}};
  const auto found = levels.find(op);
  return found == levels.end() ? 7 : found->second;
}

std::unique_ptr<Tree> drawn_tree(Draws& draw, int depth) {
  auto tree = std::make_unique<Tree>();
  if (depth == 0 || draw.one_in(4)) {
    tree->op = draw.one_in(3) ? std::to_string(draw.below(40)) : draw.one_in(2) ? "x" : "y";
    return tree;
  }
  static const std::vector<std::string> ops = {"|", "^", "&", "<<", ">>", "+",
                                               "-", "*", "/", "%",  "~",  "neg"};
  tree->op = draw.among(ops);
  tree->left = drawn_tree(draw, depth - 1);
  if (level(tree->op) < 7) tree->right = drawn_tree(draw, depth - 1);
  return tree;
}

std::string text_of(const Tree& tree, Draws& draw) {
  const std::string blank = draw.one_in(2) ? " " : "";
  const auto side = [&](const Tree& part, bool brackets) {
    const std::string text = text_of(part, draw);
    return brackets || draw.one_in(8) ? "(" + text + ")" : text;
  };
  if (!tree.left) return tree.op;
  if (!tree.right) return (tree.op == "neg" ? "-" : "~") + side(*tree.left, level(tree.left->op) < 7);
  return side(*tree.left, level(tree.left->op) < level(tree.op)) + blank + tree.op + blank +
         side(*tree.right, level(tree.right->op) <= level(tree.op));
}

// Of 128 bits where 64 might overflow, cut to 64; none: a division by zero or a shift that is refused.
std::optional<std::int64_t> value_of(const Tree& tree, std::int64_t y, std::int64_t x) {
  __extension__ typedef __int128 Wide;  // NOLINT(modernize-use-using)
  if (!tree.left) return tree.op == "x" ? x : tree.op == "y" ? y : std::stoll(tree.op);
  const auto a = value_of(*tree.left, y, x);
  if (!a) return std::nullopt;
  const auto cut = [](Wide wide) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(wide)); };
  if (!tree.right) return tree.op == "~" ? cut(-Wide{*a} - 1) : cut(-Wide{*a});
  const auto b = value_of(*tree.right, y, x);
  if (!b) return std::nullopt;
  if (tree.op == "|") return *a | *b;
  if (tree.op == "^") return *a ^ *b;
  if (tree.op == "&") return *a & *b;
  if (tree.op == "+") return cut(Wide{*a} + *b);
  if (tree.op == "-") return cut(Wide{*a} - *b);
  if (tree.op == "*") return cut(Wide{*a} * *b);
  if (tree.op == "<<" || tree.op == ">>") {
    if (*b < 0 || *b > 62) return std::nullopt;
    std::int64_t result = *a;
    for (std::int64_t k = 0; k < *b; ++k)
      result = tree.op == "<<" ? cut(Wide{result} * 2) : (result - (result & 1)) / 2;
    return result;
  }
  if (*b == 0) return std::nullopt;
  return cut(tree.op == "/" ? Wide{*a} / *b : Wide{*a} % *b);
}

std::optional<std::int64_t> computed(const TileFormula& formula, std::int64_t y, std::int64_t x) {
  try {
    return formula(y, x);
  } catch (const FormulaError&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("drawn formulas have the value that their tree has") {
  Draws draw(lab::drawn::seed_of_run("formulas"));
  for (std::size_t n = lab::drawn::draws_of_run(3000); n-- > 0;) {
    const auto tree = drawn_tree(draw, 1 + static_cast<int>(draw.below(4)));
    const std::string text = text_of(*tree, draw);
    if (text.size() > 400) continue;
    const TileFormula formula(text);
    for (int k = 0; k < 4; ++k) {
      const auto y = static_cast<std::int64_t>(draw.below(64)), x = static_cast<std::int64_t>(draw.below(64));
      const auto wanted = value_of(*tree, y, x);
      CHECK_MESSAGE(computed(formula, y, x) == wanted, text, " at y=", y, " x=", x);
    }
  }
}

TEST_CASE("text that is damaged is refused or still a formula, and never anything else") {
  Draws draw(lab::drawn::seed_of_run("damaged formulas"));
  const std::string letters = "xy()0129+-*/%^&|~<> \tcolrowz$\n";
  for (std::size_t n = lab::drawn::draws_of_run(3000); n-- > 0;) {
    std::string text = text_of(*drawn_tree(draw, 3), draw);
    for (std::size_t k = 1 + draw.below(3); k-- > 0;)
      text.insert(draw.below(text.size() + 1), 1, letters[draw.below(letters.size())]);
    try {
      (void)computed(TileFormula(text), 3, 5);
    } catch (const FormulaError& error) {
      CHECK_MESSAGE(std::string(error.what()).size() > 20, text);
    }
  }
}

TEST_CASE("a drawn swizzle is found by its name, or by a name of the same map") {
  Draws draw(lab::drawn::seed_of_run("swizzles"));
  for (std::size_t n = lab::drawn::draws_of_run(60); n-- > 0;) {
    const int rows = 1 << (2 + draw.below(5)), cols = 1 << (2 + draw.below(5)),
              elem_bytes = 1 << draw.below(5);
    int column_bits = 0;
    while (1 << column_bits < cols) ++column_bits;
    // Bits of the row go into bits of the column.
    const int bits = 1 + static_cast<int>(draw.below(static_cast<std::size_t>(column_bits)));
    const int base = static_cast<int>(
        draw.below(static_cast<std::size_t>(column_bits) + 1 - static_cast<std::size_t>(bits)));
    const int shift = std::max(bits, column_bits - base + static_cast<int>(draw.below(2)));
    const CuteSwizzle wanted{bits, base, shift};
    const TileMap map = map_tile({rows, cols, elem_bytes, 0}, [&](std::int64_t y, std::int64_t x) {
      return static_cast<std::int64_t>(wanted.apply(static_cast<std::uint64_t>(y * cols + x))) - y * cols;
    });
    CHECK(map.clash.empty());
    const auto found = cute_name(map);
    REQUIRE_MESSAGE(found.has_value(), bits, " ", base, " ", shift, ", ", rows, " x ", cols);
    for (std::size_t i = 0; i < map.offset.size(); ++i)
      CHECK(found->apply(i) * static_cast<std::uint64_t>(elem_bytes) == map.offset[i]);
  }
}

TEST_CASE("a warp's wavefronts along rows and columns of padded tiles are those of a count by hand") {
  Draws draw(lab::drawn::seed_of_run("padded tiles"));
  for (std::size_t n = lab::drawn::draws_of_run(200); n-- > 0;) {
    const int rows = 1 + static_cast<int>(draw.below(70)), cols = 1 + static_cast<int>(draw.below(70));
    const int pad = static_cast<int>(draw.below(5));
    const TileMap map = map_tile({rows, cols, 4, pad}, [](std::int64_t, std::int64_t x) { return x; });
    const std::vector<AccessCost> all = costs(map);
    const auto four =
        std::find_if(all.begin(), all.end(), [](const AccessCost& c) { return c.width_bytes == 4; });
    REQUIRE(four != all.end());
    // Words of 4 bytes: a request costs the most distinct words that fall into one bank.
    unsigned worst = 0;
    std::vector<std::uint32_t> column;
    for (int x = 0; x < cols; ++x)
      for (int y = 0; y < rows; ++y) column.push_back(static_cast<std::uint32_t>(y * (cols + pad) + x));
    for (std::size_t at = 0; at < column.size(); at += 32) {
      std::map<std::uint32_t, std::set<std::uint32_t>> banks;
      for (std::size_t k = at; k < std::min(at + 32, column.size()); ++k)
        banks[column[k] % 32].insert(column[k]);
      for (const auto& [bank, words] : banks) worst = std::max(worst, static_cast<unsigned>(words.size()));
    }
    CHECK_MESSAGE(four->column_load == worst, rows, " x ", cols, " + ", pad);
    CHECK_MESSAGE(four->column_store == worst, rows, " x ", cols, " + ", pad);
  }
}

TEST_CASE("a column outside of its row and two elements in one place are named") {
  CHECK_THROWS_AS((void)map_tile({4, 4, 4, 0}, [](std::int64_t y, std::int64_t x) { return x + y; }),
                  FormulaError);
  CHECK(map_tile({4, 4, 4, 0}, [](std::int64_t, std::int64_t x) { return x / 2; })
            .clash.english()
            .find("y=0, x=0") != std::string::npos);
}

TEST_CASE("drawn access patterns are read as they were written") {
  Draws draw(lab::drawn::seed_of_run("patterns"));
  for (std::size_t n = lab::drawn::draws_of_run(1000); n-- > 0;) {
    const unsigned width = 1u << draw.below(5);
    const bool load = draw.one_in(2);
    std::string words;
    std::map<std::size_t, std::uint64_t> lanes;
    const std::size_t count = 1 + draw.below(32);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const bool last = lane + 1 == count && lanes.empty();
      words += lane == 0 ? "" : draw.one_in(2) ? "," : " ";
      if (!last && draw.one_in(4)) {
        words += "-";
        continue;
      }
      lanes[lane] = draw.below(1 << 20) * width;
      char hexadecimal[32];
      std::snprintf(hexadecimal, sizeof hexadecimal, "0x%llx", static_cast<unsigned long long>(lanes[lane]));
      words += draw.one_in(2) ? hexadecimal : std::to_string(lanes[lane]);
    }
    const std::string op = load ? "load" : "store";
    for (const AccessPattern& pattern : {pattern_from_list(op, width, words),
                                         pattern_from_line(op + " " + std::to_string(width) + " " + words)}) {
      CHECK(pattern.load == load);
      CHECK(pattern.width_bytes == width);
      for (std::size_t lane = 0; lane < 32; ++lane) {
        CHECK(((pattern.mask >> lane) & 1) == lanes.contains(lane));
        if (lanes.contains(lane)) CHECK(pattern.address[lane] == lanes[lane]);
      }
    }
  }
}

TEST_CASE("what is no access is refused") {
  CHECK_THROWS_AS((void)pattern_from_list("move", 4, "0"), UsageError);
  CHECK_THROWS_AS((void)pattern_from_list("load", 3, "0"), UsageError);
  CHECK_THROWS_AS((void)pattern_from_list("load", 4, "2"), UsageError);
  CHECK_THROWS_AS((void)pattern_from_list("load", 4, "-,-"), UsageError);
  CHECK_THROWS_AS((void)pattern_from_list("load", 4, ""), UsageError);
  CHECK_THROWS_AS((void)pattern_from_list("load", 4, "99999999999999999999"), UsageError);
  CHECK_THROWS_AS((void)pattern_from_line("load 4"), UsageError);
  CHECK_THROWS_AS((void)pattern_from_line("load four 0"), UsageError);
  CHECK_THROWS_AS((void)pattern_from_step("load", 4, 0, -4, 2), UsageError);
  CHECK_THROWS_AS((void)pattern_from_step("load", 4, 0, 4, 33), UsageError);
}

TEST_CASE("the size of an element is read from the first parameter") {
  CHECK(elem_bytes_of("transpose", "__global__ void transpose(double* out, const double* in) {}") == 8);
  CHECK(elem_bytes_of("transpose",
                      "__global__ void transpose(unsigned char* out, const unsigned char* in) {}") == 1);
}

// How text is laid out: widths, lines that fit, tables, words of strangers.
#include <doctest/doctest.h>

#include <array>
#include <stdexcept>

#include "common/base/printable.h"
#include "common/sim/base/fault.h"
#include "common/ui/explain.h"
#include "common/ui/style.h"
#include "common/ui/table.h"
#include "common/ui/wrap.h"

using namespace lab::report;
using lab::base::printable;
using lab::base::printable_line;

TEST_CASE("numbers in groups, times in their unit") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(9999) == "9 999");
  CHECK(grouped(10'000) == "10 000");
  CHECK(grouped(1'048'576) == "1 048 576");
  CHECK(duration(0.31) == "0.31 s");
  CHECK(duration(0.012) == "12 ms");
  CHECK(duration(0.0004) == "0.4 ms");
}

TEST_CASE("`lab explain` has every kind of fault") {
  int kinds = 0;
  for (std::string_view code; !(code = lab::sim::code(lab::sim::FaultKind(kinds))).empty(); ++kinds) {
    INFO("add a row to common/ui/explain.cpp: ", code);
    const Explanation* const found = find_explanation(code);
    REQUIRE(found != nullptr);
    CHECK(!found->remedy.empty());
  }
  CHECK(kinds >= 24);
}

TEST_CASE("Chinese characters take two columns") {
  CHECK(width("abc") == 3);
  CHECK(width("共享内存") == 8);
  CHECK(width("✗ 第 3 行 ×…") == 12);
  CHECK(width("") == 0);
  CHECK(pad_right("行", 4) == "行  ");
  CHECK(pad_left("行", 4) == "  行");
}

TEST_CASE("lines are broken between words, and what follows hangs") {
  CHECK(wrapped("one two three", 8) == "one two\nthree\n");
  CHECK(wrapped("one two three", 9, "- ", "  ") == "- one two\n  three\n");
  CHECK(wrapped("one two three", 0, "> ") == "> one two three\n");
  CHECK(wrapped("a\n\nb", 8) == "a\n\nb\n");
  CHECK(wrapped("unbreakable", 4) == "unbreakable\n");
  CHECK(wrapped("共享内存", 4) == "共享\n内存\n");
}

TEST_CASE("what does not fit is cut, never inside of a character") {
  CHECK(cut("abcd", 4) == "abcd");
  CHECK(cut("abcdef", 4) == "abc…");
  CHECK(cut("共享内存", 5) == "共享…");
  CHECK(cut("共享内存", 4) == "共…");
}

TEST_CASE("prose: paragraphs are joined, lists and code keep their lines, comments go") {
  CHECK(prose("a\nb\n\n- x\n  y\n<!-- c -->", 40) == "a b\n\n- x y");
  CHECK(prose("```\na\nb\n```", 40) == "```\na\nb\n```");
  CHECK(prose("Was it a *row*? **No**: `*p` and 4 * x * y", 80) == "Was it a row? No: `*p` and 4 * x * y");
  CHECK(prose("是不是一*行*？", 80) == "是不是一行？");
  CHECK(prose("12<!-- = 3 * 4 --> sectors", 0) == "12 sectors");
}

TEST_CASE("the columns of a table line up, in Chinese too") {
  lab::text::set_language(lab::text::Language::Chinese);
  Table table;
  table.column("chapter", Align::Left).column("requests");
  table.row({{"多一列"}, {"32 768"}}).row({{"a"}, {"1"}});
  const std::string text = table.text({});
  lab::text::set_language(lab::text::Language::English);
  CHECK(text == "章节       请求\n多一列   32 768\na             1\n");
}

TEST_CASE("a row of another length is refused; colour moves no column") {
  Table table;
  table.column("a", Align::Left).column("b");
  CHECK_THROWS_AS(table.row({{"only one"}}), std::logic_error);
  table.row({{"x", Ink::Bad}, {"1"}});
  CHECK(table.text({.colour = false}, "  ") == "  a   b\n  x   1\n");
  CHECK(table.text({.colour = true}).find("\x1b[") != std::string::npos);
}

TEST_CASE("words of strangers move nothing") {
  CHECK(printable("a\x1b[2Jb\tc\n") == "a\\x1b[2Jb\tc\n");
  CHECK(printable("a\u202Eb") == "a\\u202eb");
  CHECK(printable_line("a\nb").find('\n') == std::string::npos);
  CHECK(printable("共享 ×") == "共享 ×");
}

TEST_CASE("a remedy for any kernel speaks of no transpose") {
  // What is true of a chapter's kernel alone.
  const std::array<std::string_view, 9> words{"`out`", "`in`",  "row <",     "rows",   "cols",
                                              "tile",  "matri", "transpose", "chapter"};
  for (int kind = 0; kind <= static_cast<int>(lab::sim::FaultKind::BadPtx); ++kind) {
    const std::string_view code = lab::sim::code(static_cast<lab::sim::FaultKind>(kind));
    const std::string remedy(remedy_for(code, KernelOf::Any));
    CAPTURE(code);
    CHECK_FALSE(remedy.empty());
    for (const std::string_view word : words) {
      CAPTURE(remedy);
      CHECK(remedy.find(word) == std::string::npos);
    }
  }
  CHECK(remedy_for("out-of-bounds", KernelOf::Course).find("row < rows") != std::string::npos);
}

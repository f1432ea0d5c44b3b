// How text looks: colour or not, and numbers in groups.
//
// Enters: what the terminal can do and what the user asked for. Leaves: strings. Words carry the meaning;
// colour only repeats it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/text/text.h"
#include "common/sim/memory/memory.h"

namespace lab::report {

using text::tr;
using text::translated;
using text::translated_form;

enum class Ink : std::uint8_t { Plain, Good, Bad, Faint, Strong };

struct Style {
  bool colour = false;
  [[nodiscard]] std::string paint(std::string_view text, Ink ink) const;
};

// No colour when `plain`, when NO_COLOR is set and not empty, when TERM is "dumb", or when standard output is
// no terminal.
[[nodiscard]] Style style_for_stdout(bool plain);

// The language that a page's root names: "en" or "zh-CN".
[[nodiscard]] std::string_view language_of_page();

// 1048576 → "1 048 576": plain spaces, so that a search finds them.
using sim::grouped;
// "0.31 s", "12 ms", "0.4 ms".
[[nodiscard]] std::string duration(double seconds);
// Columns that the text takes in a terminal: Chinese characters take two.
[[nodiscard]] std::size_t width(std::string_view text);
[[nodiscard]] std::string pad_left(std::string_view text, std::size_t columns);
[[nodiscard]] std::string pad_right(std::string_view text, std::size_t columns);

}  // namespace lab::report

// The colours of the 32 banks, the same in the terminal, in SVG and on the page.
//
// Enters: a bank. Leaves: a colour. From dark blue over grey to yellow, so that it reads the same for people
// who see red and green alike, and in grey. The number of the bank is always printed too.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lab::report {

struct Rgb {
  std::uint8_t r = 0, g = 0, b = 0;
  [[nodiscard]] std::string hex() const;  // "#0a1b2c"
};

[[nodiscard]] Rgb bank_colour(unsigned bank);
// Black or white, whichever reads better on `background`.
[[nodiscard]] Rgb text_colour_on(Rgb background);

// What a terminal can show behind a character.
enum class ColourDepth : std::uint8_t { None, Palette256, TrueColour };
// From `colour` (see Style) and the variables COLORTERM and TERM; 16 colours are not enough for 32 banks.
[[nodiscard]] ColourDepth colour_depth(bool colour);

// `text` on the colour of its bank; as it is where there is no colour.
[[nodiscard]] std::string on_bank(std::string_view text, unsigned bank, ColourDepth depth);

}  // namespace lab::report

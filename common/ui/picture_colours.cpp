// The colours of the 32 banks.
#include "common/ui/picture_colours.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>

namespace lab::report {
namespace {

// Even steps of brightness from dark blue to yellow; between them we interpolate.
constexpr std::array<Rgb, 5> kStops = {
    {{0, 34, 98}, {66, 78, 108}, {124, 123, 120}, {187, 172, 102}, {255, 232, 64}}};

double luminance(Rgb c) { return 0.299 * c.r + 0.587 * c.g + 0.114 * c.b; }

std::uint8_t between(std::uint8_t a, std::uint8_t b, double t) {
  return static_cast<std::uint8_t>(std::lround(a + (b - a) * t));
}

// The nearest colour of the 6 × 6 × 6 cube of 256-colour terminals.
int cube_index(Rgb c) {
  const auto step = [](std::uint8_t v) { return v < 48 ? 0 : v < 115 ? 1 : (v - 35) / 40; };
  return 16 + 36 * step(c.r) + 6 * step(c.g) + step(c.b);
}

}  // namespace

std::string Rgb::hex() const { return fmt::format("#{:02x}{:02x}{:02x}", r, g, b); }

Rgb bank_colour(unsigned bank) {
  const double at = (bank % 32) / 31.0 * (kStops.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), kStops.size() - 2);
  const double t = at - static_cast<double>(low);
  const Rgb a = kStops[low], b = kStops[low + 1];
  return {between(a.r, b.r, t), between(a.g, b.g, t), between(a.b, b.b, t)};
}

Rgb text_colour_on(Rgb background) { return luminance(background) > 120 ? Rgb{0, 0, 0} : Rgb{255, 255, 255}; }

ColourDepth colour_depth(bool colour) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  if (!colour) return ColourDepth::None;
  const std::string_view colorterm = variable("COLORTERM");
  if (colorterm == "truecolor" || colorterm == "24bit") return ColourDepth::TrueColour;
  return variable("TERM").find("256color") != std::string_view::npos ? ColourDepth::Palette256
                                                                     : ColourDepth::None;
}

std::string on_bank(std::string_view text, unsigned bank, ColourDepth depth) {
  if (depth == ColourDepth::None) return std::string(text);
  const Rgb back = bank_colour(bank), front = text_colour_on(back);
  if (depth == ColourDepth::Palette256) {
    return fmt::format("\x1b[38;5;{};48;5;{}m{}\x1b[0m", front.r != 0 ? 231 : 16, cube_index(back), text);
  }
  return fmt::format("\x1b[38;2;{};{};{};48;2;{};{};{}m{}\x1b[0m", front.r, front.g, front.b, back.r, back.g,
                     back.b, text);
}

}  // namespace lab::report

// Pictures as SVG: the same grids as in the terminal, with the colours of the banks.
#include <fmt/core.h>

#include <bit>

#include "common/base/markup.h"
#include "common/course/report/pictures.h"
#include "common/ui/picture_grid.h"

namespace lab::report {
namespace {

constexpr int kCell = 20, kLabel = 110, kLine = 24, kMargin = 16;

std::string label(int x, int y, std::string_view text, std::string_view cls) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", cls, x, y,
                     base::markup_escaped(text));
}

std::string cell(int x, int y, const GridCell& c, bool banks) {
  if (c.lanes == 0)
    return fmt::format("<rect class=\"e\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", x, y, kCell - 2,
                       kCell - 2);
  const Rgb back = banks ? bank_colour(c.bank) : bank_colour(31);
  const char one = lane_character(c.lanes);
  const std::string lane = one == '+' ? "+" : std::to_string(std::countr_zero(c.lanes));
  return fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>"
      "<text class=\"l\" x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n",
      x, y, kCell - 2, kCell - 2, back.hex(), x + kCell / 2 - 1, y + kCell - 7, text_colour_on(back).hex(),
      lane);
}

// Draws from `y` on and moves it down.
std::string grid_svg(const Grid& grid, std::string_view title, bool banks, int& y) {
  std::string svg = label(kMargin, y + 14, title, "h");
  y += kLine;
  if (banks) {
    for (int b = 0; b < 32; b += 4)
      svg += label(kMargin + kLabel + b * kCell, y + 12, std::to_string(b), "t");
    svg += label(kMargin, y + 12, tr("bank"), "t");
    y += kCell;
  }
  for (const GridRow& row : grid.rows) {
    if (row.gap) svg += label(kMargin + kLabel, (y += kCell) - 6, "⋮", "t");
    svg += label(kMargin, y + 14, translated(row.label), "t");
    int x = kMargin + kLabel;
    for (const GridCell& c : row.cells) {
      svg += cell(x, y, c, banks);
      x += kCell;
    }
    y += kCell;
  }
  if (grid.left_out != 0) svg += label(kMargin, (y += kCell) - 6, tr("… and {} more", grid.left_out), "t");
  y += kMargin;
  return svg;
}

}  // namespace

std::string picture_svg(const Picture& p) {
  int y = kMargin;
  std::string body = label(kMargin, y + 14, p.recording.kernel, "h");
  body += label(kMargin, y + 34, request_sentence(p), "t");
  y += 56;
  if (p.site.shared()) {
    body += grid_svg(memory_of_shared(p.access()),
                     tr("In memory: 32 banks of 4 bytes per row, the number is the lane"), true, y);
    body += grid_svg(wavefronts_of(p.access()),
                     tr("One wavefront after another: in each a bank hands out one word"), true, y);
  } else {
    body += grid_svg(sectors_of(p.access()),
                     tr("Sectors of 32 bytes: 8 words per row, the number is the lane"), false, y);
  }
  const int width = 2 * kMargin + kLabel + 32 * kCell;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n"
      "<title>{2}</title>\n<style>text{{font:12px sans-serif}}.h{{font-weight:bold;fill:#111}}.t{{fill:#444}}"
      ".l{{text-anchor:middle;font-size:11px}}.e{{fill:#eee}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{3}</svg>\n",
      width, y, base::markup_escaped(request_sentence(p)), body);
}

}  // namespace lab::report

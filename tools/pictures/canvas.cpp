// Writes SVG. See the header.
#include "tools/pictures/canvas.h"

#include <fmt/format.h>

#include <cstdlib>

#include "common/base/markup.h"
#include "common/base/text/text.h"

namespace lab::pictures {

bool is_dark(const std::string& colour) {
  const long rgb = std::strtol(colour.c_str() + 1, nullptr, 16);
  return 2126 * (rgb >> 16) + 7152 * (rgb >> 8 & 255) + 722 * (rgb & 255) < 10000 * 110;
}

Canvas::Canvas(int width, int height, const std::string& title, const std::string& description)
    : width_(width), height_(height) {
  body_ = fmt::format("<title>{}</title>\n<desc>{}</desc>\n", base::markup_escaped(text::retell(title)),
                      base::markup_escaped(text::retell(description)));
  rect(0.5, 0.5, width - 1, height - 1, "#ffffff", "#c8c8c8");
  text(20, 30, title, 16, true);
}

void Canvas::rect(double x, double y, double width, double height, const std::string& fill,
                  const std::string& stroke, double stroke_width) {
  body_ += fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
      x, y, width, height, fill, stroke, stroke_width);
}

void Canvas::line(double x1, double y1, double x2, double y2, double stroke_width) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>\n",
                       x1, y1, x2, y2, kInk, stroke_width);
}

void Canvas::text(double x, double y, const std::string& words, double size, bool bold, const char* anchor) {
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, size,
                  anchor, bold ? " font-weight=\"bold\"" : "", base::markup_escaped(text::retell(words)));
}

void Canvas::grid(double x, double y, int rows, int cols, double side,
                  const std::function<Cell(int row, int col)>& cell) {
  const double size = side * 0.55;
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      const Cell c = cell(row, col);
      rect(x + col * side, y + row * side, side, side, c.fill, "#ffffff", 0.8);
      if (c.text.empty()) continue;
      body_ += fmt::format(
          "<text x=\"{}\" y=\"{}\" font-size=\"{:.1f}\" text-anchor=\"middle\" fill=\"{}\">{}</text>\n",
          x + (col + 0.5) * side, y + (row + 0.5) * side + size * 0.36, size,
          is_dark(c.fill) ? "#ffffff" : kInk, base::markup_escaped(c.text));
    }
  }
}

void Canvas::frame(double x, double y, double side, int row, int col, int rows, int cols) {
  rect(x + col * side, y + row * side, cols * side, rows * side, "none", kInk, 3);
}

std::string Canvas::svg() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\" "
      "font-family=\"DejaVu Sans, Verdana, Helvetica, sans-serif\" fill=\"{2}\">\n{3}</svg>\n",
      width_, height_, kInk, body_);
}

}  // namespace lab::pictures

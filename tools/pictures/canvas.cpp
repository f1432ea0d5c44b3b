// Writes SVG. See the header.
#include "tools/pictures/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/base/markup.h"
#include "common/base/text/text.h"

namespace lab::pictures {

bool is_dark(const std::string& colour) {
  const long rgb = std::strtol(colour.c_str() + 1, nullptr, 16);
  return 2126 * (rgb >> 16) + 7152 * (rgb >> 8 & 255) + 722 * (rgb & 255) < 10000 * 110;
}

namespace {

// Half an em for each letter, a whole one for each Chinese character (three bytes): no font is narrower.
double least_width(std::string_view text, double size) {
  double ems = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    ems += lead >= 0xe4 ? 1 : 0.5;
    at += bytes;
  }
  return ems * size;
}

}  // namespace

Canvas::Canvas(int width, int height, const Label& title, const Label& description)
    : width_(width), height_(height) {
  body_ = fmt::format("<title>{}</title>\n<desc>{}</desc>\n", base::markup_escaped(text::translated(title)),
                      base::markup_escaped(text::translated(description)));
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

void Canvas::text(double x, double y, const Label& words, double size, bool bold, const char* anchor) {
  const std::string said = text::translated(words);
  const double width = least_width(said, size);
  const bool middle = std::string_view(anchor) == "middle", end = std::string_view(anchor) == "end";
  const double left = middle ? x - width / 2 : end ? x - width : x;
  take_place({left, left + width, y, size, said});
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                       size, anchor, bold ? " font-weight=\"bold\"" : "", base::markup_escaped(said));
}

void Canvas::take_place(Words words) {
  if (words.left < 0 || words.right > width_ || words.base > height_)
    throw std::logic_error("This leaves its picture: " + words.text);
  for (const Words& other : words_)
    if (std::abs(words.base - other.base) < 0.7 * std::min(words.size, other.size) &&
        words.left < other.right && other.left < words.right)
      throw std::logic_error("Two words in one place: " + words.text + " / " + other.text);
  words_.push_back(std::move(words));
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
      "role=\"img\" font-family=\"DejaVu Sans, Verdana, Helvetica, sans-serif\" fill=\"{2}\">\n{3}</svg>\n",
      width_, height_, kInk, body_);
}

}  // namespace lab::pictures

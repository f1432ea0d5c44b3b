// A sheet of paper that becomes an SVG file.
//
// Enters: rectangles, lines, words, in pixels. Leaves: the text of an SVG file on a white panel of its own,
// so that it reads the same on light and dark pages.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "common/base/text/message.h"

namespace lab::pictures {

// Distinguished by people of every kind of colour vision (after Okabe and Ito), with grey in place of black.
inline constexpr std::array<const char*, 8> kPalette = {"#e69f00", "#56b4e9", "#2fb58c", "#f0e442",
                                                        "#0072b2", "#e0742c", "#cc79a7", "#b5b5b5"};
inline constexpr const char* kInk = "#1a1a1a";
inline constexpr const char* kEmpty = "#f4f4f4";
inline constexpr const char* kUsed = "#0072b2";
inline constexpr const char* kWasted = "#f3c77a";

// Dark enough for white letters?
[[nodiscard]] bool is_dark(const std::string& colour);

struct Cell {
  std::string fill = kEmpty;
  std::string text;
};

// A message, or a form or number that stands as it is in the catalogue.
struct Label : Message {
  Label(Message message) : Message(std::move(message)) {}
  Label(const std::string& form) : Message(form, {}) {}
  Label(const char* form) : Message(form) {}
};

class Canvas {
 public:
  Canvas(int width, int height, const Label& title, const Label& description);

  void rect(double x, double y, double width, double height, const std::string& fill,
            const std::string& stroke = "none", double stroke_width = 1);
  void line(double x1, double y1, double x2, double y2, double stroke_width = 1.5);
  void text(
      double x, double y, const Label& words, double size = 13, bool bold = false,
      const char* anchor = "start");  // throws when it lies on words that stand there, or leaves the picture
  // Rows × columns of squares with a word in each.
  void grid(double x, double y, int rows, int cols, double side,
            const std::function<Cell(int row, int col)>& cell);
  // A thick frame around cells of a grid that stands at (x, y).
  void frame(double x, double y, double side, int row, int col, int rows, int cols);

  [[nodiscard]] std::string svg() const;

 private:
  struct Words {
    double left, right, base, size;
    std::string text;
  };
  void take_place(Words words);

  int width_, height_;
  std::string body_;
  std::vector<Words> words_;
};

}  // namespace lab::pictures

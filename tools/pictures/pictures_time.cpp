// What one thread does one after the other (chapter 11): copies are started, awaited, taken out.
//
// Enters: a number of stages and of tiles. Leaves: one SVG. The steps are those of the lesson's loop, run
// here.
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/pictures/canvas.h"
#include "tools/pictures/pictures.h"

namespace lab::pictures {
namespace {

constexpr int kTiles = 6;

enum class Act : std::uint8_t { Start, Wait, Turn };
struct Step {
  Act act;
  int tile;
};

// With one stage: start, wait, turn. With more: chapter 11's loop.
std::vector<Step> steps_of(int stages) {
  std::vector<Step> steps;
  const auto start = [&](int tile) {
    if (tile < kTiles) steps.push_back({Act::Start, tile});
  };
  for (int tile = 0; tile < stages - 1; ++tile) start(tile);
  for (int tile = 0; tile < kTiles; ++tile) {
    if (stages == 1) start(tile);
    steps.push_back({Act::Wait, tile});
    if (stages > 1) start(tile + stages - 1);
    steps.push_back({Act::Turn, tile});
  }
  return steps;
}

constexpr double kSide = 24, kLeft = 92;

// A row is a tile, a column a step; between its start and its wait a tile is on its way.
void panel(Canvas& canvas, double top, int stages, const std::string& title) {
  canvas.text(24, top, title, 13, true);
  const std::vector<Step> steps = steps_of(stages);
  std::vector<int> started(kTiles, -1), landed(kTiles, -1);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const auto tile = static_cast<std::size_t>(steps[k].tile);
    if (steps[k].act == Act::Start) started[tile] = static_cast<int>(k);
    if (steps[k].act == Act::Wait) landed[tile] = static_cast<int>(k);
  }
  canvas.grid(kLeft, top + 12, kTiles, static_cast<int>(steps.size()), kSide, [&](int row, int col) -> Cell {
    const Step& step = steps[static_cast<std::size_t>(col)];
    const auto tile = static_cast<std::size_t>(row);
    if (step.tile == row) {
      if (step.act == Act::Start) return {kPalette[0], "S"};
      return step.act == Act::Wait ? Cell{kPalette[7], "W"} : Cell{kPalette[4], "T"};
    }
    return col > started[tile] && started[tile] >= 0 && col < landed[tile] ? Cell{kWasted, "·"} : Cell{};
  });
  for (int tile = 0; tile < kTiles; ++tile)
    canvas.text(24, top + 29 + tile * kSide, msg("tile {}", tile), 12);
}

}  // namespace

std::string async_copy() {
  Canvas canvas(
      560, 460, "Six tiles, with one stage and with three",
      "Each column is one step of one thread: it starts the copy of a tile, waits for one, or turns "
      "one. With one stage nothing is on its way while a tile is turned; with three, two tiles are.");
  panel(canvas, 62, 1, "one stage: nothing is on its way while a tile is turned");
  panel(canvas, 250, 3, "three stages: two tiles are on their way (·) while one is turned");
  canvas.text(24, 434,
              "One thread, step by step: S starts a tile's copies, W waits for them, T turns the tile.", 12);
  return canvas.svg();
}

}  // namespace lab::pictures

// What Hopper's engines lay where (chapter 12): the three swizzles of the TMA unit.
//
// Enters: the simulator's rule of the hardware swizzle. Leaves: one SVG; each number in it is where that rule
// keeps a chunk.
#include <fmt/format.h>

#include "common/sim/memory/tensor_map.h"
#include "tools/pictures/canvas.h"
#include "tools/pictures/pictures.h"

namespace lab::pictures {
namespace {

constexpr int kLines = 8, kPlaces = 8;
constexpr std::uint32_t kLine = 128, kChunk = 16;

void panel(Canvas& canvas, double x, sim::Swizzle mode) {
  constexpr double kSide = 30;
  const std::uint32_t span = sim::span_bytes(mode);
  canvas.text(x, 66, fmt::format(/* message */ "kSwizzle{}: rows of {} bytes", span, span), 13, true);
  canvas.grid(x, 78, kLines, kPlaces, kSide, [&](int line, int place) {
    const auto at = static_cast<std::uint32_t>(line) * kLine + static_cast<std::uint32_t>(place) * kChunk;
    const std::uint32_t kept = sim::swizzled(mode, at);  // its own inverse
    const std::uint32_t chunk = kept % span / kChunk;
    return Cell{kPalette[chunk], fmt::format("{}", chunk)};
  });
  const int rows = static_cast<int>(kLine / span);
  for (int line = 0; line < kLines; ++line) {  // the rows that lie side by side in a line
    for (int row = 0; row < rows; ++row)
      canvas.frame(x, 78, kSide, line, row * kPlaces / rows, 1, kPlaces / rows);
  }
}

}  // namespace

std::string hardware_swizzle() {
  Canvas canvas(
      820, 372, "The three swizzles of the TMA unit",
      "Eight lines of 128 bytes for each of the modes of 32, 64 and 128 bytes. Numbers are chunks of 16 "
      "bytes, counted in their row of the tile; frames are rows.");
  canvas.text(20, 30,
              "Where the TMA unit keeps the chunks of 16 bytes of a row (a frame), in lines of 128 bytes", 15,
              true);
  panel(canvas, 20, sim::Swizzle::Bytes32);
  panel(canvas, 290, sim::Swizzle::Bytes64);
  panel(canvas, 560, sim::Swizzle::Bytes128);
  canvas.text(20, 346,
              "Numbers and colours: which chunk of its row it is. One picture is one period of the pattern.",
              13);
  return canvas.svg();
}

}  // namespace lab::pictures

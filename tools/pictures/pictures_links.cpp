// When two GPUs send to each other (chapter 16): part by part, or by turns; and what packets a store makes.
//
// Enters: 16 tiles per GPU, four at a time. Leaves: one SVG; which tile goes over the link, and how many at a
// time, follow from the two orders.
#include <array>

#include "common/base/text/text.h"
#include "tools/pictures/canvas.h"
#include "tools/pictures/pictures.h"

namespace lab::pictures {
namespace {

constexpr int kGpus = 2, kTiles = 16, kTogether = 4;

// The GPU to which block `n` of GPU `self` stores.
int goes_to(int self, int n, bool turns) { return turns ? (self + n) % kGpus : n / (kTiles / kGpus); }

void order(Canvas& canvas, double y, bool turns) {
  constexpr double kCell = 34, kLeft = 90, kGap = 10;
  canvas.text(20, y, turns ? "by turns" : "part by part", 13, true);
  for (int self = 0; self < kGpus; ++self) {
    const double top = y + 12 + self * 44;
    canvas.text(20, top + 19, text::tr("GPU {}", self), 12);
    for (int n = 0; n < kTiles; ++n) {
      const int to = goes_to(self, n, turns);
      const int groups_before = n / kTogether;
      const double left = kLeft + n * kCell + groups_before * kGap;
      canvas.rect(left, top, kCell - 3, 28, to == self ? kPalette[7] : kPalette[0]);
      canvas.text(left + (kCell - 3) / 2, top + 19, std::to_string(to), 12, false, "middle");
    }
  }
  for (int time = 0; time < kTiles / kTogether; ++time) {
    std::array<int, kGpus> sent{};
    for (int self = 0; self < kGpus; ++self) {
      for (int n = time * kTogether; n < (time + 1) * kTogether; ++n)
        sent[static_cast<std::size_t>(self)] += goes_to(self, n, turns) != self;
    }
    canvas.text(kLeft + time * (kTogether * kCell + kGap) + 64, y + 116,
                text::tr("0 → 1: {}, 1 → 0: {}", sent[0], sent[1]), 12, false, "middle");
  }
}

// A packet: protocol, then what it carries.
void packets(Canvas& canvas, double y, const std::string& words, int count, int bytes, int protocol) {
  constexpr double kByte = 1.1, kLeft = 300;
  canvas.text(20, y + 15, words, 12);
  double left = kLeft;
  for (int k = 0; k < count; ++k) {
    canvas.rect(left, y, protocol * kByte, 20, kWasted, kInk, 0.6);
    canvas.rect(left + protocol * kByte, y, bytes * kByte, 20, kPalette[1], kInk, 0.6);
    left += (protocol + bytes) * kByte + 4;
  }
  if (count > 1) canvas.text(left + 4, y + 15, "… 32", 12);
}

}  // namespace

std::string by_turns() {
  Canvas canvas(
      820, 460, "What goes over the link, and when",
      "The tiles of two GPUs in the order in which they are turned, four at a time, twice. Part by part the "
      "link carries one direction at a time; by turns half of each four tiles go over it, both ways. Below: "
      "one store of a warp is one packet of 144 bytes, or 32 packets of 48.");
  order(canvas, 56, false);
  order(canvas, 206, true);
  canvas.text(20, 352, "a tile: the GPU that it goes to; orange: over the link; below: tiles sent at a time",
              12);
  packets(canvas, 370, "32 words, one line of 128 bytes", 1, 128, 16);
  packets(canvas, 402, "32 words, each in its own line", 8, 16, 32);
  canvas.text(20, 446, "a packet: yellow is protocol, blue what it carries", 12);
  return canvas.svg();
}

}  // namespace lab::pictures

// Which threads of a block act in a sum (chapter 17): two orders of the same additions.
//
// Enters: 64 threads, two warps. Leaves: one SVG; who acts in which step follows from the condition of the
// step, and so do the requests.
#include <fmt/format.h>

#include <array>

#include "common/base/text/text.h"
#include "tools/pictures/canvas.h"
#include "tools/pictures/pictures.h"

namespace lab::pictures {
namespace {

constexpr int kThreads = 64, kLanes = 32, kSteps = 6;

// In step s a thread adds what another thread has. Neighbours first: each 2^(s+1)-th thread adds what its
// neighbour 2^s has. By halves: the first threads add what the other half has.
bool acts(bool by_halves, int step, int thread) {
  return by_halves ? thread < kThreads >> (step + 1) : thread % (2 << step) == 0;
}

void steps(Canvas& canvas, double y, bool by_halves) {
  constexpr double kCell = 10, kLeft = 90, kRow = 16;
  canvas.text(20, y, by_halves ? "by halves: if (t < half)" : "neighbours first: if (t % (2 * step) == 0)",
              13, true);
  int requests = 0, additions = 0;
  for (int step = 0; step < kSteps; ++step) {
    const double top = y + 12 + step * kRow;
    std::array<int, kThreads / kLanes> lanes{};
    canvas.text(20, top + 10, text::tr("step {}", step + 1), 12);
    for (int t = 0; t < kThreads; ++t) {
      const bool own = acts(by_halves, step, t);
      const int warp = t / kLanes;
      lanes[static_cast<std::size_t>(warp)] += own;
      canvas.rect(kLeft + t * kCell + warp * 6, top, kCell, 12, own ? kUsed : kEmpty, "#ffffff", 0.5);
    }
    int warps = 0, all = 0;
    for (const int n : lanes) warps += n > 0, all += n;
    requests += warps, additions += all;
    canvas.text(kLeft + kThreads * kCell + 16, top + 10,
                text::tr("warps: {} · lanes: {}", warps, all / warps), 12);
  }
  canvas.text(kLeft, y + 12 + kSteps * kRow + 12,
              text::tr("additions: {} · requests: {}", additions, requests), 12);
}

}  // namespace

std::string reduction() {
  Canvas canvas(
      900, 334, "Which threads act in the steps of a sum",
      "Two warps of 32 threads in six steps, twice. Neighbours first: both warps act in all steps but the "
      "last, with fewer and fewer lanes. By halves: after the first step whole warps have nothing to do.");
  steps(canvas, 56, false);
  steps(canvas, 206, true);
  return canvas.svg();
}

}  // namespace lab::pictures

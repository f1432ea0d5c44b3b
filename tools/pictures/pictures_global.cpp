// Lanes and sectors: one warp, one instruction, drawn on the matrix that it touches.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <functional>

#include "common/base/text/text.h"
#include "common/sim/observe/access_view.h"
#include "tools/pictures/canvas.h"
#include "tools/pictures/pictures.h"

namespace lab::pictures {
namespace {

constexpr int kLanes = static_cast<int>(sim::kWarpLanes);
constexpr int kSectorElems = 8;  // floats

struct Place {
  int row, col;
};

// What one warp touches in a matrix of floats. Rows are long and start on a sector, unless a test says so.
class Touch {
 public:
  Touch(int pitch, int elems_of_lane, const std::function<Place(int lane)>& place)
      : pitch_(pitch), elems_(elems_of_lane) {
    for (int lane = 0; lane < kLanes; ++lane) {
      places_[static_cast<std::size_t>(lane)] = place(lane);
      address_[static_cast<std::size_t>(lane)] = address(place(lane));
    }
    view_ = sim::view_global(address_.data(), static_cast<unsigned>(4 * elems_), ~sim::Mask{0});
  }

  [[nodiscard]] int sectors() const { return static_cast<int>(view_.sectors.size()); }
  [[nodiscard]] int used_bytes() const {
    int bytes = 0;
    for (const sim::SectorTouch& s : view_.sectors) bytes += std::popcount(s.bytes);
    return bytes;
  }
  // "1 024"
  [[nodiscard]] std::string moved_bytes() const {
    const int bytes = 32 * sectors();
    return bytes < 1000 ? std::to_string(bytes) : fmt::format("{} {:03}", bytes / 1000, bytes % 1000);
  }
  [[nodiscard]] Message words() const {
    return msg("{} sectors, {} of {} bytes used", sectors(), used_bytes(), moved_bytes());
  }

  [[nodiscard]] Cell cell(int row, int col) const {
    for (int lane = 0; lane < kLanes; ++lane) {
      const Place& p = places_[static_cast<std::size_t>(lane)];
      if (p.row == row && col >= p.col && col < p.col + elems_) return {kUsed, std::to_string(lane)};
    }
    const std::uint64_t sector = address({row, col}) / sim::kSectorBytes;
    for (const sim::SectorTouch& s : view_.sectors) {
      if (s.sector == sector) return {kWasted, ""};
    }
    return {};
  }

 private:
  [[nodiscard]] std::uint64_t address(Place p) const {
    return static_cast<std::uint64_t>(p.row * pitch_ + p.col) * 4;
  }
  int pitch_, elems_;
  std::array<Place, sim::kWarpLanes> places_{};
  std::array<std::uint64_t, sim::kWarpLanes> address_{};
  sim::GlobalView view_;
};

// Thick lines where sectors begin.
void sector_lines(Canvas& canvas, double x, double y, int rows, int cols, double side) {
  for (int col = 0; col <= cols; col += kSectorElems)
    canvas.line(x + col * side, y, x + col * side, y + rows * side);
}

void legend(Canvas& canvas, double x, double y) {
  canvas.rect(x, y - 11, 14, 14, kUsed);
  canvas.text(x + 20, y, "touched, with the lane's number", 12);
  canvas.rect(x + 250, y - 11, 14, 14, kWasted);
  canvas.text(x + 270, y, "moved along, not used", 12);
  canvas.line(x + 430, y - 12, x + 430, y + 4);
  canvas.text(x + 438, y, "a sector (32 bytes) begins", 12);
}

}  // namespace

std::string naive() {
  constexpr double kSide = 15;
  const Touch load(1024, 1, [](int lane) { return Place{0, lane}; });
  const Touch store(1024, 1, [](int lane) { return Place{lane, 0}; });
  Canvas canvas(720, 610, "One warp of the naive kernel: a row of in, a column of out",
                msg("32 lanes read one row of the input, {}. They write one column of the output, {}.",
                    load.words(), store.words()));
  canvas.text(20, 70, msg("read: {}", load.words()), 13, true);
  canvas.text(20, 88, "in, row 0 and the rows below", 12);
  canvas.grid(20, 98, 8, kLanes, kSide, [&](int r, int c) { return load.cell(r, c); });
  sector_lines(canvas, 20, 98, 8, kLanes, kSide);
  canvas.text(545, 70, msg("write: {} sectors,", store.sectors()), 13, true);
  canvas.text(545, 88, msg("used: {} of {} bytes", store.used_bytes(), store.moved_bytes()), 13, true);
  canvas.grid(545, 98, kLanes, kSectorElems, kSide, [&](int r, int c) { return store.cell(r, c); });
  sector_lines(canvas, 545, 98, kLanes, kSectorElems, kSide);
  canvas.text(545, 98 + kLanes * kSide + 18, "out, rows 0 to 31", 12);
  canvas.text(20, 280, "Every lane moves 4 bytes.", 14);
  canvas.text(20, 304, "Memory moves whole sectors of 32 bytes.", 14);
  canvas.text(20, 328,
              msg("The write asks for {} bytes and moves {}.", store.used_bytes(), store.moved_bytes()), 14);
  const char* meaning[] = {"touched, with the lane's number", "moved along, not used", "a sector begins"};
  canvas.rect(20, 369, 15, 15, kUsed);
  canvas.rect(20, 395, 15, 15, kWasted);
  canvas.line(27, 420, 27, 438);
  for (int i = 0; i < 3; ++i) canvas.text(46, 382 + 26 * i, meaning[i], 12);
  return canvas.svg();
}

namespace {

// A warp of `width` columns: what it reads of `in` and writes of `out`.
Touch warp_load(int width) {
  return Touch(1024, 1, [width](int lane) { return Place{lane / width, lane % width}; });
}
Touch warp_store(int width) {
  return Touch(1024, 1, [width](int lane) { return Place{lane % width, lane / width}; });
}

void sector_bars(Canvas& canvas, double x, double y) {
  constexpr double kScale = 7;
  int row = 0;
  for (const int width : {32, 16, 8, 4, 2, 1}) {
    const int load = warp_load(width).sectors(), store = warp_store(width).sectors();
    const double top = y + 34 * row++;
    canvas.text(x + 62, top + 17, fmt::format("{} × {}", width, kLanes / width), 13, false, "end");
    canvas.rect(x + 72, top, load * kScale, 24, kPalette[1]);
    canvas.rect(x + 72 + load * kScale, top, store * kScale, 24, kPalette[0]);
    canvas.text(x + 72 + load * kScale / 2, top + 17, std::to_string(load), 12, false, "middle");
    canvas.text(x + 72 + (load + store / 2.0) * kScale, top + 17, std::to_string(store), 12, false, "middle");
    canvas.text(x + 80 + (load + store) * kScale, top + 17, std::to_string(load + store), 13, true);
  }
  canvas.rect(x + 72, y + 34 * row + 4, 14, 14, kPalette[1]);
  canvas.text(x + 92, y + 34 * row + 16, /* message */ "reads", 12);
  canvas.rect(x + 142, y + 34 * row + 4, 14, 14, kPalette[0]);
  canvas.text(x + 162, y + 34 * row + 16, "writes     (sectors)", 12);
}

}  // namespace

std::string coalescing() {
  constexpr double kSide = 20;
  const Touch load = warp_load(8), store = warp_store(8);
  Canvas canvas(760, 380, "A warp that is 8 wide and 4 high",
                msg("The warp reads {}, and writes {}.", load.words(), store.words()));
  canvas.text(20, 64, msg("read: {}", load.words()), 12, true);
  canvas.grid(20, 74, 4, 16, kSide, [&](int r, int c) { return load.cell(r, c); });
  sector_lines(canvas, 20, 74, 4, 16, kSide);
  canvas.text(20, 186, msg("write: {}", store.words()), 12, true);
  canvas.grid(20, 194, 8, 8, kSide, [&](int r, int c) { return store.cell(r, c); });
  sector_lines(canvas, 20, 194, 8, 8, kSide);
  canvas.text(195, 230, /* message */ "blue: touched", 12);
  canvas.text(195, 248, "yellow: moved, not used", 12);
  canvas.text(400, 64, "Every shape of a warp: columns × rows", 12, true);
  sector_bars(canvas, 385, 80);
  return canvas.svg();
}

std::string float4() {
  constexpr double kSide = 15;
  // One of the four stores of each thread: element row 4 x + 0 of `out`, columns 4 y to 4 y + 3.
  const auto store_of = [](int width) {
    return Touch(1024, 4, [width](int lane) { return Place{lane % width, lane / width * 4}; });
  };
  const Touch flat = store_of(32), square = store_of(16);
  Canvas canvas(
      720, 640, "One float4 store of a warp: 32 × 1 threads against 16 × 2",
      msg("A warp of 32 × 1 threads touches {}, one of 16 × 2 threads {}.", flat.words(), square.words()));
  const auto panel = [&](double x, const Touch& touch, int rows, const char* name) {
    canvas.text(x, 62, name, 13, true);
    canvas.text(x, 80, touch.words(), 12);
    canvas.grid(x + 36, 92, rows, 16, kSide, [&](int r, int c) { return touch.cell(r, c); });
    sector_lines(canvas, x + 36, 92, rows, 16, kSide);
    for (int row = 0; row < rows; row += 4)
      canvas.text(x + 30, 92 + row * kSide + 12, std::to_string(4 * row), 10, false, "end");
  };
  panel(20, flat, 32, "block (32, 8): a warp is 32 × 1 threads");
  panel(370, square, 16, "block (16, 16): a warp is 16 × 2 threads");
  canvas.text(406, 362, "Every fourth row of out is drawn:", 12);
  canvas.text(406, 380, "a thread owns 4 rows, and this is", 12);
  canvas.text(406, 398, "the first of its 4 stores.", 12);
  canvas.text(406, 428, "A float4 is half a sector. On the left", 12);
  canvas.text(406, 446, "nobody fills the other half.", 12);
  legend(canvas, 20, 622);
  return canvas.svg();
}

std::string any_matrix() {
  constexpr double kSide = 13;
  constexpr int kCols = 777, kRows = 9, kShown = 48;
  Canvas canvas(
      720, 320, "Rows of 777 floats start anywhere in a sector",
      "Nine rows of a matrix of 777 columns, drawn from the sector boundary before their first element.");
  canvas.text(20, 62, "The first 32 elements of each row, drawn from the sector in which the row begins", 12);
  for (int row = 0; row < kRows; ++row) {
    const int start = row * kCols % kSectorElems;
    const Touch touch(1024, 1, [start](int lane) { return Place{0, start + lane}; });
    const double y = 76 + row * 21;
    canvas.text(66, y + 11, text::tr("row {}", row), 12, false, "end");
    canvas.grid(76, y, 1, kShown - 8, kSide, [&](int, int c) {
      Cell cell = touch.cell(0, c);
      if (cell.fill == kUsed) cell.text = std::to_string(c - start);
      return cell;
    });
    sector_lines(canvas, 76, y, 1, kShown - 8, kSide);
    canvas.text(84 + (kShown - 8) * kSide, y + 11, msg("{} sectors", touch.sectors()), 12);
  }
  legend(canvas, 20, 302);
  return canvas.svg();
}

}  // namespace lab::pictures

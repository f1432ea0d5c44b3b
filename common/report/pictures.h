// Pictures of a student's own run, as text and as SVG.
//
// Enters: a Recording and one of its requests. Leaves: the request in memory with its bank colours, its
// wavefronts or sectors one after another, and what other layouts would have done. The HTML page is page.h.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/report/json.h"
#include "common/report/picture_colours.h"
#include "common/report/recording.h"
#include "common/report/style.h"
#include "common/report/what_if.h"

namespace lab::report {

struct Picture {
  const Recording& recording;
  const std::vector<TileView>& tiles;
  const Site& site;
  std::size_t request = 0;  // index into site.recorded
  [[nodiscard]] const sim::RecordedAccess& access() const { return site.recorded.at(request); }
};

[[nodiscard]] std::string picture_text(const Picture& picture, const Style& style, ColourDepth depth);
[[nodiscard]] std::string picture_svg(const Picture& picture);
[[nodiscard]] Json picture_json(const Picture& picture);

// "Shared store, block 0, warp 3, request 4 of 32: 32 wavefronts, ideal 1."
[[nodiscard]] std::string request_sentence(const Picture& picture);

// The table of layouts for all lines that use the tile; "" when there is nothing to compare.
[[nodiscard]] std::string what_if_text(const Recording& recording, const TileView& tile, const Style& style);
// The same for one access, a line a layout: "what if rows 4 bytes longer   1 wavefront a request, 4 224
// bytes". "" when nothing can be compared.
[[nodiscard]] std::string what_if_lines(const Recording& recording, const Site& site);
[[nodiscard]] Json what_if_json(const Recording& recording, const std::vector<TileView>& tiles);

}  // namespace lab::report

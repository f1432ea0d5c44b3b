// Pictures of a student's own run, as text and as SVG.
//
// Enters: a Recording and one of its requests. Leaves: the request in memory with its bank colours, its
// wavefronts or sectors one after another, and what other layouts would have done. The HTML page is page.h.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/course/explore/recording.h"
#include "common/course/explore/what_if.h"
#include "common/course/report/json.h"
#include "common/ui/picture_colours.h"
#include "common/ui/style.h"

namespace lab::report {

struct Picture {
  const explore::Recording& recording;
  const std::vector<explore::TileView>& tiles;
  const explore::Site& site;
  std::size_t request = 0;  // index into site.recorded
  [[nodiscard]] const sim::RecordedAccess& access() const { return site.recorded.at(request); }
};

[[nodiscard]] std::string picture_text(const Picture& picture, const Style& style, ColourDepth depth);
[[nodiscard]] std::string picture_svg(const Picture& picture);
[[nodiscard]] Json picture_json(const Picture& picture);

// "Shared store, block 0, warp 3, request 4 of 32: 32 wavefronts, ideal 1."
[[nodiscard]] std::string request_sentence(const Picture& picture);

// The table of layouts for all lines that use the tile; "" when there is nothing to compare.
[[nodiscard]] std::string what_if_text(const explore::Recording& recording, const explore::TileView& tile,
                                       const Style& style);
// The same for one access, a line per layout: "what if rows 4 bytes longer   1 wavefront per request, 4 224
// bytes". "" when nothing can be compared.
[[nodiscard]] std::string what_if_lines(const explore::Site& site,
                                        const std::vector<explore::TileView>& tiles);
[[nodiscard]] Json what_if_json(const explore::Recording& recording,
                                const std::vector<explore::TileView>& tiles);

}  // namespace lab::report

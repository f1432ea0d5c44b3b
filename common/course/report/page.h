// The page of `lab show --html`: one file, no network, all requests of the first block of a run.
//
// Enters: a Picture, perhaps the recording of another kernel to compare with, perhaps the block's timeline.
// Leaves: HTML. All numbers are computed here; the page's script only draws them.
#pragma once

#include <string>

#include "common/course/explore/timeline.h"
#include "common/course/report/pictures.h"

namespace lab::report {

[[nodiscard]] std::string page(const Picture& picture, const explore::Recording* before,
                               const explore::TimelineData& timeline);

// A page around its data: with the style of all, and the words of its scripts in the chosen language.
[[nodiscard]] std::string page_around(std::string html, Json data);

// The data of the page, for tests.
[[nodiscard]] Json page_json(const Picture& picture, const explore::Recording* before);

}  // namespace lab::report

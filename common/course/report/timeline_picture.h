// The timeline of a block as text, SVG and JSON: steps of its warps, copies on their way, bytes at once.
//
// Enters: TimelineData. Leaves: pictures whose legend names the source lines. Nothing here knows time: what
// stands below each other may happen together.
#pragma once

#include <string>

#include "common/course/explore/timeline.h"
#include "common/course/report/json.h"
#include "common/ui/style.h"

namespace lab::report {

[[nodiscard]] std::string timeline_text(const explore::TimelineData& data, const std::string& kernel,
                                        const Style& style);
[[nodiscard]] std::string timeline_svg(const explore::TimelineData& data, const std::string& kernel);
[[nodiscard]] Json timeline_json(const explore::TimelineData& data, const std::string& kernel);

}  // namespace lab::report

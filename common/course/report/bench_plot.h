// A bench report as a picture and as a page.
//
// Enters: a BenchReport. Leaves: one SVG: a panel a matrix, a bar a kernel, its number beside it; or one HTML
// page that opens offline, with picture, table and how it was measured.
#pragma once

#include <string>

#include "common/course/explore/bench.h"

namespace lab::report {

[[nodiscard]] std::string bench_svg(const explore::BenchReport& report);
// `command`: the line that makes the report again. `date`: "2026-11-21".
[[nodiscard]] std::string bench_html(const explore::BenchReport& report, const std::string& command,
                                     const std::string& date);

}  // namespace lab::report

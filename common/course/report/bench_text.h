// A bench report as text, CSV and JSON.
//
// Enters: a BenchReport. Leaves: the ladder for the terminal, or data for other tools (docs/json.md).
#pragma once

#include <string>

#include "common/course/explore/bench.h"
#include "common/course/report/json.h"
#include "common/ui/style.h"

namespace lab::report {

[[nodiscard]] std::string bench_text(const explore::BenchReport& report, const Style& style);
[[nodiscard]] std::string bench_csv(const explore::BenchReport& report);
[[nodiscard]] Json bench_json(const explore::BenchReport& report);
// The ladder as a Markdown table, for pages.
[[nodiscard]] std::string bench_markdown(const explore::BenchReport& report);
// "1024×1024", "8191×8193 u8".
[[nodiscard]] std::string column_name(const judge::Problem& problem);

}  // namespace lab::report

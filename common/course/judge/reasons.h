// From a Run to the words of a failed case.
//
// Enters: a Run and what was asked of it. Leaves: a Reason with the source line that is to blame.
#pragma once

#include <span>
#include <string>

#include "common/course/judge/element_path.h"
#include "common/course/judge/run.h"
#include "common/course/judge/verdict.h"
#include "common/course/judge/watched.h"
#include "common/sim/observe/recorder.h"

namespace lab::judge {

// The code of Run::each_thread_takes_all.
inline constexpr const char* kWholeMatrix = "whole-matrix";
// Where it happened, and what its sentence says.
[[nodiscard]] Reason reason_of(const sim::Fault& fault);
// The reason of a Run that is not correct: its first fault, or its mismatch.
[[nodiscard]] Reason reason_of(const Run& run);

// Says more than reason_of about an element that was never written: where in the tiling it lies. One that some
// thread reads is lost on the way out.
void explain_missing(Reason& reason, const Run& run, bool is_read);
// Says of an element from the right row of `in`, or the right column, how far the other index is off.
void explain_shifted(Reason& reason, const Run& run);

// Rows and columns of `in` that block 0 writes, by the stores that were recorded; 0: not known.
[[nodiscard]] TileShape covered_by_block(const Run& run, const Watched& watched);

// Whether an element is missing at one place, and not more than that.
[[nodiscard]] bool may_be_followed(const Mismatch& mismatch);
// Adds on which lines the element goes that is missing in `out`, and which of them writes its place.
void name_lines(Reason& reason, const Run& run, const ElementLines& lines);

// The reason of a counter that is not as it should be. The line that wastes most is named, and the pattern of
// its accesses.
[[nodiscard]] Reason reason_of(const Run& run, Metric metric, std::uint64_t bound, std::string code,
                               Message why, const Message& pattern = {});

// The source line with the greatest waste for a metric (for requests: the greatest number); null when no line
// has the metric's op.
[[nodiscard]] const sim::LineCounters* worst_line(const Run& run, Metric metric);

// "32 wavefronts per request, 1 would do" for one line; "" when the line makes no request.
[[nodiscard]] Message cost_of_line(const sim::LineCounters& line, Metric metric);

// What the worst recorded request of a metric does: "every lane reads bank 7", "neighbouring lanes are 4096
// bytes apart".
// "" when none of them wastes anything.
[[nodiscard]] Message pattern_of(std::span<const sim::RecordedAccess> recorded, Metric metric);

}  // namespace lab::judge

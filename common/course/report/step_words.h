// What `lab step` says of a recorded run: a sentence a step, a table, one step in full, or JSON.
//
// Enters: a StepRun. Leaves: text, or one object, whose form docs/json.md has.
#pragma once

#include <optional>
#include <string>

#include "common/course/explore/step_run.h"
#include "common/ui/counters_json.h"
#include "common/ui/style.h"

namespace lab::report {

// "32 lanes store 32 words of `tile` into 32 banks: 1 wavefront", with what was found there.
[[nodiscard]] Message step_sentence(const explore::StepRun& run, std::size_t step);
// "2 copies on their way: 4 096 bytes into `tile` for phase 0 of `barrier`"; empty: none is.
[[nodiscard]] Message way_sentence(const explore::StepRun& run, const std::vector<explore::StepFlight>& way);
// One of them, and each row of bytes that it reads or writes: "`in(0,32)`: 128 bytes".
[[nodiscard]] Message flight_words(const explore::StepRun& run, const explore::StepFlight& flight);
[[nodiscard]] std::string span_words(const explore::StepRun& run, const explore::StepSpan& span, bool shared);
// "`full`"; "the mbarrier at byte 4096 of shared memory".
[[nodiscard]] Message barrier_words(const explore::StepRun& run, std::uint64_t offset);
// What was left out of the recording, what was assumed, and the result: whole sentences.
[[nodiscard]] std::vector<Message> step_notes(const explore::StepRun& run);

// "my.cu · 64 × 48 · block (0,0) of 2 × 2 · 256 threads".
[[nodiscard]] std::string step_head(const explore::StepRun& run);
[[nodiscard]] std::string step_table(const explore::StepRun& run);
[[nodiscard]] std::string step_text(const explore::StepRun& run, std::size_t step, const Style& style);
// What a variable's bits mean: a number, true or false, "&tile[1][0]", "in(3,5)" of a float that has its bytes.
[[nodiscard]] Json variable_value(const explore::StepRun& run, const explore::VariablePart& part,
                                  std::uint64_t bits);
[[nodiscard]] std::string variable_words(const Json& value);
// Why a variable has no value.
[[nodiscard]] std::string no_value_words(const explore::VariablePart& part);
// An element of `in` by its name; what is none by its bytes, the last one first, as a number is written.
[[nodiscard]] std::string bytes_words(const explore::StepRun& run, std::span<const std::byte> bytes);
// A line a variable, of those that differ from lane to lane four of eight values. In a called function a frame
// each, headed by its name.
[[nodiscard]] std::string variables_text(const explore::StepRun& run, std::size_t step);
// "grow, called on line 17"; "the kernel".
[[nodiscard]] std::string frame_words(const std::vector<explore::VariableCall>& calls, std::size_t frame);
// `only`: of the steps that one.
[[nodiscard]] Json step_json(const explore::StepRun& run, std::optional<std::size_t> only);
// A page of its own, open at that step; without a network (page.cpp). `command`: that records it again, where a
// choice can be put behind. `notes` go before those of the recording.
[[nodiscard]] std::string step_page(const explore::StepRun& run, std::size_t start,
                                    const std::string& command, std::vector<Message> notes = {});

}  // namespace lab::report

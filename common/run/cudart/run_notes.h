// What a program did that the report of `lab run` mentions: words in the records of a run, beside launches.
// The runtime library writes them (records.h), common/run/programs/run_records.cpp reads them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lab::cudart {

enum class RunNote : std::uint8_t {
  MostLaunches,  // it wanted more launches than --launches allows
  Repeats,       // a launch was not executed again
  Times,         // it read times of events
  Textures,      // it made texture or surface objects
  SawFault,      // it asked about the error of a launch
  Library,       // a library's call was computed on the host: its name
  Link,          // a copy from one GPU to another: from, to, bytes
  Staged,        // the same through the host
};
inline constexpr std::array<std::string_view, 8> kRunNotes = {"launches", "repeats", "times", "textures",
                                                              "seen",     "library", "link",  "staged"};

static_assert(kRunNotes.size() == static_cast<std::size_t>(RunNote::Staged) + 1);

[[nodiscard]] constexpr std::string_view name(RunNote note) {
  return kRunNotes[static_cast<std::size_t>(note)];
}
[[nodiscard]] constexpr std::optional<RunNote> run_note_named(std::string_view text) {
  const auto* const found = std::find(kRunNotes.begin(), kRunNotes.end(), text);
  if (found == kRunNotes.end()) return std::nullopt;
  return static_cast<RunNote>(found - kRunNotes.begin());
}

}  // namespace lab::cudart

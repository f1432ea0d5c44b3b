// When something was handed in, and until when it had to be.
//
// Enters: a time as platforms and people write it. Leaves: seconds since 1970. A time without an offset is
// one in the zone that the rubric names; without such a zone it decides nothing, since everybody would read
// it in his own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lab::grade {

struct HandInTime {
  std::int64_t local = 0;     // seconds since 1970 on the clock of the place that it was written in
  std::optional<int> offset;  // of that clock, in seconds east of Greenwich
};

// "2027-03-01T23:59:00+01:00", "2027-03-01 23:59 -0800", "…Z", "… UTC"; "Monday, 1 March 2027, 10:10 PM", and
// the like in many languages.
[[nodiscard]] std::optional<HandInTime> read_time(std::string_view text);

// A time whose month is a name, in any order and language of month_names.tsv; seconds on the clock of the place.
// None where it may be two times.
[[nodiscard]] std::optional<std::int64_t> spelled_time(std::string_view text);

// The zone of this machine's clock: of TZ, or of /etc/localtime; "UTC" where neither says.
[[nodiscard]] std::string zone_of_machine();

// "Europe/Berlin", as the system's list of zones has it.
[[nodiscard]] bool is_time_zone(const std::string& name);
// What that zone's clock was ahead at `local`. Of an hour that comes twice it is the first.
[[nodiscard]] int offset_in(const std::string& zone, std::int64_t local);
// Seconds that its clock is put on, or back, between two times; none for a zone that is not known.
[[nodiscard]] std::int64_t clock_moved(const std::string& zone, std::int64_t from, std::int64_t until);

// "2027-03-01T23:59:00+01:00".
[[nodiscard]] std::string text_of_time(std::int64_t local, int offset);
// A time as a text with its offset from UTC; none for any other text.
[[nodiscard]] std::optional<std::int64_t> seconds_of(std::string_view text);

}  // namespace lab::grade

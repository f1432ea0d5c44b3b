// What a learning platform says about hand-ins: who handed in which file, and when.
//
// Enters: submitted.csv, from the platform's export or written by hand. Leaves: rows by student. The times of
// files on disk say when git or a zip was unpacked, and are never asked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::grade {

// One row.
struct HandIn {
  std::string file;  // inside of the submission, or the name of its archive or folder; "" for all of it
  std::string time;  // as it stands there; "" when it is unknown
  std::int64_t seconds = 0;  // since 1970, when there is a time
};

class Manifest {
 public:
  // Throws UsageError that lists every mistake as FILE:LINE.
  static Manifest parse(const std::string& text, const std::string& name);
  [[nodiscard]] const std::map<std::string, std::vector<HandIn>>& students() const { return rows_; }
  [[nodiscard]] std::vector<HandIn> rows(const std::string& student) const;

 private:
  std::map<std::string, std::vector<HandIn>> rows_;
};

// The newest of those rows that speak of `file`; none when no row does.
[[nodiscard]] const HandIn* newest(const std::vector<HandIn>& rows, std::string_view file);

// "2027-03-01T23:59:00+01:00", "2027-03-01 23:59 -0800", "…Z": seconds since 1970. None without the offset:
// a time that everybody reads in his own zone decides nothing.
[[nodiscard]] std::optional<std::int64_t> seconds_of(std::string_view time);

}  // namespace lab::grade

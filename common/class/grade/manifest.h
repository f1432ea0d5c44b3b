// What a learning platform says about hand-ins: who handed in which file, and when.
//
// Enters: submitted.csv, from the platform's export or written by hand. Leaves: rows by student. The times of
// files on disk say when git or a zip was unpacked, and are never asked.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lab::grade {

// One row.
struct HandIn {
  std::string file;  // inside of the submission, or the name of its archive or folder; "" for all of it
  std::string time;  // as it stands there, with its offset; "" when it is unknown
  std::int64_t seconds = 0;  // since 1970, when there is a time
};

class Manifest {
 public:
  // Times without an offset are read in `zone`; "": they are mistakes. Throws UsageError that lists mistakes
  // as FILE:LINE.
  static Manifest parse(const std::string& text, const std::string& name, const std::string& zone);
  [[nodiscard]] const std::map<std::string, std::vector<HandIn>>& students() const { return rows_; }
  // Rows of a platform's table that name no submission.
  [[nodiscard]] std::size_t empty_rows() const { return empty_rows_; }
  // The student whose rows are about an entry of this name: letter by letter, or else the only one whose name
  // differs in capital letters, in how accents are written, or in what a platform adds. "" for none.
  [[nodiscard]] std::string student_of(const std::string& entry) const;

 private:
  std::map<std::string, std::vector<HandIn>> rows_;
  std::map<std::string, std::vector<std::string>> alike_;
  std::size_t empty_rows_ = 0;
};

// The newest of those rows that speak of `file`, or of a folder or archive that holds it; none when no row
// does. "" asks for those about all of a submission.
[[nodiscard]] const HandIn* newest(const std::vector<HandIn>& rows, std::string_view file);

}  // namespace lab::grade

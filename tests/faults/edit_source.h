// A kernel's text by lines, for edits that keep the numbers of its lines.
#pragma once

#include <string>
#include <vector>

#include "common/sim/base/fix.h"

namespace lab::test {

struct Source {
  std::vector<std::string> lines;

  explicit Source(const std::string& text);
  [[nodiscard]] bool has(int line) const { return line > 0 && line <= static_cast<int>(lines.size()); }
  [[nodiscard]] std::string& at(int line) { return lines[static_cast<std::size_t>(line) - 1]; }
  [[nodiscard]] const std::string& at(int line) const { return lines[static_cast<std::size_t>(line) - 1]; }
  [[nodiscard]] std::string text() const;

  // A statement begins on this line: the one before ends a statement, or a head with its brace.
  [[nodiscard]] bool starts(int line) const;
  [[nodiscard]] int depth_change(int line) const;
  // The statement stands on the line that is there, in front or behind; false: not between two statements.
  bool put_before(int line, const std::string& statement);
  bool put_behind(int line, const std::string& statement);

  // In front of the kernel; false: its head is not found.
  bool declare(const std::string& declaration);

  // The closing line of the loop that holds this line; 0 where there is none.
  [[nodiscard]] int end_of_loop(int line) const;
  // Before which line the statement of an insertion goes: of the gaps between two lines the last one in the
  // fewest braces, so that every thread comes by. 0: nowhere, as in a statement of several lines.
  [[nodiscard]] int gap_of(const sim::Edit& edit) const;
  // The closing line of the braces that hold this line; 0 where there is none.
  [[nodiscard]] int end_of_braces(int line) const;
  // The line that declares a variable of this kind, at or above `before`; 0 where none does.
  [[nodiscard]] int declaration_of(const std::string& name, int before, const std::string& kind) const;
  // The line with the kernel's name and its opening brace; 0 where it has several.
  [[nodiscard]] int head_of_kernel() const;
};

}  // namespace lab::test

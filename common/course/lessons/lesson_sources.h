// What the formulas of lessons may name: runs of kernels, single accesses, the swizzle, measured times.
//
// Enters: a FormulaSource. Leaves: its number. Kernels are compiled and run once each. The list of sources is
// in lesson_numbers.h.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "common/course/judge/subject.h"
#include "common/course/lessons/lesson_formula.h"

namespace lab::course {

class LessonSources {
 public:
  explicit LessonSources(std::filesystem::path root) : root_(std::move(root)) {}
  // Throws std::runtime_error with a whole sentence when there is no such source, or a kernel goes wrong.
  double number(const FormulaSource& source, const std::filesystem::path& lesson);

 private:
  judge::Subject& subject(const std::filesystem::path& kernel);
  const judge::Run& run(const FormulaSource& source, const std::filesystem::path& kernel);
  static std::pair<judge::Problem, judge::Target> asked(const FormulaSource& source,
                                                        const std::filesystem::path& kernel);
  // What an observer of its own sees: bytes on their way, pages, instructions. None: the path is another.
  std::optional<double> watched_number(const FormulaSource& source, const std::filesystem::path& kernel);
  double copy_share(const FormulaSource& source) const;
  double step_share(const FormulaSource& source, const std::filesystem::path& kernel) const;
  std::filesystem::path root_;
  std::map<std::filesystem::path, std::unique_ptr<judge::Subject>> subjects_;
};

}  // namespace lab::course

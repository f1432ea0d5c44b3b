// What a program's launches may cost, and what of a run belongs on a page of pull requests.
//
// Enters: a budget file, the records of a run. Leaves: annotations (report/annotations.h): findings, and
// launches that counted more than their budget.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "common/run/programs/run_build.h"
#include "common/run/programs/run_records.h"
#include "common/ui/annotations.h"

namespace lab::programs {

// The budget of all launches whose kernel the pattern names: `*` stands for any characters.
struct Budget {
  std::string kernel;
  std::optional<std::uint64_t> sectors, wavefronts;
  std::optional<double> sectors_per_ideal, wavefronts_per_ideal;
};

// {"transpose*": {"sectors_per_ideal": 1.05, "wavefronts": 16384}}. Throws UsageError with what is wrong.
[[nodiscard]] std::vector<Budget> read_budgets(const std::filesystem::path& file);

// `program`: where a finding without a line stands.
[[nodiscard]] std::vector<report::Annotation> annotations(const RunRecords& records,
                                                          const std::string& program);
// Annotations of what does not compile or link.
[[nodiscard]] std::vector<report::Annotation> annotations(const BuildResult& built,
                                                          const std::string& program);
// A budget that names no kernel of the run is an annotation too: it checks nothing.
[[nodiscard]] std::vector<report::Annotation> over_budget(const RunRecords& records,
                                                          const std::vector<Budget>& budgets,
                                                          const std::string& program);

}  // namespace lab::programs

// docs/coverage.md, written from the table of forms.
#pragma once

#include <string>

namespace lab::sim {

// The whole page. A test compares it with the file; `print_coverage > docs/coverage.md` renews that.
[[nodiscard]] std::string coverage_page();

}  // namespace lab::sim

// Prints docs/coverage.md: `build/tests/sim/print_coverage > docs/coverage.md`.
#include <cstdio>

#include "tests/sim/coverage_page.h"
#include "tests/sim/measured_forms.h"

int main() {
  const std::string page = lab::sim::coverage_page(lab::golden::measured_forms());
  return std::fwrite(page.data(), 1, page.size(), stdout) == page.size() ? 0 : 1;
}

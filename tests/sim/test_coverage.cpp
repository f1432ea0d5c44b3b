// The coverage page is not stale, and the table it is made from leaves nothing out.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "common/sim/instructions/forms.h"
#include "common/sim/ptx/ptx_module.h"
#include "tests/sim/coverage_page.h"
#include "tests/sim/measured_forms.h"
#include "tests/sim/ptx_run.h"

using namespace lab::sim;
namespace fs = std::filesystem;

namespace {

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), "cannot read ", path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

const fs::path kTests = fs::path(LAB_GOLDEN_DIR).parent_path();

}  // namespace

TEST_CASE("docs/coverage.md says what the table of forms says") {
  const bool same = read_text(kTests.parent_path() / "docs" / "coverage.md") ==
                    coverage_page(lab::golden::measured_forms());
  CHECK_MESSAGE(same,
                "docs/coverage.md is stale: ninja -C build tests/sim/print_coverage, then "
                "build/tests/sim/print_coverage > docs/coverage.md");
}

TEST_CASE("every instruction that the golden tests run is in the table") {
  std::set<std::string> known;
  for (const Form* form : all_forms()) known.insert(form->text.substr(0, form->text.find('.')));
  for (const ptx::OpcodeRow& row : ptx::opcode_rows()) known.emplace(row.opcode());
  int files = 0;
  for (const auto& entry : fs::directory_iterator(LAB_PTX_DIR)) {
    if (entry.path().extension() != ".ptx") continue;
    ++files;
    for (const ptx::Function& f : ptx::parse(read_text(entry.path())).functions) {
      for (const ptx::Instruction& in : f.body) CHECK_MESSAGE(known.contains(in.opcode), in.full_opcode());
    }
  }
  CHECK(files > 10);
}

TEST_CASE("what docs/coverage.md calls not supported is refused") {
  for (const Unsupported& row : unsupported()) {
    if (row.example.empty()) continue;
    PtxKernel kernel;
    kernel.body = std::string(row.example);
    const PtxRun run = run_ptx(kernel);
    CHECK_MESSAGE(run.fault() == "unsupported", row.example, ": ", run.fault(), ": ", run.message(),
                  " (a new instruction leaves kUnsupported of coverage_page.cpp)");
  }
}

// Prints what is found in each kernel in tests/mutants/faults/wrong and right, as rows of
// tests/golden/faults_lab.csv.
//
// Enters: the folders, a kernel compiler. Leaves: name, kind, code of the first finding or `clean`.
#include <cstdio>

#include "common/compile/compile.h"
#include "tests/faults/corpus.h"

int main() {
  using namespace lab;
  const std::filesystem::path folder = LAB_FAULTS_DIR;
  for (const char* kind : {"wrong", "right"}) {
    const std::vector<test::FaultyKernel> kernels = test::read_kernels(folder / kind);
    std::vector<compile::CompileRequest> requests(kernels.size());
    for (std::size_t k = 0; k < kernels.size(); ++k) requests[k].file = kernels[k].file;
    const std::vector<compile::CompileResult> results = compile::compile_all(requests);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const test::FaultyRun run = test::run_kernel(kernels[k], results[k].ptx(), 1);
      const std::string code = run.found.empty() ? "clean" : std::string(sim::code(run.found.front().kind));
      std::printf("%s,%s,%s\n", kernels[k].file.stem().c_str(), kind, code.c_str());
    }
  }
  return 0;
}

// compile() where no compiler runs: it finds what was compiled ahead (ahead.h). Linked in the place of
// compile.cpp and compilers.cpp into the lab for browsers.
#include <vector>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/compile/ahead.h"

namespace lab::compile {
namespace fs = std::filesystem;

const std::vector<KernelCompiler>& kernel_compilers() {
  static const std::vector<KernelCompiler> none;
  return none;
}

// The one that the kernels of a course are compiled with ahead.
const KernelCompiler& find_kernel_compiler(std::optional<CompilerKind>) {
  static const KernelCompiler ahead{CompilerKind::Nvrtc, {}, {}, {}};
  return ahead;
}

CompileResult compile(const CompileRequest& request) {
  if (!fs::is_regular_file(request.file))
    throw base::UsageError("no file " + request.file.string() + ". Check the name.");
  const fs::path folder = base::project_root() / kAheadFolder;
  std::optional<std::string> text;
  // What the rules change nothing about is there once.
  for (const bool kernel_rules : {request.kernel_rules, true})
    if (!text) text = base::read_file(folder / ahead_place(request.file, kernel_rules));
  std::optional<CompileResult> result = text ? read_ahead(*text) : std::nullopt;
  if (!result || request.target != CompileTarget::Ptx || !request.flags.empty())
    throw base::EnvironmentError(
        base::shown_path(request.file) +
        " was not compiled ahead, and a browser has no CUDA compiler. Run it with the "
        "lab on your own machine.");
  return std::move(*result);
}

}  // namespace lab::compile

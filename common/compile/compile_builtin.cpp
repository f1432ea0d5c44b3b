// compile() where no process can be started: the built-in compiler in this program. Linked in the place of
// compile.cpp and compilers.cpp into the lab for browsers.
#include <chrono>
#include <vector>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/compile/compile.h"
#include "common/compile/source_rules.h"
#include "common/cucc/compiler.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

// Beside the file that includes it, in the project, and among the C library's headers for kernels.
std::optional<cucc::Source> find_header(const std::string& name, const std::string& includer) {
  const fs::path root = base::project_root();
  for (const fs::path& place : {root / fs::path(includer).parent_path() / name, root / name,
                                root / "common/kernel/nvrtc_stubs" / name})
    if (std::optional<std::string> text = base::read_file(place))
      return cucc::Source{base::shown_path(place.lexically_normal()), std::move(*text)};
  return std::nullopt;
}

}  // namespace

const KernelCompiler& find_kernel_compiler(std::optional<CompilerKind>) {
  static const KernelCompiler builtin{CompilerKind::Builtin, {}, "1", {}};
  return builtin;
}

const std::vector<KernelCompiler>& kernel_compilers() {
  static const std::vector<KernelCompiler> all = {find_kernel_compiler()};
  return all;
}

CompileResult compile(const CompileRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  const std::optional<std::string> text = base::read_file(request.file);
  if (!text) throw base::EnvironmentError(msg("no file {} in this page.", request.file.string()));
  CompileResult result;
  result.compiler = find_kernel_compiler();
  if (std::optional<Refusal> refusal = request.kernel_rules ? refuse_source(*text) : std::nullopt) {
    result.refusal = refusal->code;
    result.log = refusal->message.english() + "\n";
    result.refused = refusal->message;
    return result;
  }
  cucc::Result made = cucc::compile({{base::shown_path(request.file), *text}, {}, find_header});
  result.ok = made.ok;
  result.output = std::move(made.ptx);
  result.log = std::move(made.log);
  result.seconds = result.compiler_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace lab::compile

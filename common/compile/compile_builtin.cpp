// compile() where no process can be started: the built-in compiler in this program. Linked in the place of
// compile.cpp and compilers.cpp into the lab for browsers.
#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/compile/builtin/compiler.h"
#include "common/compile/compile.h"
#include "common/compile/compiler_questions.h"
#include "common/compile/source_rules.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

// Beside the file that includes it, in the project, and among the C library's headers for kernels.
std::optional<cucc::Source> find_header(const std::string& name, const std::string& includer) {
  const fs::path& root = base::project_root();
  for (const fs::path& place : {root / fs::path(includer).parent_path() / name, root / name,
                                root / "common/kernel/nvrtc_stubs" / name})
    if (std::optional<std::string> text = base::read_file(place))
      return cucc::Source{base::shown_path(place.lexically_normal()), std::move(*text)};
  return std::nullopt;
}

// A command asks more than once for one kernel, and no header changes while it runs.
const cucc::Result& compiled(const cucc::Source& kernel, bool names_variables) {
  static std::map<std::tuple<std::string, std::string, bool>, cucc::Result> known;
  const auto [at, is_new] = known.try_emplace({kernel.path, kernel.text, names_variables});
  if (is_new) at->second = cucc::compile({kernel, {}, find_header, names_variables});
  return at->second;
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
  if (!text) throw base::UsageError(msg("no file {}. Check the name.", base::shown_path(request.file)));
  CompileResult result;
  result.compiler = find_kernel_compiler();
  std::optional<Refusal> refusal = request.kernel_rules ? refuse_source(*text) : std::nullopt;
  if (request.kernel_rules && !refusal) refusal = refuse_question_of_compiler(*text);
  if (refusal) {
    result.refusal = refusal->code;
    result.log = refusal->message.english() + "\n";
    result.refused = refusal->message;
    return result;
  }
  const cucc::Result& made =
      compiled({base::shown_path(request.file), *text},
               std::find(request.flags.begin(), request.flags.end(), "--variables") != request.flags.end());
  result.ok = made.ok;
  result.output = made.ptx;
  result.log = made.log;
  result.seconds = result.compiler_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

std::vector<CompileResult> compile_all(std::span<const CompileRequest> requests, unsigned) {
  std::vector<CompileResult> made;
  std::transform(requests.begin(), requests.end(), std::back_inserter(made), compile);
  return made;
}

}  // namespace lab::compile

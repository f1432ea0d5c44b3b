// Kernels compiled ahead: the text of one. See ahead.h.
#include "common/compile/ahead.h"

#include "common/base/json.h"
#include "common/base/project.h"

namespace lab::compile {

std::filesystem::path ahead_place(const std::filesystem::path& file, bool kernel_rules) {
  return std::filesystem::path(kernel_rules ? "judged" : "plain") /
         std::filesystem::path(base::shown_path(file)).relative_path();
}

// One line of JSON, then the PTX as it is.
std::string ahead_text(const CompileResult& result) {
  const base::Json head = {{"ok", result.ok},
                           {"log", result.log},
                           {"refusal", result.refusal},
                           {"compiler", name(result.compiler.kind)},
                           {"version", result.compiler.version}};
  return head.dump() + "\n" + result.output;
}

std::optional<CompileResult> read_ahead(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  const base::Json head = base::Json::parse(text.substr(0, end));
  const std::optional<CompilerKind> kind = kind_named(head.at("compiler").get<std::string>());
  if (!kind) return std::nullopt;
  CompileResult result;
  result.ok = head.at("ok").get<bool>();
  result.log = head.at("log").get<std::string>();
  result.refusal = head.at("refusal").get<std::string>();
  result.compiler.kind = *kind;
  result.compiler.version = head.at("version").get<std::string>();
  result.output = text.substr(end + 1);
  result.cached = true;
  return result;
}

}  // namespace lab::compile

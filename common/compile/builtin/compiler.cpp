// See compiler.h.
#include "common/compile/builtin/compiler.h"

#include <algorithm>

#include "common/compile/builtin/parser.h"
#include "common/compile/builtin/prelude.h"
#include "common/compile/builtin/walk.h"

namespace lab::cucc {
namespace {

// The project's own headers come first: those of the toolkit stand in for what a kernel finds nowhere else.
FindHeader with_toolkit(const FindHeader& find_header) {
  return [find_header](const std::string& name, const std::string& includer) -> std::optional<Source> {
    if (const std::optional<std::string> text = toolkit_header(name)) return Source{"<" + name + ">", *text};
    return find_header ? find_header(name, includer) : std::nullopt;
  };
}

std::string shown_all(const Messages& messages, const Sources& sources) {
  std::string log;
  std::size_t errors = 0;
  for (const Message& m : messages) {
    log += shown(m, sources);
    errors += m.is_warning ? 0 : 1;
  }
  if (errors > 0) log += std::to_string(errors) + (errors == 1 ? " error\n" : " errors\n");
  return log;
}

// In the order of their lines.
Messages sorted(Messages messages) {
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.at < b.at; });
  return messages;
}

}  // namespace

Result compile(const Request& request) {
  Result result;
  Sources sources = {{"<prelude>", prelude()}, request.file};
  Messages messages;
  Preprocessor preprocessor(sources, with_toolkit(request.find_header));
  try {
    preprocessor.define("__CUDACC__", "1");
    preprocessor.define("__CUDA_ARCH__", "900");
    preprocessor.define("__CUDACC_RTC__", "1");
    preprocessor.define("__cplusplus", "202002L");
    for (const auto& [name, value] : request.defines) preprocessor.define(name, value);
    preprocessor.add(0);
    preprocessor.forget("LAB_");
    preprocessor.add(1);
    Program program;
    Parser parser(std::move(preprocessor.result), program, messages);
    parser.file();
    if (parser.is_whole()) result.ptx = Walk(program, sources, messages, request.names_variables).module();
  } catch (const Error& error) {
    messages.push_back({error});
  }
  result.headers = preprocessor.headers_read;
  messages = sorted(std::move(messages));
  const auto error =
      std::find_if(messages.begin(), messages.end(), [](const Message& m) { return !m.is_warning; });
  result.is_unknown = error != messages.end() && error->is_unknown;
  result.ok = error == messages.end() && !result.ptx.empty();
  if (!result.ok) result.ptx.clear();
  result.log = shown_all(messages, sources);
  return result;
}

}  // namespace lab::cucc

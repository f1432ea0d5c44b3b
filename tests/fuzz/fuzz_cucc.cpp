// libFuzzer target: arbitrary bytes as a kernel file for the built-in compiler, which includes the project's
// headers. Enters: bytes. Leaves: nothing; PTX or a message is what they deserve.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "common/base/files.h"
#include "common/base/project.h"
#include "common/compile/builtin/compiler.h"

namespace {

std::optional<lab::cucc::Source> find_header(const std::string& name, const std::string& /*includer*/) {
  static std::map<std::string, std::optional<std::string>> read;
  const auto [at, is_new] = read.try_emplace(name);
  if (is_new && name.starts_with("common/kernel/"))
    at->second = lab::base::read_file(lab::base::project_root() / name);
  if (!at->second) return std::nullopt;
  return lab::cucc::Source{name, *at->second};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lab::cucc::Request request;
  request.file = {"transpose.cu", std::string(reinterpret_cast<const char*>(data), size)};
  request.find_header = find_header;
  (void)lab::cucc::compile(request);
  return 0;
}

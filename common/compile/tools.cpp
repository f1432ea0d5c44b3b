// Fingerprints. See tools.h.
#include "common/compile/tools.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/compile/remembered.h"
#include "source_hashes.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

std::string hash_of_program(const fs::path& program) {
  return remembered(program, "sha256", [&] { return base::sha256(base::read_file(program).value_or("")); });
}

// nvcc is a driver; what makes the PTX is cicc beside it. Beside NVRTC lie its builtins.
std::string compiler_hash(const KernelCompiler& compiler) {
  std::error_code error;
  const fs::path& toolkit = compiler.toolkit;
  const bool nvcc = compiler.kind == CompilerKind::Nvcc && !toolkit.empty();
  const fs::path program = nvcc ? toolkit / "bin" / "nvcc" : fs::canonical(compiler.path, error);
  base::Sha256 hash;
  hash.update_field(compiler.version);
  hash.update_field(hash_of_program(program));
  if (compiler.kind == CompilerKind::Nvrtc) {
    const std::string release = compiler.version.substr(0, compiler.version.rfind('.'));
    hash.update_field(hash_of_program(program.parent_path() / ("libnvrtc-builtins.so." + release)));
  }
  if (nvcc) hash.update_field(hash_of_program(toolkit / "nvvm" / "bin" / "cicc"));
  return hash.hex();
}

std::string headers_hash() {
  const fs::path folder = base::project_root() / "common" / "kernel";
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    if (entry.is_regular_file(error)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  base::Sha256 hash;
  for (const fs::path& file : files) {
    hash.update_field(file.lexically_relative(folder).generic_string());
    hash.update_field(base::read_file(file).value_or(""));
  }
  return hash.hex();
}

}  // namespace

std::string course_fingerprint() {
  base::Sha256 hash;
  for (const std::string& part : {headers_hash(), std::string(kSimulatorSources), std::string(kCheckSources)})
    hash.update_field(part);
  return hash.hex();
}

Tools find_tools(std::optional<CompilerKind> kind, const std::string& rubric_text) {
  const KernelCompiler& compiler = find_kernel_compiler(kind);
  Tools tools;
  tools.compiler_name = std::string(name(compiler.kind)) + " " + compiler.version;
  tools.compiler = compiler_hash(compiler);
  tools.headers = headers_hash();
  tools.simulator = kSimulatorSources;
  tools.checks = kCheckSources;
  tools.rubric = base::sha256(rubric_text);
  return tools;
}

std::string Tools::judging() const {
  base::Sha256 hash;
  for (const auto& [key, field] : kToolFields)
    if (field != &Tools::rubric) hash.update_field(this->*field);
  return hash.hex();
}

std::vector<std::pair<std::string, std::string>> Tools::listed() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [key, field] : kToolFields) all.emplace_back(key, this->*field);
  return all;
}

}  // namespace lab::compile

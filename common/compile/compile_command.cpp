// Flags, names and environment of NVRTC, nvcc and clang. See compile_command.h.
#include "common/compile/compile_command.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/compile/sandbox.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kOpenFiles = 256;

// nvcc hands file names to a shell, so a name must be one that no shell takes for more than a name.
void check_name(const std::string& path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=@,: ()[]{}~%^#";
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x80 && kPlain.find(c) == std::string_view::npos) {
      throw base::UsageError("the path " + path + " holds the character '" + std::string(1, c) +
                             "', which compilers stumble over. Rename the file or its folder.");
    }
  }
}

// A stranger chose the name: kept when it is harmless, so that messages and lines carry it.
std::string name_in_sandbox(const fs::path& file) {
  const std::string name = file.filename().string();
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c) != 0) || c == '_' || c == '-' || c == '.';
  });
  return plain && name.size() <= 64 && name.ends_with(".cu") && name[0] != '-' && name[0] != '.'
             ? name
             : "kernel.cu";
}

// NVRTC has no host: functions without a qualifier are the device's (a plain constexpr function would be an
// error otherwise), and headers of the C library are short stand-ins. Behind them the toolkit's own headers,
// if it has any here, and what stands in for those.
void add_nvrtc_arguments(const CompileRequest& request, const CompileJob& job,
                         std::vector<std::string>& arguments) {
  const std::string arch = request.gpu_architecture.empty() ? "90" : request.gpu_architecture;
  const bool cubin = request.target == CompileTarget::Cubin;
  arguments.insert(arguments.end(),
                   {cubin ? "-cubin" : "-ptx", (cubin ? "-arch=sm_" : "-arch=compute_") + arch, "-std=c++20",
                    "-default-device", "-Icommon/kernel/nvrtc_stubs"});
  if (!job.compiler.toolkit.empty()) {
    const std::string tree = job.sandbox ? kSandboxToolkit : job.compiler.toolkit.string();
    arguments.insert(arguments.end(), {"-I" + tree + "/include", "-I" + tree + "/include/cccl"});
  }
  arguments.push_back("-Icommon/kernel/clang_toolkit_stubs");
  arguments.push_back(request.debug ? "-G" : "-lineinfo");
}

void add_nvcc_arguments(const CompileRequest& request, std::vector<std::string>& arguments) {
  const std::string arch = request.gpu_architecture.empty() ? "90" : request.gpu_architecture;
  const bool cubin = request.target == CompileTarget::Cubin;
  arguments.insert(arguments.end(),
                   {cubin ? "-cubin" : "-ptx", (cubin ? "-arch=sm_" : "-arch=compute_") + arch, "-std=c++20",
                    "-allow-unsupported-compiler"});
  arguments.push_back(request.debug ? "-G" : "-lineinfo");
  if (const char* host = std::getenv("NVCC_CCBIN"); host != nullptr && *host != '\0') {
    arguments.insert(arguments.end(), {"-ccbin", host});
  }
}

void add_clang_arguments(const CompileRequest& request, std::vector<std::string>& arguments) {
  if (request.target == CompileTarget::Cubin) {
    throw base::EnvironmentError(
        "clang makes PTX only; a program for the GPU itself needs nvcc. Run: ./lab setup");
  }
  const std::string arch = request.gpu_architecture.empty() ? "80" : request.gpu_architecture;
  // clang looks for a CUDA Toolkit even when told to use nothing of it; a path with none keeps it from
  // warning about versions.
  arguments.insert(arguments.end(),
                   {"-x", "cuda", "--cuda-device-only", "--cuda-path=/nonexistent",
                    "--cuda-gpu-arch=sm_" + arch, "-nocudainc", "-nocudalib", "-Xclang", "-target-feature",
                    "-Xclang", "+ptx70", "-S", "-std=c++20", "-fno-strict-aliasing",
                    "-Icommon/kernel/clang_toolkit_stubs", "-include", "common/kernel/clang_builtins.cuh"});
  arguments.insert(arguments.end(), request.debug
                                        ? std::initializer_list<std::string>{"-O0", "-g"}
                                        : std::initializer_list<std::string>{"-O2", "-gline-tables-only"});
}

void add_builtin_arguments(const CompileRequest& request, std::vector<std::string>& arguments) {
  if (request.target == CompileTarget::Cubin)
    throw base::EnvironmentError(
        "the built-in compiler makes PTX only; a program for the GPU itself needs nvcc. Run: ./lab setup");
  arguments.emplace_back("-Icommon/kernel/nvrtc_stubs");
}

// Has the compiler write down what it read. For its own -MD nvcc preprocesses a second time, which takes a
// fifth of the whole; the host compiler that it preprocesses with notes the same on the way. That option is
// cut at commas and goes through a shell, so it is for plain paths.
void add_rule_arguments(CompilerKind kind, const std::string& rule, std::vector<std::string>& arguments) {
  const bool plain = std::all_of(rule.begin(), rule.end(), [](unsigned char c) {
    return (c < 0x80 && std::isalnum(c) != 0) || c == '_' || c == '-' || c == '.' || c == '/';
  });
  if (kind == CompilerKind::Nvcc && plain) {
    arguments.push_back("-Xcompiler=-MD,-MF," + rule);
  } else {
    arguments.insert(arguments.end(), {"-MD", "-MF", rule});
  }
}

// What a compiler may see of our environment: what it needs to find its parts, nothing that changes its
// output. Dates in a kernel are those of 1970: the same file gives the same PTX tomorrow.
std::vector<std::string> compiler_environment(const CompileJob& job, const CompileFolder& folder) {
  std::vector<std::string> result{"LC_ALL=C", "SOURCE_DATE_EPOCH=0"};
  if (job.sandbox) {
    result.insert(result.end(), {std::string("TMPDIR=") + kSandboxOutput, "PATH=/usr/bin:/bin"});
    return result;
  }
  result.push_back("TMPDIR=" + folder.outputs().string());
  for (const char* name : {"PATH", "HOME", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr)
      result.push_back(std::string(name) + "=" + value);
  }
  return result;
}

// What stands first on the command line.
std::vector<std::string> compiler_words(const KernelCompiler& compiler, bool sandbox) {
  if (compiler.kind != CompilerKind::Nvrtc)
    return {sandbox ? compiler_in_sandbox(compiler) : compiler.path.string()};
  if (!sandbox) return {nvrtc_process().string(), compiler.path.string()};
  return {kSandboxNvrtcProcess, compiler_in_sandbox(compiler)};
}

}  // namespace

std::string CompileJob::root() const { return sandbox ? kSandboxRoot : base::project_root().string(); }

CompileJob plan_compile(const CompileRequest& request) {
  CompileJob job;
  job.compiler = find_kernel_compiler(request.compiler);
  job.sandbox = request.sandbox;
  job.kernel_rules = request.kernel_rules;
  if (job.sandbox && !sandbox_problem().empty()) throw base::EnvironmentError(sandbox_problem());
  job.source = fs::canonical(request.file);
  const fs::path called = request.name_in_sandbox.empty() ? request.file : fs::path(request.name_in_sandbox);
  job.name = job.sandbox ? name_in_sandbox(called) : base::shown_path(job.source);
  check_name(job.name);
  if (job.name.starts_with('-')) job.name.insert(0, "./");
  job.arguments = compiler_words(job.compiler, job.sandbox);
  switch (job.compiler.kind) {
    case CompilerKind::Nvrtc:
      add_nvrtc_arguments(request, job, job.arguments);
      break;
    case CompilerKind::Nvcc:
      add_nvcc_arguments(request, job.arguments);
      break;
    case CompilerKind::Clang:
      add_clang_arguments(request, job.arguments);
      break;
    case CompilerKind::Builtin:
      add_builtin_arguments(request, job.arguments);
      break;
  }
  job.arguments.push_back("-I.");  // the project: #include "common/kernel/lab.cuh"
  job.arguments.insert(job.arguments.end(), request.flags.begin(), request.flags.end());
  return job;
}

std::string key_of(const CompileJob& job, const std::string& source) {
  base::Sha256 hash;
  hash.update_field(job.compiler.version);
  hash.update_field(job.root());
  hash.update_field(job.sandbox ? "walled in" : "free");
  hash.update_field(job.name);
  for (const std::string& argument : job.arguments) hash.update_field(argument);
  hash.update_field("source");
  hash.update_field(source);
  return hash.hex();
}

base::Subprocess compiler_process(const CompileJob& job, const CompileFolder& folder,
                                  const std::string& source, const CompileLimits& limits) {
  base::Subprocess program;
  fs::create_directory(folder.outputs());
  const fs::path outputs = job.sandbox ? fs::path(kSandboxOutput) : folder.outputs();
  if (job.sandbox) {
    const fs::path copy = folder.folder / "kernel";
    if (!base::write_file_atomically(copy, source))
      throw base::EnvironmentError("cannot write " + copy.string() + ". Is the disk full?");
    program.arguments = sandbox_command(job.compiler, copy, job.name, folder.outputs());
  }
  program.arguments.insert(program.arguments.end(), job.arguments.begin(), job.arguments.end());
  add_rule_arguments(job.compiler.kind, (outputs / "rule.d").string(), program.arguments);
  program.arguments.insert(program.arguments.end(), {"-o", (outputs / "output").string(), job.name});
  program.environment = compiler_environment(job, folder);
  program.folder = base::project_root();
  program.wall_time = limits.wall_time;
  program.cpu_time = limits.cpu_time;
  program.memory_bytes = limits.memory_bytes;
  program.output_bytes = limits.output_bytes;
  program.kept_bytes = limits.message_bytes;
  program.open_files = kOpenFiles;
  return program;
}

}  // namespace lab::compile

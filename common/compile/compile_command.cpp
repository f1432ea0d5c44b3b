// Flags, names and environment of NVRTC, nvcc and clang. See compile_command.h.
#include "common/compile/compile_command.h"

#include <cstdlib>
#include <initializer_list>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sanitizers.h"
#include "common/base/sha256.h"
#include "common/compile/compile_names.h"
#include "common/compile/sandbox.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kOpenFiles = 256;
// Shadow of terabytes of addresses, in the compilers that are programs of ours.
constexpr bool kHasShadow = base::kAddressSanitizer || base::kThreadSanitizer;
constexpr const char* kOutputsFromWork = "../out";

void add_first_arguments(const CompileRequest& request, std::vector<std::string>& arguments) {
  const std::string arch = request.gpu_architecture.empty() ? "90" : request.gpu_architecture;
  const bool cubin = request.target == CompileTarget::Cubin;
  arguments.insert(arguments.end(), {cubin ? "-cubin" : "-ptx",
                                     (cubin ? "-arch=sm_" : "-arch=compute_") + arch, "-std=c++20"});
}

// NVRTC has no host: functions without a qualifier are the device's (a plain constexpr function would be an
// error otherwise), and headers of the C library are short stand-ins. Behind them the toolkit's own headers,
// if it has any here, and what stands in for those.
void add_nvrtc_arguments(const CompileRequest& request, const CompileJob& job,
                         std::vector<std::string>& arguments) {
  add_first_arguments(request, arguments);
  arguments.insert(arguments.end(), {"-default-device", "-Icommon/kernel/nvrtc_stubs"});
  if (!job.compiler.toolkit.empty()) {
    const std::string tree = job.sandbox ? kSandboxToolkit : kToolkitLink;
    arguments.insert(arguments.end(), {"-I" + tree + "/include", "-I" + tree + "/include/cccl"});
  }
  arguments.push_back("-Icommon/kernel/clang_toolkit_stubs");
  arguments.push_back(request.debug ? "-G" : "-lineinfo");
}

void add_nvcc_arguments(const CompileRequest& request, std::vector<std::string>& arguments) {
  add_first_arguments(request, arguments);
  arguments.emplace_back("-allow-unsupported-compiler");
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
  // clang looks for a CUDA Toolkit even when an option says not to use it; a path without one
  // avoids its warning about versions.
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
// fifth of the whole; the host compiler that it preprocesses with notes the same on the way.
void add_rule_arguments(CompilerKind kind, const std::string& rule, std::vector<std::string>& arguments) {
  if (kind == CompilerKind::Nvcc) {
    arguments.push_back("-Xcompiler=-MD,-MF," + rule);
  } else {
    arguments.insert(arguments.end(), {"-MD", "-MF", rule});
  }
}

// What a compiler may see of our environment: what it needs to find its parts, nothing that changes its
// output. Dates in a kernel are those of 1970: the same file gives the same PTX tomorrow.
std::vector<std::string> compiler_environment(const CompileJob& job) {
  std::vector<std::string> result{"LC_ALL=C", "SOURCE_DATE_EPOCH=0"};
  if (job.sandbox) {
    result.insert(result.end(), {std::string("TMPDIR=") + kSandboxOutput, "PATH=/usr/bin:/bin"});
    return result;
  }
  result.push_back(std::string("TMPDIR=") + kOutputsFromWork);
  for (const char* name : {"PATH", "HOME", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr)
      result.push_back(std::string(name) + "=" + value);
  }
  return result;
}

// nvcc looks for its parts beside itself, through a shell: from a tree with an odd name it is called through
// a link.
std::string plain_program(const KernelCompiler& compiler) {
  if (compiler.toolkit.empty() || is_plain_name(compiler.path.string())) return compiler.path.string();
  return std::string("./") + kToolkitLink + "/bin/nvcc";
}

// What stands first on the command line.
std::vector<std::string> compiler_words(const KernelCompiler& compiler, bool sandbox) {
  if (compiler.kind != CompilerKind::Nvrtc)
    return {sandbox ? compiler_in_sandbox(compiler) : plain_program(compiler)};
  if (!sandbox) return {nvrtc_process().string(), compiler.path.string()};
  return {kSandboxNvrtcProcess, compiler_in_sandbox(compiler)};
}

}  // namespace

CompileJob plan_compile(const CompileRequest& request) {
  CompileJob job;
  job.compiler = find_kernel_compiler(request.compiler);
  job.sandbox = request.sandbox;
  job.kernel_rules = request.kernel_rules;
  if (job.sandbox && !sandbox_problem().empty()) throw base::EnvironmentError(sandbox_problem());
  job.source = fs::canonical(request.file);
  job.shown = request.shown_name;
  if (job.shown.empty())
    job.shown = job.sandbox ? name_of_untrusted(request.file) : base::shown_path(job.source);
  job.label =
      job.compiler.kind == CompilerKind::Builtin ? kKernelFile : label_of(job.shown);  // it knows no #line
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
  job.arguments.push_back("-I.");  // #include "common/kernel/lab.cuh"
  if (!job.sandbox)                // for a file that is judged the links are not there
    job.arguments.insert(job.arguments.end(),
                         {std::string("-I") + kBesideLink, std::string("-I") + kProjectLink});
  job.arguments.insert(job.arguments.end(), request.flags.begin(), request.flags.end());
  return job;
}

std::string key_of(const CompileJob& job, const std::string& source) {
  base::Sha256 hash;
  hash.update_field(job.compiler.version);
  hash.update_field(job.sandbox ? "walled in" : base::project_root().string());
  hash.update_field(job.sandbox ? "" : job.source.parent_path().string());
  hash.update_field(job.shown);
  for (const std::string& argument : job.arguments) hash.update_field(argument);
  hash.update_field("source");
  hash.update_field(source);
  return hash.hex();
}

namespace {

void make_work(const CompileJob& job, const CompileFolder& folder, const std::string& source) {
  fs::create_directory(folder.outputs());
  fs::create_directories(folder.work() / "common");
  const fs::path copy = folder.work() / kKernelFile;
  if (!base::write_file_atomically(copy, labelled(job, source)))
    throw base::EnvironmentError(msg("cannot write {}. Is the disk full?", copy.string()));
  if (job.sandbox) return;  // its walls show what it may include
  fs::create_directory_symlink(base::project_root() / "common" / "kernel",
                               folder.work() / "common" / "kernel");
  if (!job.compiler.toolkit.empty())
    fs::create_directory_symlink(job.compiler.toolkit, folder.work() / kToolkitLink);
  if (job.kernel_rules) return;
  fs::create_directory_symlink(job.source.parent_path(), folder.work() / kBesideLink);
  fs::create_directory_symlink(base::project_root(), folder.work() / kProjectLink);
}

}  // namespace

base::Subprocess compiler_process(const CompileJob& job, const CompileFolder& folder,
                                  const std::string& source, const CompileLimits& limits) {
  base::Subprocess program;
  make_work(job, folder, source);
  const std::string outputs = job.sandbox ? kSandboxOutput : kOutputsFromWork;
  if (job.sandbox)
    program.arguments =
        sandbox_command(job.compiler, folder.work() / kKernelFile, kKernelFile, folder.outputs());
  program.arguments.insert(program.arguments.end(), job.arguments.begin(), job.arguments.end());
  add_rule_arguments(job.compiler.kind, outputs + "/rule.d", program.arguments);
  program.arguments.insert(program.arguments.end(), {"-o", outputs + "/output", kKernelFile});
  program.environment = compiler_environment(job);
  program.folder = folder.work();
  program.wall_time = limits.wall_time;
  program.cpu_time = limits.cpu_time;
  const bool ours = job.compiler.kind == CompilerKind::Nvrtc || job.compiler.kind == CompilerKind::Builtin;
  if (!ours || !kHasShadow) program.memory_bytes = limits.memory_bytes;
  program.output_bytes = limits.output_bytes;
  program.kept_bytes = limits.message_bytes;
  program.open_files = kOpenFiles;
  return program;
}

}  // namespace lab::compile

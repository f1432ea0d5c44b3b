// Kernel file → PTX: finds a kernel compiler, runs it within limits, remembers what it made.
//
// Enters: a path, a compiler, flags. Leaves: PTX text (or a cubin) with `.file` paths relative to the
// project, or the compiler's own message. Results are kept in the project's cache, keyed by the content of
// the file and of everything it includes, flags, and the compiler's version. Nothing that a student wrote
// runs here.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lab::compile {

enum class CompilerKind { Nvcc, Clang };
[[nodiscard]] const char* name(CompilerKind kind);  // "nvcc", "clang"

// A kernel compiler on this machine.
struct KernelCompiler {
  CompilerKind kind = CompilerKind::Nvcc;
  std::filesystem::path path;  // the program
  std::string version;         // "13.0.88"
  // nvcc's whole tree, also where `path` is a script that calls nvcc elsewhere; empty for clang, and for a
  // distribution's own package, which lies among the system's files.
  std::filesystem::path toolkit;
};

// All that were found, best first within each kind. Looks for nvcc in .venv of the project, on PATH, in
// CUDA_HOME and CUDA_PATH, in the usual folders; for clang++ on PATH, by its plain name and by versioned
// ones. LAB_NVCC and LAB_CLANG name a program outright. LAB_CUDA_SEARCH (a list with colons) stands in for
// the usual folders.
[[nodiscard]] const std::vector<KernelCompiler>& kernel_compilers();

// The first of a kind, or of any kind, nvcc before clang (LAB_COMPILER=nvcc|clang sets the default kind).
// Throws EnvironmentError with the line to run when there is none.
[[nodiscard]] const KernelCompiler& find_kernel_compiler(std::optional<CompilerKind> kind = std::nullopt);

enum class CompileTarget { Ptx, Cubin };

struct CompileLimits {
  std::chrono::milliseconds wall_time{60'000};
  std::chrono::seconds cpu_time{10};  // of each process of the compiler; a kernel of the course takes 0.3 s
  std::uint64_t memory_bytes = 4ull << 30;    // address space of each process of the compiler
  std::uint64_t output_bytes = 64ull << 20;   // of any file it writes, and of its messages
  std::uint64_t message_bytes = 16ull << 10;  // kept of its messages
};

struct CompileRequest {
  std::filesystem::path file;
  std::optional<CompilerKind> compiler;       // none: find_kernel_compiler's choice
  CompileTarget target = CompileTarget::Ptx;  // Cubin needs nvcc
  std::string gpu_architecture;               // "90" for sm_90; empty: 90 for nvcc, 80 for clang
  std::vector<std::string> flags;             // further flags and defines, as written
  bool debug = false;                         // -G, or -O0 -g
  bool use_cache = true;
  // A file that is judged: it includes common/kernel/ and the compiler's own headers alone (source_rules.h).
  bool kernel_rules = false;
  // A stranger's file: the compiler runs walled in (sandbox.h) and sees the file alone, under its base name.
  bool sandbox = false;
  std::string name_in_sandbox;  // what the file is called there and in messages; empty: its own name
  CompileLimits limits;
};

struct CompileResult {
  bool ok = false;
  std::string output;           // PTX text, or the bytes of the cubin; empty when !ok
  std::string log;              // what the compiler said, warnings too, paths relative to the project
  std::string refusal;          // code of a file that broke the kernel rules; then `log` says how, and !ok
  double seconds = 0;           // wall time of this call
  double compiler_seconds = 0;  // of the compiler's own run, even if that was earlier
  bool cached = false;
  KernelCompiler compiler;
  [[nodiscard]] const std::string& ptx() const { return output; }
};

// Throws UsageError (no such file, a directory, empty, not text), EnvironmentError (no compiler, nothing
// writable, no sandbox where one is asked for), LimitError (the compiler took too long, too much memory or
// wrote too much). A file with errors is no exception: ok is false.
[[nodiscard]] CompileResult compile(const CompileRequest& request);

// Several at once, at most `jobs` compilers at a time (0: one per core). Results stand in the order of the
// requests. When a request throws, the first such exception (in that order) is thrown after all have ended.
[[nodiscard]] std::vector<CompileResult> compile_all(std::span<const CompileRequest> requests,
                                                     unsigned jobs = 0);

}  // namespace lab::compile

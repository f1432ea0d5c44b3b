// Kernel file → PTX: finds a kernel compiler, runs it within limits, remembers what it made.
//
// Enters: a path, a compiler, flags. Leaves: PTX text (or a cubin) with `.file` paths relative to the
// project, or the compiler's own message. Results are kept in the project's cache, keyed by the content of
// the file and of everything it includes, flags, and the compiler's version. Nothing that a student wrote
// runs here.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/text/message.h"

namespace lab::compile {

// In the order in which they are preferred: NVRTC compiles a kernel in a quarter of nvcc's time. The built-in
// one (common/compile/builtin) is for practice where there is no other, and is taken on request alone.
enum class CompilerKind { Nvrtc, Nvcc, Clang, Builtin };
inline constexpr std::array kCompilerKinds{CompilerKind::Nvrtc, CompilerKind::Nvcc, CompilerKind::Clang};
[[nodiscard]] const char* name(CompilerKind kind);  // "nvrtc", "nvcc", "clang", "builtin"
// The instructions of Hopper (sm_90): tensor copies, clusters. The clang of distributions does not.
[[nodiscard]] constexpr bool compiles_for_hopper(CompilerKind kind) { return kind != CompilerKind::Clang; }
// The kind of that name, or whose name a record's "nvcc 13.0.88" begins with.
[[nodiscard]] std::optional<CompilerKind> kind_named(std::string_view name);

// A kernel compiler on this machine.
struct KernelCompiler {
  CompilerKind kind = CompilerKind::Nvcc;
  std::filesystem::path path;  // the program; of NVRTC the library, which nvrtc_process.cpp loads
  std::string version;         // "13.0.88"
  // The whole tree of nvcc or NVRTC, also where `path` is a script that calls nvcc elsewhere; empty for
  // clang, and for a distribution's own package, which lies among the system's files.
  std::filesystem::path toolkit;
};

// All that were found, best first within each kind. Looks for nvcc and NVRTC in the CUDA Toolkits of PATH,
// CUDA_HOME, CUDA_PATH and the usual folders, then in .venv of the project; for clang++ on PATH, by its plain
// name and by versioned ones. LAB_NVRTC names a library outright, LAB_NVCC and LAB_CLANG a program.
// LAB_CUDA_SEARCH (a list with colons) stands in for the usual folders.
[[nodiscard]] const std::vector<KernelCompiler>& kernel_compilers();

// The first of a kind, or of any kind in their order (LAB_COMPILER=nvrtc|nvcc|clang|builtin sets the default
// kind). Throws EnvironmentError with the line to run when there is none.
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
  CompileTarget target = CompileTarget::Ptx;  // Cubin: not by clang
  std::string gpu_architecture;               // "90" for sm_90; empty: 90, for clang 80
  std::vector<std::string> flags;             // further flags and defines, as written
  bool debug = false;                         // -G, or -O0 -g
  bool use_cache = true;
  // A file that is judged: it includes common/kernel/ and the compiler's own headers alone (source_rules.h).
  bool kernel_rules = false;
  bool sandbox = false;    // an untrusted file: the compiler runs walled in (sandbox.h)
  std::string shown_name;  // what the file is called in PTX and messages; empty: its own name
  CompileLimits limits;
};

struct CompileResult {
  bool ok = false;
  std::string output;           // PTX text, or the bytes of the cubin; empty when !ok
  std::string log;              // what the compiler said, warnings too, paths relative to the project
  std::string refusal;          // code of a file that broke the kernel rules; then !ok
  Message refused;              // and how it did, which `log` has too
  double seconds = 0;           // wall time of this call
  double compiler_seconds = 0;  // of the compiler's own run, even if that was earlier
  bool cached = false;
  bool is_unknown =
      false;  // refused for what the built-in compiler does not know: that says nothing of the file
  KernelCompiler compiler;
  [[nodiscard]] const std::string& ptx() const { return output; }
  // `log` in the reader's language: of a refused file all of it, else the lines that are ours.
  [[nodiscard]] std::string log_for_reader() const;
};

// Throws UsageError (no such file, a directory, empty, not text), EnvironmentError (no compiler, nothing
// writable, no sandbox where one is asked for), LimitError (the compiler took too long, too much memory or
// wrote too much). A file with errors is no exception: ok is false. A file of one's own that needs the host's
// headers or functions, which NVRTC has not, is given to the next compiler unless one was asked for; a file
// that is judged is not, so that one compiler judges a class.
[[nodiscard]] CompileResult compile(const CompileRequest& request);

// Several at once, at most `jobs` compilers at a time (0: one per core). Results stand in the order of the
// requests. When a request throws, the first such exception (in that order) is thrown after all have ended.
[[nodiscard]] std::vector<CompileResult> compile_all(std::span<const CompileRequest> requests,
                                                     unsigned jobs = 0);

}  // namespace lab::compile

// `lab run PROGRAM.cu… [-- ARGUMENTS]`: any CUDA program on the simulated GPU.
//
// Enters: source files with compiler flags, or a binary. Leaves: the
// program's own output and exit status, then a table of its launches. The program runs as a process of its
// own with our libcudart.so first in the loader's path; what its launches did comes back through a file
// (run_records.h).
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/gpu/device/gpu_data.h"
#include "common/run/commands/commands.h"
#include "common/run/commands/run_options.h"
#include "common/run/programs/run_budget.h"
#include "common/run/programs/run_build.h"
#include "common/run/programs/run_hints.h"
#include "common/run/programs/run_records.h"
#include "common/ui/annotations.h"
#include "common/ui/waiting.h"

namespace lab::cli {
namespace {

namespace fs = std::filesystem;
using base::ExitCode;
using base::UsageError;

// The folder of our libcudart.so.*, beside this program.
fs::path library_folder() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "run" / "cudart";
  if (!fs::exists(folder / "libcudart.so.13")) {
    throw base::EnvironmentError(
        msg("{} is not built. Run: ./lab setup", (folder / "libcudart.so.13").string()));
  }
  return folder;
}

void set(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

// The first word is what the program reads as its own name: samples look for their data beside it.
[[noreturn]] void become(const fs::path& program, const std::vector<std::string>& argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // whatever ends this process: nothing goes on behind it
  const std::string path = fs::absolute(program).string();
  std::vector<char*> pointers;
  for (const std::string& argument : argv) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  ::execv(path.c_str(), pointers.data());
  fmt::print(stderr, "lab: {}\n", tr("cannot start {}: {}", path, std::strerror(errno)));
  _exit(static_cast<int>(ExitCode::Environment));
}

pid_t running = 0;
void pass_on(int signal) {
  if (running > 0) ::kill(running, signal);
}

// The wait status of the program. Interrupts of the terminal reach it too; this process stays for the report.
int run_program(const fs::path& program, const std::vector<std::string>& argv) {
  std::fflush(nullptr);
  running = ::fork();
  if (running < 0) throw base::EnvironmentError("cannot start another process.");
  if (running == 0) become(program, argv);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  ::signal(SIGTERM, pass_on);
  ::signal(SIGHUP, pass_on);
  int status = 0;
  while (::waitpid(running, &status, 0) < 0 && errno == EINTR) {
  }
  running = 0;
  return status;
}

// A file for the launch records, gone afterwards.
class RecordsFile {
 public:
  RecordsFile() {
    std::string pattern = (fs::temp_directory_path() / "lab-run-XXXXXX").string();
    const int file = ::mkstemp(pattern.data());
    if (file < 0)
      throw base::EnvironmentError(
          msg("cannot write to {}. Set TMPDIR.", fs::temp_directory_path().string()));
    ::close(file);
    path = pattern;
  }
  ~RecordsFile() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
  RecordsFile(const RecordsFile&) = delete;
  RecordsFile& operator=(const RecordsFile&) = delete;
  fs::path path;
};

// These of our libraries are there before any other; and what carries a runtime inside it calls ours.
void load_first(const fs::path& libraries, const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ":") + (libraries / name).string();
  set("LD_PRELOAD", list);
  set("LD_AUDIT", (libraries / "liblabstaticruntime.so").string());
}

// Packages look for libraries in folders of their own, unless one of that name is there.
const std::vector<std::string> kForPackages = {"libcudart.so.13", "libnvJitLink.so.13", "libnvrtc.so.13",
                                               "libcufft.so.12",  "libcusparse.so.12",  "libcusolver.so.12"};

// What packages compile goes into folders of our own: in theirs may lie machine code, and what the simulator
// loads is PTX, which must not lie there.
void name_package_tools(const fs::path& libraries) {
  const std::string assembler = (libraries / "ptxas").string();
  for (const char* name : {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"}) set(name, assembler);
  set("TRITON_CACHE_DIR", (base::cache_root() / "triton").string());
  set("CUPY_CACHE_DIR", (base::cache_root() / "cupy").string());
  set("TORCH_EXTENSIONS_DIR", (base::cache_root() / "torch").string());
  // Each array is an allocation of its own: what lies beside it is then in no pool, and in no allocation.
  ::setenv("PYTORCH_NO_CUDA_MEMORY_CACHING", "1", 0);
  const char* const path =
      std::getenv("PYTHONPATH");  // sitecustomize.py does the same for packages without such a variable
  set("PYTHONPATH", libraries.string() + (path == nullptr || *path == '\0' ? "" : ":" + std::string(path)));
  ::setenv("TORCH_CUDA_ARCH_LIST", "9.0+PTX",
           0);  // its default is machine code alone; who names one keeps it
}

// numba finds our nvJitLink older than its own, which it is (cudart/link_api.cpp), and its advice helps no
// user.
void name_ignored_warnings() {
  const char* given = std::getenv("PYTHONWARNINGS");
  const std::string ours = "ignore:libnvJitLink.so*:RuntimeWarning";
  set("PYTHONWARNINGS", given == nullptr || *given == '\0' ? ours : std::string(given) + "," + ours);
}

void write_sarif(const RunOptions& options, const std::vector<report::Annotation>& all) {
  if (!options.sarif.empty()) write_named(options.sarif, report::dump(report::sarif(all)) + "\n");
}

fs::path built_program(const RunOptions& options, const fs::path& libraries) {
  programs::BuildRequest request = options.build;
  request.libraries = libraries;
  const programs::BuildResult built = [&] {
    const Waiting waiting("compiling the program", !options.quiet);
    return programs::build_program(request);
  }();
  if (!built.log.empty()) fmt::print(stderr, "{}{}", built.log, built.log.ends_with('\n') ? "" : "\n");
  if (built.older) {
    fmt::print(stderr, "lab: {}\n",
               tr("this program uses names that CUDA has removed. It was compiled with others in their place "
                  "(common/run/cudart/older_cuda.h); on a GPU it needs an older CUDA, or these changes."));
  }
  if (const std::string hint = built.ok ? "" : programs::hint_for(built.log); !hint.empty())
    fmt::print(stderr, "lab: {}\n", hint);
  if (!built.ok && built.failed.empty()) {
    fmt::print(stderr, "lab: {}\n", tr("{} does not link.", options.build.files.front()));
  } else if (!built.ok) {
    fmt::print(stderr, "lab: {}\n", tr("{} does not compile.", built.failed));
  }
  if (!built.ok) write_sarif(options, programs::annotations(built, options.build.files.front()));
  return built.ok ? built.program : fs::path();
}

fs::path ready_program(const RunOptions& options, const fs::path& libraries) {
  const fs::path program =
      options.binary.empty() ? built_program(options, libraries) : fs::path(options.binary);
  if (program.empty()) return program;
  if (options.command) {
    name_package_tools(libraries);
    name_ignored_warnings();
  }
  load_first(libraries, options.command ? kForPackages : std::vector{programs::check_binary(program)});
  return program;
}

// The program's own status; when that says all is well, a fault that the program never asked about says
// otherwise.
int exit_code(int status, const programs::RunRecords& records) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    fmt::print(stderr, "lab: {}\n",
               tr("the program was ended by signal {} ({}).", signal, ::strsignal(signal)));
    return 128 + signal;
  }
  const int own = WEXITSTATUS(status);
  const auto any = [&](const auto& what) {
    return std::any_of(records.launches.begin(), records.launches.end(), what);
  };
  // An empty grid is refused, and has nothing to do: results are right without it.
  const bool refused =
      any([](const programs::LaunchRow& row) { return row.refused() && row.grid.count() != 0; });
  const bool stopped = any([](const programs::LaunchRow& row) { return row.stopped && !row.refused(); });
  if (own != 0 || records.saw_fault || !(stopped || refused)) return own;
  fmt::print(stderr, "lab: {}\n",
             stopped ? tr("the program ended with 0 although a kernel stopped with a fault, and never asked "
                          "about it (cudaGetLastError): exit 1.")
                     : tr("the program ended with 0 although a launch was refused and never began, and never "
                          "asked about it (cudaGetLastError): exit 1."));
  return static_cast<int>(ExitCode::NotYet);
}

// Where a finding without a line stands: the first source file, a script, or the program.
std::string program_name(const RunOptions& options) {
  if (!options.build.files.empty()) return options.build.files.front();
  for (const std::string& word : options.words)
    if (word.ends_with(".py")) return word;
  return options.binary;
}

// --sarif, --budget and --strict: 1 where the program itself ended well and what was counted does not.
int judged(const RunOptions& options, const programs::RunRecords& records,
           const std::vector<programs::Budget>& budgets, int code) {
  const std::string program = program_name(options);
  const std::vector<report::Annotation> findings = programs::annotations(records, program);
  const std::vector<report::Annotation> over = programs::over_budget(records, budgets, program);
  std::vector<report::Annotation> all = findings;
  all.insert(all.end(), over.begin(), over.end());
  write_sarif(options, all);
  fmt::print(stderr, "{}", report::compiler_lines(options.strict ? all : over));
  const bool fails = !over.empty() || (options.strict && !findings.empty());
  return code == 0 && fails ? static_cast<int>(ExitCode::NotYet) : code;
}

// The file of findings exists even after an error, for the step that uploads it.
std::vector<programs::Budget> read_budgets(const RunOptions& options) {
  if (options.budget.empty()) return {};
  try {
    return programs::read_budgets(options.budget);
  } catch (const UsageError& error) {
    write_sarif(options, {{.code = "bad-budget",
                           .title = "budget",
                           .message = text::message_of(error).english(),
                           .file = options.budget}});
    throw;
  }
}

// This command's options alone, and what a shell may say.
cudart::Request asked_of_program(const RunOptions& options, bool annotates, const fs::path& records) {
  const cudart::Request of_shell = cudart::read_request(true);
  cudart::Request request = options.request;
  request.nvrtc = of_shell.nvrtc, request.curand = of_shell.curand;
  request.no_shortcuts = of_shell.no_shortcuts;
  request.records = records.string();
  request.lines = options.lines || annotates;
  request.no_leaks = options.command;  // a language's pools are never freed
  request.progress = !options.quiet;
  programs::name_toolkit_libraries(request);
  return request;
}

int run(const Session& session, const std::vector<std::string>& words,
        const std::vector<std::string>& arguments) {
  RunOptions options = parse_run(words);
  check_named(options.json, '[');
  check_named(options.sarif, '{');
  try {
    options.build.architecture = device::gpu_named(options.request.gpu).architecture();
  } catch (const std::invalid_argument& error) {
    throw UsageError(msg("--gpu: {}.", text::message_of(error)));
  }
  const std::vector<programs::Budget> budgets = read_budgets(options);
  const bool annotates = options.strict || !options.sarif.empty() || !options.budget.empty();
  const fs::path libraries = library_folder();
  const fs::path program = ready_program(options, libraries);
  if (program.empty()) return static_cast<int>(ExitCode::NotYet);
  const RecordsFile file;
  const char* path = std::getenv("LD_LIBRARY_PATH");
  set("LD_LIBRARY_PATH", libraries.string() + (path == nullptr ? "" : ":" + std::string(path)));
  set("LAB_LANG", text::language() == text::Language::Chinese ? "zh" : "en");
  cudart::write_request(asked_of_program(options, annotates, file.path));
  std::vector<std::string> argv = options.words;
  if (argv.empty())
    argv = {options.binary.empty() ? "./" + fs::path(options.build.files.front()).stem().string()
                                   : options.binary};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const int status = run_program(program, argv);
  programs::RunRecords records = programs::read_records(file.path);
  records.gpu = options.request.gpu;
  records.gpus = static_cast<int>(options.request.gpus);
  if (!options.json.empty()) write_named(options.json, report::dump(programs::records_json(records)) + "\n");
  if (!options.quiet) {
    const report::Style style = report::style_for_stdout(session.plain || options.plain);
    fmt::print("\n{}", programs::records_table(records, options.lines, style));
    std::fflush(stdout);  // what follows goes to the other stream, and into the middle of it in a log of both
  }
  const int code = exit_code(status, records);
  return annotates ? judged(options, records, budgets, code) : code;
}

}  // namespace

Command run_command(const Session& session) {
  Command command{
      "run",
      "Runs a CUDA program on the simulated GPU.\nExample: ./lab run program.cu helper.cu -- its arguments"};
  command.footer =
      "What to run: .cu files (with their .cpp files), or one program that nvcc has linked.\n"
      "What follows -- goes to the program. Flags of nvcc may stand anywhere before: -I, -D, -std, -O2, -l, "
      "…\n\n"
      "Exit code: the program's own; 128 + N when signal N ended it; 1 when it ended with 0 but a kernel "
      "faulted\n"
      "and it never asked; before it starts: 1 does not compile, 2 usage, 3 no nvcc, 4 limit of the "
      "compiler.";
  static RunOptions listed;
  command.options = run_options(listed);
  static std::vector<std::string> words;
  command.all_words = &words;
  command.run = [&session] { return run(session, words, session.program_arguments); };
  return command;
}

}  // namespace lab::cli

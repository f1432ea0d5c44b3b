// The course on this laptop, by doing what a student will do: save a kernel, compile it, judge it, without
// network. See readiness.h.
#include <unistd.h>

#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/base/errors.h"
#include "common/base/file_watch.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/subprocess.h"
#include "common/compile/tools.h"
#include "common/course/judge/examine.h"
#include "common/course/judge/named_kernel.h"
#include "common/machine/readiness.h"

namespace lab::machine {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kTried = "5";      // a chapter of the middle: its solution has to pass
constexpr double kGoodSeconds = 3;       // from edit to verdict; beyond it a room waits
constexpr double kNoticedSeconds = 0.3;  // `watch` looks twice a second where there are no notifications

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A folder that is gone afterwards.
class Scratch {
 public:
  explicit Scratch(const fs::path& parent) {
    std::string pattern = (parent / ".laptop-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) folder = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!folder.empty()) fs::remove_all(folder, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  fs::path folder;  // empty: it could not be made
};

// The solution with a line that was never there before, so that no cache knows it.
fs::path edited_solution(const Scratch& scratch) {
  static int edits = 0;
  const fs::path file = scratch.folder / "transpose.cu";
  const std::string text = base::read_file(judge::solution_kernel(judge::chapter_named(kTried))).value_or("");
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  std::ofstream(file) << text << "// edit " << ++edits << " at " << now << "\n";
  return file;
}

ReadinessRow compiler_row(Readiness& laptop, const compile::KernelCompiler& compiler,
                          const Scratch& scratch) {
  ReadinessRow row{msg("kernel compiler {}", name(compiler.kind)), ReadinessRow::State::Bad, "", ""};
  const Clock::time_point start = Clock::now();
  try {
    const judge::Examination tried =
        judge::examine(judge::chapter_named(kTried), edited_solution(scratch), compiler.kind);
    const double seconds = since(start);
    if (tried.passed()) {
      row.state = ReadinessRow::State::Good;
      row.found = msg("{}: compiled and judged in {:.1f} s", compiler.version, seconds);
      if (laptop.seconds == 0) laptop.seconds = seconds;  // the first is what ./lab takes
      return row;
    }
    row.found = tried.compiled ? msg("{}: the solution of chapter {} does not pass", compiler.version, kTried)
                               : msg("{}: a kernel does not compile", compiler.version);
  } catch (const base::LabError& error) {
    row.found = text::message_of(error);
  }
  row.advice = msg("See why: ./lab check {} --solution --compiler {}", kTried, name(compiler.kind));
  return row;
}

void add_compiler_rows(Readiness& laptop, const Scratch& scratch) {
  const std::vector<compile::KernelCompiler>& all = compile::kernel_compilers();
  for (const compile::CompilerKind kind : compile::kCompilerKinds) {
    const auto first = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.kind == kind; });
    if (first != all.end()) laptop.rows.push_back(compiler_row(laptop, *first, scratch));
  }
  if (all.empty()) {
    laptop.rows.push_back({/* message */ "kernel compiler", ReadinessRow::State::Bad, "none was found",
                           "Run ./lab setup, or ./lab setup --offline with a bundle."});
  }
  if (laptop.seconds == 0) return;
  ReadinessRow row{/* message */ "verdict", ReadinessRow::State::Good,
                   msg("{:.1f} s after an edit", laptop.seconds), ""};
  if (laptop.seconds > kGoodSeconds) {
    row.state = ReadinessRow::State::Mind;
    row.advice = "Slow: close other programs, plug in the charger, then try again.";
  }
  laptop.rows.push_back(row);
}

// This program, in a namespace that has no network.
ReadinessRow offline_row(const Scratch& scratch) {
  ReadinessRow row{/* message */ "offline", ReadinessRow::State::Good, "a kernel is judged without network",
                   ""};
  base::Subprocess command;
  command.arguments = {"/usr/bin/unshare", "--user", "--map-root-user", "--net", "/bin/true"};
  command.folder = "/";
  for (const char* name : {"PATH", "HOME", "LAB_ROOT", "LAB_CACHE_DIR", "LAB_NVRTC", "LAB_NVCC", "LAB_CLANG",
                           "LAB_COMPILER", "LAB_CUDA_SEARCH", "CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr)
      command.environment.push_back(std::string(name) + "=" + value);
  }
  if (!base::run(command).succeeded()) {
    return {row.name, ReadinessRow::State::Mind,
            "could not be tried: this system gives no namespaces to users",
            "Switch the network off and run: ./lab check 1"};
  }
  command.arguments.back() = fs::read_symlink("/proc/self/exe").string();
  for (const std::string& word :
       {std::string("check"), std::string(kTried), std::string("--json"), std::string("--device"),
        std::string("sim"), std::string("--kernel"), edited_solution(scratch).string()})
    command.arguments.push_back(word);
  command.wall_time = std::chrono::seconds(60);
  if (!base::run(command).succeeded()) {
    row.state = ReadinessRow::State::Bad;
    row.found = "no verdict without network";
    row.advice = "Run ./lab setup once with network, or ./lab setup --offline with a bundle.";
  }
  return row;
}

// Saves a file where the student will, and waits as `watch` does.
ReadinessRow saving_row() {
  const fs::path chapters = base::project_root() / "chapters";
  const Scratch scratch(chapters);
  ReadinessRow row{/* message */ "saving files", ReadinessRow::State::Good, "", ""};
  if (scratch.folder.empty()) {
    return {row.name, ReadinessRow::State::Bad, msg("nothing can be written in {}", chapters.string()),
            "Move the course to a folder of yours."};
  }
  const fs::path file = scratch.folder / "transpose.cu";
  std::ofstream(file) << "before\n";
  base::FileWatch watch(file, false);
  const base::FileStamp known = base::stamp_of(file);
  const Clock::time_point start = Clock::now();
  std::ofstream(file.string() + ".new") << "after, and longer\n";
  fs::rename(file.string() + ".new", file);
  std::thread late([&] {  // should the first one look like no change at all: a sure one
    std::this_thread::sleep_for(std::chrono::seconds(3));
    std::ofstream(file, std::ios::app) << "again\n";
  });
  watch.wait(known);
  const double seconds = since(start);
  late.join();
  row.found = seconds < kNoticedSeconds ? /* message */ "noticed at once by ./lab watch"
                                        : msg("noticed by ./lab watch after {:.1f} s", seconds);
  if (seconds > 2) {
    row.state = ReadinessRow::State::Mind;
    row.advice = "This folder hides changes: move the course to a disk of this machine.";
  }
  return row;
}

std::string git(const std::vector<std::string>& words) {
  base::Subprocess command;
  command.arguments = {"/usr/bin/git", "-C", base::project_root().string()};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  const char* home = std::getenv("HOME");
  command.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C",
                         std::string("HOME=") + (home == nullptr ? "/" : home)};
  command.folder = "/";
  command.output_bytes = 1 << 20;
  const base::SubprocessResult result = base::run(command);
  return result.succeeded() ? result.output : "";
}

// What students do not write must be as it was handed out; kernels in chapters/ are theirs.
ReadinessRow course_row(Readiness& laptop) {
  const std::string short_print = laptop.fingerprint.substr(0, 8);
  std::istringstream head(git({"rev-parse", "--short=12", "HEAD"}));
  head >> laptop.commit;
  ReadinessRow row{/* message */ "course", ReadinessRow::State::Good, "", ""};
  if (laptop.commit.empty()) {
    row.found = msg("version {}, not compared with git", short_print);
    return row;
  }
  std::istringstream status(git({"status", "--porcelain", "--untracked-files=no"}));
  std::string first;
  int changed = 0;
  for (std::string line; std::getline(status, line);) {
    const std::string file = line.size() > 3 ? line.substr(3) : "";
    if (file.starts_with("chapters/") && file.ends_with(".cu")) continue;
    if (changed++ == 0) first = file;
  }
  if (changed == 0) {
    row.found = msg("version {}, commit {}", short_print, laptop.commit);
  } else {
    row.state = ReadinessRow::State::Mind;
    row.found = changed == 1 ? msg("version {}, commit {}; {} was changed", short_print, laptop.commit, first)
                             : msg("version {}, commit {}; {} and {} more were changed", short_print,
                                   laptop.commit, first, changed - 1);
    row.advice = "See what: git diff. To have it as it was handed out: git checkout -- FILE";
  }
  return row;
}

// The next ./lab would build: better now than in the room.
ReadinessRow build_row() {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  const fs::path stamp = program.parent_path().parent_path().parent_path() / ".lab-ready";
  std::error_code error;
  fs::file_time_type built = fs::last_write_time(program, error);
  if (const auto stamped = fs::last_write_time(stamp, error); !error) built = std::max(built, stamped);
  std::string newer;
  for (const char* part : {"common", "tests", "meson.build"}) {
    const fs::path path = base::project_root() / part;
    if (!fs::is_directory(path, error)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
      const auto kind = entry.path().extension();
      if ((kind == ".cpp" || kind == ".h") && entry.last_write_time(error) > built)
        newer = base::shown_path(entry.path());
    }
  }
  if (newer.empty())
    return {/* message */ "program", ReadinessRow::State::Good, "built from the course as it is", ""};
  return {"program", ReadinessRow::State::Mind, msg("{} is newer than the program", newer),
          "Run ./lab setup: it builds."};
}

}  // namespace

void add_course_rows(Readiness& laptop) {
  const Scratch scratch(fs::temp_directory_path());
  laptop.fingerprint = compile::course_fingerprint();
  laptop.rows.push_back(course_row(laptop));
  laptop.rows.push_back(build_row());
  if (scratch.folder.empty()) {
    laptop.rows.push_back({/* message */ "kernel compiler", ReadinessRow::State::Bad,
                           msg("no folder can be made in {}", fs::temp_directory_path().string()),
                           "Set TMPDIR to a folder of yours."});
  } else {
    add_compiler_rows(laptop, scratch);
    laptop.rows.push_back(offline_row(scratch));
  }
  laptop.rows.push_back(saving_row());
}

}  // namespace lab::machine

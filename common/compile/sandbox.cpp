// Puts together a bubblewrap command line. See sandbox.h.
#include "common/compile/sandbox.h"

#include <unistd.h>

#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <system_error>

#include "common/base/project.h"
#include "common/base/subprocess.h"
#include "common/compile/compile_command.h"

namespace lab::compile {
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;
constexpr int kProcesses = 64;  // nvcc starts four, one after the other

void add(Words& words, std::initializer_list<std::string> more) { words.insert(words.end(), more); }

fs::path find_bubblewrap() {
  const char* chosen = std::getenv("LAB_BWRAP");  // a program outright; empty: none
  if (chosen != nullptr) return chosen;
  const char* list = std::getenv("PATH");
  std::istringstream folders(list == nullptr ? "/usr/bin:/bin" : list);
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path path = fs::path(folder) / "bwrap";
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

void show(Words& words, const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error)) add(words, {"--ro-bind", path.string(), path.string()});
}

// Programs, headers and libraries of one prefix; not its share/, src/ or whatever else lies there.
void show_prefix(Words& words, const fs::path& prefix) {
  for (const char* part : {"bin", "include", "lib", "lib32", "lib64", "libexec"}) show(words, prefix / part);
}

// /lib and its like are links on systems with one /usr, folders on older ones.
void show_top_folder(Words& words, const std::string& path) {
  std::error_code error;
  if (fs::is_symlink(path, error)) {
    add(words, {"--symlink", fs::read_symlink(path, error).string(), path});
  } else {
    show(words, path);
  }
}

Words walls(const fs::path& bubblewrap) {
  Words words{bubblewrap.string()};
  add(words, {"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
              "--unshare-cgroup-try", "--disable-userns", "--uid", "65534", "--gid", "65534", "--cap-drop",
              "ALL", "--hostname", "lab", "--die-with-parent"});
  show_prefix(words, "/usr");
  for (const char* folder : {"/bin", "/lib", "/lib32", "/lib64"}) show_top_folder(words, folder);
  show(words, "/etc/alternatives");
  show(words, "/etc/ld.so.cache");
  add(words, {"--dev-bind", "/dev/null", "/dev/null"});
  return words;
}

// The last of bubblewrap's words, and the first program inside. The limit is set there, where only processes
// of the sandbox count: outside it would count all that the user runs, and a desktop has more than 64.
void add_entrance(Words& words) {
  add(words, {"--remount-ro", "/", "--", "prlimit", "--nproc=" + std::to_string(kProcesses), "--"});
}

// A compiler outside of /usr needs its prefix too: /opt/llvm/bin/clang++ → /opt/llvm.
bool lies_under_usr(const fs::path& program) { return program.string().starts_with("/usr/"); }

Message try_out() {
  const fs::path bubblewrap = find_bubblewrap();
  const Message advice = " Install it: apt-get install bubblewrap.";
  if (bubblewrap.empty())
    return msg("There is no bubblewrap (bwrap) on this machine, so compilers cannot be walled in.{}", advice);
  base::Subprocess trial;
  trial.arguments = walls(bubblewrap);
  add_entrance(trial.arguments);
  add(trial.arguments, {"/usr/bin/env", "true"});
  trial.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C"};
  trial.folder = "/";
  trial.wall_time = std::chrono::seconds(20);
  trial.output_bytes = 64 << 10;
  const base::SubprocessResult ran = base::run(trial);
  if (ran.succeeded()) return {};
  const std::string words = ran.output.substr(0, ran.output.find('\n'));
  return msg(
      "bubblewrap ({}) does not work here{}. It needs version 0.8 and user namespaces (sysctl "
      "kernel.unprivileged_userns_clone=1, or on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0; in a "
      "container --security-opt seccomp=unconfined).",
      bubblewrap.string(), words.empty() ? Message() : msg(": {}", words));
}

}  // namespace

const Message& sandbox_problem() {
  static const Message problem = try_out();
  return problem;
}

std::string compiler_in_sandbox(const KernelCompiler& compiler) {
  std::error_code error;
  if (!compiler.toolkit.empty()) {
    if (compiler.kind == CompilerKind::Nvcc) return std::string(kSandboxToolkit) + "/bin/nvcc";
    const fs::path library = fs::canonical(compiler.path, error).lexically_relative(compiler.toolkit);
    return std::string(kSandboxToolkit) + "/" + library.string();
  }
  return lies_under_usr(compiler.path) ? compiler.path.string()
                                       : fs::canonical(compiler.path, error).string();
}

Words sandbox_command(const KernelCompiler& compiler, const fs::path& source, const std::string& name,
                      const fs::path& output) {
  const std::string root = kSandboxRoot;
  Words words = walls(find_bubblewrap());
  if (!compiler.toolkit.empty()) {
    add(words, {"--ro-bind", compiler.toolkit.string(), kSandboxToolkit});
  } else if (const fs::path program = compiler_in_sandbox(compiler); !lies_under_usr(program)) {
    show_prefix(words, program.parent_path().parent_path());
  }
  if (compiler.kind == CompilerKind::Builtin) show(words, compiler.path);
  if (compiler.kind == CompilerKind::Nvrtc)
    add(words, {"--ro-bind", nvrtc_process().string(), kSandboxNvrtcProcess});
  add(words, {"--ro-bind", (base::project_root() / "common" / "kernel").string(), root + "/common/kernel"});
  add(words, {"--ro-bind", source.string(), root + "/" + name});
  add(words, {"--bind", output.string(), kSandboxOutput});
  add(words, {"--chdir", root});
  add_entrance(words);
  return words;
}

}  // namespace lab::compile

// Programs that behave, and programs that do not.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "common/base/subprocess.h"

using namespace lab::base;
using End = SubprocessResult::End;

namespace {

Subprocess shell(const std::string& script) {
  Subprocess program;
  program.arguments = {"/bin/sh", "-c", script};
  program.environment = {"PATH=/usr/bin:/bin", "COLOR=green"};
  program.folder = "/";
  return program;
}

}  // namespace

TEST_CASE("output of both streams, exit code, environment and folder arrive") {
  const SubprocessResult result = run(shell("echo one; echo $COLOR$HOME >&2; pwd; exit 7"));
  CHECK(result.end == End::Exited);
  CHECK(result.code == 7);
  CHECK(result.output == "one\ngreen\n/\n");
}

TEST_CASE("a program that is not there is reported with its errno") {
  Subprocess program = shell("");
  program.arguments = {"/no/such/program"};
  const SubprocessResult result = run(program);
  CHECK(result.end == End::NotStarted);
  CHECK(result.code == ENOENT);
}

TEST_CASE("a program that sleeps, spins, or closes its output is ended in time, with all it started") {
  for (const char* script : {"sleep 60", "trap '' TERM INT HUP QUIT; sleep 60; sleep 60",
                             "while :; do :; done", "exec >&- 2>&-; sleep 60", "sleep 60 & sleep 60"}) {
    CAPTURE(script);
    Subprocess program = shell(script);
    program.wall_time = std::chrono::milliseconds(200);
    const SubprocessResult result = run(program);
    CHECK(result.end == End::TimedOut);
    CHECK(result.seconds < 5);
  }
}

TEST_CASE("endless output is cut") {
  Subprocess program = shell("yes");
  program.output_bytes = 1 << 16;
  const SubprocessResult result = run(program);
  CHECK(result.end == End::TooMuchOutput);
  CHECK(result.output.size() < (1 << 18));
}

TEST_CASE("the last line of what a program said is the last that is not blank") {
  CHECK(last_line("").empty());
  CHECK(last_line(" \r\n\n").empty());
  CHECK(last_line("error: no room") == "error: no room");
  CHECK(last_line("first\nsecond \r\n\n") == "second");
}

TEST_CASE("a signal is named") {
  const SubprocessResult result = run(shell("kill -SEGV $$"));
  CHECK(result.end == End::Signalled);
  CHECK(result.code == SIGSEGV);
}

TEST_CASE("nothing of ours is inherited: open files, ignored signals, terminal, core files") {
  const int ours = open("/", O_RDONLY);  // without O_CLOEXEC
  REQUIRE(ours > 2);
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGUSR1, SIG_IGN);
  sigset_t held, before;
  sigemptyset(&held);
  sigaddset(&held, SIGXCPU);
  sigprocmask(SIG_BLOCK, &held, &before);
  const SubprocessResult result =
      run(shell("ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/$$/status | tr -d '\\t'; ulimit -c; "
                "(: </dev/tty) 2>/dev/null || echo no terminal; read -r x; echo \"[$x]\"; "
                "[ $(cut -d' ' -f6 /proc/$$/stat) -eq $$ ] && echo own session"));
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGUSR1, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  close(ours);
  CHECK(result.output ==
        "4\nSigBlk:0000000000000000\nSigIgn:0000000000000000\n0\nno terminal\n[]\nown session\n");
}

TEST_CASE("what a program leaves in its group is ended with it, and no zombie stays") {
  const SubprocessResult result = run(shell("(exec >&- 2>&-; sleep 60) & echo $!"));
  CHECK(result.end == End::Exited);
  CHECK(result.seconds < 5);
  const int left = std::atoi(result.output.c_str());
  REQUIRE(left > 1);
  const auto runs = [&] {
    std::ifstream stat("/proc/" + std::to_string(left) + "/stat");
    std::string number, name, state;
    return (stat >> number >> name >> state) && state != "Z";  // whoever is init buries it, or does not
  };
  for (int i = 0; i < 500 && runs(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(runs());
  CHECK(waitpid(-1, nullptr, WNOHANG) < 0);
  CHECK(errno == ECHILD);
}

TEST_CASE("a file that grows too large ends its writer, whatever we ignore") {
  signal(SIGXFSZ, SIG_IGN);
  Subprocess program = shell("exec dd if=/dev/zero of=\"$F\" bs=1M count=8 2>/dev/null");
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("lab-grows-" + std::to_string(getpid()));
  program.environment.push_back("F=" + file.string());
  program.output_bytes = 1 << 20;
  const SubprocessResult result = run(program);
  signal(SIGXFSZ, SIG_DFL);
  std::error_code error;
  CHECK(std::filesystem::file_size(file, error) <= (1u << 20));
  std::filesystem::remove(file, error);
  CHECK(result.end == End::Signalled);
  CHECK(result.code == SIGXFSZ);
}

TEST_CASE("memory is limited") {
  Subprocess program = shell("x=a; while :; do x=$x$x; done");
  program.memory_bytes = 64 << 20;
  const SubprocessResult result = run(program);
  CHECK_FALSE((result.end == End::Exited && result.code == 0));
  CHECK(result.end != End::TimedOut);
}

// Programs that behave, and programs that do not.
#include <doctest/doctest.h>
#include <signal.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <string>

#include "common/harness/subprocess.h"

using namespace lab::harness;
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
  for (const char* script :
       {"sleep 60", "while :; do :; done", "exec >&- 2>&-; sleep 60", "sleep 60 & sleep 60"}) {
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

TEST_CASE("a signal is named") {
  const SubprocessResult result = run(shell("kill -SEGV $$"));
  CHECK(result.end == End::Signalled);
  CHECK(result.code == SIGSEGV);
}

TEST_CASE("memory is limited") {
  Subprocess program = shell("x=a; while :; do x=$x$x; done");
  program.memory_bytes = 64 << 20;
  const SubprocessResult result = run(program);
  CHECK_FALSE((result.end == End::Exited && result.code == 0));
  CHECK(result.end != End::TimedOut);
}

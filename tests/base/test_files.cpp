// Files written whole: what is left when the writer is killed, and who takes it away.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "common/base/files.h"

namespace fs = std::filesystem;

namespace {
// A process of its own writes more than it may, and is killed in the middle.
pid_t killed_while_writing(const fs::path& path) {
  const pid_t writer = ::fork();
  if (writer == 0) {
    const rlimit no_core{0, 0}, few_bytes{10, 10};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::setrlimit(RLIMIT_FSIZE, &few_bytes);
    lab::base::write_file_atomically(path, std::string(1 << 20, 'x'));
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(writer, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  return writer;
}
}  // namespace

TEST_CASE("a draft whose writer was killed is removed, one that is being written stays") {
  const fs::path folder = fs::temp_directory_path() / ("lab-files-" + std::to_string(::getpid()));
  const fs::path records = folder / "records";
  REQUIRE(lab::base::write_file_atomically(records / "old.json", "old"));
  const pid_t writer = killed_while_writing(records / "old.json");
  CHECK(lab::base::read_file(records / "old.json") == "old");

  fs::path draft;
  for (const auto& entry : fs::directory_iterator(records))
    if (entry.path().extension() == ".tmp") draft = entry.path();
  REQUIRE_FALSE(draft.empty());
  std::string living = draft.string();
  const std::string number = "-" + std::to_string(writer) + "-";
  REQUIRE(living.find(number) != std::string::npos);
  living.replace(living.rfind(number), number.size(), "-" + std::to_string(::getpid()) + "-");
  std::ofstream(living) << "half";
  std::ofstream(records / "mine.tmp") << "no draft";

  lab::base::remove_dead_drafts(folder);
  CHECK_FALSE(fs::exists(draft));
  CHECK(fs::exists(living));
  CHECK(fs::exists(records / "mine.tmp"));
  CHECK(lab::base::read_file(records / "old.json") == "old");
  lab::base::remove_dead_drafts(folder / "missing");
  fs::remove_all(folder);
}

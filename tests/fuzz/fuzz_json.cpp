// libFuzzer target: arbitrary bytes as the JSON files that `lab` reads again: the progress of a student, and
// what a run of a program recorded. Enters: bytes. Leaves: nothing.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/base/project.h"
#include "common/course/lessons/progress.h"

namespace fs = std::filesystem;

// A project of its own: no one's progress is touched.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::string pattern = (fs::temp_directory_path() / "lab-fuzz-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  fs::create_directories(fs::path(pattern) / "common" / "kernel");
  fs::create_directories(fs::path(pattern) / ".lab");
  std::ofstream(fs::path(pattern) / "common" / "kernel" / "lab.cuh") << "\n";
  return setenv("LAB_ROOT", pattern.c_str(), 1);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::ofstream(lab::base::project_root() / ".lab" / "progress.json", std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  const lab::course::Progress progress = lab::course::Progress::load();
  if (progress.of("05_padding").points < 0) std::abort();
  return 0;
}

// What is remembered of a program, and when it is asked again.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/compile/remembered.h"

using namespace lab::compile;
namespace fs = std::filesystem;

TEST_CASE("a program is asked once, until its file or the note changes") {
  std::string pattern = (fs::temp_directory_path() / "lab-remembered-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  const fs::path folder = pattern, program = folder / "program";
  ::setenv("LAB_CACHE_DIR", (folder / "cache").c_str(), 1);
  std::ofstream(program) << "one";
  int asked = 0;
  const auto answer = [&](const std::string& text) {
    return remembered(program, "name", [&] { return ++asked, text; });
  };
  CHECK(answer("first\nline") == "first\nline");
  CHECK(answer("not asked") == "first\nline");
  CHECK(remembered(program, "another question", [] { return std::string("other"); }) == "other");
  CHECK(asked == 1);
  std::ofstream(program) << "longer";
  CHECK(answer("second") == "second");
  for (const auto& entry : fs::recursive_directory_iterator(folder / "cache")) {
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() - 1);  // a torn note
  }
  CHECK(answer("third") == "third");
  CHECK(asked == 3);
  std::ofstream(program) << "the longest";
  CHECK(answer("") == "");
  CHECK(answer("at last") == "at last");
  fs::remove(program);
  CHECK(answer("gone") == "");
  ::unsetenv("LAB_CACHE_DIR");
  fs::remove_all(folder);
}

// Texts that the golden tests read. Enters: a file's name below tests/golden, `.gz` or not, or the name of a
// file that the build generated (tools/golden/forms.py, tensor.py, wgmma.py). Leaves: its text; a file that
// cannot be read fails the test.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace lab::golden {

// A name that ends in .gz is decompressed.
inline std::string text_of(const std::string& path) {
  if (!path.ends_with(".gz")) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE_MESSAGE(file.good(), "cannot read ", path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("gzip -dc '" + path + "'").c_str(), "r"), pclose);
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 65536> part;
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe.get()))
    text.append(part.data(), n);
  REQUIRE_MESSAGE(!text.empty(), "cannot read ", path);
  return text;
}

inline std::string golden_text(const std::string& name) {
  return text_of(std::string(LAB_GOLDEN_DIR) + "/" + name);
}
inline std::string generated_text(const std::string& name) {
  return text_of(std::string(LAB_PTX_DIR) + "/" + name);
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace lab::golden

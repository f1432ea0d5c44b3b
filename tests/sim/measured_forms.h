// Which forms of instructions were compared with a GPU: those that the golden data have rows of.
//
// Enters: forms.txt, which the build generates (tools/golden/forms.py), and tests/golden/fp8_runs.txt.gz. Leaves:
// their names; docs/coverage.md counts them.
#pragma once

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>

namespace lab::golden {

inline std::set<std::string, std::less<>> measured_forms() {
  std::set<std::string, std::less<>> names;
  std::ifstream forms(LAB_PTX_DIR "/forms.txt");
  for (std::string line; std::getline(forms, line);)
    if (!line.starts_with('#')) names.insert(line.substr(0, line.find(" | ")));
  const std::string unpack = "gzip -dc '" LAB_GOLDEN_DIR "/fp8_runs.txt.gz'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(unpack.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 65536> part;
  while (const std::size_t n = pipe == nullptr ? 0 : std::fread(part.data(), 1, part.size(), pipe.get()))
    text.append(part.data(), n);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) names.insert(line.substr(0, line.find(' ')));
  if (!forms.eof() || text.empty()) throw std::runtime_error("the golden data of forms cannot be read");
  return names;
}

}  // namespace lab::golden

// The built-in compiler as a program, which ./lab starts as it starts any compiler.
//
//     lab-cucc [-DNAME=VALUE] [-I FOLDER] [-MD -MF RULE] [--variables] -o OUTPUT KERNEL
//
// Leaves: PTX in OUTPUT, the files that were read in RULE, messages on stderr. Exit code 0, 1 for a kernel
// with mistakes, 2 for a wrong command line, 3 where the first mistake may be this compiler's.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "common/compile/builtin/compiler.h"

namespace {
namespace fs = std::filesystem;

std::optional<std::string> text_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

struct Options {
  std::string input, output, rule;
  std::vector<fs::path> folders;
  std::vector<std::pair<std::string, std::string>> defines;
  bool names_variables = false;
};

Options options_of(int count, char** words) {
  Options o;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const bool has_next = i + 1 < count;
    if (word == "-o" && has_next)
      o.output = words[++i];
    else if (word == "-MF" && has_next)
      o.rule = words[++i];
    else if (word == "--variables")
      o.names_variables = true;
    else if (word.starts_with("-I"))
      o.folders.emplace_back(word.substr(2));
    else if (word.starts_with("-D")) {
      const std::size_t equals = word.find('=');
      o.defines.emplace_back(word.substr(2, equals == std::string::npos ? equals : equals - 2),
                             equals == std::string::npos ? "1" : word.substr(equals + 1));
    } else if (!word.starts_with("-"))
      o.input = word;
  }
  return o;
}

lab::cucc::FindHeader headers_in(const std::vector<fs::path>& folders) {
  return [folders](const std::string& name, const std::string& includer) -> std::optional<lab::cucc::Source> {
    std::vector<fs::path> places = {fs::path(includer).parent_path() / name};
    for (const fs::path& folder : folders) places.push_back(folder / name);
    for (const fs::path& place : places)
      if (std::optional<std::string> text = text_of(place))
        return lab::cucc::Source{place.lexically_normal().string(), std::move(*text)};
    return std::nullopt;
  };
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::string(words[1]) == "--version") return std::puts("built-in 1"), 0;
  const Options o = options_of(count, words);
  const std::optional<std::string> text = text_of(o.input);
  if (!text || o.output.empty()) {
    std::fprintf(stderr, "lab-cucc: name a kernel file that can be read, and -o OUTPUT\n");
    return 2;
  }
  const lab::cucc::Result result =
      lab::cucc::compile({{o.input, *text}, o.defines, headers_in(o.folders), o.names_variables});
  std::fputs(result.log.c_str(), stderr);
  if (!result.ok) return result.is_unknown ? lab::cucc::kExitUnknown : 1;
  std::ofstream(o.output, std::ios::binary) << result.ptx;
  if (!o.rule.empty()) {
    std::ofstream rule(o.rule, std::ios::binary);
    rule << o.output << ": " << o.input;
    for (const std::string& header : result.headers)
      if (!header.starts_with("<")) rule << " \\\n  " << header;
    rule << "\n";
  }
  return 0;
}

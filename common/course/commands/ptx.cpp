// `lab ptx FILE`: what a compiler made of a kernel, beside its source, line by line.
//
// Enters: a kernel file, a compiler. Leaves: each line of the source that became instructions, and these
// below it; or the PTX as it is. docs/ptx.md reads one kernel with the student.
#include <fmt/core.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <vector>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/course/commands/commands.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/report/json.h"

namespace lab::cli {
namespace {

struct PtxOptions {
  std::string file;
  bool raw = false, json = false;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The number of the kernel file among the rows `.file 1 "…"`.
int file_number(const std::vector<std::string>& ptx, const std::string& shown) {
  for (const std::string& line : ptx) {
    const std::size_t at = line.find(".file");
    if (at != std::string::npos && line.find('"' + shown + '"') != std::string::npos)
      return std::atoi(line.c_str() + at + 5);
  }
  return 1;
}

// Instructions of each line of the file. What was inlined counts where it was called from; other files' lines
// count where the file's own line before them does.
std::map<int, std::vector<std::string>> by_line(const std::vector<std::string>& ptx, int file) {
  std::map<int, std::vector<std::string>> lines;
  int line = 0;
  bool inside = false;
  for (const std::string& row : ptx) {
    const std::size_t loc = row.find(".loc");
    if (row.starts_with("{")) inside = true;
    if (row.starts_with("}")) inside = false;
    if (loc != std::string::npos) {
      int number = 0, at = 0;
      const std::size_t call = row.find("inlined_at ");
      std::istringstream words(row.substr(call == std::string::npos ? loc + 4 : call + 11));
      words >> number >> at;
      if (number == file) line = at;
    } else if (inside && !row.empty() && row.find_first_not_of(" \t{}") != std::string::npos &&
               row.find("//") == std::string::npos && row.find(".reg") == std::string::npos) {
      lines[line].push_back(row.substr(row.find_first_not_of(" \t")));
    }
  }
  return lines;
}

int ptx(const Session& session, const PtxOptions& options) {
  const compile::CompileResult compiled =
      explore::compiled_kernel(options.file, compile::kind_named(session.compiler));
  if (options.raw) return fmt::print("{}", compiled.ptx()), 0;
  const std::vector<std::string> source = lines_of(base::read_file(options.file).value_or(""));
  const std::vector<std::string> text = lines_of(compiled.ptx());
  const std::map<int, std::vector<std::string>> lines =
      by_line(text, file_number(text, base::shown_path(options.file)));
  report::Json rows = report::Json::array();
  for (const auto& [number, instructions] : lines) {
    const bool known = number > 0 && static_cast<std::size_t>(number) <= source.size();
    const std::string line = known ? source[static_cast<std::size_t>(number) - 1] : "";
    rows.push_back({{"line", number}, {"source", line}, {"ptx", instructions}});
    if (options.json) continue;
    fmt::print("{:>4}  {}\n", number, line);
    for (const std::string& i : instructions) fmt::print("          {}\n", i);
  }
  if (options.json)
    print_json({{"kernel", base::shown_path(options.file)},
                {"compiler", compile::name(compiled.compiler.kind)},
                {"lines", rows}});
  return 0;
}

}  // namespace

Command ptx_command(const Session& session) {
  static PtxOptions options;
  Command command{"ptx",
                  "Shows what a compiler made of a kernel, beside its source.\n"
                  "Example: ./lab ptx chapters/01_naive/transpose.cu"};
  command.option("file", options.file, "The kernel file").required();
  command.option("--raw", options.raw, "The PTX as it is");
  command.json(options.json);
  command.run = [&session] { return ptx(session, options); };
  return command;
}

}  // namespace lab::cli

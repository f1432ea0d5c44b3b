// `lab dap`: a debugger in an editor steps through a recording, by the Debug Adapter Protocol.
//
// Enters: messages on standard input, each behind a header with its length. Leaves: messages on standard output,
// until `disconnect` or the end of the input. What is no message is named and passed over.
#include <fmt/core.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <optional>

#include "common/base/errors.h"
#include "common/course/commands/commands.h"
#include "common/course/commands/dap_session.h"

namespace lab::cli {
namespace {

constexpr std::size_t kMostHeaderBytes = 4096, kMostBodyBytes = 16u << 20;
constexpr std::string_view kLength = "Content-Length:";

// Up to the end of the line, without it; of one that is longer its beginning. None: the end of the input.
std::optional<std::string> header_line() {
  std::string line;
  for (int c = 0; (c = std::getchar()) != '\n';) {
    if (c == EOF) return std::nullopt;
    if (line.size() < kMostHeaderBytes) line += static_cast<char>(c);
  }
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

// The text of the next message; empty where its header names no length, or too large a one. None: the end.
std::optional<std::string> next_message() {
  std::size_t length = 0;
  for (;;) {
    const std::optional<std::string> line = header_line();
    if (!line) return std::nullopt;
    if (line->empty()) break;
    if (!line->starts_with(kLength)) continue;
    const std::size_t digits = line->find_first_not_of(' ', kLength.size());
    length = 0;
    if (digits != std::string::npos)
      std::from_chars(line->data() + digits, line->data() + line->size(), length);
  }
  std::string text(std::min(length, kMostBodyBytes), '\0');
  if (std::fread(text.data(), 1, text.size(), stdin) != text.size()) return std::nullopt;
  if (length <= kMostBodyBytes) return text;
  for (std::size_t left = length - kMostBodyBytes; left != 0; --left)
    if (std::getchar() == EOF) return std::nullopt;
  return "";
}

int dap(const Session& session) {
  if (::isatty(STDIN_FILENO) != 0)
    throw base::UsageError(
        "lab dap is started by an editor, which talks to it (docs/editors.md); here, use lab step.");
  DapSession debugger(compile::kind_named(session.compiler));
  int number = 0;
  while (!debugger.over()) {
    const std::optional<std::string> text = next_message();
    if (!text) break;
    for (Json& message : debugger.answer(*text)) {
      message["seq"] = ++number;
      const std::string body = message.dump();
      fmt::print("Content-Length: {}\r\n\r\n{}", body.size(), body);
    }
    if (std::fflush(stdout) != 0) break;
  }
  return static_cast<int>(base::ExitCode::Passed);
}

}  // namespace

Command dap_command(const Session& session) {
  Command command{
      "dap",
      "Lets an editor's debugger step through a kernel, on and back, by the Debug Adapter Protocol.\n"
      "Example: ./lab dap"};
  command.run = [&session] { return dap(session); };
  return command;
}

}  // namespace lab::cli

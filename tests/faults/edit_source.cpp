// Lines of a kernel, and where a statement may stand between them. See edit_source.h.
#include "tests/faults/edit_source.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string_view>

namespace lab::test {
namespace {

bool heads_loop(const std::string& line) {
  return (line.find("for (") != std::string::npos || line.find("while (") != std::string::npos) &&
         line.ends_with("{");
}

}  // namespace

Source::Source(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line.substr(0, line.find("  //")));
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
}

std::string Source::text() const {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

bool Source::starts(int line) const {
  if (!has(line - 1)) return false;
  const std::size_t last = at(line - 1).find_last_not_of(' ');
  return last == std::string::npos ||
         std::string_view(";{}").find(at(line - 1)[last]) != std::string_view::npos;
}

int Source::depth_change(int line) const {
  return static_cast<int>(std::count(at(line).begin(), at(line).end(), '{') -
                          std::count(at(line).begin(), at(line).end(), '}'));
}

bool Source::put_before(int line, const std::string& statement) {
  if (!has(line) || !starts(line)) return false;
  while (has(line) && at(line).starts_with('#')) --line;  // nothing stands before a #pragma on its line
  if (!has(line)) return false;
  const bool above = has(line + 1) && at(line + 1).starts_with('#');
  at(line) = above ? at(line) + " " + statement : statement + " " + at(line);
  return true;
}

bool Source::put_behind(int line, const std::string& statement) {
  if (!has(line) || (has(line + 1) && !starts(line + 1))) return false;
  at(line) += " " + statement;
  return true;
}

bool Source::declare(const std::string& declaration) {
  const int head = head_of_kernel();
  if (head != 0) at(head) = declaration + " " + at(head);
  return head != 0;
}

int Source::end_of_loop(int line) const {
  while (line > 0 && !heads_loop(at(line))) --line;
  for (int depth = 0, k = line; line != 0 && has(k); ++k) {
    depth += depth_change(k);
    if (depth <= 0) return k;
  }
  return 0;
}

int Source::gap_of(const sim::Edit& edit) const {
  if (edit.before == 0 || edit.after == edit.before) return 0;
  if (edit.in_loop) return end_of_loop(std::min(edit.after, edit.before));
  int best = 0, depth = 0, least = 1 << 20;
  for (int line = edit.after == 0 ? edit.before : edit.after + 1; line <= edit.before && has(line); ++line) {
    if (starts(line) && depth <= least) best = line, least = depth;
    depth += depth_change(line);
  }
  return best;
}

int Source::end_of_braces(int line) const {
  for (int depth = 0, k = line + 1; has(k); ++k) {
    depth += depth_change(k);
    if (depth < 0) return k;
  }
  return 0;
}

int Source::declaration_of(const std::string& name, int before, const std::string& kind) const {
  const std::regex declares(kind + ".*\\b" + name + R"((\[|;|,|\s*=))");
  for (int line = std::min(before, static_cast<int>(lines.size())); line > 0; --line)
    if (std::regex_search(at(line), declares)) return line;
  return 0;
}

int Source::head_of_kernel() const {
  for (int line = 1; has(line); ++line)
    if (at(line).find("__global__") != std::string::npos && at(line).ends_with("{")) return line;
  return 0;
}

}  // namespace lab::test

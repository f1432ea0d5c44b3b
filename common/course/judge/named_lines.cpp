// Lines that a reason names. See named_lines.h.
#include "common/course/judge/named_lines.h"

#include <algorithm>
#include <sstream>

#include "common/base/cpp_text.h"

namespace lab::judge {

Message line_list(const std::set<int>& lines) {
  Message numbers;
  for (const int line : lines)
    numbers = numbers.empty() ? msg("{}", text::Line{line}) : msg("{}, {}", numbers, text::Line{line});
  return lines.size() == 1 ? msg("line {}", numbers) : msg("lines {}", numbers);
}

std::set<int> lines_with(const std::string& file, const std::function<bool(const std::string&)>& is) {
  std::set<int> lines;
  std::istringstream text(base::without_comments(kernel_text(file)));
  std::string here;
  for (int line = 1; std::getline(text, here); ++line)
    if (is(here)) lines.insert(line);
  return lines;
}

void blame_return(Reason& reason, const EarlyReturn& early, const std::string& file) {
  reason.facts.emplace_back("return-before-barrier");
  if (reason.line == 0) reason.file = file, reason.line = early.line;
  reason.message.line(early.line < early.barrier_line
                          ? msg("The `return` of line {} stands before the barrier of line {}: a thread that "
                                "leaves there does nothing of what comes after. Guard the access instead.",
                                text::Line{early.line}, text::Line{early.barrier_line})
                          : msg("The `return` of line {} ends the loop for its thread, and others wait at "
                                "the barrier of line "
                                "{}: every thread must come to it. Guard the access instead.",
                                text::Line{early.line}, text::Line{early.barrier_line}));
}

void name_constants(Reason& reason, const std::string& file, const std::set<int>& lines) {
  const std::set<int> constants = constants_of(kernel_text(file), lines);
  if (!constants.empty() && constants.size() <= kMostNamed)
    reason.message.line(msg("Its constants get their values at {}.", line_list(constants)));
}

void name_rows(Reason& reason, const std::string& file, int line) {
  const std::string here = line_of(base::without_comments(kernel_text(file)), line);
  std::string array;
  const std::set<int> lines = lines_with(file, [&](const std::string& declared) {
    const std::size_t open = declared.find('[');
    if (declared.find("__shared__ ") == declared.npos || open == declared.npos) return false;
    array = declared.substr(declared.rfind(' ', open) + 1, open - declared.rfind(' ', open));
    return here.find(array) != here.npos;
  });
  if (lines.size() == 1)
    reason.message.line(msg("The length of its rows is declared at {}.", line_list(lines)));
}

// Where an index is computed from the number of the block, or of the thread too: no access, and no loop.
void name_origins(Reason& reason, const std::string& file, bool of_blocks) {
  const auto computes = [](const std::string& line) {
    return line.find(" = ") != line.npos && line.find_first_of("[;") == line.rfind(';');
  };
  const std::set<int> lines = lines_with(file, [&](const std::string& line) {
    return computes(line) &&
           (line.find("blockIdx.") != line.npos || (!of_blocks && line.find("threadIdx.") != line.npos));
  });
  if (lines.empty() || lines.size() > kMostNamed || lines == std::set{reason.line}) return;
  reason.message.line(msg("Which row and column a thread has is computed at {}.", line_list(lines)));
  if (of_blocks) name_constants(reason, file, lines);
}

void name_shares(Reason& reason, const std::string& file) {
  constexpr std::size_t kMostShares = 8;
  const std::set<int> lines = lines_with(file, [](const std::string& line) {
    return line.find("gpus.") != line.npos || line.find("blockIdx.") != line.npos;
  });
  if (!lines.empty() && lines.size() <= kMostShares)
    reason.message.line(msg("Which GPU has which rows and columns is computed at {}.", line_list(lines)));
}

void name_helpers(Reason& reason, const std::string& file, const std::set<int>& lines) {
  const std::string text = kernel_text(file);
  std::set<int> helpers = helpers_of(text, lines);
  // As much as a reader can check: two steps of definitions, one, or of these what the thread decides.
  for (int steps = 2; steps >= 0; --steps) {
    std::set<int> found = helpers;
    for (const int line : lines) found.merge(definitions_of(text, line, std::max(steps, 1)));
    if (steps == 0)
      std::erase_if(found, [&](int line) {
        return !helpers.contains(line) && line_of(text, line).find("threadIdx.") == std::string::npos;
      });
    if (found.size() > kMostNamed + 1) continue;
    helpers = std::move(found);
    break;
  }
  if (helpers.empty() || helpers.size() > kMostNamed + 1) return;
  reason.message.line(msg("The place in shared memory is computed at {}.", line_list(helpers)));
}

void name_guards(Reason& reason, const std::string& file, const std::set<int>& lines,
                 bool what_they_compare) {
  const std::string text = kernel_text(file);
  std::set<int> guards = guards_of(text, lines, true);
  if (guards.size() > kMostNamed) guards = guards_of(text, lines);
  std::set<int> wider = guards;
  for (const int guard : what_they_compare ? guards : std::set<int>{})
    wider.merge(definitions_of(text, guard, 1));
  if (wider.size() <= kMostNamed) guards = std::move(wider);
  std::erase_if(guards, [&](int line) { return lines.contains(line); });  // these are named
  if (guards.empty() || guards.size() > kMostNamed) return;
  reason.message.line(
      msg("Which elements get there is decided at {}: all that the matrix has, and no others?",
          line_list(guards)));
}

void name_calls(Reason& reason, const std::string& file, const std::set<int>& lines) {
  const std::set<int> calls = calls_of(kernel_text(file), lines);
  const bool all_named = std::includes(lines.begin(), lines.end(), calls.begin(), calls.end());
  if (!all_named && calls.size() <= kMostNamed + 1)
    reason.message.line(msg("The functions that move it are called at {}.", line_list(calls)));
}

void name_loops(Reason& reason, const std::string& file, const std::set<int>& lines) {
  const std::string text = kernel_text(file);
  std::set<int> loops = loops_around(text, lines);
  if (loops.empty()) loops = loops_around(text, calls_of(text, lines));
  if (loops.empty() || loops.size() > kMostNamed) return;
  reason.message.line(
      msg("Which places a thread takes is decided at {} too: do start, step and end of a loop there fit "
          ".block and the tile?",
          line_list(loops)));
  name_constants(reason, file, loops);
}

}  // namespace lab::judge

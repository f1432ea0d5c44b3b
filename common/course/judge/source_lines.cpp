// Lines that decide what happens on other lines. See source_lines.h.
#include "common/course/judge/source_lines.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/cpp_text.h"
#include "common/base/project.h"
#include "common/base/source_text.h"

namespace lab::judge {

using base::code_tokens;
using Tokens = std::vector<std::string_view>;

std::string line_of(const std::string& source, int line) {
  std::size_t begin = 0;
  for (int at = 1; at < line && begin != source.npos; ++at)
    if ((begin = source.find('\n', begin)) != source.npos) ++begin;
  return begin == source.npos ? std::string() : source.substr(begin, source.find('\n', begin) - begin);
}

std::string with_line(const std::string& source, int line, const std::string& text) {
  std::size_t begin = 0;
  for (int at = 1; at < line; ++at) begin = source.find('\n', begin) + 1;
  std::string changed = source;
  return changed.replace(begin, line_of(source, line).size(), text);
}

std::string kernel_text(const std::string& file) {
  const std::filesystem::path path = base::file_shown_as(file);
  if (path.extension() != ".cu" && path.extension() != ".cuh") return {};  // #line names any file
  return base::read_source_text(path).value_or("");
}

namespace {

int line_at(const std::string& code, std::size_t place) {
  return static_cast<int>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(place), '\n')) +
         1;
}

// Behind the statement that begins here: its `;`, or the brace that closes it.
std::size_t end_of_statement(const std::string& code, std::size_t at) {
  int round = 0, braces = 0;
  for (; at < code.size(); ++at) {
    round += (code[at] == '(') - (code[at] == ')');
    braces += (code[at] == '{') - (code[at] == '}');
    if (braces < 0 || (braces == 0 && round == 0 && (code[at] == ';' || code[at] == '}'))) break;
  }
  return at;
}

}  // namespace

std::set<int> loops_around(const std::string& source, const std::set<int>& lines) {
  const std::string code = base::without_comments(source);
  std::set<int> loops;
  std::map<int, int> innermost;  // by line: where its loop begins, the last one that holds it
  for (const std::string_view word : code_tokens(code)) {
    if (word != "for" && word != "while") continue;
    const auto at = static_cast<std::size_t>(word.data() - code.data());
    const int first = line_at(code, at), last = line_at(code, end_of_statement(code, at));
    for (const int line : lines)
      if (first <= line && line <= last) {
        if (const auto known = innermost.find(line); known != innermost.end() && first == line)
          loops.insert(known->second);  // the inner loop is all on this line
        innermost[line] = first;
      }
  }
  for (const auto& [line, loop] : innermost) loops.insert(loop);
  return loops;
}

namespace {

std::set<std::string> names_in(const std::string& line) {
  std::set<std::string> names;
  for (const std::string_view word : code_tokens(line))
    if (base::in_word(word.front())) names.emplace(word);
  return names;
}

// Lines that give a name a value which hangs on how a row or column compares with `rows` or `cols`, and the name.
std::vector<std::pair<int, std::string>> comparisons_in(const std::string& code) {
  std::vector<std::pair<int, std::string>> found;
  const int last = line_at(code, code.size());
  for (int line = 1; line <= last; ++line) {
    const Tokens words = code_tokens(line_of(code, line));
    const auto given = std::find(words.begin(), words.end(), "=");
    const auto compared = std::find(given, words.end(), "<");
    if (given == words.begin() || compared == words.end() || words.front() == "for" || words.front() == "if")
      continue;
    const auto side =
        std::find_if(compared, words.end(), [](std::string_view w) { return w == "rows" || w == "cols"; });
    if (side != words.end() && side - compared <= 2) found.emplace_back(line, *(given - 1));
  }
  return found;
}

}  // namespace

std::set<int> guards_of(const std::string& source, const std::set<int>& lines, bool equalities) {
  const std::string code = base::without_comments(source);
  std::set<int> guards;
  std::vector<std::pair<int, int>> ways_out;  // depth and line of an `if (…) return;` that may end the block
  int depth = 0, here = 1;
  for (std::size_t at = 0; at < code.size(); ++at) {
    depth += (code[at] == '{') - (code[at] == '}');
    while (!ways_out.empty() && ways_out.back().first > depth) ways_out.pop_back();
    if (code[at] == '\n' && lines.contains(here++))
      for (const auto& [_, line] : ways_out) guards.insert(line);
    const bool begins = (at == 0 || !base::in_word(code[at - 1])) && code.compare(at, 3, "if ") == 0;
    if (!begins) continue;
    const std::string statement = code.substr(at, end_of_statement(code, at) - at);
    const std::string condition = statement.substr(0, statement.find(") "));
    if (condition.find_first_of("<>") == condition.npos &&
        (!equalities || condition.find("==") == condition.npos))
      continue;
    const int first = here, last = line_at(code, at + statement.size());
    if (lines.lower_bound(first) != lines.upper_bound(last)) guards.insert(first);
    if (statement.find("return") != statement.npos || statement.find("continue") != statement.npos)
      ways_out.emplace_back(depth, first);
  }
  // `const bool there = row < rows && col < cols;`
  for (const auto& comparison : comparisons_in(code))
    if (std::any_of(lines.begin(), lines.end(), [&](int use) {
          return comparison.first < use && names_in(line_of(code, use)).contains(comparison.second);
        }))
      guards.insert(comparison.first);
  return guards;
}

std::set<int> definitions_of(const std::string& source, int line, int steps) {
  const std::string code = base::without_comments(source);
  std::set<int> found, todo = {line};
  for (int step = 0; step < steps; ++step) {
    std::set<int> next;
    for (const int use : todo)
      for (const std::string& name : names_in(line_of(code, use)))
        for (int above = use - 1; above > 0; --above) {
          const std::string here = line_of(code, above);
          if (here.find("__global__") != here.npos || here.find("__device__") != here.npos) break;
          const std::size_t at = here.find(name + " = ");
          if (at == here.npos || (at > 0 && base::in_word(here[at - 1]))) continue;
          if (here.find("for (") == here.npos && here.find("constexpr") == here.npos) next.insert(above);
          break;
        }
    found.insert(next.begin(), next.end());
    todo = std::move(next);
  }
  return found;
}

std::set<int> constants_of(const std::string& source, const std::set<int>& lines) {
  const std::string code = base::without_comments(source);
  std::set<int> found, todo = lines;
  while (!todo.empty()) {
    std::set<int> next;
    for (const int use : todo)
      for (const std::string& name : names_in(line_of(code, use)))
        if (const std::size_t at = code.find(" " + name + " = ");
            at != code.npos && line_of(code, line_at(code, at)).find("constexpr ") != std::string::npos)
          next.insert(line_at(code, at));
    std::erase_if(next, [&](int line) { return !found.insert(line).second; });
    todo = std::move(next);
  }
  return found;
}

std::set<int> branches_around(const std::string& source, int line) {
  const std::string code = base::without_comments(source);
  std::set<int> found;
  for (std::size_t at = code.find("if ("); at != code.npos; at = code.find("if (", at + 1)) {
    const int first = line_at(code, at);
    if (first > line || line_at(code, end_of_statement(code, at)) < line) continue;
    found.insert(first);
    std::size_t end = at + 4;
    while (end < code.size() && base::in_word(code[end])) ++end;
    const std::string name = code.substr(at + 4, end - at - 4);
    const std::size_t declared = name.empty() ? code.npos : code.rfind("bool " + name + " =", at);
    if (declared != code.npos) found.insert(line_at(code, declared));
  }
  return found;
}

namespace {

struct Helper {
  std::string_view name;
  int first = 0, last = 0;  // lines
};

// `__device__ int place(…)` and `const auto at = [`.
std::vector<Helper> helpers_in(const std::string& code, const Tokens& words) {
  std::vector<Helper> helpers;
  bool device = false;
  int depth = 0;
  for (std::size_t at = 1; at + 2 < words.size(); ++at) {
    depth += (words[at] == "{") - (words[at] == "}");
    if (words[at - 1] == "__device__") device = true;
    if (words[at] == ";" || words[at] == "{") device = false;
    const bool lambda = words[at - 1] == "auto" && words[at + 1] == "=" && words[at + 2] == "[";
    if (!base::in_word(words[at].front()) || !(lambda || (device && depth == 0 && words[at + 1] == "(")))
      continue;
    const auto begin = static_cast<std::size_t>(words[at].data() - code.data());
    helpers.push_back({words[at], line_at(code, begin), line_at(code, end_of_statement(code, begin))});
    device = false;
  }
  return helpers;
}

}  // namespace

std::set<int> helpers_of(const std::string& source, std::set<int> lines) {
  const std::string code = base::without_comments(source);
  const Tokens words = code_tokens(code);
  const std::vector<Helper> helpers = helpers_in(code, words);
  std::set<std::string_view> called;
  std::set<int> found;
  for (std::size_t had = helpers.size() + 1; had != called.size();) {
    had = called.size();
    for (std::size_t at = 0; at + 1 < words.size(); ++at) {
      if (words[at + 1] != "(" || called.contains(words[at])) continue;
      const int here = line_at(code, static_cast<std::size_t>(words[at].data() - code.data()));
      for (const Helper& helper : helpers) {
        if (helper.name != words[at] || !lines.contains(here) ||
            (helper.first <= here && here <= helper.last))
          continue;
        called.insert(helper.name);
        for (int line = helper.first; line <= helper.last; ++line) {
          lines.insert(line);
          if (line_of(code, line).find("return") != std::string::npos) found.insert(line);
        }
      }
    }
  }
  return found;
}

std::set<int> calls_of(const std::string& source, const std::set<int>& lines) {
  const std::string code = base::without_comments(source);
  const Tokens words = code_tokens(code);
  std::set<int> found;
  for (const Helper& helper : helpers_in(code, words)) {
    if (lines.lower_bound(helper.first) == lines.upper_bound(helper.last)) continue;
    for (std::size_t at = 0; at + 1 < words.size(); ++at) {
      const int here = line_at(code, static_cast<std::size_t>(words[at].data() - code.data()));
      if (words[at] == helper.name && words[at + 1] == "(" && (here < helper.first || here > helper.last))
        found.insert(here);
    }
  }
  return found;
}

// `if (row >= rows) return;`: whether the words before a return are such a comparison, with or without a
// brace. A way of its own that ends with a return leaves nothing undone.
bool is_guard(const Tokens& words, std::size_t at) {
  at -= at > 0 && words[at - 1] == "{";
  if (at == 0 || words[at - 1] != ")") return false;
  int depth = 0;
  while (at-- > 0) {
    depth += (words[at] == ")") - (words[at] == "(");
    if (depth == 0) return false;
    if (words[at].front() == '<' || words[at].front() == '>') return true;
  }
  return false;
}

// Each bare `return` and each barrier of the file, with their lines, function by function.
template <class Act>
void for_each_end(const std::string& source, const Act& act) {
  const std::string code = base::without_comments(source);
  const Tokens words = code_tokens(code);
  int depth = 0, function = 0;
  for (std::size_t at = 0; at + 1 < words.size(); ++at) {
    if (words[at] == "{" && depth++ == 0) ++function;
    if (words[at] == "}") --depth;
    const bool barrier = words[at] == "__syncthreads" || words[at] == "sync_cluster";
    if (!barrier && (words[at] != "return" || words[at + 1] != ";")) continue;
    const int line = line_at(code, static_cast<std::size_t>(words[at].data() - code.data()));
    act(function, line, barrier, !barrier && is_guard(words, at));
  }
}

EarlyReturn return_before_barrier(const std::string& source) {
  EarlyReturn found;
  int line = 0, left = -1;  // and the function that it leaves
  for_each_end(source, [&](int function, int here, bool barrier, bool guard) {
    if (guard && left != function) left = function, line = here;
    if (barrier && left == function && found.line == 0) found = {line, here};
  });
  return found;
}

EarlyReturn return_past_barrier(const std::string& source, int barrier_line) {
  int inside = 0;
  for_each_end(source, [&](int function, int here, bool, bool) {
    if (here == barrier_line) inside = function;
  });
  EarlyReturn found;
  for_each_end(source, [&](int function, int here, bool barrier, bool) {
    if (!barrier && function == inside && (here < barrier_line || found.line == 0))
      found = {here, barrier_line};
  });
  return found;
}

int only_return_beside(const std::string& source, int line) {
  const std::string code = base::without_comments(source);
  int depth = 0, function = 0, here = 1;
  for (std::size_t at = 0; at < code.size() && here <= line; ++at) {
    here += code[at] == '\n';
    if (code[at] == '{' && depth++ == 0) ++function;
    depth -= code[at] == '}';
  }
  int returns = 0, only = 0;
  for_each_end(source, [&](int in, int at, bool barrier, bool) {
    if (in == function && !barrier) ++returns, only = at;
  });
  return depth > 0 && returns == 1 ? only : 0;
}

}  // namespace lab::judge

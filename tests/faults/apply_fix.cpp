// Edits of a kernel's text, one for each kind of edit. See apply_fix.h.
//
// Enters: the text, and a list of edits as a finding carries them. Leaves: the text with all of them made.
// Statements are put on the line that stands there, so that lines keep their numbers.
#include "tests/faults/apply_fix.h"

#include <algorithm>
#include <regex>
#include <set>

#include "tests/faults/edit_places.h"
#include "tests/faults/edit_source.h"

namespace lab::test {
namespace {

using sim::Edit;

bool insert(Source& source, const Edit& edit) {
  if (edit.before == 0) return source.put_behind(edit.after, edit.code);
  if (edit.after == 0) return source.put_before(edit.before, edit.code);
  // One line, again and again: between two runs of it.
  const int gap = edit.in_loop ? source.end_of_loop(std::min(edit.after, edit.before)) : source.gap_of(edit);
  return gap != 0 && source.put_before(gap, edit.code);
}

// Zeros for what is read before it is written.
bool zero(Source& source, const Edit& edit) {
  if (edit.variable.empty()) {  // an array of the thread
    for (int line = edit.before; line > 0; --line) {
      std::smatch found;
      static const std::regex kArray(R"(^(\s*(?:int|float|char|double)\s+\w+(?:\[\w+\])+);)");
      if (!std::regex_search(source.at(line), found, kArray)) continue;
      source.at(line) = found[1].str() + " = {};" + found.suffix().str();
      return true;
    }
    return false;
  }
  const int head = source.head_of_kernel(),
            declared = source.declaration_of(edit.variable, edit.before, "__shared__");
  if (declared == 0) return false;
  return source.put_behind(std::max(head, declared), "for (unsigned k_ = threadIdx.x; k_ < sizeof " +
                                                         edit.variable +
                                                         "; k_ += blockDim.x) ((volatile char*)&" +
                                                         edit.variable + ")[k_] = 0; __syncthreads();");
}

// The barrier leaves its branch: it goes behind the statement or the braces that hold it. Two barriers of two
// branches become one, in front of the first branch.
bool move(Source& source, const Edit& edit) {
  const auto take_out = [&](int line) {
    const std::size_t at = source.has(line) ? source.at(line).find(edit.code) : std::string::npos;
    if (at != std::string::npos) source.at(line).erase(at, edit.code.size());
    return at != std::string::npos;
  };
  if (edit.after != 0) {
    int head = std::min(edit.after, edit.before);
    for (int depth = 0; head > 0 && depth <= 0; --head) depth += source.depth_change(head);
    return take_out(edit.after) && take_out(edit.before) && source.put_before(head + 1, edit.code);
  }
  std::string& line = source.at(edit.before);
  const std::size_t at = line.find(edit.code), branch = line.find("if (");
  if (!take_out(edit.before)) return false;
  if (branch < at) {
    line = line.substr(0, branch) + edit.code + line.substr(at);
    return true;
  }
  const int end = source.end_of_braces(edit.before);
  return end != 0 && source.put_behind(end, edit.code);
}

bool replace_in_lines(Source& source, int first, int last, const char* what, const std::string& by) {
  bool changed = false;
  for (int line = std::max(first, 1); line <= last && source.has(line); ++line) {
    const std::string now = std::regex_replace(source.at(line), std::regex(what), by);
    changed = changed || now != source.at(line);
    source.at(line) = now;
  }
  return changed;
}

bool widen(Source& source, const Edit& edit) {
  return replace_in_lines(source, edit.after, edit.before,
                          "(__threadfence|atomic[A-Z]\\w*|(?:store|load)_\\w+)_block\\b", "$1") ||
         replace_in_lines(source, edit.after, edit.before, "\\.cta\\b", ".gpu");
}

// Which lines before `gap` the rest needs: declarations of what it names, and of what those name; early
// returns. Memory of the block does not outlive a launch.
bool lines_needed(const Source& source, int head, int gap, std::string& needed) {
  static const std::regex kDeclared(
      R"(^\s*(?:const |unsigned |volatile )*\w+[ *&]+(?:const )?(\w+)(?:\[[^=]*\])? ?[=;,])"),
      kShared(R"(__shared__.*?\b(\w+)(?:\[|;))"), kNext(R"(, (\w+) = )");
  std::string rest;
  for (int line = gap; source.has(line); ++line) rest += source.at(line) + "\n";
  const auto names = [&](const std::string& name) {
    return std::regex_search(rest, std::regex("\\b" + name + "\\b"));
  };
  for (int line = gap - 1; line > head; --line) {
    const std::string& text = source.at(line);
    std::smatch found;
    if (std::regex_search(text, found, kShared)) {
      if (names(found[1].str())) return false;
      continue;
    }
    const bool returns = text.find("return;") != std::string::npos;
    bool wanted = returns || (std::regex_search(text, found, kDeclared) && names(found[1].str()));
    if (!returns && std::regex_search(text, kDeclared) && std::regex_search(text, found, kNext))
      wanted = wanted || names(found[1].str());
    if (!wanted) continue;
    needed = text + " " + needed;
    rest += text + "\n";
  }
  return true;
}

// The line where the second launch begins holds the head of its kernel.
bool split_kernel(Source& source, const Edit& edit) {
  const int head = source.head_of_kernel(),
            gap = source.gap_of({Edit::What::Insert, edit.after, edit.before});
  if (head == 0 || gap <= head) return false;
  int depth = 0;
  for (int line = head; line < gap; ++line) depth += source.depth_change(line);
  std::string needed;
  if (depth != 1 || !lines_needed(source, head, gap, needed)) return false;
  const std::string second = std::regex_replace(source.at(head), std::regex(R"(\bkernel\()"), "kernel_then(");
  return source.put_before(gap, "} " + second + " " + needed);
}

// The lock is given back where the statements end among which it was taken.
bool give_back(Source& source, const Edit& edit) {
  std::smatch found;
  static const std::regex kTakes(R"(while \(atomicCAS(?:_block)?\(([^,]*), (\w+), )");
  if (!std::regex_search(source.at(edit.before), found, kTakes)) return false;
  const int end = source.end_of_braces(edit.before);
  return end != 0 && source.put_before(
                         end, "__threadfence(); atomicExch(" + found[1].str() + ", " + found[2].str() + ");");
}

bool apply(Source& source, const Edit& edit) {
  const int line = std::max(edit.before, edit.after);
  if (edit.what != Edit::What::Declare && !source.has(line)) return false;
  switch (edit.what) {
    case Edit::What::Insert:
      return insert(source, edit);
    case Edit::What::Declare:
      return source.declare(edit.code);
    case Edit::What::Zero:
      return zero(source, edit);
    case Edit::What::Move:
      return move(source, edit);
    case Edit::What::Widen:
      return widen(source, edit);
    case Edit::What::Mask:
      return replace_in_lines(source, edit.before, edit.before, R"((__\w+_sync\()[^,]*,)",
                              "$1" + edit.code + ",");
    case Edit::What::SplitKernel:
      return split_kernel(source, edit);
    case Edit::What::GiveBack:
      return give_back(source, edit);
    default:
      return change_place(source, edit);
  }
}

}  // namespace

std::optional<std::string> with_edits(const std::string& text, const std::vector<sim::Edit>& edits) {
  Source source(text);
  const bool all = !edits.empty() && std::all_of(edits.begin(), edits.end(),
                                                 [&](const Edit& edit) { return apply(source, edit); });
  if (!all) return std::nullopt;
  return source.text();
}

}  // namespace lab::test

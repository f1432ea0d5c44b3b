// Edits of a kernel's text, one for each act of a fix. See apply_fix.h.
//
// Enters: the text, and where and what a finding says is to change. Leaves: the text with that changed.
// Statements are put on the line that stands there, so that lines keep their numbers.
#include "tests/faults/apply_fix.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string_view>
#include <vector>

namespace lab::test {
namespace {

using sim::Fix;

struct Source {
  std::vector<std::string> lines;

  explicit Source(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line.substr(0, line.find("  //")));
  }
  [[nodiscard]] bool has(int line) const { return line > 0 && line <= static_cast<int>(lines.size()); }
  [[nodiscard]] std::string& at(int line) { return lines[static_cast<std::size_t>(line) - 1]; }
  [[nodiscard]] const std::string& at(int line) const { return lines[static_cast<std::size_t>(line) - 1]; }
  // A statement begins on this line: the one before ends a statement, or a head with its brace.
  [[nodiscard]] bool starts(int line) const {
    if (!has(line - 1)) return false;
    const std::size_t last = at(line - 1).find_last_not_of(' ');
    return last == std::string::npos ||
           std::string_view(";{}").find(at(line - 1)[last]) != std::string_view::npos;
  }
  [[nodiscard]] int depth_change(int line) const {
    return static_cast<int>(std::count(at(line).begin(), at(line).end(), '{') -
                            std::count(at(line).begin(), at(line).end(), '}'));
  }
  bool put_before(int line, const std::string& statement) {
    if (!has(line) || !starts(line)) return false;
    at(line) = statement + " " + at(line);
    return true;
  }
  bool put_behind(int line, const std::string& statement) {
    if (!has(line) || (has(line + 1) && !starts(line + 1))) return false;
    at(line) += " " + statement;
    return true;
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }
};

bool heads_loop(const std::string& line) {
  return (line.find("for (") != std::string::npos || line.find("while (") != std::string::npos) &&
         line.ends_with("{");
}

// The closing line of the loop that holds this line; 0 where there is none.
int end_of_loop(const Source& source, int line) {
  while (line > 0 && !heads_loop(source.at(line))) --line;
  for (int depth = 0, k = line; line != 0 && source.has(k); ++k) {
    depth += source.depth_change(k);
    if (depth <= 0) return k;
  }
  return 0;
}

// Before which line a statement goes: of the gaps between two lines the last one in the fewest braces, so
// that every thread comes by. 0: nowhere, as in a statement of several lines.
int gap_of(const Source& source, const Fix& fix) {
  if (fix.before == 0 || fix.after == fix.before) return 0;
  if (fix.in_loop) return end_of_loop(source, std::min(fix.after, fix.before));
  int best = 0, depth = 0, least = 1 << 20;
  for (int line = fix.after == 0 ? fix.before : fix.after + 1; line <= fix.before; ++line) {
    if (source.starts(line) && depth <= least) best = line, least = depth;
    depth += source.depth_change(line);
  }
  return best;
}

bool put_between(Source& source, const Fix& fix, const std::string& statement) {
  // One statement that reads and then stores: a barrier cannot go inside, one between two runs of it can.
  if (fix.after == fix.before && fix.in_loop) {
    const int end = end_of_loop(source, fix.before);
    return end != 0 && source.put_before(end, statement);
  }
  const int gap = gap_of(source, fix);
  return gap != 0 && source.put_before(gap, statement);
}

// The line that declares a variable; 0 where none does.
int declaration_of(const Source& source, const std::string& name, int before, const std::string& kind) {
  const std::regex declares(kind + ".*\\b" + name + R"((\[|;|,|\s*=))");
  for (int line = std::min(before, static_cast<int>(source.lines.size())); line > 0; --line)
    if (std::regex_search(source.at(line), declares)) return line;
  return 0;
}

int head_of_kernel(const Source& source) {
  for (int line = 1; source.has(line); ++line)
    if (source.at(line).find("__global__") != std::string::npos && source.at(line).ends_with("{"))
      return line;
  return 0;
}

// Zeros for what is read before it is written.
bool initialise(Source& source, const Fix& fix) {
  if (fix.variable.empty()) {  // an array of the thread
    for (int line = fix.before; line > 0; --line) {
      std::smatch found;
      static const std::regex kArray(R"(^(\s*(?:int|float|char|double)\s+\w+(?:\[\w+\])+);)");
      if (!std::regex_search(source.at(line), found, kArray)) continue;
      source.at(line) = found[1].str() + " = {};" + found.suffix().str();
      return true;
    }
    return false;
  }
  const int head = head_of_kernel(source),
            declared = declaration_of(source, fix.variable, fix.before, "__shared__");
  if (declared == 0) return false;
  return source.put_behind(std::max(head, declared), "for (unsigned k_ = threadIdx.x; k_ < sizeof " +
                                                         fix.variable +
                                                         "; k_ += blockDim.x) ((volatile char*)&" +
                                                         fix.variable + ")[k_] = 0; __syncthreads();");
}

// What stands in the bracket that opens at `at`, which is moved behind it.
std::string inside(const std::string& text, std::size_t& at) {
  const std::size_t begin = at + 1;
  for (int depth = 0; at < text.size(); ++at) {
    depth += (text[at] == '[') - (text[at] == ']');
    if (depth == 0) break;
  }
  return text.substr(begin, at++ - begin);
}

// The statement runs where the index is inside the array.
bool guard(Source& source, const Fix& fix) {
  const std::string& line = source.at(fix.before);
  std::size_t at = line.find(fix.variable + "[");
  if (fix.variable.empty() || at == std::string::npos) return false;
  at += fix.variable.size();
  const std::string index = inside(line, at);
  if (declaration_of(source, fix.variable, fix.before, "__shared__") == 0) return false;
  return source.put_before(
      fix.before, "if ((" + index + ") < sizeof " + fix.variable + " / sizeof " + fix.variable + "[0])");
}

// `place` of the line is `x[…]`, `*x` or `x`.
constexpr const char* kPlace = R"((\*?\b[A-Za-z_]\w*(?:\[[^=;]*?\])*))";

std::string name_of(std::string place) {
  return std::regex_replace(place, std::regex(R"([.^$|()\[\]{}*+?\\])"), R"(\$&)");
}

// `v = x;` and `x = v + e;`, or `if (x < e)` and `x = e;`: the first line does it all.
bool make_one_atomic(std::string& read, std::string& store) {
  std::smatch stored;
  if (!std::regex_search(store, stored, std::regex(std::string(kPlace) + R"( = ([^;]*);)"))) return false;
  const std::string place = stored[1].str(), value = stored[2].str(), name = name_of(place);
  std::smatch found, sum;
  if (std::regex_search(read, found, std::regex(R"((\w+) = )" + name + ";")) &&
      std::regex_match(value, sum, std::regex(found[1].str() + R"( \+ (.*))"))) {
    read = found.prefix().str() + found[1].str() + " = atomicAdd(&" + place + ", " + sum[1].str() + ");" +
           found.suffix().str();
    store = stored.prefix().str() + ";" + stored.suffix().str();
    return true;
  }
  if (std::regex_search(read, found, std::regex(R"(if \()" + name + R"( == (\w+)\))"))) {
    read = found.prefix().str() + found.suffix().str();
    store = stored.prefix().str() + "atomicCAS(&" + place + ", " + found[1].str() + ", " + value + ");" +
            stored.suffix().str();
    return true;
  }
  const std::string less =
      R"(if \((?:)" + name + " < " + name_of(value) + "|" + name_of(value) + " > " + name + R"()\))";
  if (!std::regex_search(read, found, std::regex(less))) return false;
  read = found.prefix().str() + found.suffix().str();
  store = stored.prefix().str() + "atomicMax(&" + place + ", " + value + ");" + stored.suffix().str();
  return true;
}

// `x += e`, `x = x + e` and `++x` become an atomic.
bool make_atomic(Source& source, const Fix& fix) {
  if (fix.after != fix.before)
    return source.has(fix.after) && make_one_atomic(source.at(fix.after), source.at(fix.before));
  std::string& line = source.at(fix.before);
  std::smatch found;
  const std::string place = kPlace;
  if (std::regex_search(line, found, std::regex(place + R"( \+= ([^;]*);)")) ||
      std::regex_search(line, found, std::regex(place + R"( = \1 \+ ([^;]*);)"))) {
    line = found.prefix().str() + "atomicAdd(&" + found[1].str() + ", " + found[2].str() + ");" +
           found.suffix().str();
    return true;
  }
  if (!std::regex_search(line, found, std::regex(R"(\+\+)" + place + ";"))) return false;
  line = found.prefix().str() + "atomicAdd(&" + found[1].str() + ", 1);" + found.suffix().str();
  return true;
}

// The variable that the first line reads is what the atomic of the second returns.
bool use_result(Source& source, const Fix& fix) {
  std::string &read = source.at(fix.after), &atomic = source.at(fix.before);
  std::smatch found;
  if (!std::regex_search(atomic, found, std::regex(R"((atomic\w+\(&(\w+), [^;]*\));)"))) return false;
  const std::regex name("\\b" + found[2].str() + "\\b");
  if (!std::regex_search(read, name)) return false;
  read = std::regex_replace(read, name, found[1].str());
  atomic = found.prefix().str() + ";" + found.suffix().str();
  return true;
}

// The plain store of the line becomes an exchange that publishes what stands before it.
bool make_atomic_store(Source& source, const Fix& fix) {
  std::string& line = source.at(fix.before);
  std::smatch found;
  if (!std::regex_search(line, found, std::regex(std::string(kPlace) + R"( = ([^;]*);)"))) return false;
  const std::string base = std::regex_replace(found[1].str(), std::regex(R"(\W.*)"), "");
  if (declaration_of(source, base, fix.before, R"(char\b)") != 0) return false;  // no atomic is so narrow
  line = found.prefix().str() + "__threadfence(), atomicExch((int*)&" + found[1].str() + ", " +
         found[2].str() + ");" + found.suffix().str();
  return true;
}

bool replace_in_lines(Source& source, const Fix& fix, const char* what, const char* by) {
  bool changed = false;
  for (int line = std::max(fix.after, 1); line <= fix.before && source.has(line); ++line) {
    const std::string now = std::regex_replace(source.at(line), std::regex(what), by);
    changed = changed || now != source.at(line);
    source.at(line) = now;
  }
  return changed;
}

// The barrier leaves its branch: it goes behind the statement or the braces that hold it.
bool move_barrier(Source& source, const Fix& fix) {
  std::string& line = source.at(fix.before);
  const std::string barrier = "__syncthreads();";
  const std::size_t at = line.find(barrier);
  if (at == std::string::npos) return false;
  const std::size_t branch = line.find("if (");
  if (branch < at) {
    line = line.substr(0, branch) + barrier + line.substr(at + barrier.size());
    return true;
  }
  int depth = 0, end = fix.before;
  while (source.has(end) && depth >= 0) depth += source.depth_change(end++);
  if (depth >= 0) return false;
  line.replace(at, barrier.size(), "");
  return source.put_behind(end - 1, barrier);
}

bool fence_both(Source& source, const Fix& fix) {
  return source.put_behind(fix.after, "__threadfence();") &&
         source.put_before(fix.before, "__threadfence();");
}

bool read_volatile(Source& source, const Fix& fix) {
  std::string& line = source.at(fix.before);
  std::smatch found;
  static const std::regex kRead(R"(((?:=|\(|\+|return) ?)(\b(?!atomic)[a-z]\w*\[(?:[^\[\]]|\[[^\]]*\])*\]))");
  if (!std::regex_search(line, found, kRead)) return false;
  line = found.prefix().str() + found[1].str() + "*(volatile int*)&" + found[2].str() + found.suffix().str();
  return true;
}

bool apply(Source& source, const Fix& fix) {
  switch (fix.act) {
    case Fix::Act::BlockBarrier:
      return put_between(source, fix, "__syncthreads();");
    case Fix::Act::WarpBarrier:
      return put_between(source, fix, "__syncwarp();");
    case Fix::Act::ClusterBarrier:
      return put_between(source, fix,
                         R"(asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");)");
    case Fix::Act::Wait:
      return put_between(source, fix, R"(asm volatile("cp.async.wait_all;" ::: "memory"); __syncthreads();)");
    case Fix::Act::BulkWait:
      return source.put_behind(
          fix.after,
          R"(asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");)");
    case Fix::Act::Fence:
      return source.put_behind(fix.after, R"(asm volatile("fence.proxy.async;" ::: "memory");)");
    case Fix::Act::Threadfence:
      return fence_both(source, fix);
    case Fix::Act::Guard:
      return guard(source, fix);
    case Fix::Act::Initialise:
      return initialise(source, fix);
    case Fix::Act::Atomic:
      return make_atomic(source, fix);
    case Fix::Act::AtomicResult:
      return source.has(fix.after) && use_result(source, fix);
    case Fix::Act::AtomicStore:
      return make_atomic_store(source, fix);
    case Fix::Act::VolatileRead:
      return read_volatile(source, fix);
    case Fix::Act::DeviceScope: {
      const bool calls =
          replace_in_lines(source, fix, "(__threadfence|atomic[A-Z]\\w*|(?:store|load)_\\w+)_block\\b", "$1");
      return calls || replace_in_lines(source, fix, "\\.cta\\b", ".gpu");
    }
    case Fix::Act::OwnMask:
      return replace_in_lines(source, {fix.act, "", fix.before, fix.before}, R"((__\w+_sync\()[^,]*,)",
                              "$1__activemask(),");
    case Fix::Act::MoveBarrier:
      return move_barrier(source, fix);
    default:
      return false;
  }
}

}  // namespace

std::optional<std::string> with_fix(const std::string& text, const sim::Fix& fix) {
  Source source(text);
  if (!source.has(fix.before) || !apply(source, fix)) return std::nullopt;
  return source.text();
}

}  // namespace lab::test

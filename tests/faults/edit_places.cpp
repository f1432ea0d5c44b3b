// Edits of accesses. See edit_places.h.
//
// Enters: lines, and an edit of one of them. Leaves: the line with its read or its store changed.
#include "tests/faults/edit_places.h"

#include <algorithm>
#include <regex>

namespace lab::test {
namespace {

using sim::Edit;

// `place` of the line is `x[…]`, `*x` or `x`.
constexpr const char* kPlace = R"((\*?\b[A-Za-z_]\w*(?:\[[^=;]*?\])*))";

std::string quoted(const std::string& place) {
  return std::regex_replace(place, std::regex(R"([.^$|()\[\]{}*+?\\])"), R"(\$&)");
}

// The end of the bracket that opens at `at`.
std::size_t closing(const std::string& text, std::size_t at) {
  for (int depth = 0; at < text.size(); ++at) {
    depth += (std::string_view("([").find(text[at]) != std::string_view::npos) -
             (std::string_view(")]").find(text[at]) != std::string_view::npos);
    if (depth == 0) return at;
  }
  return std::string::npos;
}

// A line that is one assignment, with what stands around it: `for (…) if (…) place op= value;`.
struct Assignment {
  std::string loop, condition, type, place, operation, value;
};

// `name (…) ` in front, with its brackets.
bool take_head(std::string& text, const std::string& name, std::string& head) {
  if (!text.starts_with(name + " (")) return false;
  const std::size_t end = closing(text, name.size() + 1);
  if (end == std::string::npos || end + 2 > text.size()) return false;
  head = text.substr(name.size() + 2, end - name.size() - 2);
  text = text.substr(end + 2);
  return true;
}

bool read_assignment(const std::string& line, Assignment& read) {
  std::string text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  take_head(text, "for", read.loop);
  take_head(text, "if", read.condition);
  std::smatch found;
  static const std::regex kDeclares(R"(^((?:const )?\w+ )(\w+) = (.*);$)");
  static const std::regex kAssigns(R"(^(\*?\(?[A-Za-z_*(][^=;!<>]*?) ([-+*/|&^]?)= (.*);$)");
  if (std::regex_match(text, found, kDeclares)) {
    read.type = found[1].str(), read.place = found[2].str(), read.value = found[3].str();
    return true;
  }
  if (!std::regex_match(text, found, kAssigns)) return false;
  read.place = found[1].str(), read.operation = found[2].str(), read.value = found[3].str();
  return true;
}

std::string written(const Assignment& a, const std::string& statements) {
  const std::string all = a.condition.empty() ? statements : "if (" + a.condition + ") " + statements;
  return a.loop.empty() ? all : "for (" + a.loop + ") { " + all + " }";
}

// Everything is read, then comes the code, then the value is written.
bool split(std::string& line, const Edit& edit) {
  Assignment a;
  if (!read_assignment(line, a) || !a.type.empty()) return false;
  const std::string value =
      a.operation.empty() ? a.value : a.place + " " + a.operation + " (" + a.value + ")";
  const std::string when = a.condition.empty() ? "" : "if (" + a.condition + ") ";
  const std::string parts = "decltype(" + a.place + " + 0) read_{}; " + when + "read_ = " + value + "; " +
                            edit.code + " " + when + a.place + " = read_;";
  line = a.loop.empty() ? "{ " + parts + " }" : "for (" + a.loop + ") { " + parts + " " + edit.code + " }";
  return true;
}

// The access of the line: to the variable, where it names it; else what it stores to.
std::string access_of(const std::string& line, const Assignment& a, const std::string& variable) {
  std::smatch found;
  static const std::regex kWide(R"(\*\(\w+\*\)\()");
  if (std::regex_search(line, found, kWide)) {
    const auto at = static_cast<std::size_t>(found.position());
    const std::size_t end = closing(line, at + static_cast<std::size_t>(found.length()) - 1);
    return end == std::string::npos ? "" : line.substr(at, end + 1 - at);
  }
  if (!variable.empty() && std::regex_search(line, found, std::regex("\\b" + quoted(variable) + "\\["))) {
    std::size_t end = static_cast<std::size_t>(found.position()) + variable.size();
    while (end < line.size() && line[end] == '[') end = closing(line, end) + 1;
    return line.substr(static_cast<std::size_t>(found.position()),
                       end - static_cast<std::size_t>(found.position()));
  }
  return a.type.empty() ? a.place : "";
}

// The access runs where all of it is inside the variable.
bool guard(std::string& line, const Edit& edit) {
  Assignment a;
  if (edit.variable.empty() || edit.bytes == 0 || !read_assignment(line, a)) return false;
  const std::string place = access_of(line, a, edit.variable);
  if (place.empty()) return false;
  const std::string begins = "(size_t)((char*)&(" + place + ") - (char*)&" + edit.variable + "[0])";
  const std::string inside = begins + " <= " + std::to_string(edit.bytes) + " - sizeof(" + place + ")";
  if (!a.type.empty()) {
    line = a.type + a.place + "{}; if (" + inside + ") " + a.place + " = " + a.value + ";";
    return a.loop.empty() && a.condition.empty();
  }
  line = written(a, "if (" + inside + ") " + a.place + " " + a.operation + "= " + a.value + ";");
  return true;
}

// What the line writes gets the index of the code.
bool index(std::string& line, const Edit& edit) {
  Assignment a;
  if (edit.code.empty() || !read_assignment(line, a) || !a.type.empty()) return false;
  std::smatch found;
  static const std::regex kBase(R"(^\*?(\w+)(\[.*\])?$)");
  if (!std::regex_match(a.place, found, kBase)) return false;
  const bool is_variable = a.place.front() != '*' && !found[2].matched;
  if (is_variable) return false;
  line = written(a, found[1].str() + "[" + edit.code + "] " + a.operation + "= " + a.value + ";");
  return true;
}

// The line writes to another buffer, as far from its begin as before from the begin of the variable.
bool other_buffer(Source& source, const Edit& edit) {
  Assignment a;
  std::string& line = source.at(edit.before);
  if (edit.variable.empty() || !read_assignment(line, a) || !a.type.empty()) return false;
  line = written(a, "*(decltype(&" + a.place + "))(other_ + ((char*)&" + a.place + " - (char*)" +
                        edit.variable + ")) " + a.operation + "= " + a.value + ";");
  return source.declare("__device__ alignas(16) char other_[" + std::to_string(edit.bytes) + "];");
}

// `v = x;` and `x = v + e;`, or `if (x < e)` and `x = e;`: the first line does it all.
bool make_one_atomic(std::string& read, std::string& store) {
  std::smatch stored;
  if (!std::regex_search(store, stored, std::regex(std::string(kPlace) + R"( = ([^;]*);)"))) return false;
  const std::string place = stored[1].str(), value = stored[2].str(), name = quoted(place);
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
      R"(if \((?:)" + name + " < " + quoted(value) + "|" + quoted(value) + " > " + name + R"()\))";
  if (!std::regex_search(read, found, std::regex(less))) return false;
  read = found.prefix().str() + found.suffix().str();
  store = stored.prefix().str() + "atomicMax(&" + place + ", " + value + ");" + stored.suffix().str();
  return true;
}

// `x += e`, `x = x + e` and `++x` become an atomic.
bool make_atomic(Source& source, const Edit& edit) {
  if (edit.after != edit.before)
    return source.has(edit.after) && make_one_atomic(source.at(edit.after), source.at(edit.before));
  std::string& line = source.at(edit.before);
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
bool use_result(Source& source, const Edit& edit) {
  if (!source.has(edit.after)) return false;
  std::string &read = source.at(edit.after), &atomic = source.at(edit.before);
  std::smatch found;
  if (!std::regex_search(atomic, found, std::regex(R"((atomic\w+\(&(\w+), [^;]*\));)"))) return false;
  const std::regex name("\\b" + found[2].str() + "\\b");
  if (!std::regex_search(read, name)) return false;
  read = std::regex_replace(read, name, found[1].str());
  atomic = found.prefix().str() + ";" + found.suffix().str();
  return true;
}

// The plain store of the line becomes an exchange that publishes what stands before it.
bool exchange(Source& source, const Edit& edit) {
  std::string& line = source.at(edit.before);
  std::smatch found;
  if (!std::regex_search(line, found, std::regex(std::string(kPlace) + R"( = ([^;]*);)"))) return false;
  const std::string base = std::regex_replace(found[1].str(), std::regex(R"(\W.*)"), "");
  if (source.declaration_of(base, edit.before, R"(char\b)") != 0) return false;  // no atomic is so narrow
  line = found.prefix().str() + "__threadfence(), atomicExch((int*)&" + found[1].str() + ", " +
         found[2].str() + ");" + found.suffix().str();
  return true;
}

bool read_volatile(std::string& line) {
  std::smatch found;
  static const std::regex kRead(R"(((?:=|\(|\+|return) ?)(\b(?!atomic)[a-z]\w*\[(?:[^\[\]]|\[[^\]]*\])*\]))");
  if (!std::regex_search(line, found, kRead)) return false;
  line = found.prefix().str() + found[1].str() + "*(volatile int*)&" + found[2].str() + found.suffix().str();
  return true;
}

}  // namespace

bool change_place(Source& source, const Edit& edit) {
  if (!source.has(edit.before)) return false;
  std::string& line = source.at(edit.before);
  switch (edit.what) {
    case Edit::What::Split:
      return split(line, edit);
    case Edit::What::Guard:
      return guard(line, edit);
    case Edit::What::Index:
      return index(line, edit);
    case Edit::What::OtherBuffer:
      return other_buffer(source, edit);
    case Edit::What::Atomic:
      return make_atomic(source, edit);
    case Edit::What::Result:
      return use_result(source, edit);
    case Edit::What::Exchange:
      return exchange(source, edit);
    case Edit::What::Volatile:
      return read_volatile(line);
    default:
      return false;
  }
}

}  // namespace lab::test

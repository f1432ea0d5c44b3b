// Declarations in a kernel file's text. See declared.h.
#include "common/course/judge/declared.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "common/base/cpp_text.h"
#include "common/course/judge/source_lines.h"
#include "common/sim/base/expression.h"
#include "common/sim/observe/place_text.h"

namespace lab::judge {
namespace {

using base::code_tokens;
using Tokens = std::vector<std::string_view>;

struct NotKnown {};  // thrown: the extent hangs on something that the file's text does not say

// `constexpr int NAME = …;` and `#define NAME …`, by name. One that is defined twice is worth nothing.
class Constants {
 public:
  explicit Constants(const std::string& code) {
    std::set<std::string_view> twice;
    const auto add = [&](std::string_view name, Tokens value) {
      if (!values_.emplace(name, std::move(value)).second) twice.insert(name);
    };
    for (std::size_t at = 0; at < code.size();) {
      const std::size_t end = std::min(code.find_first_of(";\n{}", at), code.size());
      const Tokens line = code_tokens(std::string_view(code).substr(at, end - at));
      const auto equals = std::find(line.begin(), line.end(), "=");
      const bool constant = std::find(line.begin(), equals, "const") != equals ||
                            std::find(line.begin(), equals, "constexpr") != equals;
      if (line.size() > 3 && line[0] == "#" && line[1] == "define") {
        if (line[3] != "(" ||
            code[static_cast<std::size_t>(line[2].data() - code.data()) + line[2].size()] != '(')
          add(line[2], Tokens(line.begin() + 3, line.end()));
      } else if (constant && equals != line.end() && equals != line.begin()) {
        add_all(line, static_cast<std::size_t>(equals - line.begin()), add);
      }
      at = end + 1;
    }
    for (const std::string_view name : twice) values_.erase(name);
  }

  [[nodiscard]] const Tokens* find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }

 private:
  // `int a = 1, b = 2`
  template <class Add>
  static void add_all(const Tokens& line, std::size_t equals, const Add& add) {
    while (equals < line.size()) {
      std::size_t end = equals + 1;
      for (int open = 0; end < line.size() && (open > 0 || line[end] != ","); ++end)
        open += (line[end] == "(") - (line[end] == ")");
      add(line[equals - 1], Tokens(line.begin() + static_cast<std::ptrdiff_t>(equals) + 1,
                                   line.begin() + static_cast<std::ptrdiff_t>(end)));
      equals = end + 2;
      if (equals >= line.size() || line[equals] != "=") return;
    }
  }
  std::map<std::string_view, Tokens> values_;
};

// A whole number of the file. Throws NotKnown.
class Extent {
 public:
  Extent(const Tokens& words, const Constants& constants, int depth)
      : words_(words), constants_(constants), depth_(depth) {}

  std::int64_t value() {
    if (depth_ > 16) throw NotKnown();
    const std::int64_t result = sim::parse_expression(*this, sim::kLowestLevel);
    if (at_ != words_.size()) throw NotKnown();
    return result;
  }

  std::int64_t operand() {
    const std::string_view word = take();
    if (word == "(") {
      const std::int64_t inside = sim::parse_expression(*this, sim::kLowestLevel);
      if (take() != ")") throw NotKnown();
      return inside;
    }
    if (word == "-") return -operand();
    if (const Tokens* constant = constants_.find(word))
      return Extent(*constant, constants_, depth_ + 1).value();
    return number(word);
  }
  char peek_operator() const { return at_ < words_.size() ? words_[at_].front() : '\0'; }
  static int level(char op) { return sim::level_of(op); }
  void take_operator(char op) {
    ++at_;
    if ((op == '<' || op == '>') && take() != std::string_view(&op, 1)) throw NotKnown();
  }
  static std::int64_t combine(char op, std::int64_t a, std::int64_t b) {
    constexpr std::int64_t kMost = 1 << 24;
    if (a < 0 || b < 0 || a > kMost || b > kMost) throw NotKnown();
    switch (op) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '<':
        return b < 24 ? a << b : throw NotKnown();
      case '/':
      case '%':
        if (b == 0) throw NotKnown();
        return op == '/' ? a / b : a % b;
      default:
        throw NotKnown();
    }
  }

 private:
  std::string_view take() { return at_ < words_.size() ? words_[at_++] : throw NotKnown(); }
  static std::int64_t number(std::string_view word) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const std::string_view rest(end, static_cast<std::size_t>(word.data() + word.size() - end));
    if (error != std::errc() || rest.find_first_not_of("uUlL") != rest.npos) throw NotKnown();
    return value;
  }
  const Tokens& words_;
  const Constants& constants_;
  int depth_;
  std::size_t at_ = 0;
};

// From the bracket at `at`: what stands in each pair of brackets that follow one another.
std::vector<Tokens> brackets(const Tokens& words, std::size_t& at) {
  std::vector<Tokens> all;
  while (at < words.size() && words[at] == "[") {
    const std::size_t begin = ++at;
    for (int open = 1; at < words.size(); ++at) {
      open += (words[at] == "[") - (words[at] == "]");
      if (open == 0) break;
    }
    all.emplace_back(words.begin() + static_cast<std::ptrdiff_t>(begin),
                     words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())));
    ++at;
  }
  return all;
}

// Components of a type: "float4" of CUDA's vector types has 4, all others 1.
unsigned components_of(std::string_view type) {
  for (const std::string_view base : {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong",
                                      "longlong", "ulonglong", "float", "double"}) {
    if (type.size() == base.size() + 1 && type.starts_with(base) && type.back() >= '2' && type.back() <= '4')
      return static_cast<unsigned>(type.back() - '0');
  }
  return 1;
}

std::optional<DeclaredArray> declared(std::string_view type, std::string_view name,
                                      const std::vector<Tokens>& extents, const Constants& constants) {
  DeclaredArray array{std::string(name), {}, {}, components_of(type), true};
  try {
    for (const Tokens& extent : extents) {
      const std::int64_t value = Extent(extent, constants, 0).value();
      if (value < 1 || value > 1 << 20) return std::nullopt;
      array.extents.push_back(static_cast<std::uint32_t>(value));
    }
  } catch (const NotKnown&) {
    return std::nullopt;
  }
  return array;
}

}  // namespace

std::vector<DeclaredArray> declared_arrays(const std::string& source) {
  const std::string code = base::without_comments(source);
  const Constants constants(code);
  const Tokens words = code_tokens(code);
  std::map<std::string_view, std::vector<DeclaredArray>> found;
  std::set<std::string_view> not_known;
  std::map<std::string_view, std::vector<std::size_t>> uses;  // how many indices each use names
  bool declaring = false;
  int depth = 0;
  std::string_view function;
  for (std::size_t at = 0; at < words.size(); ++at) {
    depth += (words[at] == "{") - (words[at] == "}");
    if (depth == 0 && at + 1 < words.size() && words[at + 1] == "(") function = words[at];
    if (words[at] == "__shared__") declaring = true;
    if (words[at] == ";" || words[at] == "=") declaring = false;
    if (!base::in_word(words[at].front())) continue;
    std::size_t end = at + 1;
    const std::vector<Tokens> inside = brackets(words, end);
    if (!declaring) {
      const bool member = at != 0 && words[at - 1] == ".";  // LAUNCH_SHAPE has a .tile too
      // A pointer to an element may walk on into the next row.
      const bool kept = at > 1 && words[at - 1] == "&" &&
                        (words[at - 2] == "=" || words[at - 2] == "," || words[at - 2] == "return");
      if (!member) uses[words[at]].push_back(kept ? 0 : inside.size());
    } else if (!inside.empty()) {
      std::optional<DeclaredArray> array = declared(words[at - 1], words[at], inside, constants);
      std::vector<DeclaredArray>& same_name = found[words[at]];
      if (array) {
        array->function = depth == 0 ? "" : function;
        same_name.push_back(*std::move(array));
      } else {
        not_known.insert(words[at]);
      }
      at = end - 1;
    }
  }
  std::vector<DeclaredArray> arrays;
  for (auto& [name, all] : found) {
    if (not_known.contains(name)) continue;
    for (DeclaredArray& array : all) {
      array.by_index = std::all_of(uses[name].begin(), uses[name].end(),
                                   [&array](std::size_t n) { return n == array.extents.size(); });
      arrays.push_back(std::move(array));
    }
  }
  return arrays;
}

std::vector<DeclaredArray> declared_in(const std::string& file) { return declared_arrays(kernel_text(file)); }

void take_declaration(SharedArray& array, const std::vector<DeclaredArray>& declared) {
  const auto elems_of = [](const DeclaredArray& one) {
    return std::accumulate(one.extents.begin(), one.extents.end(), std::uint64_t{1}, std::multiplies<>());
  };
  const DeclaredArray* one = nullptr;
  bool several = false;
  for (const DeclaredArray& other : declared) {
    if (other.name != array.name || array.size_bytes % elems_of(other) != 0) continue;
    const bool of_function = other.function == array.function;
    if (one != nullptr && of_function == (one->function == array.function)) {
      several = several || other.extents != one->extents;
    } else if (one == nullptr || of_function) {
      one = &other;
      several = false;
    }
  }
  if (one == nullptr || several) return;
  array.extents = one->extents;
  array.elem_bytes = static_cast<std::uint32_t>(array.size_bytes / elems_of(*one));
  array.components = array.elem_bytes % one->components == 0 ? one->components : 1;
  array.by_index = one->by_index;
}

std::string element_at(const SharedArray& array, std::uint64_t bytes, bool component) {
  if (array.elem_bytes == 0) return {};
  std::uint64_t elem = bytes / array.elem_bytes;
  std::string indices;
  for (std::size_t i = array.extents.size(); i-- > 0;) {
    // The first index may lie outside: that is what the message is about.
    indices = fmt::format("[{}]", i == 0 ? elem : elem % array.extents[i]) + indices;
    elem /= array.extents[i];
  }
  std::string text = array.name + indices;
  if (!component || array.components == 1) return text;
  return text + "." + "xyzw"[bytes % array.elem_bytes / (array.elem_bytes / array.components)];
}

void name_elements(Message& message, const std::vector<SharedArray>& arrays) {
  // Where one place of the message is a part of an element, all of them are named by their parts.
  bool parts = false;
  const auto each = [&](const auto& act) {
    message.for_each_place([&](text::Place& place) {
      for (const SharedArray& array : arrays)
        if (array.offset_bytes == place.variable_offset_bytes) act(place, array);
    });
  };
  const auto whole = [](const text::Place& place,
                        const SharedArray& array) {  // from a first part to a last one
    const std::uint64_t part = array.elem_bytes / array.components;
    return array.components != 1 && place.bytes % array.elem_bytes == 0 &&
           place.last_bytes % array.elem_bytes == array.elem_bytes - part;
  };
  each([&](const text::Place& place, const SharedArray& array) {
    if (array.elem_bytes != 0 && !whole(place, array))
      parts = parts || place.bytes % array.elem_bytes != 0 || place.last_bytes % array.elem_bytes != 0;
  });
  each([&](text::Place& place, const SharedArray& array) {
    const bool component = parts && !whole(place, array);
    place.element = element_at(array, place.bytes, component);
    place.last_element = element_at(array, place.last_bytes, component);
  });
}

}  // namespace lab::judge

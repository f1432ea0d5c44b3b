#include "common/sim/base/kernel_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace lab::sim {
namespace {

constexpr std::size_t kLongestInMessage = 100;

// Characters of UTF-8, not bytes: names hold the sign "…".
std::size_t width(const std::string& name) {
  return static_cast<std::size_t>(
      std::count_if(name.begin(), name.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// "f[abi:v1][abi:cw51c]" → "f": numba marks its kernels so.
std::string without_abi_tags(std::string name) {
  for (std::size_t at = name.find("[abi:"); at != std::string::npos; at = name.find("[abi:", at)) {
    const std::size_t end = name.find(']', at);
    if (end == std::string::npos) break;
    name.erase(at, end - at + 1);
  }
  return name;
}

// "a::b<c<d>>::e<f>" → "a::b<…>::e<…>".
std::string without_template_arguments(const std::string& name) {
  std::string result;
  int depth = 0;
  for (const char c : name) {
    if (c == '>') --depth;
    if (depth == 0) result += c;
    if (c == '<' && depth++ == 0) result += "…";
  }
  return depth == 0 ? result : name;
}

std::string fit(std::string name) {
  if (width(name) <= kWidestName) return name;
  name = without_template_arguments(name);
  while (width(name) > kWidestName && name.find("::") != std::string::npos)
    name.erase(0, name.find("::") + 2);
  return name;
}

}  // namespace

// A static kernel of a program compiled with -rdc=true is "__nv_static_" and its file, before its own name.
std::string demangled(const std::string& symbol) {
  const std::size_t own = symbol.starts_with("__nv_static_") ? symbol.find("__Z") : std::string::npos;
  const std::string mangled = own == std::string::npos ? symbol : symbol.substr(own + 1);
  if (!mangled.starts_with("_Z")) return symbol;  // `g` alone would be read as the code of a type
  int status = -1;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : symbol;
}

std::string short_name(const std::string& symbol) {
  std::string name = demangled(symbol.substr(0, symbol.find('@')));  // the parser's number for nested scopes
  int depth = 0;  // of <…> and (…), where "::" belongs to another name
  for (std::size_t k = name.size(); k-- > 1;) {
    const char c = name[k];
    depth += c == '>' || c == ')' ? 1 : c == '<' || c == '(' ? -1 : 0;
    if (depth == 0 && c == ':' && name[k - 1] == ':') return name.substr(k + 1);
  }
  return name;
}

std::string short_kernel_name(const std::string& with_tags) {
  const std::string name = without_abi_tags(with_tags);
  if (!name.ends_with(')')) return name;
  int depth = 0;
  for (std::size_t k = name.size(); k-- > 0;) {
    depth += name[k] == ')' ? 1 : name[k] == '(' ? -1 : 0;
    if (depth != 0 || k == 0) continue;
    const std::string bare = name.substr(0, k);
    return fit(bare.starts_with("void ") ? bare.substr(5) : bare);
  }
  return name;
}

std::string kernel_name_for_message(const std::string& name) {
  return name.size() <= kLongestInMessage ? name : short_kernel_name(name);
}

}  // namespace lab::sim

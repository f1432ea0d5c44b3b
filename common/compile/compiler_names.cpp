// What the compilers are called.
#include "common/compile/compile.h"

namespace lab::compile {

const char* name(CompilerKind kind) {
  switch (kind) {
    case CompilerKind::Nvrtc:
      return "nvrtc";
    case CompilerKind::Nvcc:
      return "nvcc";
    case CompilerKind::Clang:
      return "clang";
    case CompilerKind::Builtin:
      break;
  }
  return "builtin";
}

std::optional<CompilerKind> kind_named(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  for (const CompilerKind kind : kCompilerKinds) {
    if (word == name(kind)) return kind;
  }
  if (word == name(CompilerKind::Builtin)) return CompilerKind::Builtin;
  return std::nullopt;
}

}  // namespace lab::compile

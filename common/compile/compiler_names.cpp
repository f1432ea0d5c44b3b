// What the compilers are called.
#include "common/compile/compile.h"

namespace lab::compile {

const char* name(CompilerKind kind) {
  return kind == CompilerKind::Nvrtc ? "nvrtc" : kind == CompilerKind::Nvcc ? "nvcc" : "clang";
}

std::optional<CompilerKind> kind_named(std::string_view text) {
  const std::string_view word = text.substr(0, text.find(' '));
  for (const CompilerKind kind : kCompilerKinds) {
    if (word == name(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace lab::compile

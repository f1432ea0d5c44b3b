// The built-in compiler: a kernel file in CUDA C++ → PTX for sm_90. The door of this room.
//
// Enters: the text of a kernel file, and a function that finds headers. Leaves: PTX, or messages that say
// where and why there is none. It knows the part of CUDA C++ that kernels of the course are written in, and
// refuses the rest: it never guesses. It knows no files, no processes and no clock, so it runs in a browser
// as it is; same text, same PTX.
//
//     source.h → lexer.h → preprocessor.h → parser.h → tree.h → walk.h (types.h, value.h) → code.h
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/compile/builtin/preprocessor.h"

namespace lab::cucc {

struct Request {
  Source file;  // its path is what `.file` rows and messages say
  std::vector<std::pair<std::string, std::string>> defines;
  FindHeader find_header;
  bool names_variables = false;  // comments behind the PTX say where variables are at statements
};
struct Result {
  bool ok = false;
  bool is_unknown = false;  // its first error is of what this compiler does not know: the file may be right
  std::string ptx;
  std::string log;                   // messages, in the order of their lines
  std::vector<std::string> headers;  // that were read
};

// What the program exits with then.
inline constexpr int kExitUnknown = 3;

[[nodiscard]] Result compile(const Request& request);

}  // namespace lab::cucc

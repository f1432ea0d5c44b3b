// Where in the program's own source the call stands that is under way.
//
// Enters: the stack of this thread, lines that the compiler wrote into the program (`lab run` asks for them). Leaves: "main.cu:12", or ""
// where that is not known: a program without such lines, a machine without addr2line.
#pragma once

#include <string>

namespace lab::cudart {

[[nodiscard]] std::string place_of_call();

}  // namespace lab::cudart

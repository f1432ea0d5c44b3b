// A goal that one compiler's PTX meets.
//
// Enters: an examination by NVRTC's PTX whose results are right and whose goals are not all met; the built-in
// compiler's PTX of the same file. Leaves: the cases that the second PTX meets, marked as passed by it.
// That is asked only where the first compiler took a wide access of the file apart, and both are right: there an
// optimiser decides, not the student, and the built-in compiler does not take accesses apart.
#pragma once

#include <functional>
#include <string>

#include "common/course/judge/examine.h"

namespace lab::judge {

void ask_second_compiler(Examination& e, const std::string& ptx, const Rebuild& rebuild,
                         unsigned host_threads, const Inputs& inputs);

}  // namespace lab::judge

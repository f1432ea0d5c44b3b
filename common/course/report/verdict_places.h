// A verdict as places in files: what keeps a kernel from passing, each at its line.
//
// Enters: an Examination. Leaves: annotations, which common/ui/annotations.h writes.
#pragma once

#include <vector>

#include "common/course/judge/examine.h"
#include "common/ui/annotations.h"

namespace lab::report {

// Everything that keeps the kernel from passing, in the order of the cases; the compiler's errors alone when
// it does not compile.
[[nodiscard]] std::vector<Annotation> annotations(const judge::Examination& examination);

}  // namespace lab::report

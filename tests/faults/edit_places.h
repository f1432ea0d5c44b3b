// Edits that change how one line reads or writes a place: `x[…]`, `*x`, `*(int4*)(x + 1)`.
#pragma once

#include "tests/faults/edit_source.h"

namespace lab::test {

// False: the line is not written in a way that is known here.
bool change_place(Source& source, const sim::Edit& edit);

}  // namespace lab::test

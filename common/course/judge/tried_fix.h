// A fix that was tried: the text of one line with which the kernel is right where it was wrong.
//
// Enters: an examination that failed, the text of its file. Leaves: the fix, in the first reason of the case
// that failed; none where no slip of slips.h, undone in a line that the reason names, makes that case pass. So
// it is never a guess. What a counter exceeds is left alone: there the fix is the chapter's answer.
#pragma once

#include <string>

#include "common/course/judge/examine.h"

namespace lab::judge {

void try_fixes(Examination& e, const std::string& source, const Inputs& inputs);

}  // namespace lab::judge

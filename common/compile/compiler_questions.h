// A kernel file that asks which compiler reads it.
//
// Enters: the text of a kernel file. Leaves: the first name by which it asks, or nothing. The file's own
// tokens, macros replaced, are to be the same for every compiler and every GPU: a chapter's kernel has no
// reason to ask, and one that is right or fast under one of them alone is no answer. The headers of the
// course may ask.
#pragma once

#include <optional>
#include <string_view>

#include "common/compile/source_rules.h"

namespace lab::compile {

[[nodiscard]] std::optional<Refusal> refuse_question_of_compiler(std::string_view source);

}  // namespace lab::compile

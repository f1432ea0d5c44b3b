// Which file of a submission is the kernel of which chapter.
//
// Enters: the files of a submission, by name. Leaves: for each chapter one file, or the reason why there is
// none. Layouts that are understood: the course's own (chapters/05_padding/transpose.cu), folders
// (chapter5/transpose.cu, Padding/kernel.cu), flat files (05_padding.cu, transpose05.cu); case and separators
// do not matter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/text/message.h"
#include "common/class/grade/submission.h"
#include "common/course/judge/verdict.h"

namespace lab::grade {

struct ChapterKernel {
  enum class State : std::uint8_t { Found, Missing, Ambiguous, Refused };
  const judge::ChapterInfo* chapter = nullptr;
  State state = State::Missing;
  SourceFile file;        // when found
  Message reason;         // a whole sentence when not
  std::string submitted;  // when it was handed in, as the platform says; "" when not known
};

// One entry per chapter, in their order. `all` are the chapters of the course: numbers and names are
// distinguished apart by them, even where only some are graded.
[[nodiscard]] std::vector<ChapterKernel> find_kernels(const Submission& submission,
                                                      const std::vector<const judge::ChapterInfo*>& wanted,
                                                      const std::vector<const judge::ChapterInfo*>& all);

}  // namespace lab::grade

// What `show` and `diff` share: a chapter or a kernel file → its recorded run.
//
// Enters: a name from the command line. Leaves: a Recording. Throws LabError: the file does not compile, the
// device cannot execute it, or it stops with a fault (exit code 1: the student's next step is `check`).
#pragma once

#include <optional>
#include <string>

#include "common/base/text/message.h"
#include "common/course/explore/recording.h"
#include "common/course/explore/timeline.h"
#include "common/course/judge/named_kernel.h"

namespace lab::explore {

struct KernelChoice {
  std::string name;                       // chapter, or a kernel file
  std::string kernel;                     // a file to take instead of the chapter's own; "" for none
  bool solution = false;                  // the chapter's reference solution
  std::string entry;                      // "" for the chapter's own, or `transpose`
  std::optional<judge::Problem> problem;  // none: what the chapter measures, or 1024 × 1024
  int elem_bytes = 0;                     // of a file that does not say; 0: what its type says
  int line = 0;                           // this line is to be seen
  std::optional<sim::Path> path;          // and this access of it
  bool timeline = false;                  // the block's timeline is wanted too
};

struct Recorded {
  Recording recording;
  const judge::ChapterInfo* chapter = nullptr;  // null for a file alone
  std::vector<Message> assumed;                 // of a file alone: what it left unsaid
  std::optional<TimelineData> timeline;         // where it was asked for
};

[[nodiscard]] Recorded record_choice(const KernelChoice& choice,
                                     std::optional<compile::CompilerKind> compiler);

}  // namespace lab::explore

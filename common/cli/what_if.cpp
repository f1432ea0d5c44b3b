// What other layouts of the tile would have done. See what_if.h.
#include "common/cli/what_if.h"

#include <string_view>

#include "common/explore/recording.h"
#include "common/report/pictures.h"

namespace lab::cli {

WhatIf what_if(const judge::Examination& e) {
  const judge::CaseResult* failure = e.evaluation.first_failure();
  if (failure == nullptr || failure->reasons.empty()) return {};
  const judge::Reason& reason = failure->reasons.front();
  if (!reason.path || sim::info(*reason.path).space != sim::Space::Shared || reason.line == 0) return {};
  if (!e.blamed || !e.blamed->run.correct()) return {};
  const explore::Recording recording = explore::recording_of(e.kernel, e.blamed->run, e.blamed->watched);
  // XOR is chapter 06's answer.
  const bool with_xor = std::string_view(e.chapter->name) >= "06";
  const explore::Site* site = explore::find_site(recording, reason.line, *reason.path);
  if (site == nullptr) return {};
  return {report::what_if_lines(recording, *site, with_xor),
          report::what_if_json(recording, explore::find_tiles(recording))};
}

}  // namespace lab::cli

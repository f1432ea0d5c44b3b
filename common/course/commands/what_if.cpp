// What other layouts of the tile would have done. See what_if.h.
#include "common/course/commands/what_if.h"

#include "common/course/explore/recording.h"
#include "common/course/report/pictures.h"

namespace lab::cli {

WhatIf what_if(const judge::Examination& e) {
  const judge::CaseResult* failure = e.evaluation.first_failure();
  if (failure == nullptr || failure->reasons.empty()) return {};
  const judge::Reason& reason = failure->reasons.front();
  if (!reason.path || sim::info(*reason.path).space != sim::Space::Shared || reason.line == 0) return {};
  if (!e.blamed || !e.blamed->run.correct()) return {};
  const explore::Recording recording = explore::recording_of(e.kernel, e.blamed->run, e.blamed->watched);
  const explore::Site* site = explore::find_site(recording, reason.line, *reason.path);
  if (site == nullptr) return {};
  std::vector<explore::TileView> tiles = explore::find_tiles(recording);
  explore::keep_offered(tiles, recording, e.chapter);
  return {report::what_if_lines(*site, tiles), report::what_if_json(recording, tiles)};
}

}  // namespace lab::cli

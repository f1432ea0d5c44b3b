// What a student has reached, in one small file: .lab/progress.json.
//
// Enters: verdicts. Leaves: which chapters passed, points, how many hints were shown, and what the last check
// found. The file may be deleted or edited at any time: what cannot be read counts as nothing reached, and is
// never an error.
#pragma once

#include <map>
#include <string>

namespace lab::course {

struct ChapterProgress {
  bool passed = false;
  int points = 0;                 // of the last check
  int hints = 0;                  // levels shown
  std::string diagnosis;          // code of the first failure of the last check; "" after a pass
  int line = 0;                   // where that was; 0: nowhere
  bool diagnosis_hinted = false;  // its hint was shown
};

class Progress {
 public:
  static Progress load();
  // Writes beside the file, then renames: a reader never sees half of it. A folder that cannot be written is
  // no reason to fail a check; then nothing is kept. A file whose content makes no sense is kept as
  // progress.json.bak once, before it is written over.
  void save() const;
  ChapterProgress& operator[](const std::string& chapter) { return chapters_[chapter]; }
  [[nodiscard]] ChapterProgress of(const std::string& chapter) const;

 private:
  std::map<std::string, ChapterProgress> chapters_;
};

}  // namespace lab::course

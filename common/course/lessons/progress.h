// What a student has reached, in one small file: .lab/progress.json.
//
// Enters: verdicts. Leaves: which chapters passed, points, how many hints were shown, and what the last check
// found. The file may be deleted or edited at any time: what cannot be read counts as nothing reached, and is
// never an error.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/course/judge/verdict.h"
#include "common/kernel/launch_shape.h"

namespace lab::course {

struct ChapterProgress {
  bool passed = false;             // by any check: what was passed stays passed
  int points = 0;                  // of the best check
  int hints = 0;                   // levels shown
  bool again = false;              // reset since it was passed: it is being done again
  std::string diagnosis;           // code of the first failure of the last check; "" after a pass
  int line = 0;                    // where that was; 0: nowhere
  bool diagnosis_hinted = false;   // its hint was shown since that check
  bool asked = false;              // a hint was shown, ever, or a picture: what would help may be shown
  bool prediction = false;         // it was a prediction that failed: the kernel itself is done
  std::vector<std::string> facts;  // which case of the diagnosis it was
  // What was answered first to each question of PREDICTIONS. Copying the number that is counted changes
  // nothing of it.
  std::map<std::string, int> first_guesses;
  // What was said first in an exam, by seat and case ("7/table-a").
  std::map<std::string, judge::SaidFinding> first_findings;
  // Nothing is left to do: passed, and no check and no reset since says otherwise.
  [[nodiscard]] bool done() const { return passed && !again && diagnosis.empty(); }
};

// Keeps each answer that is the first to its question.
void note_first_guesses(ChapterProgress& chapter, const Predictions& predictions);
// The first guess of a prediction's case that was wrong, if one was and is known.
[[nodiscard]] std::optional<int> wrong_first_guess(const ChapterProgress& chapter,
                                                   const judge::CaseResult& prediction);

// Keeps each finding that is the first of its case, and gives back what wrong ones cost of cases that pass
// now: points by the id of the case.
std::map<std::string, int> note_first_findings(ChapterProgress& chapter, const judge::Evaluation& evaluation);

class Progress {
 public:
  static Progress load();
  // Progress from the same file's text of another machine; nothing when it is no such text.
  static std::optional<Progress> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  // Takes over what is more: what was passed there is passed here, and no point and no hint is lost. A first
  // guess that was made here stays the first. The last check is the one of here, where there was one.
  void merge(const Progress& other);
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

// What checks leave behind: cases, reasons, points. Plain data for cards, JSON and grading.
//
// Enters: the checks of a chapter (checks.h) fill it. Leaves: an Evaluation.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/base/text/message.h"
#include "common/course/judge/problem.h"
#include "common/sim/base/fix.h"
#include "common/sim/base/path.h"

namespace lab::judge {

enum class CaseKind : std::uint8_t { Holds, Goal, Prediction };
[[nodiscard]] std::string_view name(CaseKind kind);  // "holds", "goal", "prediction"

// One number of a reason, as the card prints it: what was counted, what the goal is.
struct Figure {
  Message name;
  std::uint64_t value = 0;
  std::uint64_t goal = 0;
};

// A line of the file with which the case passes that failed, or the file compiles (tried_fix.h).
struct RightLine {
  std::string file, text;
  int line = 0;  // 0: none was found
};

// Why a case failed. `code` is the diagnosis, stable, kebab-case: a code of the course ("bank-conflict",
// "wrong-element", "prediction-wrong"), or the code of a fault ("out-of-bounds").
struct Reason {
  std::string code;
  Message message;   // whole sentence(s), one thought a line
  std::string file;  // as the compiler named it; "" when no line is to blame
  int line = 0;
  std::optional<sim::Path> path;  // when the line is blamed for an access
  std::vector<Figure> figures;
  std::optional<Problem> problem;  // the shape on which it was seen, when one alone shows it
  std::string entry;               // the kernel of the file that it was seen in, when it is not the chapter's
  std::vector<std::string> facts;  // which case of this code it is: hints.h chooses by them
  sim::Fix fix;                    // of a fault: what to change, for tools
  RightLine right;                 // the same, of a line that was tried
};

// What a prediction asked, what the student said (0: nothing yet), what was counted.
struct Answer {
  std::string question;
  int answer = 0;
  std::uint64_t counted = 0;
  Message why;  // why that number is counted
  [[nodiscard]] bool right() const { return answer > 0 && static_cast<std::uint64_t>(answer) == counted; }
};

// What is said of a table or a page (chapters 17 and 18), and whether it is so. What was said first counts.
struct SaidFinding {
  int seat = 0, line = 0, cause = 0;
  int worth = 0;  // points of its case that a wrong first finding costs
  bool right = false;
};
// {"seat", "line", "cause", "worth", "right"}, in the progress and in records.
[[nodiscard]] base::Json to_json(const SaidFinding& finding);

struct CaseResult {
  std::string id;    // "conflict-free": stays, and is the only one of its chapter
  std::string name;  // the title: what a person reads; may change
  CaseKind kind = CaseKind::Holds;
  int points = 0;
  bool earns = false;  // of a goal: the chapter's skeleton fails it
  bool passed = false;
  bool reached = true;  // false: a HOLDS case failed before
  std::vector<Reason> reasons;
  bool by_second_compiler = false;     // passed: by the PTX of the built-in compiler (second_compiler.h)
  int shapes = 0;                      // how many shapes were right (for the card's first line)
  Message left_out;                    // what of it this machine cannot try, a whole sentence; "" for nothing
  std::vector<Answer> answers;         // of a prediction that was reached
  std::optional<SaidFinding> finding;  // of an exam, once something is said
};

struct ChapterInfo {
  const char* name;                   // "05_padding", the folder's name
  const char* idea;                   // "one more column": for the ladder
  const char* removes[2] = {"", ""};  // the waste that it removes: in English, in Chinese
  Problem measured{1024, 1024};       // the problem whose counters the chapter speaks of
  const char* entry = "transpose";    // the entry that it measures
  const char* skeleton_case = "";     // id of the first case that the chapter's skeleton fails, …
  const char* skeleton_code = "";     // … and the diagnosis: `lab verify` holds it to both
  bool exchanges = false;             // threads exchange elements through shared memory
  // Issued for an element of up to 4 bytes, 32 for each instruction of a warp. Right kernels that move one
  // element per thread take some 104; those that move 16 bytes per lane a quarter, and the memory of an H100
  // moves an element's 8 bytes in the time of 74 (docs/trust.md).
  static constexpr int kMostOfSingle = 160;
  int most_instructions = kMostOfSingle;
  int most_instructions_of_narrow = 0;  // of 1 or 2 bytes; 0: as many as of others
  int row_bytes = 1;                    // rows of both matrices are multiples of so many bytes
  const char* needs = "";  // what a reader should have done before: names of chapters, with spaces
  int minutes = 0;         // how long it takes
  bool offers_padding = true, offers_xor = true;  // layouts of a tile that a what-if may name here
  bool hopper = false;  // needs instructions of Hopper, which clang 14 does not know
};

// All cases of a chapter run on one subject.
struct Evaluation {
  std::string chapter;
  std::vector<CaseResult> cases;
  [[nodiscard]] bool passed() const;  // at least one case, and all passed
  [[nodiscard]] bool right() const;   // every HOLDS case passed
  // Right, and a goal that the skeleton fails is met: before that no case gives points.
  [[nodiscard]] bool earned() const;
  // Every goal is reached. Before that, what is counted is of a kernel that is not done: a prediction is
  // about the finished one, and is not compared.
  [[nodiscard]] bool finished() const;
  [[nodiscard]] int points() const;  // earned
  [[nodiscard]] int points_possible() const;
  [[nodiscard]] const CaseResult* first_failure() const;  // in the order of the file
};

}  // namespace lab::judge

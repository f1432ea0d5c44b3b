// `lab predict [N]`: the questions that a chapter asks before the first run, your answers, and after a run
// what was counted and why.
//
// Enters: a chapter; its questions in the words of its lesson; answers from --set, or typed when there is a
// terminal on both sides. Leaves: answers written into the kernel file, a copy of it beside it, and a card.
// Answers are compared once the kernel is the one that the lesson asks about: right, and at the chapter's
// goals. What was counted for a question without an answer stays hidden: to look it up is not to predict it.
#include <fmt/core.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <iostream>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/text/text.h"
#include "common/course/commands/commands.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/judge/predictions.h"
#include "common/course/lessons/hints.h"
#include "common/course/lessons/predictions_text.h"
#include "common/course/lessons/progress.h"
#include "common/course/lessons/questions.h"
#include "common/course/lessons/student_file.h"
#include "common/course/report/json.h"
#include "common/ui/waiting.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

using base::UsageError;
using text::tr;
using text::translated;

struct PredictOptions {
  std::string chapter, kernel;
  std::vector<std::string> set;   // "name=32"
  std::vector<std::string> more;  // what stands behind the chapter: further answers of one --set
  bool json = false;
};

struct Asked {
  const judge::Question* question = nullptr;
  std::string words;                       // the lesson's
  int answer = 0;                          // 0: none yet
  const judge::Answer* counted = nullptr;  // null: the kernel is not the one that is asked about yet
};

// What a chapter asks: the fields of its skeleton, in the words of its lesson.
struct Questions {
  std::string before;  // what the lesson says before them
  std::vector<Asked> asked;
  bool folded = false;  // the lesson has questions with answers folded below them
};

std::optional<int> whole_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && number > 0 ? std::optional(number) : std::nullopt;
}

Questions questions_of(const judge::ChapterInfo& chapter) {
  const auto skeleton = base::read_file(judge::skeleton_kernel(chapter));
  const std::string lesson = lesson_text(chapter);
  const course::LessonQuestions words = course::lesson_questions(lesson, tr("Predict"));
  Questions questions{
      report::prose(words.before, 0), {}, !course::folded_parts(lesson, tr("The answer")).empty()};
  for (const std::string& name : course::asked_questions(skeleton.value_or(""))) {
    for (const judge::Question& question : judge::all_questions()) {
      if (question.name != name) continue;
      const auto found = words.words.find(name);
      questions.asked.push_back(
          {&question, found == words.words.end() ? "" : report::prose(found->second, 0)});
    }
  }
  return questions;
}

// `text` with what --set says. Throws UsageError for a name that this chapter does not ask.
std::string with_answers(std::string text, const std::vector<std::string>& set,
                         const std::vector<Asked>& asked, const std::string& file) {
  for (const std::string& one : set) {
    const std::size_t equals = one.find('=');
    const auto answer = equals == one.npos ? std::nullopt : whole_number(one.substr(equals + 1));
    if (!answer) throw UsageError(msg("--set {}: write NAME=NUMBER, a whole number from 1 on.", one));
    const std::string name = one.substr(0, equals);
    std::string names;
    bool known = false;
    for (const Asked& a : asked) {
      known |= a.question->name == name;
      names += (names.empty() ? "" : ", ") + std::string(a.question->name);
    }
    if (!known) throw UsageError(msg("This chapter does not ask for {}. It asks for: {}.", name, names));
    const auto written = course::with_answer(text, name, *answer);
    if (!written)
      throw UsageError(
          msg("{} has no PREDICTIONS = {{ … }} to write into; solutions/…/skeleton.cu shows where it stands.",
              file));
    text = *written;
  }
  return text;
}

std::string asked_words(const Asked& a) {
  return a.words.empty() ? "." + std::string(a.question->name) : a.words;
}

// Asks at the terminal what has no answer yet. An empty line: later.
std::vector<std::string> typed_answers(const std::vector<Asked>& asked) {
  std::vector<std::string> set;
  for (const Asked& a : asked) {
    if (a.answer != 0) continue;
    for (std::string line = "?"; !line.empty();) {
      fmt::print("{}\n  {}: ", report::fitted(asked_words(a)), tr("your guess (Enter: later)"));
      std::fflush(stdout);
      if (!std::getline(std::cin, line)) return set;
      const auto answer = whole_number(line);
      if (answer) set.push_back(fmt::format("{}={}", a.question->name, *answer));
      if (answer) break;
      if (!line.empty()) fmt::print("  {}\n", tr("A whole number from 1 on, please."));
    }
  }
  fmt::print("\n");
  return set;
}

void write_answers(const std::filesystem::path& file, const std::vector<std::string>& set,
                   const std::vector<Asked>& asked) {
  const auto old = base::read_file(file);
  if (!old) throw UsageError(msg("{} cannot be read.", base::shown_path(file)));
  const std::string text = with_answers(*old, set, asked, base::shown_path(file));
  if (text == *old) return;
  const std::filesystem::path copy = course::replace_keeping_copy(file, text, course::without_answers);
  fmt::print(stderr, "lab: {}\n",
             tr("wrote your answers into {}; what was there before is in {}", base::shown_path(file),
                base::shown_path(copy)));
}

void take(std::vector<Asked>& asked, const judge::Examination& e) {
  for (Asked& a : asked) {
    a.answer = e.predictions.*a.question->member;
    if (!e.evaluation.finished()) continue;
    for (const judge::CaseResult& c : e.evaluation.cases) {
      for (const judge::Answer& one : c.answers) {
        if (one.question == a.question->name) a.counted = &one;
      }
    }
  }
}

std::string one_answer(const Asked& a, const judge::Examination& e, const report::Style& style) {
  using report::Ink;
  const auto line = [&](const std::string& words) {
    return report::fitted(words, "      ", "      ") + "\n";
  };
  const std::string name = style.paint("." + std::string(a.question->name), Ink::Faint);
  std::string text = report::fitted(asked_words(a), "  ", "  ") + "\n";
  if (a.answer == 0)
    return text +
           line(name + "   " + tr("no answer yet:") +
                fmt::format(" ./lab predict {} --set {}=…", judge::number_of(*e.chapter), a.question->name));
  const std::string guess =
      a.answer < 0 ? std::to_string(a.answer) : report::grouped(static_cast<std::uint64_t>(a.answer));
  const std::string said = name + "   " + tr("you: {}", guess) + "   ";
  if (a.counted == nullptr) return text + line(said + tr("compared when the kernel reaches its goals"));
  text += line(said + tr("counted: {}", report::grouped(a.counted->counted)) + " " +
               (a.counted->right() ? style.paint("✓", Ink::Good) : style.paint("✗", Ink::Bad)));
  return a.counted->why.empty() ? text : text + line(translated(a.counted->why));
}

report::Json to_json(const std::vector<Asked>& asked, const judge::Examination& e) {
  report::Json questions = report::Json::array();
  for (const Asked& a : asked) {
    const bool known = a.counted != nullptr && a.answer != 0;
    questions.push_back({{"name", a.question->name},
                         {"question", a.words},
                         {"answer", a.answer == 0 ? report::Json() : report::Json(a.answer)},
                         {"counted", known ? report::Json(a.counted->counted) : report::Json()},
                         {"right", known ? report::Json(a.counted->right()) : report::Json()},
                         {"why", known ? a.counted->why.english() : ""}});
  }
  return {
      {"chapter", e.chapter->name}, {"kernel", e.kernel}, {"compiled", e.compiled}, {"questions", questions}};
}

bool all_right(const std::vector<Asked>& asked) {
  return std::all_of(asked.begin(), asked.end(),
                     [](const Asked& a) { return a.counted != nullptr && a.counted->right(); });
}

void print_card(const Questions& questions, const judge::Examination& e, const report::Style& style) {
  fmt::print("{}   {}\n", style.paint(e.chapter->name, report::Ink::Strong),
             !questions.asked.empty() ? tr("predict, then run")
             : questions.folded
                 ? tr("asks for no numbers; its lesson has questions, with the answers folded below them")
                 : tr("asks for no numbers"));
  if (!questions.before.empty())
    fmt::print("{}", report::wrapped(questions.before, report::terminal_columns(), "  ", "  "));
  for (const Asked& a : questions.asked) fmt::print("{}", one_answer(a, e, style));
  if (!e.compiled) fmt::print("  {}\n", tr("The kernel does not compile, so nothing was counted."));
  fmt::print("  {}   ./lab check {}\n", tr("next"), judge::number_of(*e.chapter));
}

// `--set a=1 b=2 5`: the words behind the first answer stand by themselves; the one without = is the chapter.
PredictOptions with_all_answers(PredictOptions options) {
  std::vector<std::string> words = options.more;
  if (!options.chapter.empty()) words.insert(words.begin(), options.chapter);
  options.chapter.clear();
  for (const std::string& word : words) {
    const bool is_answer = word.find('=') != word.npos;
    if (is_answer ? options.set.empty() : !options.chapter.empty())
      throw UsageError(msg("\"{}\" is no answer; write --set NAME=NUMBER.", word));
    if (is_answer) {
      options.set.push_back(word);
    } else {
      options.chapter = word;
    }
  }
  return options;
}

void remember(const judge::Examination& e) {
  course::Progress progress = course::Progress::load();
  course::note_first_guesses(progress[e.chapter->name], e.predictions);
  progress.save();
}

int predict(const Session& session, const PredictOptions& given) {
  const PredictOptions options = with_all_answers(given);
  const judge::ChapterInfo& chapter = current_chapter(options.chapter);
  const std::filesystem::path file = judge::kernel_of(chapter, options.kernel);
  Questions questions = questions_of(chapter);
  std::vector<Asked>& asked = questions.asked;
  if (!options.set.empty()) write_answers(file, options.set, asked);
  const auto examined = [&] {
    return waited(tr("checking {}", chapter.name), !options.json,
                  [&] { return judge::examine(chapter, file, compile::kind_named(session.compiler)); });
  };
  judge::Examination e = examined();
  take(asked, e);
  const bool terminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  if (terminal && !options.json && e.compiled && !e.load) {
    const std::vector<std::string> typed = typed_answers(asked);
    if (!typed.empty()) {
      write_answers(file, typed, asked);
      e = examined();
      take(asked, e);
    }
  }
  if (options.kernel.empty()) remember(e);
  if (options.json) {
    print_json(to_json(asked, e));
  } else {
    print_card(questions, e, session.style());
  }
  return static_cast<int>(all_right(asked) ? base::ExitCode::Passed : base::ExitCode::NotYet);
}

}  // namespace

Command predict_command(const Session& session) {
  Command command{"predict",
                  "The chapter's questions before you run; then your answers, the counted numbers, and why.\n"
                  "Example: ./lab predict 5    ./lab predict 5 --set shared_load_wavefronts_per_request=1"};
  static PredictOptions options;
  command.option("chapter", options.chapter,
                 "Number or name of the chapter (default: that of the folder, or the first one not passed)");
  command.option("--kernel", options.kernel, "Another kernel file than the chapter's own");
  command.option("more", options.more, "Further answers of --set").kept_quiet();
  command.option("--set", options.set, "NAME=NUMBER …: write these answers into the file, and keep a copy")
      .one_each();
  command.json(options.json);
  command.run = [&session] { return predict(session, options); };
  return command;
}

}  // namespace lab::cli

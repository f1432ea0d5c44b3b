// `lab grade`: judges a class of submissions, verifies a record, packs an autograder.
//
// Enters: folders, archives or files. Leaves: records and reports in --out, a table on standard output. Exit
// 0 when all was judged, whatever the verdicts; 1 when something could not be judged, the run was interrupted
// or a record differs.
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/printable.h"
#include "common/base/project.h"
#include "common/base/words.h"
#include "common/class/commands/commands.h"
#include "common/class/commands/grade_options.h"
#include "common/class/grade/formats.h"
#include "common/class/grade/gradebook.h"
#include "common/class/grade/gradescope_zip.h"
#include "common/class/grade/labels.h"
#include "common/class/grade/roster.h"
#include "common/class/grade/slurm/slurm.h"
#include "common/class/grade/summary.h"
#include "common/class/grade/times.h"
#include "common/class/grade/verify.h"
#include "common/compile/sandbox.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"

namespace lab::cli {
namespace {

using base::UsageError;

std::vector<const judge::ChapterInfo*> chosen_chapters(const std::vector<std::string>& names) {
  if (names.empty()) return judge::all_chapters();
  std::vector<const judge::ChapterInfo*> chosen;
  for (const judge::ChapterInfo* chapter : judge::all_chapters()) {
    for (const std::string& name : names) {
      if (&judge::chapter_named(name) != chapter) continue;
      chosen.push_back(chapter);
      break;
    }
  }
  return chosen;
}

// One line on standard error that writes over itself; nothing when that is no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool plain) : silent_(plain || isatty(STDERR_FILENO) != 1) {}
  ~ProgressLine() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }
  void operator()(const grade::Progress& p) {
    const auto now = std::chrono::steady_clock::now();
    if (silent_ || now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    shown_ = true;
    if (p.read < p.submissions) {
      fmt::print(stderr, "\r\x1b[K{}", tr("{} of {} submissions read", p.read, p.submissions));
      return void(std::fflush(stderr));
    }
    if (p.all == 0) return;
    const double seconds = std::chrono::duration<double>(now - start_).count();
    std::string left;
    if (p.done > 0 && p.done < p.all)
      left = "  " + tr("about {:.0f} s left", seconds / double(p.done) * double(p.all - p.done));
    std::string now_judged;
    const auto longest = std::max_element(p.running.begin(), p.running.end(),
                                          [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
    if (longest != p.running.end())
      now_judged = "  " + tr("judging {} {}, {:.0f} s", base::printable(longest->student), longest->chapter,
                             longest->seconds);
    fmt::print(stderr, "\r\x1b[K{}{}{}", tr("{} of {} kernels", p.done, p.all), left, now_judged);
    std::fflush(stderr);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), last_;
  bool silent_, shown_ = false;
};

int print_rubric(const GradeOptions& given) {
  const std::filesystem::path path =
      given.rubric.empty() ? grade::default_rubric_file() : std::filesystem::path(given.rubric);
  const std::string text = grade::rubric_text(path);
  (void)grade::Rubric::parse(text, path.string(), grade::all_cases());  // what is printed can be used
  if (given.json) {
    print_json({{"file", base::shown_path(path)}, {"text", text}});
  } else {
    fmt::print("{}", text);
  }
  return 0;
}

int verify(const Session& session, const GradeOptions& given) {
  std::optional<std::filesystem::path> rubric;
  if (!given.rubric.empty()) rubric = given.rubric;
  const grade::Verification result = grade::verify_record(given.verify, given.places, given.one,
                                                          compile::kind_named(session.compiler), rubric);
  if (given.json) {
    print_json(grade::verification_json(result));
  } else {
    fmt::print("{}", base::printable(translated(grade::verification_text(result))));
  }
  return static_cast<int>(result.same ? base::ExitCode::Passed : base::ExitCode::NotYet);
}

int make_gradescope(const Session& session, const GradeOptions& given, const grade::GradingOptions& options) {
  grade::GradescopeZip zip;
  zip.file = given.gradescope;
  zip.rubric_text = options.rubric_text;
  zip.compiler = session.compiler;
  if (!given.chapters.empty()) {
    for (const judge::ChapterInfo* chapter : options.chapters) zip.chapters.emplace_back(chapter->name);
  }
  const std::size_t files = grade::write_gradescope_zip(zip);
  if (given.json) {
    print_json({{"file", given.gradescope}, {"files", files}});
  } else {
    fmt::print("{}\n", tr("{}: {} files. Upload it as the autograder of a programming assignment.",
                          given.gradescope, files));
  }
  return 0;
}

// In a job of GitHub Actions: annotations on standard output, the summary where the runner wants it.
void report_to_github(const grade::ClassResult& result) {
  const char* actions = std::getenv("GITHUB_ACTIONS");
  if (actions == nullptr || std::string_view(actions) != "true") return;
  fmt::print("{}", grade::github_annotations(result));
  if (const char* summary = std::getenv("GITHUB_STEP_SUMMARY"); summary != nullptr && *summary != '\0')
    std::ofstream(summary, std::ios::app) << grade::github_summary(result);
}

grade::GradingOptions options_of(const Session& session, const GradeOptions& given) {
  grade::GradingOptions options;
  options.chapters = chosen_chapters(given.chapters);
  options.compiler = compile::kind_named(session.compiler);
  if (options.compiler == compile::CompilerKind::Builtin) {
    throw base::UsageError(
        "Grades are made with NVRTC, nvcc or clang: the built-in compiler is for practice. Leave out "
        "--compiler builtin.");
  }
  options.rubric_name = given.rubric.empty() ? "rubric.toml" : given.rubric;
  options.rubric_text = grade::rubric_text(given.rubric.empty() ? grade::default_rubric_file()
                                                                : std::filesystem::path(given.rubric));
  options.out.root = given.out;
  options.jobs = given.jobs;
  options.fresh = given.fresh;
  options.limits.processor_time = std::chrono::duration<double>(given.cpu_seconds);
  options.sandbox = !given.no_sandbox;
  return options;
}

std::string gradebook_text(const GradeOptions& given) {
  if (auto table = base::read_file(given.gradebook)) return *std::move(table);
  throw UsageError(msg("Cannot read {}. Check the name.", base::printable_line(given.gradebook)));
}
std::string gradebook_name(const GradeOptions& given) {
  return base::printable_line(std::filesystem::path(given.gradebook).filename().string());
}

void fill_gradebook(const GradeOptions& given, const grade::ClassResult& result,
                    std::vector<Message>& notes) {
  const grade::Gradebook book =
      grade::filled_gradebook(gradebook_text(given), gradebook_name(given), given.column, result);
  const std::filesystem::path file = std::filesystem::path(given.out) / grade::kGradebookName;
  if (!base::write_file_atomically(file, book.text))
    throw base::EnvironmentError(msg("Cannot write {}. Is there room on the disk?", base::shown_path(file)));
  notes.insert(notes.end(), book.notes.begin(), book.notes.end());
}

std::atomic<bool> reading{false};  // a signal ends that at once, with these words
std::string unread;
std::string unread_words() {
  return "lab: " +
         tr("Interrupted while submissions were read; no report was written. The same command goes on from "
            "there.") +
         "\n";
}

int grade_places(const Session& session, const GradeOptions& given, grade::GradingOptions& options,
                 const grade::Rubric& rubric) {
  settle_sandbox(given.no_sandbox);
  if (!given.gradebook.empty())
    grade::check_gradebook(gradebook_text(given), gradebook_name(given), given.column);
  std::optional<Reading> reads(std::in_place);
  const grade::Places found = submissions_of(given, rubric);
  grade::ClassResult result;
  {
    ProgressLine line(session.plain);
    const std::set<std::string> formats(given.formats.begin(), given.formats.end());
    options.as_results_come = [&](const grade::ClassResult& so_far) {
      grade::write_tables(so_far, formats, options.out);
    };
    result = grade::grade_class(found.places, options, rubric, [&](const grade::Progress& p) {
      Reading::at(p);
      line(p);
    });
  }
  reads.reset();
  report_damaged(result);
  if (!result.complete) {
    (void)write_class(session, given, options, result, found.notes);
    fmt::print(stderr, "lab: {}\n",
               tr("Interrupted. What was judged is kept in {}, and its tables say what is open; the same "
                  "command goes on from there.",
                  base::printable_line(given.out)));
    return static_cast<int>(base::ExitCode::NotYet);
  }
  std::vector<Message> notes = found.notes;
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  if (!given.gradebook.empty()) fill_gradebook(given, result, notes);
  const report::Json json = grade::summary_json(result, notes);
  const std::string text = write_class(session, given, options, result, notes);
  if (given.json)
    print_json(json);
  else
    fmt::print("{}", text);
  return static_cast<int>(json.at("stopped") == 0 ? base::ExitCode::Passed : base::ExitCode::NotYet);
}

// On a node of a cluster: a shard ends well when it is asked to.
int run_one_shard(const GradeOptions& given) {
  stop_on_signals();
  return grade::run_shard(given.out, given.slurm_shard);
}

int run_grade(const Session& session, const GradeOptions& given) {
  if (given.print_rubric) return print_rubric(given);
  if (!given.verify.empty()) return verify(session, given);
  if (given.slurm_shard != 0) return run_one_shard(given);
  grade::GradingOptions options = options_of(session, given);
  const grade::Rubric rubric =
      grade::Rubric::parse(options.rubric_text, options.rubric_name, grade::all_cases());
  options.key = rubric.key();
  if (!given.gradescope.empty()) return make_gradescope(session, given, options);
  if (given.places.empty())
    throw UsageError("Name what is to be graded: a folder with one folder, zip or git clone per student.");
  if (given.by_slurm()) return grade_by_slurm(session, given, options, rubric);
  return grade_places(session, given, options, rubric);
}

}  // namespace

Reading::Reading() {
  unread = (isatty(STDERR_FILENO) != 0 ? "\n" : "") + unread_words();
  reading = true;
  stop_on_signals();
}

Reading::~Reading() { reading = false; }

void Reading::at(const grade::Progress& progress) { reading = progress.read < progress.submissions; }

void settle_sandbox(bool unwanted) {
  Message problem = compile::sandbox_problem();
  if (!unwanted && !problem.empty())
    throw base::EnvironmentError(
        problem.then("Submissions that you trust can be graded without walls: --no-sandbox."));
  if (unwanted) {
    fmt::print(
        stderr, "lab: {}\n",
        tr("--no-sandbox: compilers run with your rights and see your files. Time, memory and includes "
           "are still limited."));
  }
}

void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int) {
    grade::stop_requested = true;
    if (!reading) return;
    (void)!write(STDERR_FILENO, unread.data(), unread.size());
    _exit(static_cast<int>(base::ExitCode::NotYet));
  };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

namespace {

// The instructor's list, and what the platform's worksheet knows of the people: that of --submitted, else the one to be
// filled.
grade::Roster people_of(const GradeOptions& given, const grade::Rubric& rubric, grade::Places& found) {
  grade::Roster roster;
  if (!given.roster.empty()) {
    const auto text = base::read_file(given.roster);
    if (!text)
      throw UsageError(msg("Cannot read the roster {}. Check the name.", base::printable_line(given.roster)));
    roster = grade::Roster::parse(*text, base::printable_line(given.roster), rubric.time_zone());
  }
  const bool hand_ins = !found.worksheet.empty();
  const std::string text = hand_ins ? found.worksheet : base::read_file(given.gradebook).value_or("");
  const std::string name = base::printable_line(hand_ins ? found.worksheet_name : given.gradebook);
  if (const auto sheet = given.one || text.empty() ? std::nullopt : grade::Worksheet::read(text, name)) {
    std::string zone = rubric.time_zone();
    if (zone.empty() && hand_ins) {
      zone = grade::zone_of_machine();
      found.notes.push_back(
          msg("{} has times without a zone: they are read as this machine's, {}. The rubric's "
              "time_zone says which it is",
              name, zone));
    }
    roster.add(*sheet, name, zone, hand_ins, found.notes);
  }
  return roster;
}

}  // namespace

grade::Places submissions_of(const GradeOptions& given, const grade::Rubric& rubric) {
  for (const std::string& place : given.places) {
    std::error_code error;
    if (std::filesystem::equivalent(place, given.out, error))
      throw UsageError(
          msg("--out {}: the submissions lie there, and reports would be taken for some of them. "
              "Give --out a new folder.",
              base::printable_line(given.out)));
  }
  grade::Places found = grade::find_places(given.places, {given.one, given.submitted, rubric.time_zone()});
  if (given.anonymous && given.roster.empty())
    throw UsageError("--anonymous needs the roster that has the anonymous ids: --roster FILE.");
  const grade::Roster roster = people_of(given, rubric, found);
  if (!roster.members().empty()) grade::enrol(found, roster, given.anonymous);
  grade::give_more_time(rubric.late(), found);
  if (!given.anonymous) grade::keep_labels(found, given.out);
  const std::vector<Message> notes = grade::late_notes(rubric.late(), found);
  found.notes.insert(found.notes.end(), notes.begin(), notes.end());
  return found;
}

int report_unread() {
  fmt::print(stderr, "{}", unread_words());
  return static_cast<int>(base::ExitCode::NotYet);
}

void report_damaged(const grade::ClassResult& result) {
  for (const Message& sentence : result.damaged)
    fmt::print(stderr, "lab: {}\n", base::printable(translated(sentence)));
}

std::string write_class(const Session& session, const GradeOptions& given,
                        const grade::GradingOptions& options, const grade::ClassResult& result,
                        const std::vector<Message>& notes) {
  const std::set<std::string> formats(given.formats.begin(), given.formats.end());
  const std::vector<std::string> written = grade::write_formats(result, formats, options.out);
  if (formats.count("github") > 0) report_to_github(result);
  std::vector<Message> all_notes = notes;
  if (const auto stale = grade::stale_reports(options.out, written); !stale.empty())
    all_notes.push_back(msg("of an earlier run, and not written anew by this one: {}", base::joined(stale)));
  return fmt::format("{}{}: records/, {}\n", grade::summary_text(result, all_notes, session.style()),
                     base::printable_line(given.out), base::joined(written));
}

namespace {

Command grade_run_command(const Session& session) {
  static GradeOptions options;
  Command command{"run",
                  "Grades submissions: a folder with one folder, zip or git clone per student.\n"
                  "Example: ./lab grade run submissions/ --chapters 1,2,3 --out grades"};
  command.option("places", options.places, "Folders, archives or .cu files");
  command.option("--chapters", options.chapters, "Chapters to grade (default: all)").with_commas();
  command.option("--format", options.formats, "Reports to write: " + base::joined(grade::format_names()))
      .with_commas()
      .one_of(grade::format_names())
      .with_default();
  command.option("--out", options.out, "Folder for records and reports").with_default();
  command.option("--rubric", options.rubric, "Points: a file like `lab grade rubric` prints");
  command.option(
      "--submitted", options.submitted,
      "Who handed in which file, and when: student,file,time (default: submitted.csv in the folder)");
  command.option(
      "--gradebook", options.gradebook,
      "Moodle's grading worksheet or Canvas's gradebook: written to OUT/gradebook.csv with the grades");
  command.option("--roster", options.roster,
                 "The people of the class: id, name, group, seat, extension, anonymous id");
  command.option("--anonymous", options.anonymous, "Grade under the roster's anonymous ids");
  command.option("--gradebook-column", options.column, "The column to fill (default: Grade)");
  command.option("-j,--jobs", options.jobs, "Kernels at a time (default: one a core)");
  command
      .option("--cpu-seconds", options.cpu_seconds,
              "Processor time for judging one kernel; behind it there is no verdict (0: no limit)")
      .between(0, 100000)
      .with_default();
  command.option("--no-sandbox", options.no_sandbox,
                 "Compile without walls: only for submissions that you trust");
  command.option("--one", options.one, "Each argument is one submission");
  command.option("--fresh", options.fresh, "Judge again what was judged already");
  // Old spellings of the commands below.
  command.option("--verify", options.verify, "Judge the kernel of this record again and compare")
      .kept_quiet();
  command.option("--make-gradescope", options.gradescope, "Write the autograder's zip to this file")
      .kept_quiet();
  command.option("--print-rubric", options.print_rubric, "Print the rubric and end").kept_quiet();
  add_slurm_options(command, options);
  command.json(options.json);
  command.run = [&session] { return run_grade(session, options); };
  return command;
}

Command grade_verify_command(const Session& session) {
  static GradeOptions options;
  Command command{"verify",
                  "Judges the kernel of a record again and compares, byte for byte.\n"
                  "Example: ./lab grade verify grades/records/ada/05_padding.json"};
  command.option("record", options.verify, "OUT/records/STUDENT/CHAPTER.json").required();
  command.option("places", options.places, "The submission, where the record's folder keeps no copy");
  command.option("--one", options.one, "Each place is one submission");
  command.option("--rubric", options.rubric, "Points: another rubric than the record's own");
  command.json(options.json);
  command.run = [&session] { return verify(session, options); };
  return command;
}

Command rubric_command() {
  static GradeOptions options;
  Command command{
      "rubric",
      "Prints the rubric: a file to copy and change.\n"
      "Example: ./lab grade rubric > my_rubric.toml    ./lab grade rubric --rubric my_rubric.toml"};
  command.option("--rubric", options.rubric, "Hold this one to the rules, and print it");
  command.json(options.json);
  command.run = [] { return print_rubric(options); };
  return command;
}

Command zip_command(const Session& session) {
  static GradeOptions options;
  Command command{"zip",
                  "Writes an autograder for Gradescope.\n"
                  "Example: ./lab grade zip autograder.zip --chapters 1,2,3"};
  command.option("file", options.gradescope, "The zip to write").required();
  command.option("--chapters", options.chapters, "Chapters to grade (default: all)").with_commas();
  command.option("--rubric", options.rubric, "Points: a file like `lab grade rubric` prints");
  command.json(options.json);
  command.run = [&session] { return run_grade(session, options); };
  return command;
}

}  // namespace

Command grade_command(const Session& session) {
  Command command{
      "grade",
      "Grades a class: submissions, records, the rubric, kernels that look alike.\n"
      "Example: ./lab grade run submissions/ --chapters 1,2,3 --out grades    ./lab grade rubric"};
  command.commands = {grade_run_command(session), grade_verify_command(session), rubric_command(),
                      similar_command(session), zip_command(session)};
  command.otherwise = "run";  // as it was spelled before there were others
  return command;
}

}  // namespace lab::cli

// `lab tables 17`: the tables of chapter 17, as a profiler names its counters; and, once each has a finding,
// the kernels behind them. `lab tables 18`: the pages of a seat.
//
// Enters: the student's file, for its seat and its findings; a class's key. Leaves: tables or pages, or with
// --sources the kernels in the student's file (17: at its end; 18: instead of it), a copy of it beside it,
// and the first findings in the progress. The kernels lie in solutions/, where anybody can read them: this is
// a curtain, no lock (docs/trust.md).
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/course/commands/commands.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/explore/profiler_table.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/exam.h"
#include "common/course/judge/exam_pages.h"
#include "common/course/judge/examine.h"
#include "common/course/judge/named_kernel.h"
#include "common/course/lessons/progress.h"
#include "common/course/lessons/student_file.h"
#include "common/course/report/json.h"
#include "common/ui/style.h"
#include "common/ui/table.h"
#include "common/ui/waiting.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

using base::UsageError;
constexpr const char* kChapter = "17_read_the_profiler";
constexpr const char* kPages = "18_bugs_in_the_wild";
constexpr std::string_view kFrom = "#include \"solutions/17_read_the_profiler/skeleton.cu\"\n";

struct TablesOptions {
  std::string chapter, key;
  int seat = 0;
  bool seat_given = false, sources = false, solved = false, json = false;
};

std::filesystem::path file_of(const char* name) {
  return base::project_root() / "solutions" / kChapter / name;
}

judge::Subject loaded(const std::filesystem::path& file, const Session& session,
                      const judge::Inputs& inputs) {
  return judge::Subject(explore::compiled_kernel(file, compile::kind_named(session.compiler)).ptx(), 0, {},
                        inputs);
}

// The first row is a.
std::string letter_of(std::size_t row) { return {static_cast<char>('a' + row)}; }

report::Json json_of(const std::string& name, const judge::Run& run) {
  report::Json metrics = report::Json::array();
  for (const explore::ProfilerRow& row : explore::profiler_table(run))
    metrics.push_back({{"row", letter_of(metrics.size())},
                       {"name", row.metric},
                       {"value", row.counted},
                       {"ideal", row.ideal},
                       {"active_lanes", row.lanes}});
  return {{"table", name},
          {"rows", run.problem.rows},
          {"cols", run.problem.cols},
          {"grid", {run.grid.x, run.grid.y, run.grid.z}},
          {"block", {run.block.x, run.block.y, run.block.z}},
          {"shared_bytes", run.shared_bytes},
          {"metrics", metrics}};
}

std::string text_of(const std::string& name, const judge::Run& run, const report::Style& style) {
  report::Table table;
  table.column("  metric", report::Align::Left).column("counted").column("ideal").column("lanes");
  std::size_t rows = 0;
  for (const explore::ProfilerRow& row : explore::profiler_table(run)) {
    table.row({{letter_of(rows++) + " " + row.metric},
               {report::grouped(row.counted)},
               {row.ideal == 0 ? "" : report::grouped(row.ideal)},
               {fmt::format("{:.1f}", row.lanes)}});
  }
  const std::string head = fmt::format(
      "{}   {}×{} · launch__grid_size {} · launch__block_size {} · launch__shared_mem_per_block {}", name,
      run.problem.rows, run.problem.cols, run.grid.count(), run.block.count(), run.shared_bytes);
  return fmt::format("{}\n{}\n", report::fitted(head, "", "  "), table.text(style, ""));
}

int print_tables(const Session& session, const TablesOptions& options, const judge::Inputs& inputs,
                 int seat) {
  judge::Subject hidden = loaded(file_of("tables.cu"), session, inputs);
  const auto device = device::make_simulator();
  const auto module = device->load(hidden.ptx());
  std::vector<judge::ExamTable> tables = judge::exam_tables(inputs.key, seat);
  tables.insert(tables.begin(), {"healthy", "healthy", judge::Problem{256, 256}});
  report::Json all = report::Json::array();
  for (const judge::ExamTable& t : tables) {
    // Not from the PTX: the tables are the same with every compiler.
    const judge::Run run = waited(tr("running {}", t.name), !options.json, [&] {
      return judge::judge_on(*device, *module->kernel(t.kernel), hidden.launch_shape(t.kernel), t.problem,
                             hidden.target_of(t.kernel), true, 0);
    });
    if (options.json) {
      all.push_back(json_of(t.name, run));
    } else {
      fmt::print("{}", text_of(t.name, run, session.style()));
    }
  }
  if (options.json) print_json({{"seat", seat}, {"tables", all}});
  return 0;
}

// The kernels at the end of the student's file; a copy of it is kept.
std::filesystem::path add_sources(const std::filesystem::path& file) {
  const auto text = base::read_file(file), sources = base::read_file(file_of("sources.cu"));
  const std::size_t from = sources ? sources->find(kFrom) : std::string::npos;
  if (!text || from == std::string::npos)
    throw base::EnvironmentError("The kernels of chapter 17 are not here.");
  return course::replace_keeping_copy(file, *text + sources->substr(from + kFrom.size()));
}

// As `lab check 17` does, for those who ask for the kernels before they ever checked.
void keep_first_findings(const std::filesystem::path& file, const Session& session) {
  course::Progress progress = course::Progress::load();
  (void)course::note_first_findings(
      progress[kChapter],
      judge::examine(judge::chapter_named(kChapter), file, compile::kind_named(session.compiler)).evaluation);
  progress.save();
}

// Once something is said of each table; what was said first is remembered.
int bring_sources(judge::Subject& own, const std::filesystem::path& file, const Session& session,
                  const TablesOptions& options, const judge::Inputs& inputs) {
  const std::vector<std::string> entries = own.entries();
  report::Json missing = report::Json::array();
  std::string first;
  for (const judge::ExamTable& t : judge::exam_tables(inputs.key, own.seat())) {
    if (std::find(entries.begin(), entries.end(), t.kernel) != entries.end())
      throw UsageError(msg("{} has a kernel `{}` already.", base::shown_path(file), t.kernel));
    if (own.finding(t.name).says_something()) continue;
    if (first.empty()) first = t.name;
    missing.push_back(t.name);
  }
  if (first.empty() && inputs.key == judge::kPracticeKey) keep_first_findings(file, session);
  const std::string copy = first.empty() ? base::shown_path(add_sources(file)) : "";
  if (options.json) {
    print_json({{"file", base::shown_path(file)}, {"copy", copy}, {"missing", missing}});
  } else if (first.empty()) {
    fmt::print("{}\n", tr("The kernels stand at the end of {} now; what was there before is in {}.",
                          base::shown_path(file), copy));
  } else {
    fmt::print(
        stderr, "lab: {}\n",
        tr("FINDING_OF({}) says nothing yet. The kernels come once every table has a finding.", first));
  }
  return static_cast<int>(first.empty() ? base::ExitCode::Passed : base::ExitCode::NotYet);
}

// The pages of chapter 18 for a seat: shown, or as the student's file.
int give_pages(const Session& session, const TablesOptions& options, const judge::Inputs& inputs,
               const std::filesystem::path& file) {
  const int seat = options.seat_given ? options.seat : loaded(file, session, inputs).seat();
  const std::string text = judge::exam_file(judge::exam_pages(inputs.key, seat), seat, options.solved);
  if (!options.sources) {
    if (options.json)
      print_json({{"seat", seat}, {"file", text}});
    else
      fmt::print("{}", text);
    return 0;
  }
  const std::string copy = base::shown_path(course::replace_keeping_copy(file, text));
  if (options.json)
    print_json({{"file", base::shown_path(file)}, {"copy", copy}, {"seat", seat}});
  else
    fmt::print("{}\n", tr("The pages of seat {} stand in {} now; what was there before is in {}.", seat,
                          base::shown_path(file), copy));
  return 0;
}

int run_tables(const Session& session, const TablesOptions& options) {
  const judge::ChapterInfo& chapter = judge::chapter_named(options.chapter);
  judge::Inputs inputs;
  if (!options.key.empty()) inputs.key = options.key;
  const std::filesystem::path file = judge::chapter_kernel(chapter);
  if (std::string_view(chapter.name) == kPages) return give_pages(session, options, inputs, file);
  if (std::string_view(chapter.name) != kChapter)
    throw UsageError("The chapters with an exam are 17_read_the_profiler and 18_bugs_in_the_wild.");
  if (options.solved) throw UsageError("--solved goes with chapter 18.");
  if (options.seat_given && !options.sources) return print_tables(session, options, inputs, options.seat);
  judge::Subject own = loaded(file, session, inputs);
  if (options.sources) return bring_sources(own, file, session, options, inputs);
  return print_tables(session, options, inputs, own.seat());
}

}  // namespace

Command tables_command(const Session& session) {
  Command command{
      "tables",
      "Chapter 17: tables of kernels without their source, by the names of a profiler; chapter 18: "
      "the pages of a seat.\nExample: ./lab tables 17    ./lab tables 18 --seat 12 --sources"};
  static TablesOptions options;
  options.chapter = "17";
  command.option("chapter", options.chapter, "The chapter: 17 or 18");
  command.option("--seat", options.seat, "Which seat's tables or pages (default: SEAT of your file)")
      .notes(options.seat_given);
  command.option("--key", options.key,
                 "Key of a class that decides which table is which (default: the public one)");
  command.option("--sources", options.sources,
                 "17: adds the kernels to your file, once every table has a finding; 18: your file "
                 "gets the pages");
  command.option("--solved", options.solved, "18: the pages as they should become, with their findings");
  command.json(options.json);
  command.run = [&session] { return run_tables(session, options); };
  return command;
}

}  // namespace lab::cli

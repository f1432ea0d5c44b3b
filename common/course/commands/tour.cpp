// `lab tour`: every reference solution on the simulated GPU, as a ladder of counters.
#include <fmt/core.h>

#include <chrono>

#include "common/base/errors.h"
#include "common/base/project.h"
#include "common/base/threads.h"
#include "common/course/commands/commands.h"
#include "common/course/judge/chapter_list.h"
#include "common/course/judge/worker.h"
#include "common/course/report/json.h"
#include "common/ui/table.h"
#include "common/ui/waiting.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

using judge::ChapterInfo;

struct Rung {
  const ChapterInfo* chapter = nullptr;
  judge::Run run;
  Message problem;       // why there is no run: a whole sentence
  bool skipped = false;  // the compiler here knows no Hopper
};

Rung climb(const ChapterInfo& chapter, const compile::CompileResult& compiled) {
  Rung rung;
  rung.chapter = &chapter;
  rung.run.problem = chapter.measured;
  if (!compiled.ok) {
    rung.problem = msg("does not compile:\n{}", compiled.log_for_reader());
    return rung;
  }
  try {
    judge::Worker worker(device::make_simulator(), compiled.ptx());
    judge::Target target;
    target.entry = chapter.entry;
    rung.run = judge::judge_loaded(
        worker, [&] { return worker.launch_shape(target.entry); }, chapter.measured, target, true,
        base::usable_cores(), judge::InputKey(judge::kPracticeKey, compiled.ptx()));
    if (!rung.run.faults.empty()) rung.problem = rung.run.faults.front().sentence();
    if (rung.run.mismatch) rung.problem = rung.run.mismatch->message;
  } catch (const device::LoadError& error) {
    rung.problem = error.fault.sentence();
  }
  return rung;
}

std::vector<Rung> climb_all(const Session& session, Waiting& waiting) {
  const std::span<const ChapterInfo> chapters = judge::listed_chapters();
  std::vector<compile::CompileRequest> requests;
  const bool hopper =
      compile::compiles_for_hopper(compile::find_kernel_compiler(compile::kind_named(session.compiler)).kind);
  for (const ChapterInfo& chapter : chapters) {
    if (chapter.hopper && !hopper) continue;
    compile::CompileRequest& request = requests.emplace_back();
    request.file = judge::solution_kernel(chapter);
    request.compiler = compile::kind_named(session.compiler);
  }
  const std::vector<compile::CompileResult> compiled = compile::compile_all(requests);
  std::vector<Rung> rungs;
  auto next = compiled.begin();
  for (const ChapterInfo& chapter : chapters) {
    waiting.reached(rungs.size(), chapters.size());
    if (hopper || !chapter.hopper)
      rungs.push_back(climb(chapter, *next++));
    else
      rungs.push_back({.chapter = &chapter, .run = {}, .problem = {}, .skipped = true});
  }
  return rungs;
}

// "1 048 576 (8×)": how many times the ideal; nothing behind a number that is ideal.
report::Cell against(std::uint64_t counted, std::uint64_t ideal) {
  if (counted == 0) return {"–", report::Ink::Faint};
  if (counted <= ideal || ideal == 0)
    return {fmt::format("{} {}", report::grouped(counted), tr("ideal")), report::Ink::Good};
  const double factor = double(counted) / double(ideal);
  const bool whole = counted % ideal == 0;
  const std::string times = whole ? fmt::format("{}×", counted / ideal) : fmt::format("{:.1f}×", factor);
  return {
      fmt::format("{} {}", report::grouped(counted), report::pad_right(times, report::width(tr("ideal")))),
      report::Ink::Bad};
}

std::string removes(const ChapterInfo& chapter) {
  return chapter.removes[text::language() == text::Language::Chinese];
}

constexpr const char* kCounters[] = {
    /* message */ "load sectors", "store sectors",  /* message */ "requests",
    "shared wavefronts",          "bank conflicts", "shared bytes"};

// The counters that a chapter changes, in words; "" where it changes none of them.
std::string change(const std::vector<report::Cell>& counters, const std::vector<report::Cell>& above) {
  std::string words;
  for (std::size_t c = 0; c < counters.size(); ++c) {
    if (!above.empty() && above[c].text == counters[c].text) continue;
    std::string number = counters[c].text;
    while (number.ends_with(' ')) number.pop_back();
    if (above.empty() && number == "–") continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : "; ", text::translated_form(kCounters[c]), number);
  }
  return words;
}

// A number that is that of the chapter above it is a mark of repetition, so that what a chapter changes is seen.
std::vector<report::Cell> as_changed(std::vector<report::Cell> counters,
                                     const std::vector<report::Cell>& above) {
  for (std::size_t c = 0; c < counters.size() && c < above.size(); ++c)
    if (counters[c].text == above[c].text) counters[c] = {"″", report::Ink::Faint};
  return counters;
}

std::vector<report::Cell> counters_of(const judge::Run& run) {
  const sim::Counters& c = run.counters;
  const std::uint64_t conflicts = judge::bank_conflicts(c);
  // The TMA unit's copies are counted by hardware on the global side alone.
  sim::PathCounters load = c[sim::Path::GlobalLoad], store = c[sim::Path::GlobalStore];
  load += c[sim::Path::GlobalBulkLoad], store += c[sim::Path::GlobalBulkStore];
  const std::uint64_t wavefronts = c[sim::Path::SharedLoad].cost + c[sim::Path::SharedStore].cost +
                                   c[sim::Path::ClusterLoad].cost + c[sim::Path::ClusterStore].cost;
  return {
      against(load.cost, load.ideal),
      against(store.cost, store.ideal),
      {report::grouped(c.global_total().requests + c.shared_total().requests)},
      against(wavefronts, wavefronts - conflicts),
      {wavefronts == 0 ? "–" : report::grouped(conflicts), conflicts ? report::Ink::Bad : report::Ink::Good},
      {run.shared_bytes == 0 ? "–" : report::grouped(run.shared_bytes)}};
}

std::string ladder(const std::vector<Rung>& rungs, const report::Style& style) {
  constexpr std::string_view kIndent = "  ";
  constexpr bool kInShort[] = {false, true, true, false, true, true};  // of kCounters
  report::Table table, in_short, words;
  for (report::Table* one : {&table, &in_short})
    one->column("chapter", report::Align::Left).column("removes", report::Align::Left);
  constexpr std::size_t kRoomForBoth = 110;
  const std::size_t terminal = report::terminal_columns();
  const bool both = terminal >= kRoomForBoth;
  words.column("chapter", report::Align::Left);
  if (both) words.column("removes", report::Align::Left);
  words.column("what changes", report::Align::Left);
  for (std::size_t c = 0; c < std::size(kCounters); ++c) {
    table.column(kCounters[c]);
    if (kInShort[c]) in_short.column(kCounters[c]);
  }
  std::string problems;
  std::vector<report::Cell> above;
  for (const Rung& rung : rungs) {
    const auto row = [&](const std::string& what, const std::vector<report::Cell>& counters,
                         const report::Cell& changed, report::Ink ink) {
      std::vector<report::Cell> cells = {{rung.chapter->name, ink}, {what}};
      words.row(both ? std::vector{cells[0], cells[1], changed} : std::vector{cells[0], changed});
      std::vector<report::Cell> fewer = cells;
      for (std::size_t c = 0; c < std::size(kCounters); ++c) {
        const report::Cell cell = c < counters.size() ? counters[c] : report::Cell{};
        cells.push_back(cell);
        if (kInShort[c]) fewer.push_back(cell);
      }
      table.row(std::move(cells));
      in_short.row(std::move(fewer));
    };
    const std::string what = removes(*rung.chapter);
    if (rung.skipped) {
      const std::string why = tr("needs NVRTC or nvcc: ./lab setup");
      row(why, {}, {both ? "" : why}, report::Ink::Faint);
    } else if (!rung.problem.empty()) {
      problems += fmt::format("  {} {}: {}\n", style.paint("✗", report::Ink::Bad), rung.chapter->name,
                              translated(rung.problem));
      row(what, {{"✗", report::Ink::Bad}}, {"✗", report::Ink::Bad}, report::Ink::Plain);
    } else {
      const std::vector<report::Cell> counters = counters_of(rung.run);
      const std::string changed = change(counters, above);
      row(what, as_changed(counters, above), {changed.empty() && !both ? what : changed},
          report::Ink::Strong);
      above = counters;
    }
  }
  const auto fits = [&](const report::Table& one) {
    return terminal == 0 || one.columns() + kIndent.size() <= terminal;
  };
  return (fits(table) ? table : fits(in_short) ? in_short : words).text(style, kIndent) + problems;
}

report::Json tour_json(const std::vector<Rung>& rungs, double seconds) {
  report::Json chapters = report::Json::array();
  for (const Rung& rung : rungs) {
    if (rung.skipped) continue;
    report::Json object =
        report::profile_json(base::shown_path(judge::solution_kernel(*rung.chapter)), "simulator", rung.run);
    object["correct"] = rung.problem.empty();
    object["chapter"] = rung.chapter->name;
    object["idea"] = rung.chapter->idea;
    object["problem"] = rung.problem.english();
    object["bank_conflicts"] = judge::bank_conflicts(rung.run.counters);
    chapters.push_back(std::move(object));
  }
  return {{"device", "simulator"}, {"chapters", chapters}, {"seconds", seconds}};
}

int tour(const Session& session, bool json) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<Rung> rungs = [&] {
    Waiting waiting(tr("running the solutions"), !json);
    return climb_all(session, waiting);
  }();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const bool all_right =
      std::all_of(rungs.begin(), rungs.end(), [](const Rung& r) { return r.problem.empty(); });
  if (json) {
    print_json(tour_json(rungs, seconds));
  } else {
    const report::Style style = session.style();
    const std::string head = style.paint("Transpose Lab", report::Ink::Strong) + "   " +
                             tr("{} solutions on the simulated GPU, {}, in {}", rungs.size(),
                                translated(describe(rungs.front().run.problem)), report::duration(seconds));
    fmt::print("{}\n\n{}\n", report::fitted(head, "", "  "), ladder(rungs, style));
    const std::string words =
        tr("Sectors are 32 bytes of global memory, wavefronts are passes through the 32 banks of shared "
           "memory.") +
        "\n" +
        tr("Each chapter removes one cause of waste. Start with {}, then ./lab check 1",
           lesson_of(rungs.front().chapter->name));
    fmt::print("{}", report::wrapped(words, report::terminal_columns(), "  ", "  "));
  }
  return static_cast<int>(all_right ? base::ExitCode::Passed : base::ExitCode::NotYet);
}

}  // namespace

Command tour_command(const Session& session) {
  Command command{"tour",
                  "Runs every reference solution and prints the ladder of counters.\nExample: ./lab tour"};
  static bool json = false;
  command.json(json);
  command.run = [&session] { return tour(session, json); };
  return command;
}

}  // namespace lab::cli

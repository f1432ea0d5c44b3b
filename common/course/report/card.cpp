// The verdict card of `lab check`, and the profile of one run, as text.
#include "common/course/report/card.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "common/base/cpp_text.h"
#include "common/base/printable.h"
#include "common/base/project.h"
#include "common/base/source_text.h"
#include "common/ui/explain.h"
#include "common/ui/table.h"
#include "common/ui/wrap.h"

namespace lab::report {
using base::printable;
using base::printable_line;
namespace {

using judge::CaseKind;
using judge::CaseResult;
using judge::Examination;
using judge::Reason;

constexpr std::string_view kIndent = "      ";

std::string file_and_line(const std::string& file, int line) {
  return fmt::format("{}:{}", printable_line(std::filesystem::path(file).filename().string()), line);
}

// Every line of a message, indented, broken between words where the terminal ends.
std::string indented(std::string_view message) {
  std::string text;
  while (!message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    text += wrapped(printable(message.substr(0, end)), terminal_columns(), kIndent, kIndent);
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return text;
}

// The line of source behind its number, as much of it as the terminal has room for.
std::string source_beside(std::string_view before, const Cell& source, const Style& style) {
  if (source.text.empty()) return {};
  const std::size_t columns = terminal_columns(), taken = width(before) + 2;
  const auto shown = [&](std::string_view in_front, std::size_t room) {
    return std::string(in_front) + style.paint(cut_around(source.text, source.meant, room), source.ink);
  };
  if (columns == 0) return shown("  ", width(source.text));
  return columns >= taken + Table::kLeastSource
             ? shown("  ", columns - taken)
             : shown(fmt::format("\n{}", kIndent), columns - width(kIndent));
}

std::string head(const Examination& e, const Style& style) {
  std::string text = style.paint(e.evaluation.chapter, Ink::Strong) + "   ";
  if (!e.compiled) return text + fmt::format("{} · {}\n", tr("does not compile"), printable_line(e.kernel));
  text += e.compile.cached ? tr("compiled before") : tr("compiled {}", duration(e.compile.seconds));
  int shapes = 0;
  for (const CaseResult& c : e.evaluation.cases) shapes += c.shapes;
  if (shapes > 0) text += " · " + tr("{} shapes correct", grouped(static_cast<std::uint64_t>(shapes)));
  return fitted(text + " · " + translated(describe(e.chapter->measured)), "", "  ") + "\n";
}

std::string figures(const Reason& reason) {
  std::string text;
  for (const judge::Figure& f : reason.figures) {
    text += fmt::format("{}{}   {}   {}\n", kIndent, translated(f.name), grouped(f.value),
                        tr("goal {}", grouped(f.goal)));
  }
  return text;
}

std::string in_full(const CaseResult& c, const Style& style) {
  const Reason& reason = c.reasons.front();
  const std::string name = translated_form(c.name);
  std::string text = fmt::format("  {} {}", style.paint("✗", Ink::Bad), style.paint(name, Ink::Strong));
  std::string source;
  if (reason.line != 0) {
    const std::string where = "   " + file_and_line(reason.file, reason.line);
    source = source_beside("  ✗ " + name + where, source_cell(reason.file, reason.line, reason.path), style);
    text += where;
  }
  const std::string message = translated(reason.message);
  if (!source.starts_with('\n')) return text + source + "\n" + indented(message) + figures(reason);
  // Editors take the line below a row for its message (.vscode/tasks.json): the source stands behind its first.
  const std::size_t end = std::min(message.find('\n'), message.size());
  text += "\n" + indented(message.substr(0, end)) + source.substr(1) + "\n";
  if (end != message.size()) text += indented(message.substr(end + 1));
  return text + figures(reason);
}

// Why a further case fails, in a few words: the figure, or the message's first line.
std::string in_brief(const CaseResult& c, const CaseResult* first) {
  if (c.reasons.empty()) return {};
  const Reason& reason = c.reasons.front();
  if (first != nullptr && !first->reasons.empty()) {
    const Reason& other = first->reasons.front();
    if (other.message == reason.message && other.entry == reason.entry && other.line == reason.line)
      return tr("for the same reason");
  }
  if (reason.figures.empty()) {
    const std::string words = translated(reason.message);
    return words.substr(0, words.find('\n'));
  }
  const judge::Figure& f = reason.figures.front();
  return tr("{}: {}, goal {}", translated(f.name), grouped(f.value), grouped(f.goal));
}

// Every case but the first that fails: one line, which says why it is not like the first.
std::string in_short(const CaseResult& c, const Examination& e, const CardNotes& notes, const Style& style) {
  const std::string name = translated_form(c.name);
  const auto line = [&](std::string_view mark, Ink ink, const std::string& why) {
    const std::string head = fmt::format("  {} {}", mark, name);
    const std::size_t columns = terminal_columns(), taken = width(head) + 3;
    const std::string fits = columns == 0           ? why
                             : columns > taken + 12 ? cut(why, columns - taken)
                                                    : std::string();
    return fmt::format("  {} {}{}\n", style.paint(mark, ink), name,
                       fits.empty() ? "" : "   " + style.paint(fits, Ink::Faint));
  };
  if (c.passed && !c.left_out.empty()) return line("·", Ink::Faint, translated(c.left_out));
  if (const auto cost = notes.first_finding_costs.find(c.id); cost != notes.first_finding_costs.end())
    return line(
        "✓", Ink::Good,
        tr("practice: {} of {} points, your first finding was another", c.points - cost->second, c.points));
  if (c.by_second_compiler) return line("✓", Ink::Good, tr("by the built-in compiler's PTX, see below"));
  if (c.passed) {
    const auto guess = notes.wrong_first_guess.find(c.id);
    return line("✓", Ink::Good,
                guess == notes.wrong_first_guess.end()
                    ? ""
                    : tr("no point: your first guess was {}",
                         guess->second < 0 ? fmt::format("{}", guess->second)
                                           : grouped(static_cast<std::uint64_t>(guess->second))));
  }
  if (!c.reached) return line("·", Ink::Faint, tr("not reached: results are not right yet"));
  if (c.kind == CaseKind::Prediction && !e.evaluation.finished())
    return line("·", Ink::Faint, tr("not compared yet: it is about the finished kernel"));
  return line("✗", Ink::Bad, in_brief(c, e.evaluation.first_failure()));
}

// How many cases from this one on fail for want of the same thing, which no line and no number distinguishes.
std::size_t alike(std::span<const CaseResult> cases) {
  const auto wants = [](const CaseResult& c) {
    return !c.passed && c.reached && !c.reasons.empty() && c.reasons.front().figures.empty() &&
           c.reasons.front().line == 0 && c.reasons.front().code != "prediction-wrong";
  };
  std::size_t count = 0;
  while (count < cases.size() && wants(cases[count]) &&
         cases[count].reasons.front().code == cases.front().reasons.front().code)
    ++count;
  return count;
}

// Said once for all of them.
std::string many_alike(std::span<const CaseResult> cases, const Style& style) {
  const Explanation* known = find_explanation(cases.front().reasons.front().code);
  const std::string names = tr("{} more, {} to {}", cases.size(), translated_form(cases.front().name),
                               translated_form(cases.back().name));
  return fitted(style.paint("✗", Ink::Bad) + " " + names, "  ", "    ") + "\n" +
         (known == nullptr ? "" : indented(translated_form(known->meaning)));
}

std::string times_the_ideal(const sim::PathCounters& c) {
  return c.cost == c.ideal ? tr("ideal") : tr("{:.1f} times the ideal", double(c.cost) / double(c.ideal));
}

std::string conflicts_note(const sim::PathCounters& c) {
  if (c.cost == c.ideal) return tr("no bank conflicts");
  return c.cost > c.ideal ? tr("{} bank conflicts", grouped(c.cost - c.ideal)) : "";
}

// What is due to banks on all paths of shared memory: another block's shared memory has none.
sim::PathCounters in_banks(const sim::Counters& c) {
  sim::PathCounters sum = c.shared_total();
  for (const sim::PathInfo& path : sim::kPathTable) {
    if (path.rule == sim::Rule::ClusterLines) sum.cost -= c[path.path].cost, sum.ideal -= c[path.path].ideal;
  }
  return sum;
}

std::string counters_table(const sim::Counters& c, const Style& style) {
  Table table;
  table.column("", Align::Left)
      .column("requests")
      .column("counted")
      .column("ideal")
      .column("", Align::Left)
      .column("", Align::Left);
  const auto row = [&](std::string_view name, const sim::PathCounters& r, bool wavefronts,
                       const std::string& note) {
    table.row({{text::translated_form(name)},
               {grouped(r.requests)},
               {grouped(r.cost)},
               {grouped(r.ideal)},
               {wavefronts ? tr("wavefronts") : tr("sectors")},
               {note, r.cost > r.ideal ? Ink::Bad : Ink::Good}});
  };
  // What lies in one space stands together; a part of another path is counted there.
  for (const sim::Space space :
       {sim::Space::Global, sim::Space::Shared, sim::Space::Cluster, sim::Space::Local}) {
    for (const sim::PathInfo& path : sim::kPathTable) {
      const sim::PathCounters counted = c[path.path];
      if (path.space == space && !sim::is_part(path.path) && counted.requests != 0)
        row(path.name, counted, path.weighs == sim::Space::Shared,
            space == sim::Space::Shared ? conflicts_note(counted) : times_the_ideal(counted));
    }
  }
  // Where loads and stores are not all, the sum too: goals may bound it.
  const sim::PathCounters g = c.global_total();
  const sim::PathCounters s = c.shared_total();
  if (g.requests != c[sim::Path::GlobalLoad].requests + c[sim::Path::GlobalStore].requests)
    row("global, all paths", g, false, times_the_ideal(g));
  if (s.requests != c[sim::Path::SharedLoad].requests + c[sim::Path::SharedStore].requests)
    row("shared, all paths", s, true, conflicts_note(in_banks(c)));
  return table.text(style, "  ");
}

std::string lines_table(const judge::Run& run, const Style& style) {
  Table table;
  table.column("line", Align::Left)
      .column("access", Align::Left)
      .column("requests")
      .column("counted")
      .column("ideal")
      .source("source");
  for (const sim::LineCounters& line : run.lines) {
    const sim::PathCounters c = line.counters[line.path];
    table.row({{file_and_line(line.file, line.line)},
               {text::translated_form(std::string(sim::info(line.path).name))},
               {grouped(c.requests)},
               {grouped(c.cost), c.cost > c.ideal ? Ink::Bad : Ink::Plain},
               {grouped(c.ideal)},
               source_cell(line.file, line.line, line.path)});
  }
  return run.lines.empty() ? "" : table.text(style, "  ");
}

std::string gpu_time(const judge::GpuFindings& gpu) {
  if (!gpu.time) return {};
  if (!gpu.time->problem.empty())
    return fmt::format("{}{}\n", kIndent, tr("not timed: {}", translated(gpu.time->problem)));
  const double seconds = gpu.time->seconds.median;
  const double rate = judge::gigabytes_per_second(gpu.timed_bytes, seconds);
  const double percent = 100 * gpu.copy->seconds.median / seconds;
  if (gpu.gpus > 1)
    return std::string(kIndent) +
           tr("{} on {} GPUs in {:.3f} ms, {:.0f} GB/s over the link each way, {:.0f} % of a copy of as many "
              "bytes",
              translated(describe(gpu.timed_problem)), gpu.gpus, seconds * 1e3, rate, percent) +
           "\n";
  return std::string(kIndent) +
         tr("{} in {:.3f} ms, {:.0f} GB/s, {:.0f} % of a copy", translated(describe(gpu.timed_problem)),
            seconds * 1e3, rate, percent) +
         "\n";
}

// What the GPU said; nothing where there is none to be expected.
std::string gpu_lines(const Examination& e, const Style& style) {
  if (!e.gpu) return {};
  const judge::GpuFindings& gpu = *e.gpu;
  std::string text;
  if (gpu.shapes > 0 && e.evaluation.right()) {
    const std::string shapes = grouped(static_cast<std::uint64_t>(gpu.shapes));
    text = fmt::format("  {} {}: {}\n", style.paint("✓", Ink::Good), gpu.name,
                       gpu.alone ? tr("right on {} shapes; counters come from the simulator", shapes)
                                 : tr("the same results as the simulator on {} shapes", shapes));
    text += gpu_time(gpu);
  }
  if (!gpu.problem.empty() && gpu.is_worth_reporting)
    text += fmt::format("  {} {}\n", style.paint("·", Ink::Faint),
                        tr("GPU not used: {}", translated(gpu.problem)));
  return text;
}

// Behind the heads of branches and loops that stand in front of what a line does; 0: there are none.
std::size_t behind_heads(std::string_view line) {
  std::size_t begin = 0;
  while (line.substr(begin).starts_with("if (") || line.substr(begin).starts_with("for (")) {
    int depth = 0;
    std::size_t at = line.find('(', begin);
    for (; at < line.size(); ++at) {
      depth += (line[at] == '(') - (line[at] == ')');
      if (depth == 0) break;
    }
    const std::size_t behind = line.find_first_not_of(' ', std::min(at + 1, line.size()));
    if (behind == line.npos || line[behind] == '{' || line.substr(behind).starts_with("return;"))
      return begin;
    begin = behind;
  }
  return begin;
}

// Where the read or the write of a line begins: in front of its `=`, or behind it and behind a condition. A call
// that is no assignment reads what is indexed among its arguments.
std::size_t begin_of_access(std::string_view line, bool reads) {
  constexpr std::string_view kReturn = "return ";
  const std::size_t act = behind_heads(line);
  if (!reads) return act;
  int depth = 0;
  std::size_t begin = act;
  for (std::size_t at = act; at + 2 < line.size(); ++at) {
    depth += (line[at] == '(' || line[at] == '[') - (line[at] == ')' || line[at] == ']');
    const bool assigns = line[at] == '=' && line[at + 1] == ' ' && at > 0 &&
                         std::string_view("=<>!").find(line[at - 1]) == std::string_view::npos;
    if (depth == 0 && (begin == act ? assigns : line[at] == '?')) begin = at + 2;
  }
  if (begin != act) return begin;
  if (line.substr(act).starts_with(kReturn)) return act + kReturn.size();
  std::size_t name = std::min(line.find('[', act), line.size());
  while (name > act && base::in_word(line[name - 1])) --name;
  return name == line.size() ? act : name;
}

}  // namespace

Cell source_cell(const std::string& file, int line, std::optional<sim::Path> path) {
  constexpr std::size_t kUsual = 60;
  Cell cell{"", Ink::Faint, 0};
  const std::filesystem::path name = base::file_shown_as(file);
  const std::string ending = name.extension().string();
  if (ending != ".cu" && ending != ".cuh" && ending != ".h" && ending != ".hpp")
    return cell;  // #line names any file
  const std::vector<std::string> lines = base::read_source_lines(name);
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return cell;
  const std::string& text = lines[static_cast<std::size_t>(line) - 1];
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return cell;
  cell.text = printable(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
  cell.meant = begin_of_access(cell.text, path && sim::reads(*path));
  constexpr std::string_view kMore = "… ";
  std::string shown = cut_around(cell.text, cell.meant, kUsual);
  if (shown.starts_with(kMore))
    cell.meant = shown.ends_with("…") ? kMore.size() : shown.size() - (cell.text.size() - cell.meant);
  cell.text = std::move(shown);
  return cell;
}

int points_of(const Examination& e, const CardNotes& notes) {
  int points = e.evaluation.points();
  for (const CaseResult& c : e.evaluation.cases)
    if (c.passed && points != 0 && notes.wrong_first_guess.contains(c.id)) points -= c.points;
  if (points != 0)
    for (const auto& [id, cost] : notes.first_finding_costs) points -= cost;
  return points;
}

std::string card(const Examination& e, const std::vector<std::string>& next, const Style& style,
                 const CardNotes& notes) {
  std::string text = head(e, style);
  const CaseResult* failure = e.evaluation.first_failure();
  if (!e.compiled) {
    text += indented(e.compile.log_for_reader());
  } else if (e.load) {
    text += fmt::format("  {} {}", style.paint("✗", Ink::Bad),
                        style.paint(tr("the kernel cannot run"), Ink::Strong));
    if (e.load->line != 0) text += "   " + file_and_line(e.load->file, e.load->line);
    text += "\n" + indented(translated(e.load->message));
  } else {
    constexpr std::size_t kMany = 3;
    const std::span<const CaseResult> cases = e.evaluation.cases;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (&cases[i] == failure) {
        text += in_full(cases[i], style) + indented(notes.what_if);
      } else if (const std::size_t many = alike(cases.subspan(i)); many >= kMany) {
        text += many_alike(cases.subspan(i, many), style);
        i += many - 1;
      } else {
        text += in_short(cases[i], e, notes, style);
      }
    }
  }
  if (!e.split.empty()) text += indented(translated(e.split));
  text += gpu_lines(e, style);
  const std::string verdict =
      e.passed() ? style.paint(tr("passed"), Ink::Good) : style.paint(tr("not yet"), Ink::Bad);
  text += fmt::format("  {} · {}\n", verdict,
                      tr("{} of {} points", points_of(e, notes), e.evaluation.points_possible()));
  text += indented(notes.reach);
  if (!next.empty()) {
    std::string line = "  " + tr("next");
    for (const std::string& command : next) {
      const std::string more = (&command == &next.front() ? "   " : "     ") + printable_line(command);
      const std::size_t columns = terminal_columns();
      const bool fits = columns == 0 || width(line) + width(more) <= columns;
      if (fits || &command == &next.front()) line += more;
    }
    text += line + "\n";
  }
  return text;
}

std::string profile(const std::string& kernel, const std::string& device, const judge::Run& run,
                    const Style& style, bool transposes) {
  std::string text =
      fitted(fmt::format("{}   {} · {} · {} · {}", style.paint(printable_line(kernel), Ink::Strong),
                         translated(describe(run.problem)), translated_form(device),
                         tr("grid {}×{}×{}", run.grid.x, run.grid.y, run.grid.z),
                         tr("block {}×{}", run.block.x, run.block.y)),
             "", "  ") +
      "\n";
  if (run.correct()) {
    text += fmt::format("  {} {}\n", style.paint("✓", Ink::Good),
                        transposes ? tr("the result is the transpose") : tr("the result is right"));
  }
  for (const sim::Fault& fault : run.faults) {
    const std::string where = fault.line != 0 ? "   " + file_and_line(fault.file, fault.line) : "";
    text += fmt::format("  {} {}{}", style.paint("✗", Ink::Bad), sim::code(fault.kind), where) +
            source_beside(fmt::format("  ✗ {}{}", sim::code(fault.kind), where),
                          source_cell(fault.file, fault.line), style);
    text += "\n" + indented(text::translated(fault.sentence()));
  }
  if (run.mismatch) {
    text += fmt::format("  {} {}\n{}", style.paint("✗", Ink::Bad), run.mismatch->code,
                        indented(translated(run.mismatch->message)));
    text += fmt::format(
        "{}{}\n", kIndent,
        tr("{} elements are wrong", grouped(static_cast<std::uint64_t>(run.mismatch->wrong_elems))));
  }
  if (!run.output.empty()) text += "  " + tr("printed by the kernel:") + "\n" + indented(run.output);
  if (!run.lines.empty()) text += counters_table(run.counters, style);
  if (!run.lines.empty()) text += "\n" + lines_table(run, style);
  text += fmt::format("  {}\n", tr("simulated {} lane instructions in {}", grouped(run.lane_instructions),
                                   duration(run.seconds)));
  return text;
}

}  // namespace lab::report

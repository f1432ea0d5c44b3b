// The table of `lab run`: what each launch did, laid out.
//
// Enters: the records of a run. Leaves: text.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "common/base/project.h"
#include "common/base/text/text.h"
#include "common/gpu/device/gpu_data.h"
#include "common/gpu/model/modelled.h"
#include "common/run/programs/run_records.h"
#include "common/sim/base/kernel_name.h"
#include "common/ui/annotations.h"
#include "common/ui/table.h"

namespace lab::programs {
namespace {

using text::tr;
constexpr std::size_t kMostRows = 200;
constexpr std::size_t kMostSingleRows = 40;  // with more launches, those in a row that are alike share one

// Sums over the kinds of memory that a table has room for.
struct Sums {
  std::uint64_t sectors = 0, ideal_sectors = 0, wavefronts = 0, ideal_wavefronts = 0;
  std::uint64_t link_sectors = 0, ideal_link_sectors = 0;  // of the sectors, those over the link
};

Sums sums(const sim::Counters& c) {
  const sim::PathCounters g = c.global_total();
  const sim::PathCounters h = c.shared_total();
  sim::PathCounters link = c[sim::Path::LinkLoad];
  link += c[sim::Path::LinkStore];
  link += c[sim::Path::LinkAtomic];
  return {g.cost, g.ideal, h.cost, h.ideal, link.cost, link.ideal};
}

report::Cell number(std::uint64_t value, std::uint64_t ideal) {
  return {value == 0 ? "–" : report::grouped(value), value > ideal ? report::Ink::Bad : report::Ink::Plain};
}

void add_pair(std::vector<report::Cell>& cells, std::uint64_t value, std::uint64_t ideal) {
  cells.push_back(number(value, ideal));
  cells.push_back({value == 0 ? "–" : report::grouped(ideal)});
}

std::string shape(const sim::Dim3& d) {
  if (d.z != 1) return fmt::format("{}x{}x{}", d.x, d.y, d.z);
  return d.y != 1 ? fmt::format("{}x{}", d.x, d.y) : fmt::format("{}", d.x);
}

std::string faults_cell(const LaunchRow& row) {
  if (row.faults.empty()) return "–";
  const RecordedFault& first = row.faults.front();
  std::string text = first.kind;
  if (first.line != 0)
    text += fmt::format(" {}:{}", std::filesystem::path(first.file).filename().string(), first.line);
  return row.faults.size() == 1 ? text : report::tr("{} and {} more", text, row.faults.size() - 1);
}

bool alike(const LaunchRow& a, const LaunchRow& b) {
  return a.kernel == b.kernel && a.device == b.device && a.grid == b.grid && a.block == b.block &&
         a.counters == b.counters && a.predicted.total == b.predicted.total && a.faults.empty() &&
         b.faults.empty();
}

bool any_timed(const RunRecords& records) {
  return std::any_of(records.launches.begin(), records.launches.end(),
                     [](const LaunchRow& row) { return row.work.has_value(); });
}

std::string megabytes(std::uint64_t bytes) { return fmt::format("{:.2f} MB", double(bytes) / 1e6); }

void add_modelled(std::vector<report::Cell>& cells, const LaunchRow& row) {
  if (!row.work) {
    cells.insert(cells.end(), 5, report::Cell{"–"});
    return;
  }
  const model::Traffic& t = row.work->traffic;
  cells.push_back({fmt::format("{:.1f} µs", row.predicted.total * 1e6)});
  cells.push_back({text::translated_form(model::part_info(row.predicted.bound).words)});
  cells.push_back({report::grouped(t.l2_sectors())});
  cells.push_back({megabytes(t.dram.read_bytes)});
  cells.push_back({megabytes(t.dram.write_bytes)});
}

// The launches behind `first` that did the very same: loops that measure launch a kernel a hundred times.
std::size_t end_of_row(const std::vector<LaunchRow>& launches, std::size_t first) {
  std::size_t end = first + 1;
  if (launches.size() <= kMostSingleRows) return end;
  while (end < launches.size() && alike(launches[first], launches[end])) ++end;
  return end;
}

std::string launches_table(const RunRecords& records, const report::Style& style) {
  using report::Align;
  report::Table table;
  table.column("#").column("kernel", Align::Left).column("grid").column("block");
  const bool several = records.gpus > 1;
  if (several) table.column("GPU");
  table.column("sectors").column("ideal").column("wavefronts").column("ideal");
  if (several) table.column("link sectors").column("ideal");
  const bool as_ptxas = records.launches.front().as_ptxas.has_value();
  if (as_ptxas) table.column("sectors, ptxas").column("wavefronts, ptxas");
  const bool timed = any_timed(records);
  if (timed) table.column("predicted").column("bounded by", Align::Left);
  if (timed) table.column("L2 sectors").column("DRAM read").column("DRAM written");
  table.column("faults", Align::Left);
  std::size_t k = 0;
  for (std::size_t rows = 0; k < records.launches.size() && rows < kMostRows; ++rows) {
    const LaunchRow& row = records.launches[k];
    const Sums s = sums(row.counters);
    const std::size_t end = end_of_row(records.launches, k);
    std::vector<report::Cell> cells{
        {end - k == 1 ? std::to_string(end) : fmt::format("{}–{}", k + 1, end), report::Ink::Faint},
        {sim::short_kernel_name(row.kernel)},
        {shape(row.grid)},
        {shape(row.block)}};
    if (several) cells.push_back({std::to_string(row.device)});
    add_pair(cells, s.sectors, s.ideal_sectors);
    add_pair(cells, s.wavefronts, s.ideal_wavefronts);
    if (several) add_pair(cells, s.link_sectors, s.ideal_link_sectors);
    if (as_ptxas) {
      const Sums made = sums(row.as_ptxas.value_or(sim::Counters{}));
      cells.push_back(number(made.sectors, made.ideal_sectors));
      cells.push_back(number(made.wavefronts, made.ideal_wavefronts));
    }
    if (timed) add_modelled(cells, row);
    cells.push_back({faults_cell(row), row.faults.empty() ? report::Ink::Plain : report::Ink::Bad});
    table.row(std::move(cells));
    k = end;
  }
  std::string text = table.text(style);
  if (k < records.launches.size()) {
    text +=
        report::tr("… and {} more launches; --json FILE holds them all.", records.launches.size() - k) + "\n";
  }
  return text;
}

// The first few launches whose blocks leave multiprocessors idle, and what binds the others. The profiler's
// percents, which the table goes by, are means over all of them.
std::string few_blocks_note(const RunRecords& records, const device::GpuData& gpu) {
  constexpr std::size_t kMost = 3;
  std::string text;
  std::set<std::pair<std::string, std::uint64_t>> said;
  for (std::size_t k = 0; k < records.launches.size() && said.size() < kMost; ++k) {
    const LaunchRow& row = records.launches[k];
    const std::uint64_t blocks = row.grid.count();
    if (!row.work || row.predicted.bound == model::kParts || blocks >= gpu.multiprocessors) continue;
    if (!said.insert({row.kernel, blocks}).second) continue;
    text += tr("Launch {}: {} of {} multiprocessors have a block. What bounds these: {}.", k + 1, blocks,
               gpu.multiprocessors, text::translated_form(model::part_info(row.predicted.slowest()).words)) +
            "\n";
  }
  return text;
}

std::string time_note(const RunRecords& records) {
  const device::GpuData gpu = device::gpu_named(records.gpu);
  std::string text = tr("Times, sectors of L2 and bytes of DRAM are predicted for one {}, not measured; "
                        "docs/limits.md says how far off they are.",
                        gpu.name) +
                     "\n";
  if (!gpu.time_measured)
    text +=
        tr("Nothing was measured on this GPU: its rates are those of an H200, scaled by the data sheets.") +
        "\n";
  return text + few_blocks_note(records, gpu);
}

// A compiler that made one access of several lines' names none of them.
std::string place_of(const std::string& file, int line) {
  if (file.empty()) return "?";
  const std::string path = base::shown_path(report::from_here(file));
  return line == 0 ? path : fmt::format("{}:{}", path, line);
}

// Launches of one kernel are summed: a loop of launches gives the same lines again and again.
std::string lines_table(const RunRecords& records, const report::Style& style) {
  using report::Align;
  std::map<std::tuple<std::string, std::string, int, sim::Path>, Sums> rows;
  for (const LaunchRow& launch : records.launches) {
    for (const sim::LineCounters& line : launch.lines) {
      const Sums add = sums(line.counters);
      Sums& sum = rows[{sim::short_kernel_name(launch.kernel), line.file, line.line, line.path}];
      sum.sectors += add.sectors, sum.ideal_sectors += add.ideal_sectors;
      sum.wavefronts += add.wavefronts, sum.ideal_wavefronts += add.ideal_wavefronts;
      sum.sectors += add.link_sectors, sum.ideal_sectors += add.ideal_link_sectors;  // a row of their own
    }
  }
  report::Table table;
  table.column("kernel", Align::Left).column("line", Align::Left).column("access", Align::Left);
  table.column("sectors").column("ideal").column("wavefronts").column("ideal");
  for (const auto& [key, s] : rows) {
    const auto& [kernel, file, line, path] = key;
    std::vector<report::Cell> cells{
        {kernel}, {place_of(file, line)}, {text::translated_form(sim::info(path).name)}};
    add_pair(cells, s.sectors, s.ideal_sectors);
    add_pair(cells, s.wavefronts, s.ideal_wavefronts);
    table.row(std::move(cells));
  }
  return rows.empty() ? "" : "\n" + table.text(style);
}

std::string crossed_note(const RunRecords& records, bool linked) {
  std::string list;
  for (const auto& [crossed, bytes] : records.crossed) {
    if (crossed.linked != linked) continue;
    list += fmt::format("{}{} → {} {} B", list.empty() ? "" : ", ", crossed.from, crossed.to,
                        report::grouped(bytes));
  }
  if (list.empty()) return "";
  return (linked ? tr("Copies between GPUs, over the link: {}.", list)
                 : tr("Copies between GPUs through the host, for want of peer access "
                      "(cudaDeviceEnablePeerAccess): {}.",
                      list)) +
         "\n";
}

}  // namespace

std::string records_table(const RunRecords& records, bool lines, const report::Style& style) {
  std::string text =
      records.launches.empty() ? "The program launched no kernel.\n" : launches_table(records, style);
  if (lines && !records.launches.empty()) text += lines_table(records, style);
  if (!records.library_calls.empty()) {
    std::string calls;
    for (const auto& [call, count] : records.library_calls)
      calls += fmt::format("{}{} × {}", calls.empty() ? "" : ", ", call, count);
    text +=
        tr("Calls of libraries are computed on the host, not simulated, and have no counters: {}.", calls) +
        "\n";
  }
  if (records.was_ended) {
    text +=
        tr("The program was ended before launch {} (--launches): what it would have done from there on is "
           "missing here.",
           records.launches.size() + 1) +
        "\n";
  }
  if (records.repeated != 0) {
    text += tr("{} launches repeated an earlier one on the same contents of memory: they count the same, and "
               "were not executed again (--every-launch executes them).",
               report::grouped(records.repeated)) +
            "\n";
  }
  text += crossed_note(records, true) + crossed_note(records, false);
  if (records.used_textures)
    text += tr("Reads and writes through texture and surface objects are simulated and not counted.") + "\n";
  if (any_timed(records)) text += time_note(records);
  if (records.used_times) {
    text +=
        (any_timed(records)
             ? tr("Times that the program read from events are these predictions, no measurements, and so "
                  "is what it computed from them.")
             : tr("Times that the program read from events are simulated: a bound of the GPU's data sheet, "
                  "no measurement. With --time they are the predicted times.")) +
        "\n";
  }
  return text;
}

}  // namespace lab::programs

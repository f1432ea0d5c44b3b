// A bench report as text, CSV and JSON. See bench_text.h.
#include "common/course/report/bench_text.h"

#include <fmt/core.h>

#include <cmath>

#include "common/base/text/text.h"
#include "common/ui/table.h"

namespace lab::report {
namespace {

using explore::BenchCell;
using text::tr;

// "4 069 GB/s 98 %".
std::string speed(const explore::BenchColumn& column, const explore::BenchCell& cell) {
  const std::uint64_t bytes = cell.peer_copy ? cell.crossing_bytes : column.bytes;
  const double rate = judge::gigabytes_per_second(bytes, cell.timed.seconds.median);
  return fmt::format("{} {:>5.1f} %", grouped(static_cast<std::uint64_t>(std::llround(rate))),
                     100 * cell.share_of_copy);
}

Cell timed_cell(const explore::BenchColumn& column, const explore::BenchCell& cell) {
  if (!cell.offered) return {"–", Ink::Faint};
  if (!cell.problem().empty()) return {"✗", Ink::Bad};
  return {speed(column, cell), cell.share_of_copy >= 0.9 ? Ink::Good : Ink::Plain};
}

// Kernels on several GPUs have a yardstick of their own.
std::string links(const explore::BenchReport& r) {
  for (const auto& row : r.cells)
    for (const BenchCell& cell : row)
      if (cell.peer_copy)
        return tr(
            "  On several GPUs: the bytes that the GPU which sends most sends over the link, and the share "
            "of copies of as many\n  in one piece, all GPUs at the same time, by one clock from the first "
            "start to the last end.\n");
  return {};
}

std::string head(const explore::BenchReport& r, const Style& style) {
  std::string text = style.paint("lab bench", Ink::Strong) + "   " + r.device;
  if (!r.driver.empty()) text += tr(" · driver {}", r.driver);
  if (!r.cuda.empty()) text += tr(" · CUDA {}", r.cuda);
  if (!r.cublas.empty()) text += " · cuBLAS " + r.cublas;
  return text + tr(" · compiled by {}", r.made_by) + "\n\n";
}

std::string timed_table(const explore::BenchReport& r, const Style& style) {
  Table table;
  table.column(tr("kernel"), Align::Left);
  for (const explore::BenchColumn& c : r.columns) table.column(column_name(c.problem));
  std::vector<Cell> copy = {{tr("device-to-device copy"), Ink::Faint}};
  for (const explore::BenchColumn& c : r.columns) {
    const double rate = judge::gigabytes_per_second(c.bytes, c.copy.seconds.median);
    copy.push_back(
        c.copy.problem.empty()
            ? Cell{fmt::format("{} 100.0 %", grouped(static_cast<std::uint64_t>(std::llround(rate))))}
            : Cell{"✗", Ink::Bad});
  }
  table.row(copy);
  for (std::size_t i = 0; i < r.cells.size(); ++i) {
    std::vector<Cell> row = {{r.names[i], Ink::Strong}};
    for (std::size_t c = 0; c < r.columns.size(); ++c) row.push_back(timed_cell(r.columns[c], r.cells[i][c]));
    table.row(row);
  }
  return table.text(style, "  ");
}

std::uint64_t shared_wavefronts(const sim::Counters& c) {
  return c[sim::Path::SharedLoad].cost + c[sim::Path::SharedStore].cost;
}

std::string counted_table(const explore::BenchReport& r, std::size_t column, const Style& style) {
  Table table;
  table.column(tr("kernel"), Align::Left).column(tr("load sectors")).column(tr("store sectors"));
  table.column(tr("shared wavefronts")).column(tr("bank conflicts"));
  for (std::size_t i = 0; i < r.cells.size(); ++i) {
    const explore::BenchCell& cell = r.cells[i][column];
    if (!cell.problem().empty()) {
      table.row(
          {{r.names[i]}, {cell.offered ? "✗" : "–", cell.offered ? Ink::Bad : Ink::Faint}, {""}, {""}, {""}});
      continue;
    }
    const sim::Counters& c = cell.counted->counters;
    const std::uint64_t conflicts = judge::bank_conflicts(c);
    table.row({{r.names[i], Ink::Strong},
               {grouped(c[sim::Path::GlobalLoad].cost),
                c[sim::Path::GlobalLoad].cost > c[sim::Path::GlobalLoad].ideal ? Ink::Bad : Ink::Good},
               {grouped(c[sim::Path::GlobalStore].cost),
                c[sim::Path::GlobalStore].cost > c[sim::Path::GlobalStore].ideal ? Ink::Bad : Ink::Good},
               {shared_wavefronts(c) == 0 ? "–" : grouped(shared_wavefronts(c))},
               {shared_wavefronts(c) == 0 ? "–" : grouped(conflicts), conflicts ? Ink::Bad : Ink::Good}});
  }
  return fmt::format("  {}\n{}\n", column_name(r.columns[column].problem), table.text(style, "  "));
}

// Each problem once, with all that have it.
std::string problems(const explore::BenchReport& r, const Style& style) {
  std::string text;
  for (std::size_t i = 0; i < r.cells.size(); ++i) {
    Message last;
    for (std::size_t c = 0; c < r.columns.size(); ++c) {
      const bool offered = r.cells[i][c].offered;
      const Message words = offered ? r.cells[i][c].problem() : r.cells[i][c].timed.problem;
      if (words.empty() || words == last) continue;
      text += fmt::format("  {} {}, {}: {}\n", offered ? style.paint("✗", Ink::Bad) : "–", r.names[i],
                          column_name(r.columns[c].problem), text::translated(words));
      last = words;
    }
  }
  if (!r.cublas_problem.empty()) text += "  " + text::translated(r.cublas_problem) + "\n";
  for (const Message& words : r.peer_problems) text += "  " + text::translated(words) + "\n";
  return text;
}

Json counted_json(const judge::Run& run) {
  return {{"counters", to_json(run.counters)}, {"bank_conflicts", judge::bank_conflicts(run.counters)}};
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string column_name(const judge::Problem& p) {
  std::string name = fmt::format("{}×{}", p.rows, p.cols);
  if (p.elem_bytes != 4) name += fmt::format(" u{}", 8 * p.elem_bytes);
  return name;
}

std::string bench_text(const explore::BenchReport& r, const Style& style) {
  std::string text = head(r, style);
  if (r.has_times) {
    text += timed_table(r, style) + "\n" + problems(r, style);
    text += tr(
        "  GB/s: bytes read and written over the median time of {} samples, and its share of the copy.\n"
        "  Buffers take turns through more than the L2 cache ({} MiB); every kernel was right before it was "
        "timed.\n",
        r.samples, r.l2_bytes >> 20);
    return text + links(r);
  }
  for (std::size_t c = 0; c < r.columns.size(); ++c) text += counted_table(r, c, style);
  text += problems(r, style);
  return text +
         tr("  No times: these are counters of the simulated GPU. Times need a GPU (lab doctor says what "
            "it sees).\n");
}

std::string bench_markdown(const explore::BenchReport& r) {
  std::string text = "| kernel |", rule = "|---|";
  for (const explore::BenchColumn& c : r.columns)
    text += " " + column_name(c.problem) + " |", rule += "---:|";
  text += "\n" + rule + "\n| device-to-device copy |";
  for (const explore::BenchColumn& c : r.columns)
    text += fmt::format(" {:.0f} |", judge::gigabytes_per_second(c.bytes, c.copy.seconds.median));
  text += "\n";
  for (std::size_t i = 0; i < r.cells.size(); ++i) {
    text += "| " + r.names[i] + " |";
    for (std::size_t c = 0; c < r.columns.size(); ++c) {
      const explore::BenchCell& cell = r.cells[i][c];
      if (!cell.offered || !cell.problem().empty()) {
        text += cell.offered ? " ✗ |" : " – |";
        continue;
      }
      text += fmt::format(" {:.0f} ({:.1f} %) |",
                          judge::gigabytes_per_second(r.columns[c].bytes, cell.timed.seconds.median),
                          100 * cell.share_of_copy);
    }
    text += "\n";
  }
  return text;
}

std::string bench_csv(const explore::BenchReport& r) {
  std::string text =
      "device,kernel,rows,cols,elem_bytes,milliseconds,low,high,gigabytes_per_second,share_of_copy,load_"
      "sectors,store_sectors,shared_wavefronts,bank_conflicts,problem\n";
  const auto row = [&](const std::string& name, const explore::BenchColumn& c, const judge::Timed& timed,
                       double share, const judge::Run* run, const std::string& problem) {
    text += fmt::format("{},{},{},{},{},", csv_field(r.device), csv_field(name), c.problem.rows,
                        c.problem.cols, c.problem.elem_bytes);
    const judge::Spread& s = timed.seconds;
    text += s.samples == 0 ? std::string(",,,,,")
                           : fmt::format("{:.6f},{:.6f},{:.6f},{:.1f},{:.4f},", s.median * 1e3, s.low * 1e3,
                                         s.high * 1e3, judge::gigabytes_per_second(c.bytes, s.median), share);
    text += run == nullptr
                ? std::string(",,,,")
                : fmt::format("{},{},{},{},", run->counters[sim::Path::GlobalLoad].cost,
                              run->counters[sim::Path::GlobalStore].cost, shared_wavefronts(run->counters),
                              judge::bank_conflicts(run->counters));
    text += csv_field(problem) + "\n";
  };
  for (std::size_t c = 0; c < r.columns.size(); ++c) {
    if (r.has_times)
      row("copy", r.columns[c], r.columns[c].copy, 1, nullptr, r.columns[c].copy.problem.english());
    for (std::size_t i = 0; i < r.cells.size(); ++i) {
      const explore::BenchCell& cell = r.cells[i][c];
      row(r.names[i], r.columns[c], cell.timed, cell.share_of_copy, cell.counted ? &*cell.counted : nullptr,
          cell.problem().english());
    }
  }
  return text;
}

Json bench_json(const explore::BenchReport& r) {
  Json object = {
      {"device", r.device},   {"has_times", r.has_times}, {"driver", r.driver},
      {"cuda", r.cuda},       {"cublas", r.cublas},       {"cublas_problem", r.cublas_problem.english()},
      {"made_by", r.made_by}, {"l2_bytes", r.l2_bytes},   {"peer_problems", Json::array()}};
  for (const Message& words : r.peer_problems) object["peer_problems"].push_back(words.english());
  object["columns"] = Json::array();
  for (const explore::BenchColumn& c : r.columns) {
    Json column = {{"rows", c.problem.rows}, {"cols", c.problem.cols}, {"elem_bytes", c.problem.elem_bytes},
                   {"bytes", c.bytes},       {"pairs", c.pairs},       {"copy", nullptr}};
    if (r.has_times) column["copy"] = timed_json(c.copy, c.bytes);
    object["columns"].push_back(std::move(column));
  }
  object["kernels"] = Json::array();
  for (std::size_t i = 0; i < r.cells.size(); ++i) {
    Json cells = Json::array();
    for (std::size_t c = 0; c < r.columns.size(); ++c) {
      const explore::BenchCell& cell = r.cells[i][c];
      Json one = {{"offered", cell.offered},
                  {"problem", cell.problem().english()},
                  {"time", nullptr},
                  {"counted", nullptr}};
      if (cell.timed.seconds.samples > 0) {
        const std::uint64_t bytes = cell.peer_copy ? cell.crossing_bytes : r.columns[c].bytes;
        one["time"] = timed_json(cell.timed, bytes);
        one["time"]["share_of_copy"] = cell.share_of_copy;
        if (cell.peer_copy) {
          one["gpus"] = cell.gpus;
          one["crossing_bytes"] = bytes;
          one["peer_copy"] = timed_json(*cell.peer_copy, bytes);
        }
      }
      if (cell.counted && cell.problem().empty()) one["counted"] = counted_json(*cell.counted);
      cells.push_back(std::move(one));
    }
    object["kernels"].push_back({{"name", r.names[i]}, {"idea", r.ideas[i]}, {"cells", cells}});
  }
  return object;
}

}  // namespace lab::report

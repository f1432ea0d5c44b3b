// Bars, and a page around them. See bench_plot.h.
#include "common/course/report/bench_plot.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "common/base/markup.h"
#include "common/course/report/bench_text.h"

namespace lab::report {
namespace {

// Blue for kernels, a light grey for what they are held against, dark blue for the best: distinct in grey
// and by people who see red and green alike, and every bar has its number.
constexpr const char *kBar = "#5b8fc9", *kBest = "#1f4e8c", *kRival = "#b8b4a6";
constexpr int kEdge = 24, kNameWidth = 190, kBarWidth = 400, kNumber = 260, kRow = 26, kTitle = 46,
              kPanelGap = 30;
constexpr int kPanel = kNameWidth + kBarWidth + kNumber;

// One bar: its length as a share of the longest, and what stands behind it.
struct Bar {
  std::string name, words;
  double share = 0;
  bool rival = false, best = false;
};

std::string bar_svg(const Bar& bar, int x, int y) {
  const int width = std::max(1, static_cast<int>(std::lround(bar.share * kBarWidth)));
  std::string svg = fmt::format("<text class=\"n\" x=\"{}\" y=\"{}\">{}</text>\n", x + kNameWidth - 10,
                                y + 17, base::markup_escaped(bar.name));
  if (bar.share > 0) {
    svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"{}\"/>\n",
                       x + kNameWidth, y + 4, width, kRow - 8,
                       bar.rival  ? kRival
                       : bar.best ? kBest
                                  : kBar);
  }
  return svg + fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", bar.best ? "v b" : "v",
                           x + kNameWidth + (bar.share > 0 ? width : 0) + 8, y + 17,
                           base::markup_escaped(bar.words));
}

// Times: the bar is the share of the copy. Counters: sectors and wavefronts, less is better.
std::vector<Bar> timed_bars(const explore::BenchReport& r, std::size_t column) {
  const auto& c = r.columns[column];
  std::vector<Bar> bars;
  double longest = 1, best = 0;
  for (std::size_t i = 0; i < r.cells.size(); ++i) {
    const explore::BenchCell& cell = r.cells[i][column];
    if (!cell.offered) continue;
    Bar& bar = bars.emplace_back();
    bar.name = r.names[i];
    bar.rival = r.is_peer(i);
    bar.share = cell.problem().empty() ? cell.share_of_copy : 0;
    const double rate = judge::gigabytes_per_second(c.bytes, cell.timed.seconds.median);
    bar.words =
        bar.share > 0 ? fmt::format("{:.0f} GB/s · {:.0f} %", rate, 100 * bar.share) : tr("not measured");
    longest = std::max(longest, bar.share);
    if (!bar.rival) best = std::max(best, bar.share);
  }
  for (Bar& bar : bars) bar.best = !bar.rival && bar.share > 0 && bar.share == best;
  const double rate = judge::gigabytes_per_second(c.bytes, c.copy.seconds.median);
  bars.push_back({tr("copy"), fmt::format("{:.0f} GB/s", rate), rate > 0 ? 1.0 : 0.0, true, false});
  for (Bar& bar : bars) bar.share /= longest;
  return bars;
}

std::vector<Bar> counted_bars(const explore::BenchReport& r, std::size_t column) {
  std::vector<Bar> bars;
  double longest = 1;
  for (std::size_t i = 0; i < r.cells.size(); ++i) {
    const explore::BenchCell& cell = r.cells[i][column];
    if (!cell.offered) continue;
    Bar& bar = bars.emplace_back();
    bar.name = r.names[i];
    bar.words = tr("not counted");
    if (!cell.problem().empty()) continue;
    const sim::Counters& c = cell.counted->counters;
    const std::uint64_t sectors = c[sim::Path::GlobalLoad].cost + c[sim::Path::GlobalStore].cost;
    bar.share = double(sectors);
    bar.words = tr("{} sectors", grouped(sectors));
    if (const std::uint64_t conflicts = judge::bank_conflicts(c); conflicts > 0)
      bar.words += ", " + tr("{} conflicts", grouped(conflicts));
    longest = std::max(longest, bar.share);
  }
  for (Bar& bar : bars) bar.share /= longest;
  return bars;
}

std::string panel_svg(const explore::BenchReport& r, std::size_t column, int x, int& y) {
  std::string svg = fmt::format("<text class=\"h\" x=\"{}\" y=\"{}\">{}</text>\n", x, y + 20,
                                base::markup_escaped(column_name(r.columns[column].problem)));
  svg += fmt::format("<text class=\"t\" x=\"{}\" y=\"{}\">{}</text>\n", x + kNameWidth, y + 20,
                     r.has_times ? tr("share of a device-to-device copy; longer is better")
                                 : tr("sectors of global memory, load and store; shorter is better"));
  y += 30;
  const std::vector<Bar> bars = r.has_times ? timed_bars(r, column) : counted_bars(r, column);
  const int top = y;
  std::string drawn;
  for (const Bar& bar : bars) drawn += bar_svg(bar, x, y), y += kRow;
  double copy_at = 0;
  if (r.has_times && !bars.empty()) copy_at = bars.back().share;
  if (copy_at > 0) {
    const double line = x + kNameWidth + copy_at * kBarWidth;
    svg += fmt::format("<line x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\" class=\"g\"/>\n", line, top,
                       y);
  }
  return svg + drawn;
}

std::string subtitle(const explore::BenchReport& r) {
  std::string text = r.device;
  if (!r.driver.empty()) text += " · " + tr("driver {}", r.driver);
  if (!r.cuda.empty()) text += " · CUDA " + r.cuda;
  return text + " · " + tr("compiled by {}", r.made_by);
}

std::string html_table(const explore::BenchReport& r) {
  std::string text = "<table><thead><tr><th>" + tr("kernel") + "</th>";
  for (const auto& c : r.columns) text += "<th>" + column_name(c.problem) + "</th>";
  text += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < r.cells.size(); ++i) {
    text += "<tr><th>" + base::markup_escaped(r.names[i]) + "</th>";
    for (std::size_t c = 0; c < r.columns.size(); ++c) {
      const explore::BenchCell& cell = r.cells[i][c];
      std::string words = cell.offered ? "✗" : "–";
      if (cell.offered && cell.problem().empty() && r.has_times) {
        const judge::Spread& s = cell.timed.seconds;
        words =
            fmt::format("{:.0f} GB/s<br><small>{}<br>{}</small>",
                        judge::gigabytes_per_second(r.columns[c].bytes, s.median),
                        tr("{:.4f} ms, 80 % within {:.4f}–{:.4f}", s.median * 1e3, s.low * 1e3, s.high * 1e3),
                        tr("{:.1f} % of copy", 100 * cell.share_of_copy));
      } else if (cell.offered && cell.problem().empty()) {
        const sim::Counters& k = cell.counted->counters;
        words = fmt::format("{}<br><small>{}</small>",
                            tr("{} + {} sectors", grouped(k[sim::Path::GlobalLoad].cost),
                               grouped(k[sim::Path::GlobalStore].cost)),
                            tr("{} bank conflicts", grouped(judge::bank_conflicts(k))));
      }
      text += "<td>" + words + "</td>";
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

constexpr std::string_view kPageStyle = R"(
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
svg{width:100%;height:auto;background:#fff;border-radius:6px}table{border-collapse:collapse;font-size:.9rem}
th,td{padding:.35rem .7rem;border-bottom:1px solid #8886;text-align:right;vertical-align:top}
th:first-child{text-align:left}small{opacity:.75}code{font-size:.9em}div{overflow-x:auto})";

}  // namespace

std::string bench_svg(const explore::BenchReport& r) {
  int y = kEdge + kTitle;
  std::string body =
      fmt::format("<text class=\"h\" x=\"{}\" y=\"{}\">{}</text>\n", kEdge, kEdge + 14,
                  r.has_times ? tr("Matrix transpose: how much of the memory's speed is used")
                              : tr("Matrix transpose: what each kernel asks of memory (simulated)"));
  body += fmt::format("<text class=\"t\" x=\"{}\" y=\"{}\">{}</text>\n", kEdge, kEdge + 34,
                      base::markup_escaped(subtitle(r)));
  for (std::size_t column = 0; column < r.columns.size(); ++column) {
    body += panel_svg(r, column, kEdge, y);
    y += kPanelGap;
  }
  const int width = kPanel + 2 * kEdge, height = y - kPanelGap + kEdge;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "role=\"img\">\n"
      "<title>{2}</title>\n"
      "<style>text{{font-family:system-ui,sans-serif;fill:#222}}.h{{font-size:16px;font-weight:600}}.t{{font-"
      "size:13px;fill:#555}}.n{{font-size:13px;text-anchor:end}}.v{{font-size:12.5px;fill:#333}}.v{{stroke:#"
      "fff;stroke-width:4px;paint-order:stroke}}.b{{font-weight:700}}.g{{stroke:#555;stroke-dasharray:3 "
      "3}}</style>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{3}</svg>\n",
      width, height, tr("Speed of the transpose kernels, {}", base::markup_escaped(r.device)), body);
}

std::string bench_html(const explore::BenchReport& r, const std::string& command, const std::string& date) {
  const std::string how =
      r.has_times
          ? tr("GB/s are bytes read and written over the median of {} samples. Buffers take turns through "
               "more than the L2 cache ({} MiB). Every kernel was right, on poisoned memory and never on "
               "zeros, before it was timed. The copy was measured in the same run.",
               r.samples, r.l2_bytes >> 20)
          : tr("No times: these are counters of the simulated GPU.");
  return fmt::format(
      "<!doctype html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\"><title>lab bench: {}</title><style>{}</style></head><body>\n<h1>lab "
      "bench</h1>\n<p>{} · {}</p>\n<p>{}</p>\n{}\n<div>{}</div>\n<p>{} <code>{}</code></p>\n</body></html>\n",
      language_of_page(), base::markup_escaped(r.device), kPageStyle, base::markup_escaped(subtitle(r)),
      base::markup_escaped(date), how, bench_svg(r), html_table(r), tr("Again:"),
      base::markup_escaped(command));
}

}  // namespace lab::report

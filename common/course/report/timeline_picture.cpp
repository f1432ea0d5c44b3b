// The timeline of a block, drawn. See timeline_picture.h.
#include "common/course/report/timeline_picture.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "common/base/markup.h"
#include "common/ui/wrap.h"

namespace lab::report {
namespace {

using explore::Act;
using explore::OnTheWay;
using explore::TimelineData;
using explore::WarpSteps;

struct ActRow {
  char letter;
  std::string_view key, words, colour;
};
// By Act. Words: message forms of the legend.
constexpr std::array<ActRow, 7> kActs{{
    {'L', "load", /* message */ "loads from global memory", "#4c78a8"},
    {'S', "store", /* message */ "stores to global memory", "#e0a030"},
    {'r', "shared_load", /* message */ "reads shared memory", "#9ecae1"},
    {'w', "shared_store", /* message */ "writes shared memory", "#f5d592"},
    {'a', "atomic", /* message */ "atomic", "#b07aa1"},
    {'c', "start", /* message */ "starts copies", "#54a24b"},
    {'v', "wait", /* message */ "waits: copies have landed", "#88888e"},
}};
const ActRow& row_of(Act act) { return kActs[static_cast<std::size_t>(act)]; }

constexpr int kNameColumns = 14, kBand = 64, kMostBands = 4;

std::string warps_label(const WarpSteps& warps) {
  return warps.first_warp == warps.last_warp ? tr("warp {}", warps.first_warp)
                                             : tr("warps {}-{}", warps.first_warp, warps.last_warp);
}

// Copies that do not overlap share a row: what is one stage of a pipeline tends to be one row.
std::vector<std::vector<OnTheWay>> packed(const TimelineData& data) {
  std::vector<std::vector<OnTheWay>> rows;
  for (const OnTheWay& copy : data.copies) {
    const auto fits = [&](const std::vector<OnTheWay>& row) { return row.back().last < copy.first; };
    const auto row = std::find_if(rows.begin(), rows.end(), fits);
    if (row != rows.end())
      row->push_back(copy);
    else
      rows.push_back({copy});
  }
  return rows;
}

// Each row as long as the timeline, a character a column.
std::string steps_line(const TimelineData& data, const WarpSteps& warps) {
  std::string line(static_cast<std::size_t>(data.columns), '.');
  for (const int barrier : data.barriers) line[static_cast<std::size_t>(barrier)] = '|';
  for (const explore::Step& step : warps.steps)
    line[static_cast<std::size_t>(step.column)] = row_of(step.act).letter;
  return line;
}

std::string copies_line(const TimelineData& data, const std::vector<OnTheWay>& copies) {
  std::string line(static_cast<std::size_t>(data.columns), ' ');
  for (const OnTheWay& copy : copies) {
    const auto first = static_cast<std::size_t>(copy.first), last = static_cast<std::size_t>(copy.last);
    std::fill(line.begin() + copy.first, line.begin() + copy.last + 1, '=');
    line[first] = '[';
    if (copy.awaited) line[last] = last == first ? '|' : ']';
  }
  return line;
}

// Eighths of the most bytes at once.
std::vector<std::string> heights(const std::vector<std::uint64_t>& bytes, std::uint64_t most) {
  static constexpr std::array<std::string_view, 9> kBars = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<std::string> cells;
  for (const std::uint64_t b : bytes)
    cells.emplace_back(kBars[most == 0 ? 0 : static_cast<std::size_t>((b * 8 + most - 1) / most)]);
  return cells;
}

// The line of a wait is that of the copies: it ends when they have landed.
std::string act_on(const ActRow& row, const std::string& lines) {
  return row.letter == 'v' ? tr("waits: copies of line {} have landed", lines)
                           : tr("{}: line {}", translated_form(row.words), lines);
}

std::string legend(const TimelineData& data, const Style& style) {
  std::set<std::pair<Act, int>> lines;
  for (const WarpSteps& warps : data.warps)
    for (const explore::Step& step : warps.steps) lines.insert({step.act, step.line});
  std::string text;
  for (std::size_t a = 0; a < kActs.size(); ++a) {
    std::string numbers;
    for (const auto& [act, line] : lines)
      if (static_cast<std::size_t>(act) == a) numbers += (numbers.empty() ? "" : ", ") + std::to_string(line);
    if (numbers.empty()) continue;
    text += fmt::format("  {}  {}\n", style.paint(std::string(1, kActs[a].letter), Ink::Strong),
                        act_on(kActs[a], numbers));
  }
  if (!data.barriers.empty()) text += "  |  " + tr("barrier of the block") + "\n";
  return text;
}

struct Overlap {
  std::uint64_t most = 0;     // bytes on their way at once
  int covered = 0, busy = 0;  // columns with bytes on their way; of those, with other work
};
Overlap overlap_of(const TimelineData& data) {
  Overlap found;
  const std::vector<std::uint64_t> bytes = data.bytes_on_their_way();
  std::vector<bool> works(bytes.size(), false);
  for (const WarpSteps& warps : data.warps)
    for (const explore::Step& step : warps.steps)
      if (step.act != Act::Start && step.act != Act::Wait)
        works[static_cast<std::size_t>(step.column)] = true;
  for (std::size_t c = 0; c < bytes.size(); ++c) {
    found.most = std::max(found.most, bytes[c]);
    found.covered += bytes[c] != 0;
    found.busy += bytes[c] != 0 && works[c];
  }
  return found;
}

std::string summary(const TimelineData& data, const Overlap& overlap) {
  if (data.copies.empty())
    return tr("This block starts no asynchronous copies: whoever loads waits for its own values.");
  if (overlap.busy == 0)
    return tr(
        "At most {} bytes are on their way at once, and this block does nothing else meanwhile: only other "
        "blocks can hide them.",
        grouped(overlap.most));
  return tr(
      "At most {} bytes are on their way at once. In {} of {} columns with bytes on their way other "
      "memory work goes on.",
      grouped(overlap.most), overlap.busy, overlap.covered);
}

std::string heading(const TimelineData& data) {
  return tr(
      "Block {}, each warp in its own order. No clock runs: a column is a run of requests of one kind on "
      "one line, and what stands below each other may happen together.",
      data.block);
}

}  // namespace

std::string timeline_text(const TimelineData& data, const std::string& kernel, const Style& style) {
  std::string text = style.paint(kernel, Ink::Strong) + "\n" + fitted(heading(data)) + "\n";
  const Overlap overlap = overlap_of(data);
  const std::vector<std::string> bytes = heights(data.bytes_on_their_way(), overlap.most);
  const std::vector<std::vector<OnTheWay>> rows = packed(data);
  for (int from = 0, band = 0; from < data.columns && band < kMostBands; from += kBand, ++band) {
    const auto at = static_cast<std::size_t>(from);
    text += "\n";
    for (const WarpSteps& warps : data.warps)
      text += pad_right(warps_label(warps), kNameColumns) + steps_line(data, warps).substr(at, kBand) + "\n";
    for (std::size_t r = 0; r < rows.size(); ++r)
      text += pad_right(r == 0 ? tr("copies") : "", kNameColumns) +
              style.paint(copies_line(data, rows[r]).substr(at, kBand), Ink::Good) + "\n";
    if (overlap.most == 0) continue;
    text += pad_right(tr("bytes at once"), kNameColumns);
    for (std::size_t c = at; c < std::min(at + kBand, bytes.size()); ++c) text += bytes[c];
    text += "\n";
  }
  if (data.columns > kBand * kMostBands)
    text += tr("… and {} more columns", data.columns - kBand * kMostBands) + "\n";
  return text + "\n" + legend(data, style) + "\n" + fitted(summary(data, overlap)) + "\n";
}

Json timeline_json(const TimelineData& data, const std::string& kernel) {
  Json json = {{"kernel", kernel},
               {"block", data.block},
               {"columns", data.columns},
               {"barriers", data.barriers},
               {"warps", Json::array()},
               {"copies", Json::array()},
               {"bytes_on_their_way", data.bytes_on_their_way()}};
  for (const WarpSteps& warps : data.warps) {
    Json steps = Json::array();
    for (const explore::Step& step : warps.steps)
      steps.push_back({{"column", step.column},
                       {"act", row_of(step.act).key},
                       {"line", step.line},
                       {"requests", step.requests}});
    json["warps"].push_back(
        {{"first_warp", warps.first_warp}, {"last_warp", warps.last_warp}, {"steps", steps}});
  }
  for (const OnTheWay& copy : data.copies)
    json["copies"].push_back({{"line", copy.line},
                              {"first_column", copy.first},
                              {"last_column", copy.last},
                              {"bytes", copy.bytes},
                              {"awaited", copy.awaited}});
  return json;
}

namespace {

constexpr int kColumnWidth = 14, kWarpHeight = 22, kNamesWidth = 120, kBorder = 16;

std::string words_at(int x, int y, std::string_view text, std::string_view cls = "t") {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", cls, x, y,
                     base::markup_escaped(text));
}

std::string box(int column, int columns, int y, int height, std::string_view fill, std::string_view title) {
  return fmt::format(
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\" fill=\"{}\"><title>{}</title></rect>\n",
      kNamesWidth + column * kColumnWidth, y, columns * kColumnWidth - 1, height, fill,
      base::markup_escaped(title));
}

std::string steps_svg(const TimelineData& data, int& y) {
  std::string svg;
  for (const WarpSteps& warps : data.warps) {
    svg += words_at(kBorder, y + 14, warps_label(warps));
    for (const explore::Step& step : warps.steps) {
      const ActRow& row = row_of(step.act);
      svg += box(step.column, 1, y, kWarpHeight - 4, row.colour, act_on(row, std::to_string(step.line)));
      svg += words_at(kNamesWidth + step.column * kColumnWidth + 3, y + 13, std::string(1, row.letter), "l");
    }
    y += kWarpHeight;
  }
  return svg;
}

std::string copies_svg(const TimelineData& data, int& y) {
  std::string svg;
  bool first = true;
  for (const std::vector<OnTheWay>& row : packed(data)) {
    if (std::exchange(first, false)) svg += words_at(kBorder, y + 12, tr("copies"));
    for (const OnTheWay& copy : row)
      svg += box(copy.first, copy.last - copy.first + 1, y + 3, kWarpHeight - 10, "#54a24b",
                 tr("line {}: {} bytes", copy.line, grouped(copy.bytes)));
    y += kWarpHeight - 4;
  }
  return svg;
}

std::string bytes_svg(const TimelineData& data, std::uint64_t most, int& y) {
  if (most == 0) return "";
  constexpr std::uint64_t kHeight = 44;
  std::string svg = words_at(kBorder, y + 26, tr("bytes at once"));
  const std::vector<std::uint64_t> bytes = data.bytes_on_their_way();
  for (std::size_t c = 0; c < bytes.size(); ++c) {
    const int height = static_cast<int>(bytes[c] * kHeight / most);
    if (height != 0)
      svg += box(static_cast<int>(c), 1, y + static_cast<int>(kHeight) - height, height, "#4c78a8",
                 grouped(bytes[c]));
  }
  y += static_cast<int>(kHeight) + kBorder;
  return svg;
}

}  // namespace

std::string timeline_svg(const TimelineData& data, const std::string& kernel) {
  const Overlap overlap = overlap_of(data);
  int y = kBorder;
  std::string body = words_at(kBorder, y + 14, kernel, "h");
  body += words_at(kBorder, y + 34, tr("Block {}, each warp in its own order; no clock runs", data.block));
  const int top = y += 48;
  body += steps_svg(data, y);
  body += copies_svg(data, y);
  y += 6;
  body += bytes_svg(data, overlap.most, y);
  std::string barriers;
  for (const int column : data.barriers) {
    const int x = kNamesWidth + column * kColumnWidth + kColumnWidth / 2;
    barriers += fmt::format("<line x1=\"{0}\" x2=\"{0}\" y1=\"{1}\" y2=\"{2}\"/>\n", x, top, y - kBorder);
  }
  const std::string words = summary(data, overlap);
  body += words_at(kBorder, y + 14, words);
  for (std::size_t a = 0; a < kActs.size(); ++a) {
    const int x = kBorder + static_cast<int>(a % 4) * 190,
              row = y + 38 + static_cast<int>(a / 4) * kWarpHeight;
    body += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"13\" height=\"16\" rx=\"2\" fill=\"{}\"/>", x,
                        row - 12, kActs[a].colour);
    body += words_at(x + 3, row + 1, std::string(1, kActs[a].letter), "l");
    body += words_at(x + 20, row, text::translated_form(std::string(kActs[a].words)));
  }
  y += 38 + 2 * kWarpHeight;
  const int wide = std::max({kNamesWidth + data.columns * kColumnWidth + kBorder, 780,
                             2 * kBorder + 7 * static_cast<int>(width(words))});
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "role=\"img\">\n<title>{2}</title>\n<style>text{{font:12px sans-serif}}.h{{font-weight:bold;fill:#111}}"
      ".t{{fill:#444}}.l{{font:11px monospace;fill:#111}}line{{stroke:#999;stroke-dasharray:3 3}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{3}{4}</svg>\n",
      wide, y, base::markup_escaped(heading(data)), barriers, body);
}

}  // namespace lab::report

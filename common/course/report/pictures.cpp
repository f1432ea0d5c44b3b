// Pictures as text and JSON.
#include "common/course/report/pictures.h"

#include <fmt/core.h>

#include <algorithm>

#include "common/course/report/card.h"
#include "common/course/report/traffic_picture.h"
#include "common/sim/observe/access_view.h"
#include "common/ui/picture_grid.h"
#include "common/ui/table.h"
#include "common/ui/wrap.h"

namespace lab::report {
namespace {

constexpr std::size_t kWavefrontsShown = 32;

// "1 wavefront", "4 sectors".
std::string counted(const std::string& number, const explore::Site& site) {
  const bool wavefronts = sim::info(site.path).weighs == sim::Space::Shared;
  if (number == "1") return wavefronts ? tr("1 wavefront") : tr("1 sector");
  return wavefronts ? tr("{} wavefronts", number) : tr("{} sectors", number);
}

constexpr std::size_t kLabelColumns = 12;

// Cells two columns wide: 32 banks and a label fit into 80. In a narrower terminal they stand side by side.
std::size_t cell_columns() {
  const std::size_t terminal = terminal_columns();
  return terminal == 0 || terminal > kLabelColumns + 2 * sim::kBanks ? 2 : 1;
}

constexpr std::size_t kLeastFolded = 4;

// How many rows from this one on use the banks that the two above them use, and are not the last that does.
std::size_t rows_like(const std::vector<GridRow>& rows, std::size_t at) {
  const auto alike = [&](std::size_t one, std::size_t other) {
    return rows[one].gap == rows[other].gap &&
           std::equal(rows[one].cells.begin(), rows[one].cells.end(), rows[other].cells.begin(),
                      rows[other].cells.end(),
                      [](const GridCell& a, const GridCell& b) { return (a.lanes == 0) == (b.lanes == 0); });
  };
  std::size_t end = at;
  if (at < 2 || !alike(at - 1, at - 2)) return 0;
  while (end < rows.size() && alike(end, end - 1)) ++end;
  return end > at ? end - at - 1 : 0;
}

std::string grid_text(const Grid& grid, std::size_t most, ColourDepth depth) {
  std::string text;
  std::size_t shown = 0;
  const std::size_t columns = cell_columns();
  for (std::size_t at = 0; at < grid.rows.size(); ++at) {
    const GridRow& row = grid.rows[at];
    if (shown++ == most) break;
    if (const std::size_t like = rows_like(grid.rows, at); like >= kLeastFolded) {
      text += std::string(kLabelColumns + 1, ' ') + tr("… {} rows more, as these", like) + "\n";
      at += like - 1, shown += like - 1;
      continue;
    }
    if (row.gap) text += "            ⋮\n";
    text += pad_left(translated(row.label), kLabelColumns) + " ";
    for (const GridCell& cell : row.cells) {
      const std::string piece = pad_left(std::string(1, lane_character(cell.lanes)), columns);
      text += cell.lanes == 0 ? piece : on_bank(piece, cell.bank, depth);
    }
    text += "\n";
  }
  const std::uint64_t left = grid.left_out + (grid.rows.size() > most ? grid.rows.size() - most : 0);
  if (left != 0) text += "             " + tr("… and {} more", left) + "\n";
  return text;
}

std::string bank_header() {
  std::string text = pad_left(tr("bank"), kLabelColumns) + " ";
  const std::size_t columns = cell_columns(), every = columns == 2 ? 4 : 8;
  for (std::size_t b = 0; b < sim::kBanks; b += every) {
    text += pad_left(std::to_string(b), columns);
    text += std::string(every * columns - std::max(columns, std::to_string(b).size()), ' ');
  }
  return text + "\n";
}

// Sectors have no banks: a colour would say something that is not there.
std::string shared_text(const sim::RecordedAccess& a, ColourDepth depth) {
  return fitted(tr("In memory, 32 banks of 4 bytes per row; a character is a lane (0-9, a = 10 … v = 31, + "
                   "several):")) +
         "\n" + bank_header() + grid_text(memory_of_shared(a), 64, depth) + "\n" +
         fitted(tr("One wavefront after another; in each a bank hands out one word:")) + "\n" +
         bank_header() + grid_text(wavefronts_of(a), kWavefrontsShown, depth);
}

std::string global_text(const sim::RecordedAccess& a) {
  return fitted(tr(
             "Sectors of 32 bytes, 8 words per row; a character is a lane (0-9, a = 10 … v = 31, + several), "
             "a dot is fetched or written for no lane:")) +
         "\n" + grid_text(sectors_of(a), 64, ColourDepth::None);
}

std::string site_table(const Picture& p, const Style& style) {
  Table table;
  table.column("", Align::Left)
      .column("line")
      .column("access", Align::Left)
      .column("requests")
      .may_go()
      .column("per request");
  table.column("ideal").source();
  const auto row = [&](const explore::Site& site) {
    table.row({{&site == &p.site ? ">" : " ", Ink::Strong},
               {std::to_string(site.line)},
               {translated_form(site.words())},
               {grouped(site.requests)},
               {counted(explore::per_request(site.cost, site.requests), site),
                site.excess() == 0 ? Ink::Plain : Ink::Bad},
               {explore::per_request(site.ideal, site.requests)},
               source_cell(site.file, site.line, site.path)});
  };
  for (const explore::Site& site : p.recording.sites) row(site);
  for (const explore::Site& site : p.recording.traffic) row(site);
  return table.text(style);
}

std::uint64_t cost_of(const Picture& p) {
  const sim::RecordedAccess& a = p.access();
  if (!p.site.shared()) return sim::view_global(a.address.data(), a.width_bytes, a.mask).sectors.size();
  return sim::view_shared(a.address.data(), a.width_bytes, a.mask, p.site.load()).wavefronts;
}

std::uint64_t ideal_of(const Picture& p) {
  const sim::RecordedAccess& a = p.access();
  if (!p.site.shared()) return sim::view_global(a.address.data(), a.width_bytes, a.mask).ideal_sectors;
  return sim::view_shared(a.address.data(), a.width_bytes, a.mask, p.site.load()).ideal_wavefronts;
}

}  // namespace

std::string request_sentence(const Picture& p) {
  return tr("{} on line {}, block {}, warp {}, request {} of {}: {}, ideal {}.",
            translated_form(p.site.words()), p.site.line, p.recording.block, p.access().place.warp,
            p.request + 1, p.site.recorded.size(), counted(std::to_string(cost_of(p)), p.site), ideal_of(p));
}

namespace {

Table layouts_table(const explore::Recording& recording, const explore::TileView& tile, bool with_words) {
  Table table;
  table.column("layout", Align::Left);
  std::vector<const explore::Site*> sites;
  for (const explore::Site& site : recording.sites) {
    if (!site.recorded.empty() && tile.holds(site.recorded.front())) sites.push_back(&site);
  }
  // A narrow terminal keeps the access that costs most: this is what the picture above shows.
  const auto cost = [&](const explore::Site* site) {
    const explore::WhatIfCost now = explore::cost_in(*site, tile, tile.layouts.front());
    return static_cast<double>(now.wavefronts) / static_cast<double>(now.requests);
  };
  std::vector<const explore::Site*> dearest = sites;
  if (!with_words)
    std::stable_sort(dearest.begin(), dearest.end(), [&](auto* a, auto* b) { return cost(a) > cost(b); });
  for (const explore::Site* site : sites) {
    table.column(fmt::format("{} :{}", translated_form(site->words()), site->line));
    if (!with_words && site != dearest.front())
      table.may_go(static_cast<int>(dearest.end() - std::find(dearest.begin(), dearest.end(), site)));
  }
  table.column("bytes");
  if (with_words) table.column("", Align::Left).column("", Align::Left);
  for (const explore::Layout& layout : tile.layouts) {
    std::vector<Cell> cells = {{translated(layout.name), Ink::Strong}};
    for (const explore::Site* site : sites) {
      const explore::WhatIfCost cost = explore::cost_in(*site, tile, layout);
      cells.push_back({explore::per_request(cost.wavefronts, cost.requests)});
    }
    cells.push_back({grouped(layout.bytes)});
    if (with_words) {
      cells.push_back({layout.change, Ink::Plain});
      cells.push_back({translated(layout.words), Ink::Faint});
    }
    table.row(cells);
  }
  return table;
}

}  // namespace

std::string what_if_text(const explore::Recording& recording, const explore::TileView& tile,
                         const Style& style) {
  if (tile.layouts.size() < 2)
    return tile.row_bytes != 0 ? "" : fitted(tr("What if? Not computed: {}.", translated(tile.how))) + "\n";
  const std::size_t terminal = terminal_columns();
  Table table = layouts_table(recording, tile, true);
  std::string below;  // the words, where the table has no room for them
  if (terminal != 0 && table.columns() > terminal) {
    table = layouts_table(recording, tile, false);
    for (const explore::Layout& layout : tile.layouts) {
      const std::string change = layout.change.empty() ? "" : layout.change + "   ";
      below +=
          fitted(fmt::format("{}   {}{}", translated(layout.name), change, translated(layout.words))) + "\n";
    }
  }
  return fitted(tr("What if? Wavefronts per request, computed from the addresses of block {}",
                   recording.block)) +
         fmt::format("\n{}\n{}", fitted(tr("({}):", translated(tile.how))), table.text(style)) +
         (below.empty() ? "" : style.paint(below, Ink::Faint));
}

std::string what_if_lines(const explore::Site& site, const std::vector<explore::TileView>& tiles) {
  const explore::TileView* tile = site.recorded.empty() ? nullptr : tile_of(tiles, site.recorded.front());
  if (tile == nullptr) return {};
  std::string text;
  const explore::WhatIfCost now = explore::cost_in(site, *tile, explore::Layout{});
  for (const explore::Layout& layout : tile->layouts) {
    const explore::WhatIfCost cost = explore::cost_in(site, *tile, layout);
    if (cost.wavefronts >= now.wavefronts) continue;
    text += tr("what if {}, {}: {} per request, {} bytes", translated(layout.name), layout.change,
               counted(explore::per_request(cost.wavefronts, cost.requests), site), grouped(layout.bytes)) +
            "\n";
  }
  return text;
}

std::string picture_text(const Picture& p, const Style& style, ColourDepth depth) {
  const std::string heading =
      style.paint(p.recording.kernel, Ink::Strong) + "   " + translated(describe(p.recording.run.problem));
  std::string text = fitted(heading, "", "  ") + "\n\n" + site_table(p, style) + "\n" +
                     style.paint(fitted(request_sentence(p)), Ink::Strong) + "\n\n";
  text += p.site.shared() ? shared_text(p.access(), depth) : global_text(p.access());
  if (const explore::TileView* tile = p.site.shared() ? explore::tile_of(p.tiles, p.access()) : nullptr)
    if (const std::string other = what_if_text(p.recording, *tile, style); !other.empty())
      text += "\n" + other;
  return text + traffic_text(p.recording, style);
}

Json what_if_json(const explore::Recording& recording, const std::vector<explore::TileView>& tiles) {
  Json all = Json::array();
  for (const explore::TileView& tile : tiles) {
    Json json = {{"array", tile.array.name},
                 {"row_bytes", tile.row_bytes},
                 {"how", tile.how.english()},
                 {"layouts", Json::array()}};
    for (const explore::Layout& layout : tile.layouts) {
      Json one = {{"name", layout.name.english()},
                  {"words", layout.words.english()},
                  {"change", layout.change},
                  {"bytes", layout.bytes},
                  {"accesses", Json::array()}};
      for (const explore::Site& site : recording.sites) {
        const explore::WhatIfCost cost =
            site.shared() ? explore::cost_in(site, tile, layout) : explore::WhatIfCost{};
        if (cost.requests == 0) continue;
        one["accesses"].push_back({{"line", site.line},
                                   {"op", sim::info(site.path).key},
                                   {"requests", cost.requests},
                                   {"wavefronts", cost.wavefronts}});
      }
      json["layouts"].push_back(one);
    }
    all.push_back(json);
  }
  return all;
}

Json picture_json(const Picture& p) {
  const sim::RecordedAccess& a = p.access();
  Json json = {{"kernel", p.recording.kernel},
               {"file", p.site.file},
               {"line", p.site.line},
               {"op", sim::info(p.site.path).key},
               {"width_bytes", a.width_bytes},
               {"block", p.recording.block},
               {"warp", a.place.warp},
               {"request", p.request + 1},
               {"requests_recorded", p.site.recorded.size()},
               {p.site.unit(), cost_of(p)},
               {std::string("ideal_") + p.site.unit(), ideal_of(p)},
               {"lanes", Json::array()}};
  const auto shared = sim::view_shared(a.address.data(), a.width_bytes, a.mask, p.site.load());
  const auto global = sim::view_global(a.address.data(), a.width_bytes, a.mask);
  for (std::size_t i = 0; i < a.address.size(); ++i) {
    if (((a.mask >> i) & 1u) == 0) {
      json["lanes"].push_back(nullptr);
    } else if (p.site.shared()) {
      json["lanes"].push_back({{"address", a.address[i]},
                               {"bank", shared.lanes[i].first_bank},
                               {"wavefront", shared.lanes[i].wavefront}});
    } else {
      json["lanes"].push_back({{"address", a.address[i]}, {"sector", global.sector_of_lane[i]}});
    }
  }
  json["what_if"] = what_if_json(p.recording, p.tiles);
  json["traffic"] = Json::array();
  for (const explore::Site& site : p.recording.traffic) {
    json["traffic"].push_back({{"line", site.line},
                               {"op", sim::info(site.path).key},
                               {"requests", site.requests},
                               {site.unit(), site.cost},
                               {std::string("ideal_") + site.unit(), site.ideal}});
  }
  return json;
}

}  // namespace lab::report

// The data of the page, and the page around it.
#include "common/course/report/page.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "common/base/markup.h"
#include "common/base/project.h"
#include "common/base/source_text.h"
#include "common/course/report/page_files.h"
#include "common/course/report/step_words.h"
#include "common/course/report/timeline_picture.h"
#include "common/sim/observe/access_view.h"

namespace lab::report {
namespace {

constexpr std::size_t kMostRequests = 64;  // of one line
constexpr std::size_t kMostSourceLines = 4000;

// Addresses, wavefronts and counts of one request in one layout; -1: the lane is inactive.
Json shared_view(const sim::RecordedAccess& access, bool load, std::uint64_t base) {
  const sim::SharedView view = sim::view_shared(access.address.data(), access.width_bytes, access.mask, load);
  Json address = Json::array(), wavefront = Json::array();
  for (std::size_t i = 0; i < access.address.size(); ++i) {
    address.push_back(access.acts(i) ? static_cast<std::int64_t>(access.address[i] - base) : -1);
    wavefront.push_back(access.acts(i) ? static_cast<int>(view.lanes[i].wavefront) : -1);
  }
  return {
      {"address", address}, {"step", wavefront}, {"cost", view.wavefronts}, {"ideal", view.ideal_wavefronts}};
}

Json global_view(const sim::RecordedAccess& access) {
  const sim::GlobalView view = sim::view_global(access.address.data(), access.width_bytes, access.mask);
  const std::uint64_t base = view.sectors.empty() ? 0 : view.sectors.front().sector * sim::kSectorBytes;
  Json address = Json::array(), sector = Json::array(), far = Json::array();
  for (std::size_t i = 0; i < access.address.size(); ++i) {
    address.push_back(access.acts(i) ? static_cast<std::int64_t>(access.address[i] - base) : -1);
    sector.push_back(view.sector_of_lane[i]);
  }
  for (const sim::SectorTouch& touch : view.sectors) far.push_back(touch.sector * sim::kSectorBytes - base);
  return {{"address", address},
          {"step", sector},
          {"cost", view.sectors.size()},
          {"ideal", view.ideal_sectors},
          {"sectors", far}};
}

Json site_json(const explore::Site& site, const std::vector<explore::TileView>& tiles) {
  Json json = {{"file", site.file},
               {"line", site.line},
               {"op", sim::info(site.path).key},
               {"words", translated_form(site.words())},
               {"unit", site.unit()},
               {"requests", site.requests},
               {"cost", site.cost},
               {"ideal", site.ideal},
               {"tile", -1},
               {"recorded", Json::array()}};
  for (std::size_t r = 0; r < site.recorded.size() && r < kMostRequests; ++r) {
    const sim::RecordedAccess& access = site.recorded[r];
    Json views = Json::array();
    if (const explore::TileView* tile = site.shared() ? explore::tile_of(tiles, access) : nullptr) {
      json["tile"] = tile - tiles.data();
      for (const explore::Layout& layout : tile->layouts)
        views.push_back(
            shared_view(explore::moved(access, *tile, layout), site.load(), tile->array.offset_bytes));
    } else {
      views.push_back(site.shared() ? shared_view(access, site.load(), 0) : global_view(access));
    }
    json["recorded"].push_back(
        {{"warp", access.place.warp}, {"width", access.width_bytes}, {"views", views}});
  }
  return json;
}

// Which element of the tile each place holds, seen from outside: a warp loads elements of `in` and then
// stores as many to the tile, lane by lane. Null when loads and stores do not pair up (the kernel regroups in
// registers).
struct Element {
  std::int64_t row = 0, col = 0;
  std::uint64_t offset = 0;
};
std::vector<Element> elements_of(const explore::Recording& recording, const explore::TileView& tile) {
  std::map<std::uint32_t, std::vector<const sim::RecordedAccess*>> loads, stores;  // by warp
  std::uint64_t base = ~std::uint64_t{0};
  for (const explore::Site& site : recording.sites) {
    for (const sim::RecordedAccess& a : site.recorded) {
      if (site.path == sim::Path::GlobalLoad) {
        loads[a.place.warp].push_back(&a);
        for (std::size_t i = 0; i < a.address.size(); ++i)
          if (a.acts(i)) base = std::min(base, a.address[i]);
      } else if (site.path == sim::Path::SharedStore && tile.holds(a)) {
        stores[a.place.warp].push_back(&a);
      }
    }
  }
  std::vector<Element> elements;
  const judge::Problem& p = recording.run.problem;
  for (const auto& [warp, list] : stores) {
    if (loads[warp].size() != list.size()) return {};
    for (std::size_t k = 0; k < list.size(); ++k) {
      const sim::RecordedAccess &from = *loads[warp][k], &to = *list[k];
      if (from.mask != to.mask || from.width_bytes != to.width_bytes || from.width_bytes != p.elem_bytes)
        return {};
      for (std::size_t i = 0; i < to.address.size(); ++i) {
        if (!to.acts(i)) continue;
        const auto elem =
            static_cast<std::int64_t>((from.address[i] - base) / static_cast<std::uint64_t>(p.elem_bytes));
        elements.push_back({elem / p.in_pitch(), elem % p.in_pitch(), to.address[i]});
      }
    }
  }
  return elements;
}

Json tile_json(const explore::Recording& recording, const explore::TileView& tile) {
  Json json = {{"name", tile.array.name},     {"bytes", tile.array.size_bytes},
               {"row_bytes", tile.row_bytes}, {"permuted", tile.permuted},
               {"undone", tile.undone},       {"how", translated(tile.how)},
               {"layouts", Json::array()},    {"elements", nullptr}};
  for (const explore::Layout& layout : tile.layouts)
    json["layouts"].push_back(
        {{"name", translated(layout.name)}, {"words", translated(layout.words)}, {"bytes", layout.bytes}});
  const std::vector<Element> elements = elements_of(recording, tile);
  std::int64_t rows = 0, cols = 0;
  for (const Element& e : elements) {
    rows = std::max(rows, e.row + 1);
    cols = std::max(cols, e.col + 1);
  }
  if (elements.empty() || rows > 64 || cols > 64) return json;
  Json maps = Json::array();
  for (const explore::Layout& layout : tile.layouts) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(rows * cols), -1);
    for (const Element& e : elements)
      offsets[static_cast<std::size_t>(e.row * cols + e.col)] =
          static_cast<std::int64_t>(tile.moved(e.offset, layout) - tile.array.offset_bytes);
    maps.push_back(offsets);
  }
  json["elements"] = {
      {"rows", rows}, {"cols", cols}, {"bytes", recording.run.problem.elem_bytes}, {"offsets", maps}};
  return json;
}

Json source_json(const std::string& file) {
  Json lines = Json::array();
  for (const std::string& line : base::read_source_lines(base::file_shown_as(file))) {
    if (lines.size() == kMostSourceLines) break;
    lines.push_back(line);
  }
  return lines;
}

Json kernel_json(const explore::Recording& recording) {
  const std::vector<explore::TileView> tiles = explore::find_tiles(recording);
  Json json = {{"name", recording.kernel},
               {"problem", translated(describe(recording.run.problem))},
               {"block", recording.block},
               {"shared_bytes", recording.run.shared_bytes},
               {"correct", recording.run.correct()},
               {"tiles", Json::array()},
               {"sites", Json::array()},
               {"sources", Json::object()}};
  for (const explore::TileView& tile : tiles) json["tiles"].push_back(tile_json(recording, tile));
  for (const explore::Site& site : recording.sites) {
    if (site.recorded.empty()) continue;
    json["sites"].push_back(site_json(site, tiles));
    if (!json["sources"].contains(site.file)) json["sources"][site.file] = source_json(site.file);
  }
  return json;
}

void replace(std::string& text, std::string_view mark, const std::string& by) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) throw std::logic_error("page.html has no " + std::string(mark));
  text.replace(at, mark.size(), by);
}

}  // namespace

Json page_json(const Picture& picture, const explore::Recording* before) {
  Json data = {{"kernels", Json::array({kernel_json(picture.recording)})}, {"colours", Json::array()}};
  if (before != nullptr) data["kernels"].push_back(kernel_json(*before));
  for (unsigned bank = 0; bank < sim::kBanks; ++bank)
    data["colours"].push_back({bank_colour(bank).hex(), text_colour_on(bank_colour(bank)).hex()});
  data["start"] = {
      {"line", picture.site.line}, {"op", sim::info(picture.site.path).key}, {"request", picture.request}};
  return data;
}

// The page's own words in the chosen language.
void add_texts(Json& data) {
  data["lang"] = language_of_page();
  data["texts"] = Json::object();
  for (const std::string_view form : kPageForms) {
    const std::string_view other = text::form_in_language(form);
    if (other != form) data["texts"][std::string(form)] = other;
  }
}

namespace {

// As an image, so that its styles stay its own. Nothing to see where no copy is on its way.
std::string timeline_section(const explore::TimelineData& timeline, const std::string& kernel) {
  if (timeline.copies.empty()) return "";
  const std::string address = base::percent_escaped(timeline_svg(timeline, kernel), [](char c) {
    return std::string_view("%#\"<>\n").find(c) != std::string_view::npos;
  });
  return fmt::format(
      "  <section id=\"timeline\" aria-labelledby=\"timeline-title\">\n    <h2 "
      "id=\"timeline-title\">{}</h2>\n"
      "    <img alt=\"{}\" src=\"data:image/svg+xml;charset=utf-8,{}\">\n  </section>\n",
      base::markup_escaped(tr("What is on its way meanwhile")),
      base::markup_escaped(timeline_text(timeline, kernel, Style{})), address);
}

}  // namespace

// No "<" in the data: nothing in a student's file can end the script element.
std::string page_around(std::string html, Json json) {
  add_texts(json);
  std::string data = dump(json);
  for (std::size_t at = data.find('<'); at != std::string::npos; at = data.find('<', at))
    data.replace(at, 1, "\\u003c");
  replace(html, "/*PAGE_CSS*/", kFilePageCss);
  replace(html, "/*PAGE_DATA*/", data);
  return html;
}

std::string page(const Picture& picture, const explore::Recording* before,
                 const explore::TimelineData& timeline) {
  std::string html = kFilePageHtml;
  replace(html, "<!--PAGE_TIMELINE-->\n", timeline_section(timeline, picture.recording.kernel));
  replace(html, "/*PAGE_DRAW_JS*/", kFilePageDrawJs);
  replace(html, "/*PAGE_JS*/", kFilePageJs);
  return page_around(std::move(html), page_json(picture, before));
}

std::string step_page(const explore::StepRun& run, std::size_t start, const std::string& command,
                      std::vector<Message> notes) {
  Json json = step_json(run, std::nullopt);
  json["head"] = step_head(run);
  json["start"] = start;
  json["command"] = command;
  json["notes"] = Json::array();
  for (Message& note : step_notes(run)) notes.push_back(std::move(note));
  for (const Message& note : notes) json["notes"].push_back(translated(note));
  std::vector<explore::StepFlight> way;
  for (std::size_t k = 0; k < run.data.steps.size(); ++k) {
    Json& step = json["steps"].at(k);
    explore::go_on(way, run.data, k);
    step["says"] = translated(step_sentence(run, k));
    if (step.contains("on_their_way")) step["on_their_way"] = translated(way_sentence(run, way));
  }
  std::string html = kFileStepHtml;
  replace(html, "/*STEP_DRAW_JS*/", kFileStepDrawJs);
  replace(html, "/*STEP_JS*/", kFileStepJs);
  return page_around(std::move(html), std::move(json));
}

}  // namespace lab::report

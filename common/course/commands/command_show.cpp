// `lab show N`: pictures of one access of a run: lanes, banks or sectors, wavefronts, and what another layout
// would do.
//
// Enters: a chapter or a kernel file, a source line. Leaves: a picture in the terminal, an SVG file, a page
// that opens without a network, or one JSON object.
#include <fmt/core.h>

#include <filesystem>

#include "common/base/errors.h"
#include "common/course/commands/commands.h"
#include "common/course/explore/plain_kernel.h"
#include "common/course/explore/recorded.h"
#include "common/course/lessons/progress.h"
#include "common/course/report/page.h"
#include "common/course/report/pictures.h"
#include "common/course/report/timeline_picture.h"
#include "common/ui/pager.h"
#include "common/ui/waiting.h"
#include "common/ui/wrap.h"

namespace lab::cli {
namespace {

using base::UsageError;

struct ShowOptions {
  explore::KernelChoice kernel;
  LaunchOptions launch;
  std::string svg, html, op, before;
  int line = 0;
  int request = 0;  // 0: the first of the costliest
  bool json = false, timeline = false, pager = true;
  std::size_t most_lines = 0;  // for a screen that also holds other things; 0: no limit
};

std::string lines_of(const explore::Recording& recording) {
  std::string text;
  for (const explore::Site& site : recording.sites) {
    if (!site.recorded.empty()) text += "\n" + tr("  line {}   {}", site.line, site.words());
  }
  return text;
}

// Where nothing is wasted: the access that another layout of its tile would have cost most. It shows best
// what the kernel does right.
const explore::Site* best_saved(const explore::Recording& recording) {
  const explore::Site* best = nullptr;
  std::uint64_t most = 0;
  const std::vector<explore::TileView> tiles = explore::find_tiles(recording);
  for (const explore::Site& site : recording.sites) {
    const explore::TileView* tile =
        site.recorded.empty() ? nullptr : explore::tile_of(tiles, site.recorded.front());
    if (tile == nullptr || !site.shared()) continue;
    for (const explore::Layout& layout : tile->layouts) {
      const std::uint64_t cost = explore::cost_in(site, *tile, layout).wavefronts;
      if (cost > most) best = &site, most = cost;
    }
  }
  return best;
}

const explore::Site& chosen_site(const explore::Recording& recording, const ShowOptions& options) {
  if (const std::optional<sim::Path> path = sim::path_with_key(options.op)) {
    for (const explore::Site& site : recording.sites) {
      if (site.path == *path && (options.line == 0 || site.line == options.line) && !site.recorded.empty())
        return site;
    }
  } else if (const explore::Site* site = explore::worst_site(recording, options.line)) {
    const explore::Site* saved =
        options.line == 0 && site->excess() == 0 && site->shared() ? best_saved(recording) : nullptr;
    return saved != nullptr ? *saved : *site;
  }
  if (recording.sites.empty())
    throw UsageError(
        msg("{}: block 0 reads and writes no memory, so there is nothing to draw yet.", recording.kernel));
  const std::string where = options.line != 0 ? fmt::format("Line {} of {}", options.line, recording.kernel)
                                              : fmt::format("{}", recording.kernel);
  throw UsageError(msg("{} makes no {} that could be drawn. The accesses of block 0 are:{}", where,
                       options.op.empty() ? "access" : options.op, lines_of(recording)));
}

std::size_t chosen_request(const explore::Site& site, int wanted) {
  if (wanted < 0 || static_cast<std::size_t>(wanted) > site.recorded.size())
    throw UsageError(msg("--request {}: the block makes {} requests on line {}.", wanted,
                         site.recorded.size(), site.line));
  return wanted == 0 ? explore::costliest_request(site) : static_cast<std::size_t>(wanted) - 1;
}

// `before` for the page: another chapter or file, or nothing.
std::optional<explore::Recorded> before(const ShowOptions& options, const Session& session) {
  if (options.before.empty()) return std::nullopt;
  explore::KernelChoice choice;
  choice.name = options.before;
  choice.problem = options.kernel.problem;
  choice.entry = options.kernel.entry;
  choice.solution = options.kernel.solution && !std::filesystem::is_regular_file(options.before);
  return explore::record_choice(choice, compile::kind_named(session.compiler));
}

// From now on a check says what would help.
void note_asked(const judge::ChapterInfo& chapter) {
  course::Progress progress = course::Progress::load();
  if (progress[chapter.name].asked) return;
  progress[chapter.name].asked = true;
  progress.save();
}

// The first lines, heading and all, and which command has the others.
std::string cut(const std::string& text, std::size_t most_lines, const std::string& chapter) {
  std::size_t end = 0;
  for (std::size_t lines = 1; lines < most_lines && end != text.npos; ++lines)
    if ((end = text.find('\n', end)) != text.npos) ++end;
  if (most_lines == 0 || end == text.npos || text.find('\n', end) + 1 >= text.size()) return text;
  return text.substr(0, end) + tr("… the rest: ./lab show {}", chapter) + "\n";
}

void print(const ShowOptions& options, const std::string& text) {
  options.pager ? print_paged(text) : fmt::print("{}", cut(text, options.most_lines, options.kernel.name));
}

// What the block does, and which copies are on their way meanwhile.
int show_timeline(const Session& session, const ShowOptions& options, const explore::Recorded& recorded) {
  const std::string& kernel = recorded.recording.kernel;
  if (options.json) {
    print_json(report::timeline_json(*recorded.timeline, kernel));
  } else if (!options.svg.empty()) {
    write_named(options.svg, report::timeline_svg(*recorded.timeline, kernel));
    fmt::print("{}\n", tr("wrote {}", options.svg));
  } else {
    print(options, report::timeline_text(*recorded.timeline, kernel, session.style()));
  }
  return static_cast<int>(base::ExitCode::Passed);
}

int show(const Session& session, ShowOptions options) {
  if (options.kernel.name.empty() && options.kernel.kernel.empty())
    options.kernel.name = current_chapter().name;
  options.kernel.entry = options.launch.entry;
  options.kernel.line = options.line;
  options.kernel.path = sim::path_with_key(options.op);
  options.kernel.timeline = options.timeline || !options.html.empty();
  if (const judge::Problem problem = problem_of(options.launch, {1024, 1024}); options.launch.names_matrix())
    options.kernel.problem = problem;
  const std::string& named = options.kernel.name.empty() ? options.kernel.kernel : options.kernel.name;
  const explore::Recorded recorded = waited(tr("running {}", named), !options.json, [&] {
    return explore::record_choice(options.kernel, compile::kind_named(session.compiler));
  });
  if (options.timeline && options.html.empty()) return show_timeline(session, options, recorded);
  const explore::Recording& recording = recorded.recording;
  const explore::Site& site = chosen_site(recording, options);
  if (recorded.chapter != nullptr && !options.kernel.solution && options.kernel.kernel.empty())
    note_asked(*recorded.chapter);
  std::vector<explore::TileView> tiles = explore::find_tiles(recording);
  explore::keep_offered(tiles, recording, recorded.chapter);
  const report::Picture picture{recording, tiles, site, chosen_request(site, options.request)};
  if (!options.svg.empty()) write_named(options.svg, report::picture_svg(picture));
  if (!options.html.empty()) {
    const auto other = before(options, session);
    write_named(options.html, report::page(picture, other ? &other->recording : nullptr, *recorded.timeline));
  }
  if (options.json) {
    print_json(report::picture_json(picture));
  } else if (options.svg.empty() && options.html.empty()) {
    const report::Style style = session.style();
    std::string text;
    for (const Message& words : recorded.assumed) text += report::fitted(translated(words)) + "\n";
    text += report::picture_text(picture, style, report::colour_depth(style.colour));
    if (recording.run.mismatch)
      text += "\n" + tr("The result of this run is wrong: {}", translated(recording.run.mismatch->message)) +
              "\n";
    print(options, text);
  } else {
    for (const std::string& path : {options.svg, options.html})
      if (!path.empty()) fmt::print("{}\n", tr("wrote {}", path));
  }
  return static_cast<int>(base::ExitCode::Passed);
}

}  // namespace

std::string step_page(const explore::KernelChoice& choice, std::optional<compile::CompilerKind> compiler) {
  explore::KernelChoice whole = choice;
  whole.timeline = true;
  const explore::Recorded recorded = explore::record_choice(whole, compiler);
  const explore::Site& site = chosen_site(recorded.recording, {});
  std::vector<explore::TileView> tiles = explore::find_tiles(recorded.recording);
  explore::keep_offered(tiles, recorded.recording, recorded.chapter);
  return report::page({recorded.recording, tiles, site, chosen_request(site, 0)}, nullptr,
                      *recorded.timeline);
}

int show_picture(const Session& session, const std::string& chapter) {
  ShowOptions options;
  options.kernel.name = chapter;
  options.pager = false;             // another program has the terminal's keys
  constexpr std::size_t kBelow = 7;  // lines that `lab watch` prints below: progress, file, keys
  if (terminal_rows() > 2 * kBelow) options.most_lines = terminal_rows() - kBelow;
  return show(session, options);
}

Command show_command(const Session& session) {
  Command command{
      "show",
      "Draws an access of your run: lanes, banks or sectors, wavefronts, and what padding or XOR would do.\n"
      "Example: ./lab show 4    ./lab show 5 --line 37    ./lab show 6 --solution --html xor.html\n"
      "         ./lab show 11 --timeline"};
  static ShowOptions o;
  static bool no_pager = false;
  command.option("chapter", o.kernel.name,
                 "A kernel file, or number or name of the chapter (default: that of the folder, or the first "
                 "one not passed)");
  command.option("--kernel", o.kernel.kernel, "Another kernel file than the chapter's own");
  command.option("--solution", o.kernel.solution, "The reference solution");
  command.option("--line", o.line, "Source line (default: the one that wastes most)").between(1, 1'000'000);
  command.option("--op", o.op, "Which access of the line")
      .one_of({"global_load", "global_store", "shared_load", "shared_store"});
  command.option("--request", o.request, "Which request of block 0, from 1 on (default: the costliest)");
  command.option("--timeline", o.timeline,
                 "The block from its first to its last access: what starts, what lands, who waits");
  command.option("--svg", o.svg, "Write the picture to this SVG file");
  command.option("--html", o.html, "Write a page with all requests of block 0 to this file");
  command.option("--before", o.before, "For --html: a chapter or file to compare with");
  add_launch_options(command, o.launch);
  command.json(o.json);
  command.option("--no-pager", no_pager,
                 "Print at once what is longer than the terminal, not through $PAGER");
  command.run = [&session] {
    o.pager = !no_pager;
    return show(session, o);
  };
  return command;
}

}  // namespace lab::cli

// `lab hint [N]`: the next hint of a chapter, from the folded hints of its lesson.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "common/cli/cli.h"
#include "common/harness/checks.h"
#include "common/harness/errors.h"
#include "common/harness/progress.h"
#include "common/harness/project.h"
#include "common/report/json.h"

namespace lab::cli {
namespace {

struct Hint {
  std::string title, text;
};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \n");
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \n") - first + 1));
}

// Each `<details><summary>Hint …</summary> … </details>` of the lesson, in its order.
std::vector<Hint> hints_of(const harness::ChapterInfo& chapter) {
  const std::filesystem::path path = harness::project_root() / "chapters" / chapter.name / "README.md";
  std::ifstream in(path);
  if (!in) throw harness::UsageError(fmt::format("There is no lesson {}.", harness::shown_path(path)));
  std::stringstream buffer;
  buffer << in.rdbuf();
  const std::string lesson = buffer.str();
  std::vector<Hint> hints;
  constexpr std::string_view kOpen = "<summary>", kMiddle = "</summary>", kClose = "</details>";
  for (std::size_t at = 0; (at = lesson.find(kOpen, at)) != lesson.npos;) {
    const std::size_t title = at + kOpen.size(), middle = lesson.find(kMiddle, title);
    const std::size_t close = middle == lesson.npos ? lesson.npos : lesson.find(kClose, middle);
    if (close == lesson.npos) break;
    const std::string name = lesson.substr(title, middle - title);
    if (name.starts_with("Hint")) {
      hints.push_back({name, trimmed(std::string_view(lesson).substr(middle + kMiddle.size(),
                                                                     close - middle - kMiddle.size()))});
    }
    at = close;
  }
  return hints;
}

int hint(const Session& session, const std::string& name, bool all, bool json) {
  const harness::ChapterInfo& chapter = name.empty() ? current_chapter() : chapter_named(name);
  const std::vector<Hint> hints = hints_of(chapter);
  if (hints.empty()) throw harness::UsageError(fmt::format("The lesson of {} has no hints.", chapter.name));
  harness::Progress progress = harness::Progress::load();
  harness::ChapterProgress& reached = progress[chapter.name];
  const std::size_t from =
      all ? 0 : std::min<std::size_t>(static_cast<std::size_t>(reached.hints), hints.size() - 1);
  const std::size_t to = all ? hints.size() : from + 1;
  reached.hints = std::max(reached.hints, static_cast<int>(to));
  progress.save();
  if (json) {
    report::Json list = report::Json::array();
    for (std::size_t i = from; i < to; ++i)
      list.push_back({{"level", i + 1}, {"title", hints[i].title}, {"text", hints[i].text}});
    fmt::print("{}\n", report::dump({{"chapter", chapter.name}, {"levels", hints.size()}, {"hints", list}}));
    return 0;
  }
  for (std::size_t i = from; i < to; ++i) {
    fmt::print("{}   {} of {}\n{}\n\n", session.style().paint(hints[i].title, report::Ink::Strong), i + 1,
               hints.size(), hints[i].text);
  }
  if (to < hints.size()) fmt::print("  next   ./lab hint {}\n", chapter.name);
  return 0;
}

}  // namespace

void add_hint(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("hint",
                                         "The next hint of a chapter (default: the first one not "
                                         "passed).\nExample: ./lab hint 5    ./lab hint 5 --all");
  struct Options {
    std::string chapter;
    bool all = false, json = false;
  };
  auto options = std::make_shared<Options>();
  command->add_option("chapter", options->chapter, "Number or name of the chapter");
  command->add_flag("--all", options->all, "All hints");
  command->add_flag("--json", options->json, "One JSON object");
  command->callback([&session, options] {
    session.action = [&session, options] {
      return hint(session, options->chapter, options->all, options->json);
    };
  });
}

}  // namespace lab::cli

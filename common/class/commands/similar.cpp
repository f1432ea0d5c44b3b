// `lab grade similar`: which kernels of a class look alike.
//
// Enters: submissions as `lab grade` takes them. Leaves: pairs a chapter, on standard output and as a page.
// Exit 0, whatever was found: it is for a person to look at.
#include <fmt/core.h>

#include <mutex>
#include <utility>

#include "common/base/errors.h"
#include "common/class/commands/commands.h"
#include "common/class/grade/similar/similar_class.h"
#include "common/compile/sandbox.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/named_kernel.h"
#include "common/ui/waiting.h"

namespace lab::cli {
namespace {

struct SimilarArguments {
  std::vector<std::string> places, chapters;
  std::string page;
  unsigned jobs = 0;
  int least = 60, most = 50;
  bool no_sandbox = false, json = false;
};

std::vector<const judge::ChapterInfo*> chosen(const std::vector<std::string>& names) {
  if (names.empty()) return judge::all_chapters();
  std::vector<const judge::ChapterInfo*> result;
  for (const std::string& name : names) result.push_back(&judge::chapter_named(name));
  return result;
}

std::string words_for(grade::SimilarStage stage, std::size_t submissions) {
  switch (stage) {
    case grade::SimilarStage::Reading:
      break;
    case grade::SimilarStage::Compiling:
      return tr("compiling the kernels of {} submissions", submissions);
    case grade::SimilarStage::Running:
      return tr("running the kernels of {} submissions", submissions);
    case grade::SimilarStage::Comparing:
      return tr("comparing the kernels of {} submissions", submissions);
  }
  return tr("reading {} submissions", submissions);
}

int run_similar(const Session& session, const SimilarArguments& given) {
  check_named(given.page, '<');
  grade::SimilarOptions options;
  options.chapters = chosen(given.chapters);
  options.compiler = compile::kind_named(session.compiler);
  options.sandbox = !given.no_sandbox;
  if (options.sandbox && !compile::sandbox_problem().empty()) {
    throw base::EnvironmentError(
        Message(compile::sandbox_problem())
            .then("Submissions that you trust can be compiled without walls: --no-sandbox."));
  }
  options.jobs = given.jobs;
  options.least = given.least / 100.0;
  options.most = static_cast<std::size_t>(given.most);
  const grade::Places found = grade::find_places(given.places, {false, "", "UTC"});
  const std::vector<grade::ChapterSimilarity> chapters = [&] {
    Waiting waiting(words_for({}, found.places.size()), !given.json);
    grade::SimilarStage stage{};
    std::mutex lock;
    options.reached = [&](grade::SimilarStage now, std::size_t done, std::size_t all) {
      const std::lock_guard guard(lock);
      if (std::exchange(stage, now) != now) waiting.at(words_for(now, found.places.size()));
      waiting.reached(done, all);
    };
    return grade::similar_class(found.places, options);
  }();
  if (!given.page.empty()) write_named(given.page, grade::similar_page(chapters));
  if (given.json) {
    print_json(grade::similar_json(chapters));
  } else {
    fmt::print("{}", grade::similar_text(chapters, session.style()));
    if (!given.page.empty()) fmt::print("{}\n", tr("side by side in {}", given.page));
  }
  return 0;
}

}  // namespace

Command similar_command(const Session& session) {
  Command command{"similar",
                  "Which kernels of a class look alike, for a person to look "
                  "at.\nExample: ./lab grade similar submissions/ --page similar.html"};
  static SimilarArguments options;
  command.option("places", options.places, "Folders, archives or .cu files, as `lab grade` takes them")
      .required();
  command.option("--chapters", options.chapters, "Chapters (default: all)").with_commas();
  command.option("--page", options.page, "Write one HTML page with the kernels side by side");
  command.option("--least", options.least, "Percent that a pair must share to be listed")
      .between(0, 100)
      .with_default();
  command.option("--most", options.most, "Pairs a chapter").between(1, 100000).with_default();
  command.option("-j,--jobs", options.jobs, "Compilers at a time (default: one a core)");
  command.option("--no-sandbox", options.no_sandbox,
                 "Compile without walls: only for submissions that you trust");
  command.json(options.json);
  command.run = [&session] { return run_similar(session, options); };
  return command;
}

}  // namespace lab::cli

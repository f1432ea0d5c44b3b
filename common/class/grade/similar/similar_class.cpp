// Reads, compiles and compares. See similar_class.h.
#include "common/class/grade/similar/similar_class.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string_view>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/base/source_text.h"
#include "common/base/threads.h"
#include "common/class/grade/match.h"
#include "common/class/grade/workers.h"
#include "common/course/judge/checks.h"
#include "common/course/judge/examine.h"

namespace lab::grade {
namespace fs = std::filesystem;

namespace {

constexpr const char* kFileName = "transpose.cu";

// A kernel text, compiled once for all who handed it in. "" when it does not compile.
struct Text {
  fs::path file;
  std::shared_ptr<const std::string> ptx;
  std::shared_ptr<const Behaviour> does = std::make_shared<const Behaviour>();
};

std::string compiled(const fs::path& file, const SimilarOptions& options, bool sandbox) {
  compile::CompileRequest request;
  request.file = file;
  request.compiler = options.compiler;
  request.kernel_rules = true;
  request.sandbox = sandbox;
  request.shown_name = kFileName;
  try {
    return compile::compile(request).output;
  } catch (const base::EnvironmentError&) {
    throw;
  } catch (const base::LabError&) {
    return "";
  }
}

void compile_texts(std::map<std::string, Text>& texts, const SimilarOptions& options) {
  std::vector<Text*> list;
  for (auto& [hash, text] : texts) list.push_back(&text);
  std::vector<std::exception_ptr> errors(list.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i; (i = next++) < list.size();) {
      options.reached(SimilarStage::Compiling, i, list.size());
      try {
        list[i]->ptx = std::make_shared<const std::string>(compiled(list[i]->file, options, options.sandbox));
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  const unsigned jobs = options.jobs != 0 ? options.jobs : base::usable_cores();
  {
    base::Threads threads;
    for (unsigned i = 1; i < jobs; ++i) threads.start(work);
    work();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

// Runs each once, in a process of its own: they are strangers' kernels.
std::vector<Behaviour> behaviours_of(const std::vector<std::string>& ptx, const SimilarOptions& options) {
  std::vector<Behaviour> result(ptx.size());
  std::size_t ended = 0;
  const unsigned jobs = options.jobs != 0 ? options.jobs : base::usable_cores();
  run_jobs(
      ptx.size(), jobs, WorkerLimits{},
      [&](std::size_t i) { return ptx[i].empty() ? "" : text_of(behaviour_of(ptx[i])); },
      [&](std::size_t i, const JobEnd& end) {
        options.reached(SimilarStage::Running, ++ended, ptx.size());
        result[i] = behaviour_from(end.answer);
      });
  return result;
}

// Texts that differ in names and comments alone are run once.
void run_texts(std::map<std::string, Text>& texts, const SimilarOptions& options) {
  std::map<std::string_view, std::vector<Text*>> by_ptx;
  for (auto& [hash, text] : texts) by_ptx[*text.ptx].push_back(&text);
  std::vector<std::string> ptx;
  for (const auto& [words, same] : by_ptx) ptx.emplace_back(words);
  std::vector<Behaviour> all = behaviours_of(ptx, options);
  std::size_t i = 0;
  for (const auto& [words, same] : by_ptx) {
    const auto does = std::make_shared<const Behaviour>(std::move(all[i++]));
    for (Text* text : same) text->does = does;
  }
}

struct HandedIn {
  std::string student, text;  // SHA-256
  std::string source;
};

class ClassComparer {
 public:
  explicit ClassComparer(const SimilarOptions& options) : options_(options) {}

  void take_in(const Place& place) {
    const Submission submission = read_submission(place);
    for (ChapterKernel& kernel : find_kernels(submission, options_.chapters, judge::all_chapters())) {
      if (kernel.state != ChapterKernel::State::Found) continue;
      const std::string hash = base::sha256(kernel.file.bytes);
      Text& text = texts_[hash];
      text.file = base::cache_root() / "similar" / (hash + ".cu");
      if (base::read_file(text.file) != kernel.file.bytes &&
          !base::write_file_atomically(text.file, kernel.file.bytes)) {
        throw base::EnvironmentError(
            msg("Cannot write {}. Set LAB_CACHE_DIR to a folder of yours.", text.file.string()));
      }
      handed_in_[kernel.chapter].push_back({submission.student, hash, std::move(kernel.file.bytes)});
    }
  }

  std::vector<ChapterSimilarity> compare_all() {
    compile_texts(texts_, options_);
    run_texts(texts_, options_);
    CommonGround ground;
    for (const judge::ChapterInfo* chapter : judge::all_chapters())
      ground.known.push_back(compiled(judge::solution_kernel(*chapter), options_, false));
    std::erase(ground.known, "");
    add_behaviour(ground.known, ground.done);
    std::vector<ChapterSimilarity> result;
    for (const judge::ChapterInfo* chapter : options_.chapters)
      result.push_back(compare_chapter(*chapter, ground));
    return result;
  }

 private:
  void add_behaviour(const std::vector<std::string>& kernels, Prints& done) const {
    for (const Behaviour& behaviour : behaviours_of(kernels, options_)) {
      for (const Pattern& pattern : behaviour.patterns) done.insert(pattern.print);
    }
  }

  ChapterSimilarity compare_chapter(const judge::ChapterInfo& chapter, CommonGround ground) {
    ChapterSimilarity result;
    result.chapter = chapter.name;
    for (HandedIn& kernel : handed_in_[&chapter]) {
      const auto& ptx = texts_.at(kernel.text).ptx;
      if (ptx->empty()) {
        ++result.not_compiled;
      } else {
        result.kernels.push_back(
            {kernel.student, ptx, std::move(kernel.source), kFileName, texts_.at(kernel.text).does});
      }
    }
    ground.given = {compiled(judge::skeleton_kernel(chapter), options_, false)};
    std::erase(ground.given, "");
    add_behaviour(ground.given, ground.done);
    for (const auto& file : {judge::skeleton_kernel(chapter), judge::solution_kernel(chapter)}) {
      const WrittenPrints prints = written(base::read_source_text(file).value_or(""));
      ground.written.insert(ground.written.end(), prints.begin(), prints.end());
    }
    std::sort(ground.written.begin(), ground.written.end());
    result.found = compare(
        result.kernels, ground, options_.least, options_.most,
        [&](std::size_t done, std::size_t all) { options_.reached(SimilarStage::Comparing, done, all); });
    return result;
  }

  const SimilarOptions& options_;
  std::map<std::string, Text> texts_;
  std::map<const judge::ChapterInfo*, std::vector<HandedIn>> handed_in_;
};

}  // namespace

std::vector<ChapterSimilarity> similar_class(const std::vector<Place>& places,
                                             const SimilarOptions& options) {
  ClassComparer comparer(options);
  for (std::size_t i = 0; i < places.size(); ++i) {
    options.reached(SimilarStage::Reading, i, places.size());
    comparer.take_in(places[i]);
  }
  return comparer.compare_all();
}

}  // namespace lab::grade

// Reads, compiles and compares. See similar_class.h.
#include "common/grade/similar/similar_class.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "common/base/errors.h"
#include "common/base/files.h"
#include "common/base/project.h"
#include "common/base/sha256.h"
#include "common/grade/match.h"
#include "common/judge/checks.h"
#include "common/judge/examine.h"

namespace lab::grade {
namespace fs = std::filesystem;

namespace {

constexpr const char* kName = "transpose.cu";

// A kernel text, compiled once for all who handed it in. "" when it does not compile.
struct Text {
  fs::path file;
  std::shared_ptr<const std::string> ptx;
};

std::string compiled(const fs::path& file, const SimilarOptions& options, bool sandbox) {
  compile::CompileRequest request;
  request.file = file;
  request.compiler = options.compiler;
  request.kernel_rules = true;
  request.sandbox = sandbox;
  request.name_in_sandbox = kName;
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
      try {
        list[i]->ptx = std::make_shared<const std::string>(compiled(list[i]->file, options, options.sandbox));
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 1; i < jobs; ++i) threads.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
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
        throw base::EnvironmentError("Cannot write " + text.file.string() +
                                     ". Set LAB_CACHE_DIR to a folder of yours.");
      }
      handed_in_[kernel.chapter].push_back({submission.student, hash, std::move(kernel.file.bytes)});
    }
  }

  std::vector<ChapterSimilarity> compare_all() {
    compile_texts(texts_, options_);
    std::vector<std::string> solutions;
    for (const judge::ChapterInfo* chapter : judge::all_chapters())
      solutions.push_back(compiled(judge::solution_kernel(*chapter), options_, false));
    std::erase(solutions, "");
    std::vector<ChapterSimilarity> result;
    for (const judge::ChapterInfo* chapter : options_.chapters)
      result.push_back(compare_chapter(*chapter, solutions));
    return result;
  }

 private:
  ChapterSimilarity compare_chapter(const judge::ChapterInfo& chapter,
                                    const std::vector<std::string>& solutions) {
    ChapterSimilarity result;
    result.chapter = chapter.name;
    for (HandedIn& kernel : handed_in_[&chapter]) {
      const auto& ptx = texts_.at(kernel.text).ptx;
      if (ptx->empty()) {
        ++result.not_compiled;
      } else {
        result.kernels.push_back({kernel.student, ptx, std::move(kernel.source), kName});
      }
    }
    std::vector<std::string> skeletons{compiled(judge::skeleton_kernel(chapter), options_, false)};
    std::erase(skeletons, "");
    result.found = compare(result.kernels, skeletons, solutions, options_.least, options_.most);
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
  for (const Place& place : places) comparer.take_in(place);
  return comparer.compare_all();
}

}  // namespace lab::grade

// A class compared: every kernel with every other one of its chapter.
//
// Enters: places of submissions. Leaves: pairs a chapter, and reports on them as text, JSON and one HTML page
// that opens offline. Kernels are compiled as `lab grade` does it, walled in, and simulated once, each in a
// process of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/class/grade/similar/similarity.h"
#include "common/class/grade/submission.h"
#include "common/compile/compile.h"
#include "common/course/judge/verdict.h"
#include "common/ui/counters_json.h"
#include "common/ui/style.h"

namespace lab::grade {

enum class SimilarStage : std::uint8_t { Reading, Compiling, Running, Comparing };

struct SimilarOptions {
  std::vector<const judge::ChapterInfo*> chapters;
  std::optional<compile::CompilerKind> compiler;
  bool sandbox = true;
  unsigned jobs = 0;      // compilers at a time; 0: one a core
  double least = 0.6;     // pairs that share less are left out
  std::size_t most = 50;  // pairs a chapter
  // How many of how many: submissions, texts, kernels of the chapter that is compared.
  std::function<void(SimilarStage, std::size_t, std::size_t)> reached = [](auto, auto, auto) {};
};

struct ChapterSimilarity {
  std::string chapter;
  std::vector<KernelToCompare> kernels;
  Similarity found;
  std::size_t not_compiled = 0;  // kernels
};

[[nodiscard]] std::vector<ChapterSimilarity> similar_class(const std::vector<Place>& places,
                                                           const SimilarOptions& options);

[[nodiscard]] std::string similar_text(const std::vector<ChapterSimilarity>& chapters,
                                       const report::Style& style);
[[nodiscard]] report::Json similar_json(const std::vector<ChapterSimilarity>& chapters);
[[nodiscard]] std::string similar_page(const std::vector<ChapterSimilarity>& chapters);

}  // namespace lab::grade

// Which kernels of a class are made of the same instructions.
//
// Enters: kernels as PTX, what everybody was given (skeletons) and what is publicly known (solutions).
// Leaves: pairs of students, the most remarkable first, each with the lines that both share. Registers have
// no names here, lines and comments do not count, so a renamed or re-indented copy looks like its original. A
// number is a reason to look, never a verdict: small correct kernels converge, and the report says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/class/grade/similar/behaviour.h"
#include "common/class/grade/similar/written.h"

namespace lab::grade {

// The instructions of all functions with their bodies, one text each, without names of registers and labels.
struct NormalisedKernel {
  std::vector<std::string> instructions;
  std::vector<int> lines;  // of the kernel file, one an instruction; 0 when it came from elsewhere
};
// `file` is the kernel file's name in the PTX. Throws sim::ptx::ParseError.
[[nodiscard]] NormalisedKernel normalise(std::string_view ptx, std::string_view file);

// Winnowing: of every `kWindow` runs of `kRun` instructions, the one with the smallest hash stands for them
// all. Two kernels that share kRun + kWindow - 1 instructions in a row share at least one fingerprint.
inline constexpr std::size_t kRun = 5, kWindow = 4;
struct Fingerprint {
  std::uint64_t hash = 0;
  std::size_t at = 0;  // the first instruction of the run
};
[[nodiscard]] std::uint64_t hash_run(const std::vector<std::string>& instructions, std::size_t first,
                                     std::size_t count);
[[nodiscard]] std::vector<Fingerprint> fingerprints(const NormalisedKernel& kernel);  // by hash, each once

struct KernelToCompare {
  std::string student;
  std::shared_ptr<const std::string> ptx;  // one for all who handed in the same text
  std::string source;                      // its text, to show
  std::string file;                        // its name in the PTX
  std::shared_ptr<const Behaviour> does;   // null or empty: it could not be run
};

struct SharedPart {
  int first_a = 0, last_a = 0;  // lines
  int first_b = 0, last_b = 0;
  std::size_t instructions = 0;
};

struct SimilarPair {
  std::size_t a = 0, b = 0;  // of the list of kernels
  bool same_text = false;    // byte for byte
  bool same_ptx = false;     // the same instructions in the same order
  double shared = 0;         // of the smaller kernel's fingerprints: 0 to 1
  double own = 0;            // the same without what skeleton and solutions have
  std::size_t own_fingerprints = 0;
  double written = 0;             // of the smaller text's tokens, without what everybody has
  double does = 0;                // of the smaller kernel's accesses, wherever they stand in the text
  double does_own = 0;            // the same without what skeleton and solutions do
  std::vector<SharedPart> parts;  // without what the skeleton has
  [[nodiscard]] double alike() const { return written + own / 3; }
};

struct Similarity {
  std::vector<SimilarPair> pairs;   // sorted: own fingerprints shared, then share; at most `most`
  std::size_t pairs_found = 0;      // before that
  std::vector<SimilarPair> weaker;  // of the others: they do the same and are written alike; most alike first
  std::size_t weaker_found = 0;
  std::vector<std::string> left_out;  // students whose kernel could not be read
  std::size_t kernels = 0;
  std::vector<std::size_t> like_solution;  // kernels that are the solution, instruction by instruction
};

// Kernels that do the same where none need do the same: from here on a pair is listed whatever its text.
inline constexpr double kSameBehaviour = 0.9;
// Most right kernels of a chapter do the same. Such a pair is worth a second look when the part of its tokens
// and a third of the part of its instructions that both have, each without what is known, come to this.
inline constexpr double kAlike = 0.45;

// What is no sign of copying.
struct CommonGround {
  std::vector<std::string> given, known;  // PTX that everybody has (skeletons), PTX of solutions
  Prints done;                            // what these do
  WrittenPrints written;                  // how this chapter's skeleton and solution are written
};

// Pairs that share less than `least` of the smaller kernel, and do not do the same, are left out; of the
// others `most` are kept. Among more than kNeighbours different kernels, pairs that share only what many have
// may be missed (candidates.h). `reached` is called with how many were compared, and of how many.
[[nodiscard]] Similarity compare(
    const std::vector<KernelToCompare>& kernels, const CommonGround& ground, double least, std::size_t most,
    const std::function<void(std::size_t, std::size_t)>& reached = [](std::size_t, std::size_t) {});

}  // namespace lab::grade

// docs/coverage.md, written from the table of forms.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>

namespace lab::sim {

// The whole page; `measured`: the forms that were compared with a GPU. A test compares it with the file, and
// `print_coverage > docs/coverage.md` renews that.
[[nodiscard]] std::string coverage_page(const std::set<std::string, std::less<>>& measured);

// What the page says is not supported, each with an instruction that must be refused.
struct Unsupported {
  std::string_view what, example;
};
[[nodiscard]] std::span<const Unsupported> unsupported();

// What `ptxas` takes and PTX does not have: what the page says of it, and the words, all of them, by which a statement of
// the kind is known. An opcode is one of its words, and so is each operand.
struct KnownDifference {
  std::string_view what, words;
  bool runs_here = false;  // and `ptxas` refuses it
  [[nodiscard]] bool covers(std::string_view statement) const;
};
[[nodiscard]] std::span<const KnownDifference> known_differences();

}  // namespace lab::sim

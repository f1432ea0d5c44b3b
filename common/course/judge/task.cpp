// Tasks that are no transposes: what `out` holds before, and what it must hold after the launch.
#include "common/course/judge/task.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace lab::judge {
namespace {

std::vector<std::uint32_t> words_of(std::span<const std::byte> bytes) {
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

Message difference(const Task& task, std::size_t at, std::uint32_t before, std::uint32_t now,
                   std::uint32_t wanted) {
  if (now == before && task.adds)
    return msg("out({}) is what it was before the launch; {} should have been added.", at, wanted - before);
  if (now == before) return msg("out({}) was never written; {} belongs there.", at, wanted);
  if (task.adds && now == wanted - before)
    return msg("out({}) holds {}: that should have been added to what it held, and took its place.", at, now);
  if (task.adds)
    return msg("{} was added to out({}), and should have been {} (modulo 2^32).", now - before, at,
               wanted - before);
  return msg("out({}) holds {}; {} belongs there (modulo 2^32).", at, now, wanted);
}

std::int64_t one(const Problem&) { return 1; }
constexpr std::uint32_t kBins = 251;  // a prime: all bytes of a word count
std::int64_t bins(const Problem&) { return kBins; }
std::int64_t as_many(const Problem& p) { return p.rows * p.cols; }

void add_sum(const Problem&, InWords in, OutWords out) {
  for (const std::uint32_t word : in) out[0] += word;
}

void add_histogram(const Problem&, InWords in, OutWords out) {
  for (const std::uint32_t word : in) ++out[word % kBins];
}

void add_neighbours(const Problem& p, InWords in, OutWords out) {
  const auto cols = static_cast<std::size_t>(p.cols);
  for (std::size_t i = 0; i < in.size(); ++i)
    out[i] = in[i] + (i >= cols ? in[i - cols] : 0) + (i + cols < in.size() ? in[i + cols] : 0);
}

constexpr Task kSum{"sum", one, add_sum, true}, kHistogram{"histogram", bins, add_histogram, true},
    kStencil{"stencil", as_many, add_neighbours, false};

}  // namespace

const Task* task_of(TaskKind kind) {
  switch (kind) {
    case TaskKind::kSum:
      return &kSum;
    case TaskKind::kHistogram:
      return &kHistogram;
    case TaskKind::kStencil:
      return &kStencil;
    case TaskKind::kTranspose:
      break;
  }
  return nullptr;
}

void fill_before(const Task& task, const Problem& problem, const Words& words, std::span<std::byte> out) {
  std::fill(out.begin(), out.end(), kPoison);
  if (!task.adds) return;
  std::vector<std::uint32_t> numbers(out.size() / sizeof(std::uint32_t));
  words.run(static_cast<std::uint32_t>(problem.in_elems()), numbers);  // behind those of `in`
  std::memcpy(out.data(), numbers.data(), out.size());
}

std::optional<Mismatch> first_mismatch(const Task& task, const Problem& problem,
                                       std::span<const std::byte> in, std::span<const std::byte> before,
                                       std::span<const std::byte> out) {
  const std::vector<std::uint32_t> was = words_of(before), is = words_of(out);
  std::vector<std::uint32_t> wanted = was;
  task.compute(problem, words_of(in), wanted);
  std::optional<Mismatch> first;
  std::int64_t wrong = 0;
  for (std::size_t at = 0; at < is.size(); ++at) {
    if (is[at] == wanted[at] || wrong++ != 0) continue;
    first = Mismatch{"wrong-element",
                     difference(task, at, was[at], is[at], wanted[at]),
                     static_cast<std::int64_t>(at) / problem.out_pitch(),
                     static_cast<std::int64_t>(at) % problem.out_pitch(),
                     0,
                     0};
  }
  if (first) first->wrong_elems = wrong, first->elems = static_cast<std::int64_t>(is.size());
  return first;
}

}  // namespace lab::judge

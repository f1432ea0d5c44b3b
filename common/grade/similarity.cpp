// Normalised instructions, winnowed, intersected pair by pair. See similarity.h.
#include "common/grade/similarity.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "common/sim/ptx_module.h"

namespace lab::grade {
namespace ptx = sim::ptx;

namespace {

// Kinds of operands. Numbers stay: tile sides and offsets are what somebody chose. Special registers stay
// too.
std::string shape_of(const ptx::Operand& operand) {
  std::string text = operand.negated ? "-" : "";
  switch (operand.kind) {
    case ptx::OperandKind::Register:
      text += operand.name.find('.') == std::string::npos ? "r" : operand.name;
      break;
    case ptx::OperandKind::Immediate:
      text += "#" + std::to_string(operand.bits);
      break;
    case ptx::OperandKind::Symbol:
      text += "s+" + std::to_string(operand.offset);
      break;
    case ptx::OperandKind::Address:
      text += (operand.base_is_register ? "[r+" : "[s+") + std::to_string(operand.offset) + "]";
      break;
    case ptx::OperandKind::Vector:
    case ptx::OperandKind::Group:
      for (const ptx::Operand& element : operand.elements) text += "{" + shape_of(element) + "}";
      break;
    case ptx::OperandKind::Sink:
      text += "_";
      break;
  }
  return text + (operand.predicate_or.empty() ? "" : "|p");
}

std::string shape_of(const ptx::Instruction& instruction) {
  std::string text = instruction.guard.empty() ? "" : instruction.guard_negated ? "@!p " : "@p ";
  text += instruction.full_opcode();
  for (const ptx::Operand& operand : instruction.operands) text += " " + shape_of(operand);
  return text;
}

std::uint64_t hash_run(const std::vector<std::string>& texts, std::size_t first, std::size_t count) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  for (std::size_t i = first; i < first + count; ++i) {
    for (const char c : texts[i] + "\n") hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  return hash;
}

using Hashes = std::set<std::uint64_t>;

struct Prepared {
  NormalisedKernel kernel;
  std::vector<Fingerprint> prints;
  std::uint64_t whole = 0;  // hash of all instructions
};

Prepared prepare(const std::string& text, const std::string& file) {
  Prepared result;
  result.kernel = normalise(text, file);
  result.prints = fingerprints(result.kernel);
  result.whole = hash_run(result.kernel.instructions, 0, result.kernel.instructions.size());
  return result;
}

struct Baseline {
  Hashes prints, wholes;
};

// Every run of them, not only the winnowed ones: which of its runs a kernel keeps depends on its neighbours.
Baseline baseline_of(const std::vector<std::string>& texts) {
  Baseline baseline;
  for (const std::string& text : texts) {
    const NormalisedKernel kernel = normalise(text, "");
    for (std::size_t i = 0; i + kRun <= kernel.instructions.size(); ++i) {
      baseline.prints.insert(hash_run(kernel.instructions, i, kRun));
    }
    baseline.wholes.insert(hash_run(kernel.instructions, 0, kernel.instructions.size()));
  }
  return baseline;
}

// First and last line of a run, of those that have one.
std::pair<int, int> lines_of(const NormalisedKernel& kernel, std::size_t at) {
  int first = 0, last = 0;
  for (std::size_t i = at; i < std::min(at + kRun, kernel.lines.size()); ++i) {
    const int line = kernel.lines[i];
    if (line == 0) continue;
    first = first == 0 ? line : std::min(first, line);
    last = std::max(last, line);
  }
  return {first, last};
}

// Runs that follow each other in both kernels are one part.
std::vector<SharedPart> parts_of(const Prepared& a, const Prepared& b,
                                 std::vector<std::pair<std::size_t, std::size_t>> runs) {
  std::sort(runs.begin(), runs.end());
  std::vector<SharedPart> parts;
  std::pair<std::size_t, std::size_t> end{0, 0};
  for (const auto& [at_a, at_b] : runs) {
    const auto [first_a, last_a] = lines_of(a.kernel, at_a);
    const auto [first_b, last_b] = lines_of(b.kernel, at_b);
    if (first_a == 0 || first_b == 0) continue;
    const bool goes_on = !parts.empty() && at_a <= end.first + kWindow && at_b <= end.second + kWindow &&
                         at_b + kRun + kWindow >= end.second;
    if (goes_on) {
      SharedPart& part = parts.back();
      part.first_a = std::min(part.first_a, first_a), part.last_a = std::max(part.last_a, last_a);
      part.first_b = std::min(part.first_b, first_b), part.last_b = std::max(part.last_b, last_b);
      part.instructions += at_a + kRun - std::min(end.first, at_a + kRun);
    } else {
      parts.push_back({first_a, last_a, first_b, last_b, kRun});
    }
    end = {at_a + kRun, at_b + kRun};
  }
  return parts;
}

SimilarPair compare_two(const Prepared& a, const Prepared& b, const Baseline& given, const Baseline& known) {
  SimilarPair pair;
  std::size_t of_a = 0, of_b = 0, both = 0, own_a = 0, own_b = 0;
  const auto counts = [&](const Fingerprint& print, std::size_t& all, std::size_t& own) {
    if (given.prints.contains(print.hash)) return;
    ++all;
    if (!known.prints.contains(print.hash)) ++own;
  };
  for (const Fingerprint& print : a.prints) counts(print, of_a, own_a);
  for (const Fingerprint& print : b.prints) counts(print, of_b, own_b);
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  auto other = b.prints.begin();
  for (const Fingerprint& print : a.prints) {
    while (other != b.prints.end() && other->hash < print.hash) ++other;
    if (other == b.prints.end()) break;
    if (other->hash != print.hash || given.prints.contains(print.hash)) continue;
    ++both;
    if (!known.prints.contains(print.hash)) ++pair.own_fingerprints;
    runs.emplace_back(print.at, other->at);
  }
  const auto share = [](std::size_t part, std::size_t x, std::size_t y) {
    return std::min(x, y) == 0 ? 0.0 : double(part) / double(std::min(x, y));
  };
  pair.shared = share(both, of_a, of_b);
  pair.own = share(pair.own_fingerprints, own_a, own_b);
  pair.same_ptx = a.whole == b.whole;
  pair.parts = parts_of(a, b, std::move(runs));
  return pair;
}

}  // namespace

NormalisedKernel normalise(std::string_view text, std::string_view file) {
  const ptx::Module module = ptx::parse(text);
  NormalisedKernel result;
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.body) {
      result.instructions.push_back(shape_of(instruction));
      const ptx::SourceLine& place =
          instruction.inlined_at.line != 0 ? instruction.inlined_at : instruction.source;
      const auto named = module.files.find(place.file);
      const bool own = named != module.files.end() &&
                       (named->second == file || named->second.ends_with("/" + std::string(file)));
      result.lines.push_back(own ? place.line : 0);
    }
  }
  return result;
}

std::vector<Fingerprint> fingerprints(const NormalisedKernel& kernel) {
  const std::size_t count = kernel.instructions.size();
  if (count == 0) return {};
  std::vector<Fingerprint> runs;
  for (std::size_t i = 0; i + kRun <= count; ++i) runs.push_back({hash_run(kernel.instructions, i, kRun), i});
  if (runs.empty()) runs.push_back({hash_run(kernel.instructions, 0, count), 0});
  std::map<std::uint64_t, std::size_t> kept;  // hash → where it comes first
  for (std::size_t first = 0; first == 0 || first + kWindow <= runs.size(); ++first) {
    const auto end = runs.begin() + static_cast<std::ptrdiff_t>(std::min(first + kWindow, runs.size()));
    const auto smallest =
        std::min_element(runs.begin() + static_cast<std::ptrdiff_t>(first), end,
                         [](const Fingerprint& x, const Fingerprint& y) { return x.hash < y.hash; });
    kept.try_emplace(smallest->hash, smallest->at);
  }
  std::vector<Fingerprint> result;
  for (const auto& [hash, at] : kept) result.push_back({hash, at});
  return result;
}

Similarity compare(const std::vector<KernelToCompare>& kernels, const std::vector<std::string>& given,
                   const std::vector<std::string>& known, double least) {
  const Baseline skeletons = baseline_of(given), solutions = baseline_of(known);
  Similarity result;
  std::vector<Prepared> prepared(kernels.size());
  std::vector<std::size_t> readable;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    try {
      prepared[i] = prepare(kernels[i].ptx, kernels[i].file);
    } catch (const ptx::ParseError&) {
      result.left_out.push_back(kernels[i].student);
      continue;
    }
    if (skeletons.wholes.contains(prepared[i].whole)) continue;  // handed in as it was given
    if (solutions.wholes.contains(prepared[i].whole)) result.like_solution.push_back(i);
    readable.push_back(i);
  }
  result.kernels = kernels.size() - result.left_out.size();
  for (std::size_t x = 0; x < readable.size(); ++x) {
    for (std::size_t y = x + 1; y < readable.size(); ++y) {
      const std::size_t a = readable[x], b = readable[y];
      if (kernels[a].student == kernels[b].student) continue;
      SimilarPair pair = compare_two(prepared[a], prepared[b], skeletons, solutions);
      pair.a = a, pair.b = b;
      pair.same_text = kernels[a].source == kernels[b].source;
      if (pair.same_text || pair.same_ptx || pair.shared >= least) result.pairs.push_back(std::move(pair));
    }
  }
  std::sort(result.pairs.begin(), result.pairs.end(), [](const SimilarPair& x, const SimilarPair& y) {
    return std::tuple(y.same_text, y.own_fingerprints, y.own, y.shared, x.a, x.b) <
           std::tuple(x.same_text, x.own_fingerprints, x.own, x.shared, y.a, y.b);
  });
  return result;
}

}  // namespace lab::grade

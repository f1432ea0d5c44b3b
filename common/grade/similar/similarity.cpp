// Normalised instructions, winnowed, intersected pair by pair. See similarity.h.
#include "common/grade/similar/similarity.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "common/sim/ptx/ptx_module.h"

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

// One text, looked at once for all pairs that it is in.
struct Prepared {
  NormalisedKernel kernel;
  std::vector<Fingerprint> prints;  // without those of the skeletons
  std::vector<bool> is_own;         // of each print: no solution has it
  std::size_t own = 0;
  std::uint64_t whole = 0;  // hash of all instructions
};

std::shared_ptr<const Prepared> prepare(const KernelToCompare& from, const Baseline& given,
                                        const Baseline& known) {
  auto result = std::make_shared<Prepared>();
  result->kernel = normalise(*from.ptx, from.file);
  result->prints = fingerprints(result->kernel);
  std::erase_if(result->prints, [&](const Fingerprint& p) { return given.prints.contains(p.hash); });
  for (const Fingerprint& print : result->prints) {
    result->is_own.push_back(!known.prints.contains(print.hash));
    result->own += result->is_own.back();
  }
  result->whole = hash_run(result->kernel.instructions, 0, result->kernel.instructions.size());
  return result;
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

// Calls body(print of a, print of b, whether no solution has it) for what both have.
template <class Body>
void for_each_common(const Prepared& a, const Prepared& b, const Body& body) {
  auto other = b.prints.begin();
  for (std::size_t i = 0; i < a.prints.size(); ++i) {
    while (other != b.prints.end() && other->hash < a.prints[i].hash) ++other;
    if (other == b.prints.end()) return;
    if (other->hash == a.prints[i].hash) body(a.prints[i], *other, a.is_own[i]);
  }
}

SimilarPair compare_two(const Prepared& a, const Prepared& b) {
  SimilarPair pair;
  std::size_t both = 0;
  for_each_common(a, b, [&](const Fingerprint&, const Fingerprint&, bool is_own) {
    ++both;
    pair.own_fingerprints += is_own;
  });
  const auto share = [](std::size_t part, std::size_t x, std::size_t y) {
    return std::min(x, y) == 0 ? 0.0 : double(part) / double(std::min(x, y));
  };
  pair.shared = share(both, a.prints.size(), b.prints.size());
  pair.own = share(pair.own_fingerprints, a.own, b.own);
  pair.same_ptx = a.whole == b.whole;
  return pair;
}

std::vector<SharedPart> shared_parts(const Prepared& a, const Prepared& b) {
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  for_each_common(a, b, [&](const Fingerprint& in_a, const Fingerprint& in_b, bool) {
    runs.emplace_back(in_a.at, in_b.at);
  });
  return parts_of(a, b, std::move(runs));
}

// The most remarkable first.
bool before(const SimilarPair& x, const SimilarPair& y) {
  return std::tuple(y.same_text, y.does_own >= kSameBehaviour, y.own_fingerprints, y.own, y.shared, x.a,
                    x.b) <
         std::tuple(x.same_text, x.does_own >= kSameBehaviour, x.own_fingerprints, x.own, x.shared, y.a, y.b);
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

Similarity compare(const std::vector<KernelToCompare>& kernels, const CommonGround& ground, double least,
                   std::size_t most) {
  const Baseline skeletons = baseline_of(ground.given), solutions = baseline_of(ground.known);
  Similarity result;
  std::map<const std::string*, std::shared_ptr<const Prepared>> by_text;
  std::vector<std::shared_ptr<const Prepared>> prepared(kernels.size());
  std::vector<std::size_t> readable;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::shared_ptr<const Prepared>& known_text = by_text[kernels[i].ptx.get()];
    try {
      if (known_text == nullptr) known_text = prepare(kernels[i], skeletons, solutions);
    } catch (const ptx::ParseError&) {
      result.left_out.push_back(kernels[i].student);
      continue;
    }
    prepared[i] = known_text;
    if (skeletons.wholes.contains(prepared[i]->whole)) continue;  // handed in as it was given
    if (solutions.wholes.contains(prepared[i]->whole)) result.like_solution.push_back(i);
    readable.push_back(i);
  }
  result.kernels = kernels.size() - result.left_out.size();
  for (std::size_t x = 0; x < readable.size(); ++x) {
    for (std::size_t y = x + 1; y < readable.size(); ++y) {
      const std::size_t a = readable[x], b = readable[y];
      if (kernels[a].student == kernels[b].student) continue;
      SimilarPair pair = compare_two(*prepared[a], *prepared[b]);
      pair.a = a, pair.b = b;
      pair.same_text = kernels[a].source == kernels[b].source;
      if (kernels[a].does && kernels[b].does) {
        const SharedBehaviour behaviour = compare(*kernels[a].does, *kernels[b].does, ground.done);
        pair.does = behaviour.all;
        pair.does_own = behaviour.own;
      }
      if (pair.same_text || pair.same_ptx || pair.shared >= least || pair.does_own >= kSameBehaviour)
        result.pairs.push_back(std::move(pair));
    }
  }
  result.pairs_found = result.pairs.size();
  std::sort(result.pairs.begin(), result.pairs.end(), before);
  result.pairs.resize(std::min(most, result.pairs.size()));
  result.pairs.shrink_to_fit();
  for (SimilarPair& pair : result.pairs) pair.parts = shared_parts(*prepared[pair.a], *prepared[pair.b]);
  return result;
}

}  // namespace lab::grade

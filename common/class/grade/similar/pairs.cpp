// Every kernel of a chapter against every other one that it may resemble. See similarity.h.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "common/base/source_text.h"
#include "common/class/grade/similar/candidates.h"
#include "common/class/grade/similar/similarity.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::grade {
namespace {

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

// One text, read once for all pairs that it is in.
struct Prepared {
  NormalisedKernel kernel;
  std::vector<Fingerprint> prints;  // without those of the skeletons
  std::vector<bool> is_own;         // of each print: no solution has it
  std::size_t own = 0;
  std::uint64_t whole = 0;  // hash of all instructions
  WrittenPrints written;    // without those of this chapter's skeleton and solution
};

std::shared_ptr<const Prepared> prepare(const KernelToCompare& from, const Baseline& given,
                                        const Baseline& known, const WrittenPrints& written_by_us) {
  auto result = std::make_shared<Prepared>();
  result->kernel = normalise(*from.ptx, from.file);
  result->prints = fingerprints(result->kernel);
  std::erase_if(result->prints, [&](const Fingerprint& p) { return given.prints.contains(p.hash); });
  for (const Fingerprint& print : result->prints) {
    result->is_own.push_back(!known.prints.contains(print.hash));
    result->own += result->is_own.back();
  }
  result->whole = hash_run(result->kernel.instructions, 0, result->kernel.instructions.size());
  result->written = written(base::source_text(from.source));
  std::erase_if(result->written, [&](std::uint64_t print) {
    return std::binary_search(written_by_us.begin(), written_by_us.end(), print);
  });
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
  pair.written = grade::written_alike(a.written, b.written);
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

bool before_weaker(const SimilarPair& x, const SimilarPair& y) {
  return std::tuple(y.alike(), x.a, x.b) < std::tuple(x.alike(), y.a, y.b);
}

// The best of any number of pairs, and how many there were.
class Best {
 public:
  using Before = bool (*)(const SimilarPair&, const SimilarPair&);
  Best(std::size_t most, Before before) : most_(most), before_(before) {}

  void add(SimilarPair pair) {
    pairs_.push_back(std::move(pair));
    if (pairs_.size() >= 4 * most_ + 1000) cut();
  }
  void count(std::size_t pairs) { found_ += pairs; }
  void leave(std::vector<SimilarPair>& pairs, std::size_t& found) {
    cut();
    pairs = std::move(pairs_);
    pairs.shrink_to_fit();
    found = found_;
  }

 private:
  void cut() {
    std::sort(pairs_.begin(), pairs_.end(), before_);
    pairs_.resize(std::min(most_, pairs_.size()));
  }
  std::size_t most_, found_ = 0;
  Before before_;
  std::vector<SimilarPair> pairs_;
};

// Kernels of the same instructions are one group and compared with others once.
class Comparer {
 public:
  Comparer(const std::vector<KernelToCompare>& kernels, const CommonGround& ground, double least,
           std::size_t most)
      : kernels_(kernels), ground_(ground), least_(least), most_(most) {}

  Similarity compare_all(const std::function<void(std::size_t, std::size_t)>& reached) {
    prepare_all();
    for (std::size_t i = 0; i < groups_.size(); ++i) within(i);
    if (groups_.size() <= kNeighbours) {
      for (std::size_t a = 0; a < groups_.size(); ++a) {
        reached(a, groups_.size());
        for (std::size_t b = a + 1; b < groups_.size(); ++b) between(a, b);
      }
    } else {
      for_each_candidate(prints_of_groups(), [&](std::size_t a, std::size_t b) {
        reached(a, groups_.size());
        between(a, b);
      });
    }
    strong_.leave(result_.pairs, result_.pairs_found);
    weaker_.leave(result_.weaker, result_.weaker_found);
    for (auto* pairs : {&result_.pairs, &result_.weaker}) {
      for (SimilarPair& pair : *pairs) pair.parts = shared_parts(*prepared_[pair.a], *prepared_[pair.b]);
    }
    return std::move(result_);
  }

 private:
  void prepare_all() {
    const Baseline skeletons = baseline_of(ground_.given), solutions = baseline_of(ground_.known);
    std::map<const std::string*, std::shared_ptr<const Prepared>> by_text;
    std::map<std::uint64_t, std::size_t> by_whole;
    prepared_.resize(kernels_.size());
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      std::shared_ptr<const Prepared>& known_text = by_text[kernels_[i].ptx.get()];
      try {
        if (known_text == nullptr) known_text = prepare(kernels_[i], skeletons, solutions, ground_.written);
      } catch (const sim::ptx::ParseError&) {
        result_.left_out.push_back(kernels_[i].student);
        continue;
      }
      prepared_[i] = known_text;
      const std::uint64_t whole = prepared_[i]->whole;
      if (skeletons.wholes.contains(whole)) continue;  // handed in as it was given
      if (solutions.wholes.contains(whole)) result_.like_solution.push_back(i);
      const auto [place, is_new] = by_whole.try_emplace(whole, groups_.size());
      if (is_new) groups_.emplace_back();
      groups_[place->second].push_back(i);
      if (is_new) does_.push_back(kernels_[i].does ? marked(*kernels_[i].does, ground_.done) : Behaviour{});
    }
    for (const Behaviour& behaviour : does_) samples_.push_back(sample(behaviour));
    result_.kernels = kernels_.size() - result_.left_out.size();
    // Equal texts lie together, so that the pairs that are kept of a large group are those.
    for (std::vector<std::size_t>& group : groups_) {
      std::stable_sort(group.begin(), group.end(),
                       [&](std::size_t x, std::size_t y) { return kernels_[x].source < kernels_[y].source; });
    }
  }

  void within(std::size_t group) {
    const std::vector<std::size_t>& members = groups_[group];
    const std::size_t count = members.size();
    if (count < 2) return;
    const SimilarPair pair = compared(group, group);
    strong_.count(count * (count - 1) / 2);
    std::size_t listed = 0;
    for (std::size_t apart = 1; apart < count && listed < most_; ++apart) {
      for (std::size_t i = 0; i + apart < count && listed < most_; ++i)
        listed += list(strong_, pair, members[i], members[i + apart]);
    }
  }

  void between(std::size_t group_a, std::size_t group_b) {
    const std::vector<std::size_t>&in_a = groups_[group_a], &in_b = groups_[group_b];
    const SimilarPair pair = compared(group_a, group_b);
    const bool strong = pair.shared >= least_ || pair.does_own >= kSameBehaviour;
    const bool weaker = pair.does >= kSameBehaviour && pair.alike() >= kAlike;
    if (!strong && !weaker) return;
    Best& best = strong ? strong_ : weaker_;
    best.count(in_a.size() * in_b.size());
    std::size_t listed = 0;
    for (const std::size_t a : in_a) {
      for (const std::size_t b : in_b) {
        if (listed >= most_) return;
        listed += list(best, pair, a, b);
      }
    }
  }

  std::size_t list(Best& best, SimilarPair pair, std::size_t a, std::size_t b) {
    if (kernels_[a].student == kernels_[b].student) return 0;
    std::tie(pair.a, pair.b) = std::minmax(a, b);
    pair.same_text = kernels_[a].source == kernels_[b].source;
    pair.written = grade::written_alike(prepared_[a]->written, prepared_[b]->written);
    best.add(std::move(pair));
    return 1;
  }

  [[nodiscard]] SimilarPair compared(std::size_t a, std::size_t b) const {
    SimilarPair pair = compare_two(*prepared_[groups_[a][0]], *prepared_[groups_[b][0]]);
    if (!may_do_the_same(pair, a, b)) return pair;
    const SharedBehaviour behaviour = compare(does_[a], does_[b]);
    pair.does = behaviour.all;
    pair.does_own = behaviour.own;
    return pair;
  }

  // Accesses are many; in a large class they are compared where something else speaks for it.
  [[nodiscard]] bool may_do_the_same(const SimilarPair& pair, std::size_t a, std::size_t b) const {
    return groups_.size() <= kNeighbours || pair.shared >= least_ || pair.alike() >= kAlike ||
           std::find_first_of(samples_[a].begin(), samples_[a].end(), samples_[b].begin(),
                              samples_[b].end()) != samples_[a].end();
  }

  // What two of them have in common when they are worth a look: instructions, tokens, accesses.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> prints_of_groups() const {
    std::vector<std::vector<std::uint64_t>> all;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      const Prepared& kernel = *prepared_[groups_[group][0]];
      std::vector<std::uint64_t> prints;
      for (const Fingerprint& print : kernel.prints) prints.push_back(print.hash);
      for (const std::uint64_t print : kernel.written) {
        if (print % 4 == 0) prints.push_back(print);
      }
      prints.insert(prints.end(), samples_[group].begin(), samples_[group].end());
      all.push_back(std::move(prints));
    }
    return all;
  }

  const std::vector<KernelToCompare>& kernels_;
  const CommonGround& ground_;
  double least_;
  std::size_t most_;
  std::vector<std::shared_ptr<const Prepared>> prepared_;
  std::vector<std::vector<std::size_t>> groups_;     // of equal instructions, each with its kernels
  std::vector<Behaviour> does_;                      // of each group
  std::vector<std::vector<std::uint64_t>> samples_;  // of these
  Best strong_{most_, before}, weaker_{most_, before_weaker};
  Similarity result_;
};

}  // namespace

Similarity compare(const std::vector<KernelToCompare>& kernels, const CommonGround& ground, double least,
                   std::size_t most, const std::function<void(std::size_t, std::size_t)>& reached) {
  return Comparer(kernels, ground, least, most).compare_all(reached);
}

}  // namespace lab::grade

// Watches one launch and counts its patterns. See behaviour.h.
#include "common/class/grade/similar/behaviour.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "common/course/judge/subject.h"

namespace lab::grade {
namespace {

// Ragged at both edges, wide enough for several tiles of any size that a course uses.
constexpr judge::Problem kProblem{.rows = 137, .cols = 203};

class PatternWatch final : public sim::Observer {
 public:
  void out_is(std::uint64_t address) { out_ = address; }
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& patterns() const { return patterns_; }

  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    auto fresh = std::make_unique<PatternWatch>();
    fresh->out_ = out_;
    return fresh;
  }
  void merge(const sim::Observer& other) override {
    for (const auto& [hash, count] : dynamic_cast<const PatternWatch&>(other).patterns_)
      patterns_[hash] += count;
  }
  void access(std::uint32_t, const sim::Access& access) override {
    if (access.space != sim::Space::Global && access.space != sim::Space::Shared) return;
    const std::uint64_t base = access.space == sim::Space::Global ? out_ : 0;
    std::array<std::uint64_t, sim::kWarpLanes> at{};
    std::size_t lanes = 0;
    for (sim::Mask left = access.mask; left != 0; left &= left - 1)
      at[lanes++] = access.address[std::countr_zero(left)] - base;
    std::sort(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(lanes));
    std::uint64_t hash = mixed(static_cast<std::uint64_t>(access.path) << 8 | access.width_bytes);
    for (std::size_t i = 0; i < lanes; ++i) hash = mixed(hash ^ at[i]);
    ++patterns_[hash];
  }

 private:
  static std::uint64_t mixed(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
  std::uint64_t out_ = 0;
  std::map<std::uint64_t, std::uint64_t> patterns_;
};

}  // namespace

Behaviour behaviour_of(const std::string& ptx) {
  PatternWatch watch;
  judge::Target target;
  target.as_always = true;  // what two kernels do is compared in one world
  target.observers = {&watch};
  target.placed = [&](device::Address out, std::uint64_t, device::Address) { watch.out_is(out); };
  try {
    judge::Subject subject(ptx, 1);
    if (subject.run(kProblem, target).faults.empty()) {
      Behaviour behaviour;
      for (const auto& [print, count] : watch.patterns())
        behaviour.patterns.push_back({print, static_cast<std::uint32_t>(count)});
      return behaviour;
    }
  } catch (const std::runtime_error&) {  // it cannot be loaded, or has no such kernel
  }
  return {};
}

std::string text_of(const Behaviour& behaviour) {
  std::ostringstream text;
  for (const Pattern& pattern : behaviour.patterns) text << pattern.print << ' ' << pattern.count << '\n';
  return text.str();
}

Behaviour behaviour_from(const std::string& text) {
  Behaviour behaviour;
  std::istringstream in(text);
  for (Pattern pattern; in >> pattern.print >> pattern.count;) behaviour.patterns.push_back(pattern);
  return behaviour;
}

Behaviour marked(Behaviour behaviour, const Prints& known) {
  for (Pattern& pattern : behaviour.patterns) pattern.known = known.contains(pattern.print);
  return behaviour;
}

// The smallest fingerprints: of two sets that are nearly the same, the smallest are nearly the same.
std::vector<std::uint64_t> sample(const Behaviour& behaviour) {
  constexpr std::size_t kMost = 16;
  std::vector<std::uint64_t> some;
  for (const Pattern& pattern : behaviour.patterns) {
    if (some.size() == kMost) break;
    if (!pattern.known) some.push_back(pattern.print);
  }
  return some;
}

SharedBehaviour compare(const Behaviour& a, const Behaviour& b) {
  constexpr double kLeastOwn = 0.05;  // of all accesses: less than that is no way of one's own
  struct Sums {
    double a = 0, b = 0, both = 0;
    [[nodiscard]] double share() const { return std::min(a, b) == 0 ? 0 : both / std::min(a, b); }
  } all, own;
  const auto add = [&](bool known, double in_a, double in_b) {
    const auto to = [&](Sums& sums) { sums.a += in_a, sums.b += in_b, sums.both += std::min(in_a, in_b); };
    to(all);
    if (!known) to(own);
  };
  auto in_b = b.patterns.begin();
  for (const Pattern& in_a : a.patterns) {
    for (; in_b != b.patterns.end() && in_b->print < in_a.print; ++in_b) add(in_b->known, 0, in_b->count);
    const bool both = in_b != b.patterns.end() && in_b->print == in_a.print;
    add(in_a.known, in_a.count, both ? (in_b++)->count : 0);
  }
  for (; in_b != b.patterns.end(); ++in_b) add(in_b->known, 0, in_b->count);
  const bool enough = own.a >= kLeastOwn * all.a && own.b >= kLeastOwn * all.b;
  return {all.share(), enough ? own.share() : 0};
}

}  // namespace lab::grade

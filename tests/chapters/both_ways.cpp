// Shapes that a kernel decides about otherwise. See both_ways.h.
//
// Each decision is computed for drawn shapes (sim/decode/shape_choices.h, decision_probe.h), and shapes are taken until each two
// decisions have gone all the ways together that they go on any of these.
#include "tests/chapters/both_ways.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/course/judge/decision_probe.h"
#include "common/sim/decode/shape_choices.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::course {
namespace {

using namespace lab::judge;

constexpr std::size_t kMostShapes = 4, kMostAlone = 8, kMostChoices = 64;
constexpr std::uint64_t kDrawn = 1024;
constexpr std::int64_t kMostOfPair = 1 << 20;  // elements

// The ways of a kernel's decisions by the shape alone, a bit for each.
class Ways {
 public:
  Ways(const sim::ptx::Module& module, const sim::ptx::Function& text, const LaunchShape& shape)
      : choices_(module, text), probe_(module, text.name, shape), shape_(shape) {
    for (std::size_t c = 0; c < choices_.count() && by_shape_.size() < kMostChoices; ++c)
      if (!choices_.by_block(c)) by_shape_.push_back(c);
    followed_ = by_shape_.size();
    for (std::size_t c = 0; c < 2 * probe_.count() && by_shape_.size() < kMostChoices; ++c)
      if (!probe_.by_block(c / 2)) by_shape_.push_back(c);
    met_.resize(by_shape_.size());
  }
  [[nodiscard]] bool none() const { return by_shape_.empty(); }
  // Of each shape; of as many as the probe comes to.
  [[nodiscard]] std::vector<std::uint64_t> of(const std::vector<Problem>& shapes) {
    std::vector<sim::ShapePlace> places;
    for (const Problem& p : shapes) {
      const device::Dim3 grid = grid_of(shape_, p);
      sim::ShapePlace& at = places.emplace_back();
      at.integers = {p.rows, p.cols, p.out_pitch(), p.in_pitch()};
      at.ntid = {static_cast<std::uint32_t>(shape_.block.x), static_cast<std::uint32_t>(shape_.block.y), 1};
      at.nctaid = {grid.x, grid.y, grid.z};
    }
    std::vector<std::uint8_t> probed;
    std::vector<std::uint64_t> ways;
    std::vector<bool> all;
    const std::size_t done = probe_.count() == 0 ? places.size() : probe_.run(places, probed);
    for (std::size_t k = 0; k < done; ++k) {
      choices_.ways(places[k], all);
      std::uint64_t& bits = ways.emplace_back(0);
      for (std::size_t i = 0; i < by_shape_.size(); ++i) {
        const std::size_t c = by_shape_[i];
        const bool way = i < followed_ ? all[c] : (probed[k * probe_.count() + c / 2] >> c % 2 & 1) != 0;
        bits |= std::uint64_t{way} << i;
      }
    }
    return ways;
  }
  void meet(std::uint64_t bits) {
    for (std::size_t i = 0; i < met_.size(); ++i) {
      std::array<std::uint64_t, 2>& with = met_[i][bits >> i & 1];
      with[1] |= bits, with[0] |= ~bits & mask();
    }
  }
  // Ways that were never met, in pairs or each alone.
  [[nodiscard]] int new_in(std::uint64_t bits) const {
    int count = 0;
    for (std::size_t i = 0; i < met_.size(); ++i) {
      const std::array<std::uint64_t, 2>& with = met_[i][bits >> i & 1];
      count += std::popcount(bits & ~with[1]) + std::popcount(~bits & mask() & ~with[0]);
    }
    return count;
  }
  [[nodiscard]] int new_alone_in(std::uint64_t bits) const {
    int count = 0;
    for (std::size_t i = 0; i < met_.size(); ++i) {
      const std::array<std::uint64_t, 2>& with = met_[i][bits >> i & 1];
      count += (with[0] | with[1]) == 0;
    }
    return count;
  }

 private:
  [[nodiscard]] std::uint64_t mask() const { return ~std::uint64_t{0} >> (kMostChoices - by_shape_.size()); }
  sim::ShapeChoices choices_;
  DecisionProbe probe_;
  const LaunchShape& shape_;
  std::vector<std::size_t> by_shape_;  // choices, and behind them twice what is probed
  std::size_t followed_ = 0;
  std::vector<std::array<std::array<std::uint64_t, 2>, 2>> met_;  // by decision and its way: others' ways
};

// Numbers that follow one another from a drawn one.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace

std::vector<Problem> both_ways(Check& check, const std::vector<Problem>& asked,
                               const std::function<Problem(std::uint64_t)>& made) {
  Subject& subject = check.subject();
  const sim::ptx::Module module = sim::ptx::parse(subject.ptx());
  const sim::ptx::Function* const text = module.find_function("transpose");
  if (text == nullptr) return {};
  Ways ways(module, *text, subject.launch_shape());
  if (ways.none()) return {};
  for (const std::uint64_t bits : ways.of(asked)) ways.meet(bits);
  struct Candidate {
    Problem problem;
    std::uint64_t bits;
  };
  std::vector<Candidate> all;
  const std::uint64_t first = subject.shape_key().draw({0x626f7468});
  std::vector<Problem> drawn;
  for (std::uint64_t k = 0; k < kDrawn; ++k) drawn.push_back(made(mixed(first + k * 0x9e3779b97f4a7c15U)));
  const std::vector<std::uint64_t> of_drawn = ways.of(drawn);
  for (std::size_t k = 0; k < of_drawn.size(); ++k)
    if (ways.new_in(of_drawn[k]) > 0) all.push_back({drawn[k], of_drawn[k]});
  std::vector<Problem> taken;
  const auto take = [&](std::size_t most, int (Ways::*news)(std::uint64_t) const) {
    std::vector<Candidate> left = all;
    for (std::size_t k = 0; k < most; ++k) {
      std::erase_if(left, [&](const Candidate& c) { return (ways.*news)(c.bits) == 0; });
      if (left.empty()) return;
      const auto best =
          std::min_element(left.begin(), left.end(), [&](const Candidate& a, const Candidate& b) {
            const int more = (ways.*news)(a.bits), other = (ways.*news)(b.bits);
            return more != other ? more > other
                                 : a.problem.rows * a.problem.cols < b.problem.rows * b.problem.cols;
          });
      taken.push_back(best->problem);
      ways.meet(best->bits);
    }
  };
  take(kMostAlone, &Ways::new_alone_in);
  std::erase_if(all, [](const Candidate& c) { return c.problem.rows * c.problem.cols > kMostOfPair; });
  take(kMostShapes, &Ways::new_in);
  return taken;
}

}  // namespace lab::course

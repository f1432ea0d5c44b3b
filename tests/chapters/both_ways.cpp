// Shapes that a kernel decides about otherwise. See both_ways.h.
//
// Each decision is computed for drawn shapes (sim/decode/shape_choices.h), and shapes are taken until each two
// decisions have gone all the ways together that they go on any of these.
#include "tests/chapters/both_ways.h"

#include <algorithm>
#include <array>
#include <bit>

#include "common/sim/decode/shape_choices.h"
#include "common/sim/ptx/ptx_module.h"

namespace lab::course {
namespace {

using namespace lab::judge;

constexpr std::size_t kMostShapes = 4, kMostChoices = 64;
constexpr std::uint64_t kDrawn = 1024;

// The ways of a kernel's decisions by the shape alone, a bit for each.
class Ways {
 public:
  Ways(const sim::ptx::Module& module, const sim::ptx::Function& text, const LaunchShape& shape)
      : choices_(module, text), shape_(shape) {
    for (std::size_t c = 0; c < choices_.count() && by_shape_.size() < kMostChoices; ++c)
      if (!choices_.by_block(c)) by_shape_.push_back(c);
    met_.resize(by_shape_.size());
  }
  [[nodiscard]] bool none() const { return by_shape_.empty(); }
  [[nodiscard]] std::uint64_t of(const Problem& p) {
    const device::Dim3 grid = grid_of(shape_, p);
    sim::ShapePlace at;
    at.integers = {p.rows, p.cols, p.out_pitch(), p.in_pitch()};
    at.ntid = {static_cast<std::uint32_t>(shape_.block.x), static_cast<std::uint32_t>(shape_.block.y), 1};
    at.nctaid = {grid.x, grid.y, grid.z};
    choices_.ways(at, all_);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < by_shape_.size(); ++i) bits |= std::uint64_t{all_[by_shape_[i]]} << i;
    return bits;
  }
  void meet(std::uint64_t bits) {
    for (std::size_t i = 0; i < met_.size(); ++i) {
      std::array<std::uint64_t, 2>& with = met_[i][bits >> i & 1];
      with[1] |= bits, with[0] |= ~bits & mask();
    }
  }
  // Pairs of ways that were never met.
  [[nodiscard]] int new_in(std::uint64_t bits) const {
    int count = 0;
    for (std::size_t i = 0; i < met_.size(); ++i) {
      const std::array<std::uint64_t, 2>& with = met_[i][bits >> i & 1];
      count += std::popcount(bits & ~with[1]) + std::popcount(~bits & mask() & ~with[0]);
    }
    return count;
  }

 private:
  [[nodiscard]] std::uint64_t mask() const { return ~std::uint64_t{0} >> (kMostChoices - by_shape_.size()); }
  sim::ShapeChoices choices_;
  const LaunchShape& shape_;
  std::vector<std::size_t> by_shape_;
  std::vector<std::array<std::array<std::uint64_t, 2>, 2>> met_;  // by decision and its way: others' ways
  std::vector<bool> all_;
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
  for (const Problem& p : asked) ways.meet(ways.of(p));
  struct Candidate {
    Problem problem;
    std::uint64_t bits;
  };
  std::vector<Candidate> all;
  const std::uint64_t first = subject.shape_key().draw({0x626f7468});
  for (std::uint64_t k = 0; k < kDrawn; ++k) {
    const Problem p = made(mixed(first + k * 0x9e3779b97f4a7c15U));
    const std::uint64_t bits = ways.of(p);
    if (ways.new_in(bits) > 0) all.push_back({p, bits});
  }
  std::vector<Problem> taken;
  while (!all.empty() && taken.size() < kMostShapes) {
    const auto best = std::min_element(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
      const int more = ways.new_in(a.bits), other = ways.new_in(b.bits);
      return more != other ? more > other : a.problem.rows * a.problem.cols < b.problem.rows * b.problem.cols;
    });
    taken.push_back(best->problem);
    ways.meet(best->bits);
    std::erase_if(all, [&](const Candidate& c) { return ways.new_in(c.bits) == 0; });
  }
  return taken;
}

}  // namespace lab::course

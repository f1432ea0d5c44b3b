// Shapes on which a branch goes a way that it went on none that everything was asked of.
//
// Enters: the key, the ways that branches took in counted runs. Leaves: shapes, a few. A switch that holds
// for few shapes is a branch that no draw took: then further shapes are drawn, one block of each runs, and
// where it goes another way everything is asked there as well. A kernel whose branches went both ways, as
// those of nearly all right ones, costs nothing more.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/course/judge/keyed_world.h"
#include "common/course/judge/sample_trial.h"
#include "common/course/judge/share.h"
#include "common/course/judge/subject.h"
#include "common/course/judge/tensor_maps.h"
#include "common/course/judge/worker.h"
#include "common/sim/analysis/shape_branches.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::judge {
namespace {

constexpr std::int64_t kTries = 512, kMostSide = 8192;
constexpr std::size_t kMostFound = 64;
// The work of one block, and of all: a block that walks over the whole matrix is not followed to its end.
constexpr std::uint64_t kWorkOfTry = 200'000, kWorkOfTries = 2'000'000;

bool is_one_way(std::uint8_t ways) { return ways == BlockWatch::kTaken || ways == BlockWatch::kNotTaken; }

bool any_one_way(const Ways& ways) { return std::any_of(ways.begin(), ways.end(), is_one_way); }

// Sides of each length by turns, half of them whole tiles; and squares.
class Shapes {
 public:
  Shapes(const InputKey& key, const Problem& like) : key_(key), like_(like) {}
  Problem shape(std::int64_t which) const {
    const auto draw = [&](std::int64_t what, std::int64_t of) {
      return static_cast<std::int64_t>(key_.draw({0x77617973, which, what}) % static_cast<std::uint64_t>(of));
    };
    const std::int64_t step = draw(0, 2) == 0 ? 1 : draw(1, 2) == 0 ? 32 : 4;
    const auto side = [&](std::int64_t what) {
      constexpr std::int64_t kLengths = 10, kLeast = 8;  // 8 to 16, …, 4096 to 8192
      const std::int64_t least = kLeast << draw(what, kLengths);
      return std::min(kMostSide, std::max(step, (least + draw(what + 1, least)) / step * step));
    };
    Problem p = like_;
    p.rows = side(2), p.cols = draw(4, 16) == 0 ? p.rows : side(5);
    constexpr std::int64_t kMore = 64;
    if (like_.in_pitch_elems != 0)
      p.in_pitch_elems = p.cols + draw(8, kMore), p.out_pitch_elems = p.rows + draw(9, kMore);
    return p;
  }

 private:
  const InputKey& key_;
  const Problem like_;
};

// Runs single blocks, with what an untouched `in` holds.
class Scout {
 public:
  Scout(device::Device& device, const device::Kernel& kernel, const LaunchShape& shape, const Target& target,
        const InputKey& key, const Problem& like)
      : device_(device),
        kernel_(kernel),
        shape_(shape),
        target_(target),
        world_(like, key),
        in_(device, room(like), device::Content::SparseReadOnly, "in"),
        out_(device, room(like), device::Content::SparsePoison, "out") {
    device.provide(in_.address(), world_);
  }

  // Adds the ways that one block took. False: enough was done.
  bool run(const Problem& problem, std::uint64_t drawn, Ways& ways) {
    BlockWatch watch;
    device::Launch launch;
    launch.grid = grid_of(shape_, problem);
    launch.block = {static_cast<std::uint32_t>(shape_.block.x), static_cast<std::uint32_t>(shape_.block.y),
                    1};
    launch.cluster = cluster_of(shape_);
    launch.dynamic_shared_bytes = static_cast<std::uint32_t>(shape_.dynamic_shared_bytes);
    launch.clusters = {drawn % clusters_of(shape_, problem)};
    launch.check = launch.global_races = false;
    launch.budget_work = kWorkOfTry;
    launch.observers = {&watch};
    launch.host_threads = 1;
    Arguments arguments(problem, out_.address(), in_.address(), kernel_);
    launch.parameters =
        pack(arguments, target_, tensor_maps(device_, shape_, problem, out_.address(), in_.address()));
    kernel_.renew();
    work_ += device_.launch(kernel_, launch).work;
    add_ways(ways, watch.branches());
    return work_ < kWorkOfTries;
  }

 private:
  static std::uint64_t room(const Problem& like) {
    return static_cast<std::uint64_t>(kMostEver) * static_cast<std::uint64_t>(like.elem_bytes);
  }
  device::Device& device_;
  const device::Kernel& kernel_;
  const LaunchShape& shape_;
  const Target& target_;
  KeyedWorld world_;
  device::Buffer in_, out_;
  std::uint64_t work_ = 0;
};

}  // namespace

void Subject::note_ways(const std::string& entry, const BlockWatch& watch) {
  BranchWays& known = ways_[entry];
  add_ways(known.ways, watch.branches());
  if (watch.program() != nullptr) known.program = watch.program();
}

const std::vector<RareChoice>& Subject::rare_choices_of(const Problem& like, int row_bytes,
                                                        const Target& target) {
  const auto [known, is_new] = rare_choices_.try_emplace(target.entry);
  if (!is_new || ways_[target.entry].program == nullptr) return known->second;
  std::vector<Problem> asked;
  for (const auto& [key, counted] : runs_)
    if (std::get<0>(key) == target.entry && has_costs(std::get<1>(key))) asked.push_back(std::get<1>(key));
  const bool again = rare_choices_.size() > 1;
  known->second = rare_choices(*ways_[target.entry].program->data().module, target.entry,
                               shape_or_none(target), like, row_bytes, shape_key_, asked, again);
  return known->second;
}

const std::vector<Problem>& Subject::other_ways(const Problem& like, int row_bytes, const Target& target) {
  const auto [known, is_new] = other_ways_.try_emplace(target.entry);
  const LaunchShape shape = shape_or_none(target);
  auto [ways, program] = ways_[target.entry];
  if (!is_new || inputs_.only || gpu_.alone || program == nullptr) return known->second;
  for (const RareChoice& rare : rare_choices_of(like, row_bytes, target))
    if (!rare.by_block &&
        rare.problem.rows * rare.problem.cols <= (shape.gpus > 1 ? kMostTriedWhole : kMostEver))
      known->second.push_back(rare.problem);
  if (shape.gpus > 1 || !any_one_way(ways)) return known->second;
  const std::vector<bool> branches = sim::shape_branches(program->data());
  const auto leave_out_others = [&](Ways& of) {
    for (std::size_t pc = 0; pc < of.size(); ++pc)
      if (!branches[pc]) of[pc] = 0;
  };
  leave_out_others(ways);
  if (!any_one_way(ways)) return known->second;
  Worker& on = worker(0);
  Scout scout(*on.device, on.kernel(target.entry), shape, target, input_key_, like);
  const Shapes drawn(shape_key_, like);
  for (std::int64_t k = 0; k < kTries && known->second.size() < kMostFound; ++k) {
    const Problem p = with_rows_of({drawn.shape(k)}, row_bytes, like.elem_bytes).front();
    if (std::max(p.in_elems(), p.out_elems()) > kMostEver) continue;
    const Ways before = ways;
    const bool goes_on = scout.run(p, shape_key_.draw({0x7761796f6e, k}), ways);
    leave_out_others(ways);
    if (ways != before) known->second.push_back(p);
    if (!goes_on || !any_one_way(ways)) break;
  }
  return known->second;
}

}  // namespace lab::judge

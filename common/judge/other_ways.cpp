// Shapes on which a branch goes a way that it went on none that everything was asked of.
//
// Enters: the key, the ways that branches took in counted runs. Leaves: shapes, a few. A switch that holds
// for few shapes is a branch that no draw took: then further shapes are drawn, one block of each runs, and
// where it goes another way everything is asked there as well. A kernel whose branches went both ways, as
// those of nearly all right ones, costs nothing more.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "common/judge/keyed_world.h"
#include "common/judge/sample_trial.h"
#include "common/judge/share.h"
#include "common/judge/subject.h"
#include "common/judge/subject_worker.h"
#include "common/judge/tensor_maps.h"
#include "common/sim/program/program.h"

namespace lab::judge {
namespace {

constexpr std::int64_t kTries = 512, kMostSide = 8192;
constexpr std::size_t kMostFound = 8;
// Of one block, and of all: a block that walks over the whole matrix is not followed to its end.
constexpr std::uint64_t kWorkOfTry = 200'000, kWorkOfTries = 2'000'000;

bool is_one_way(std::uint8_t ways) { return ways == BlockWatch::kTaken || ways == BlockWatch::kNotTaken; }

bool any_one_way(const Ways& ways) { return std::any_of(ways.begin(), ways.end(), is_one_way); }

// Which branches of a PTX text follow from shape and block, and not from the thread's number alone: without a
// look at the order of instructions, so rather more than fewer.
class ShapeBranches {
 public:
  explicit ShapeBranches(std::string_view ptx) {
    while (!ptx.empty()) {
      const std::size_t end = std::min(ptx.find('\n'), ptx.size());
      lines_.push_back(ptx.substr(0, end));
      ptx.remove_prefix(std::min(end + 1, ptx.size()));
    }
    for (std::size_t before = ~std::size_t{0}; before != follow_.size();) {
      before = follow_.size();
      for (const std::string_view line : lines_) look_at(line);
    }
  }
  // By line, from 1 on.
  [[nodiscard]] bool is_one(int line) const {
    if (line < 1 || static_cast<std::size_t>(line) > lines_.size()) return true;
    const std::vector<std::string_view> names = names_in(lines_[static_cast<std::size_t>(line) - 1]);
    return names.empty() || follow_.contains(names.front());  // without a name: of inline assembly
  }

 private:
  static std::vector<std::string_view> names_in(std::string_view text) {
    constexpr std::string_view kOfName = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$.";
    std::vector<std::string_view> names;
    for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
      const std::size_t end = std::min(text.find_first_not_of(kOfName, at + 1), text.size());
      names.push_back(text.substr(at, end - at));
    }
    return names;
  }
  void look_at(std::string_view line) {
    const auto has = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
    if (!has("%") || has(".reg ")) return;
    const std::vector<std::string_view> names = names_in(line);
    const bool follows = has("ctaid") || has("_param_") || has("ld.") || has("atom.") || has("call") ||
                         std::any_of(names.begin(), names.end(),
                                     [&](std::string_view name) { return follow_.contains(name); });
    if (!follows) return;
    // A list in braces is loaded, and a pair of predicates set.
    const std::size_t comma = has("{") ? line.find('}') : line.find(',');
    for (const std::string_view name : names_in(line.substr(0, comma))) follow_.insert(name);
  }

  std::vector<std::string_view> lines_;
  std::set<std::string_view> follow_;
};

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
  add_ways(ways_[entry], watch.branches());
  if (watch.program() != nullptr) programs_[entry] = watch.program();
}

const std::vector<Problem>& Subject::other_ways(const Problem& like, int row_bytes, const Target& target) {
  const auto [known, is_new] = other_ways_.try_emplace(target.entry);
  const LaunchShape shape = shape_or_none(target);
  Ways ways = ways_[target.entry];
  if (!is_new || inputs_.only || shape.gpus > 1 || gpu_.alone || !any_one_way(ways)) return known->second;
  const ShapeBranches branches(ptx_);
  const sim::Program& program = *programs_.at(target.entry);
  const auto leave_out_others = [&](Ways& of) {
    for (std::size_t pc = 0; pc < of.size(); ++pc)
      if (of[pc] != 0 && !branches.is_one(program.source(static_cast<std::uint32_t>(pc)).ptx_line))
        of[pc] = 0;
  };
  leave_out_others(ways);
  if (!any_one_way(ways)) return known->second;
  Worker& on = worker(0);
  Scout scout(*on.device, on.kernel(target.entry), shape, target, input_key_, like);
  const Shapes drawn(shape_key_, like);
  for (std::int64_t k = 0; k < kTries && known->second.size() < kMostFound; ++k) {
    const Problem p = with_rows_of({drawn.shape(k)}, row_bytes, like.elem_bytes).front();
    if (p.rows * p.cols > kMostEver) continue;
    const Ways before = ways;
    const bool goes_on = scout.run(p, shape_key_.draw({0x7761796f6e, k}), ways);
    leave_out_others(ways);
    if (ways != before) known->second.push_back(p);
    if (!goes_on || !any_one_way(ways)) break;
  }
  return known->second;
}

}  // namespace lab::judge

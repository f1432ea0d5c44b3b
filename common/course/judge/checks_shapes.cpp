// Right on every shape: which shapes a check tries, and which of them is reported.
//
// Enters: the chapter's element and rows, the key. Leaves: a pass with the number of shapes that ran, or the
// reason of the first shape that is wrong. Of the 4,096 shapes up to 64 × 64 a tenth is tried. A kernel sees
// of a shape what it leaves over of its tiles, warps and vectors, and whether there is one tile or several;
// all of that occurs in all its pairs (drawn_shapes.cpp, tests/judge/test_shapes.cpp).
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/course/judge/checks.h"
#include "common/course/judge/reasons.h"
#include "common/sim/base/lanes.h"
#include "common/sim/observe/place_text.h"
#include "common/sim/program/program.h"
#include "common/sim/program/program_data.h"

namespace lab::judge {

namespace {

constexpr std::string_view kFront = "lab_bytes_in_front";

// The module with 16 bytes of shared memory more, in front of all the kernel's own: where an array begins is
// luck unless it is said. "" when the text has no such entry.
std::string with_bytes_in_front(std::string ptx, const std::string& entry) {
  const std::size_t at = ptx.find(".entry " + entry + "("), body = ptx.find('{', std::min(at, ptx.size()));
  const std::size_t begin = ptx.rfind('\n', std::min(at, ptx.size()));
  if (at == ptx.npos || body == ptx.npos || begin == ptx.npos) return {};
  ptx.insert(body + 1, "\n{ .reg .b32 %lab_front; mov.u32 %lab_front, " + std::string(kFront) + "; }\n");
  ptx.insert(begin + 1, ".shared .align 4 .b8 " + std::string(kFront) + "[16];\n");
  return ptx;
}

// Reports accesses to those bytes, which belong to no variable.
class FrontWatch final : public sim::Observer {
 public:
  [[nodiscard]] const std::optional<sim::Fault>& found() const { return found_; }
  [[nodiscard]] std::unique_ptr<sim::Observer> clone() const override {
    return std::make_unique<FrontWatch>();
  }
  void merge(const sim::Observer& other) override {
    const auto& theirs = dynamic_cast<const FrontWatch&>(other).found_;
    if (theirs && (!found_ || theirs->block_index < found_->block_index)) found_ = theirs;
  }
  void launch_begin(const sim::LaunchInfo& info) override {
    program_ = info.program;
    block_ = info.block;
    for (const sim::SharedVariable& v : program_->data().shared_variables)
      if (v.name == kFront) begin_ = v.offset_bytes, end_ = begin_ + v.size_bytes;
  }
  void access(std::uint32_t /*slot*/, const sim::Access& access) override {
    if (found_ || (access.space != sim::Space::Shared && access.space != sim::Space::Cluster)) return;
    for (const std::uint32_t lane : sim::lanes_of(access.mask)) {
      const std::uint64_t at = access.address[lane];
      if (at >= end_ || at + access.width_bytes <= begin_) continue;
      found_ = sim::fault_at(sim::FaultKind::OutOfBounds, program_->source(access.pc), *access.place, block_,
                             lane, at);
      found_->message = msg("address {} of shared memory lies in no array of this kernel.", at - begin_);
      return;
    }
  }

 private:
  const sim::Program* program_ = nullptr;
  sim::Dim3 block_;
  std::uint64_t begin_ = 0, end_ = 0;
  std::optional<sim::Fault> found_;
};

void right_at_another_offset(Check& check, const Target& target) {
  constexpr std::uint32_t kFront = 16, kMostStatic = 48 * 1024, kMost = 227 * 1024;
  Problem p = check.chapter().measured;
  p.rows = 64, p.cols = 96;
  const LaunchShape& shape = check.subject().launch_shape(target.entry);
  const std::uint32_t shared = check.measured().shared_bytes,
                      dynamic = static_cast<std::uint32_t>(shape.dynamic_shared_bytes);
  if (shared == 0 || shared + kFront > kMost || shared - dynamic + kFront > kMostStatic) return;
  const std::string moved = with_bytes_in_front(check.subject().ptx(), target.entry);
  if (moved.empty()) return;
  FrontWatch watch;
  Run run = Subject(moved, 1, {}, check.subject().inputs()).observed(p, target, watch);
  if (run.faults.empty() && watch.found()) run.faults.push_back(*watch.found());
  if (run.correct()) return check.right(run);
  Reason reason = reason_of(run);
  reason.message =
      msg("{}\nThis is the kernel with 16 bytes of shared memory in front of its own, as another array would "
          "take them. Where a tile begins is luck, unless it says alignas; address 0 is no part of it.",
          reason.message);
  check.fail(std::move(reason));
}

}  // namespace

// With a few shapes from the key behind them, as many GPUs and rows as long as the chapter's.
std::vector<Problem> Check::of_this_chapter(std::vector<Problem> shapes) const {
  for (const Problem& p : subject_.drawn_shapes()) shapes.push_back(p);
  for (const Problem& p : subject_.strips()) shapes.push_back(p);
  for (Problem& p : shapes) p.gpus = chapter_.measured.gpus;
  return with_rows_of(shapes, chapter_.row_bytes, chapter_.measured.elem_bytes);
}

void Check::right_on_tried(const Target& target) {
  std::vector<Problem> tried = sampled_shapes(subject_.input_key(), chapter_.measured.elem_bytes);
  right_on(of_this_chapter(std::move(tried)), target);
  if (!passing()) return;
  for (const Run* run : measured_runs()) {
    right(*run);
    if (!passing()) return;
  }
  const std::vector<Problem> whole = with_rows_of(subject_.whole_sample(chapter_.measured),
                                                  chapter_.row_bytes, chapter_.measured.elem_bytes);
  // For their results: races and the like are searched for on all others. What is wrong is looked at again.
  Target unchecked = target;
  unchecked.checked = false;
  if (chapter_.measured.gpus <= 1 && !whole.empty() && !holds([&] { right_on(whole, unchecked); }))
    right_on(whole, target);
  if (!passing()) return;
  // Several GPUs are simulated whole, and counted in the same run; the sample is for other numbers of them.
  const std::vector<Problem> sample = chapter_.measured.gpus > 1
                                          ? whole
                                          : with_rows_of(subject_.sample(chapter_.measured, target.entry),
                                                         chapter_.row_bytes, chapter_.measured.elem_bytes);
  for (const Problem& p : sample) {
    right(subject_.drawn(p, target, chapter_.exchanges && p.gpus <= 1));
    if (!passing()) return;
  }
  for (const Problem& p : subject_.other_ways(chapter_.measured, chapter_.row_bytes, target)) {
    right(subject_.drawn(p, target, chapter_.exchanges && p.gpus <= 1));
    if (!passing()) return;
  }
  if (const auto wrong = subject_.wrong_at_named(chapter_.measured, chapter_.row_bytes, target))
    return that(
        false, "wrong-element",
        msg("shape {}: block ({},{}) is wrong, and other blocks of the same matrix are right: something "
            "in the kernel chooses it.",
            describe(wrong->problem), wrong->x, wrong->y));
  right_at_another_offset(*this, target);
}

void Check::right_on_a_part(std::span<const Problem> problems, const Part& part, const Target& target) {
  const std::vector<Problem> tried = a_part_of(problems, subject_.input_key(), part);
  if (!holds([&] { right_on(tried, target); })) right_on(problems, target);
}

void Check::right_on_every_shape() {
  Target target;
  target.entry = chapter_.entry;
  if (std::optional<Problem> only = subject_.inputs().only) {
    only->gpus = chapter_.measured.gpus;
    return right_on(*only, target);
  }
  right_on_tried(target);
  if (passing() || result_.reasons.back().code == "budget-exceeded" ||
      result_.reasons.back().code == kWholeMatrix)
    return;
  // Something is wrong: the first of all shapes is reported, the smallest as a rule. Where looking for it takes too
  // much, the one that is known.
  const std::vector<Problem> all = of_this_chapter(every_shape(chapter_.measured.elem_bytes));
  const std::optional<Run> first = subject_.first_wrong(all, target);
  if (!first || first->over_budget()) return;
  result_.reasons.clear();
  result_.shapes = 0;
  fail(why_wrong(*first));
}

}  // namespace lab::judge

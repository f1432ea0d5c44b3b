// Right on every shape: which shapes a check tries, and which of them is reported.
//
// Enters: the chapter's element and rows, the key. Leaves: a pass with the number of shapes that ran, or the
// reason of the first shape that is wrong. Of the 4,096 shapes up to 64 × 64 a tenth is tried. A kernel sees
// of a shape what it leaves over of its tiles, warps and vectors, and whether there is one tile or several;
// all of that occurs in all its pairs (drawn_shapes.cpp, tests/judge/test_shapes.cpp).
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/course/judge/checks.h"
#include "common/course/judge/reasons.h"
#include "common/course/judge/shared_gaps.h"

namespace lab::judge {

namespace {

void right_at_another_offset(Check& check, const Target& target) {
  Problem p = check.chapter().measured;
  p.rows = 64, p.cols = 96;
  const std::optional<Run> run = run_with_gaps(check.subject(), p, target, check.measured().shared_bytes);
  if (!run) return;
  if (run->correct()) return check.right(*run);
  Reason reason = reason_of(*run);
  reason.message =
      msg("{}\nThis is the kernel with 16 bytes of shared memory in front of each of its arrays, as another "
          "array would take them. Where a tile begins is luck, unless it says alignas; so is which array "
          "follows it.",
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

// Draws the exam of chapter 17. See exam.h.
#include "common/course/judge/exam.h"

#include "common/base/shuffle.h"
#include "common/course/judge/input_key.h"

namespace lab::judge {
namespace {

using Names = std::vector<const char*>;
const Names kOneWaste = {"turn_1", "turn_2", "turn_3", "turn_4", "turn_5", "sum", "histogram", "stencil"},
            kTwoWastes = {"both_1", "both_2"}, kNoWaste = {"well_1", "well_2"};
constexpr std::size_t kOfOneWaste = 5, kShapes = 3;

}  // namespace

std::vector<ExamTable> exam_tables(std::string_view key, int seat) {
  const InputKey drawing(key, "17_read_the_profiler");
  const auto draw = [&](int what, std::size_t of, std::uint64_t below) {
    return drawing.draw({seat, what, static_cast<std::int64_t>(of)}) % below;
  };
  const auto shuffle = [&](auto& list, int what) {
    base::shuffle(list, [&](std::size_t i) { return draw(what, i, i + 1); });
  };
  Names kernels = kOneWaste;
  shuffle(kernels, 0);
  kernels.resize(kOfOneWaste);
  for (const Names* some : {&kTwoWastes, &kNoWaste})
    kernels.push_back((*some)[draw(3, kernels.size(), some->size())]);
  std::vector<ExamTable> tables;
  const auto add = [&](const char* kernel, std::uint64_t down, std::uint64_t across) {
    tables.push_back({"", kernel,
                      Problem{.rows = static_cast<std::int64_t>(128 * (2 + down)),
                              .cols = static_cast<std::int64_t>(128 * (2 + across))}});
  };
  const std::size_t again = draw(4, 0, kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::uint64_t down = draw(1, i, kShapes), across = draw(2, i, kShapes);
    add(kernels[i], down, across);
    if (i == again) add(kernels[i], (down + 1) % kShapes, across);
  }
  shuffle(tables, 5);
  for (std::size_t i = 0; i < tables.size(); ++i)
    tables[i].name = std::string("table_") + static_cast<char>('a' + i);
  return tables;
}

}  // namespace lab::judge

// Draws the exam of chapter 17. See exam.h.
#include "common/judge/exam.h"

#include <array>
#include <utility>

#include "common/judge/input_key.h"

namespace lab::judge {
namespace {

constexpr std::array kKernels = {"turn_1", "turn_2", "turn_3",    "turn_4",
                                 "turn_5", "sum",    "histogram", "stencil"};

}  // namespace

std::vector<ExamTable> exam_tables(std::string_view key, int seat) {
  const InputKey drawing(key, "17_read_the_profiler");
  const auto draw = [&](int what, std::size_t of, std::uint64_t below) {
    return drawing.draw({seat, what, static_cast<std::int64_t>(of)}) % below;
  };
  auto order = kKernels;
  for (std::size_t i = order.size() - 1; i > 0; --i) std::swap(order[i], order[draw(0, i, i + 1)]);
  std::vector<ExamTable> tables;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Problem problem{.rows = static_cast<std::int64_t>(128 * (2 + draw(1, i, 3))),
                          .cols = static_cast<std::int64_t>(128 * (2 + draw(2, i, 3)))};
    tables.push_back({std::string("table_") + static_cast<char>('a' + i), order[i], problem});
  }
  return tables;
}

}  // namespace lab::judge

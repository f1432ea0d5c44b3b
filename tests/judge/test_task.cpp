// What is no transpose is judged as strictly: additions that are left out or made twice, stores where
// something is added, edges, stray writes. And the exam of chapter 17: every kernel once, in an order of the
// key and the seat.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/course/judge/exam.h"
#include "common/course/judge/subject.h"
#include "common/course/judge/task.h"
#include "tests/judge/fake_device.h"

using namespace lab;
using namespace lab::judge;

namespace {

struct Arrays {
  std::uint32_t *out, *in;
  std::size_t count, cols;
};
using Kernel = std::function<void(const Arrays&)>;

// Code and words of what is wrong; "" when right.
std::string judged(TaskKind kind, const Kernel& kernel, const Problem& problem = {5, 300}) {
  test::FakeDevice device;
  const test::FakeKernel fake([&](const test::FakeCall& call) {
    kernel({reinterpret_cast<std::uint32_t*>(call.out), reinterpret_cast<std::uint32_t*>(call.in),
            static_cast<std::size_t>(call.rows) * static_cast<std::size_t>(call.cols),
            static_cast<std::size_t>(call.cols)});
  });
  LaunchShape shape;
  shape.block = {32, 8};
  shape.tile = {32, 32};
  Target target;
  target.task = task_of(kind);
  const Run run = judge_on(device, fake, shape, problem, target, false, 1);
  REQUIRE(run.faults.empty());
  return run.mismatch ? run.mismatch->code + ": " + run.mismatch->message.english() : "";
}

bool says(const std::string& text, const std::string& words) { return text.find(words) != text.npos; }

void sum(const Arrays& a) {
  for (std::size_t i = 0; i < a.count; ++i) *a.out += a.in[i];
}
void histogram(const Arrays& a) {
  for (std::size_t i = 0; i < a.count; ++i) ++a.out[a.in[i] % 251];
}
void stencil(const Arrays& a) {
  for (std::size_t i = 0; i < a.count; ++i)
    a.out[i] = (i >= a.cols ? a.in[i - a.cols] : 0) + a.in[i] + (i + a.cols < a.count ? a.in[i + a.cols] : 0);
}

}  // namespace

TEST_CASE("right ones are right on any shape") {
  for (const Problem& p : {Problem{1, 1}, Problem{1, 40}, Problem{40, 1}, Problem{33, 65}}) {
    CHECK(judged(TaskKind::kSum, sum, p).empty());
    CHECK(judged(TaskKind::kHistogram, histogram, p).empty());
    CHECK(judged(TaskKind::kStencil, stencil, p).empty());
  }
}

TEST_CASE("a sum") {
  CHECK(says(judged(TaskKind::kSum, [](const Arrays&) {}), "out(0) is what it was before"));
  CHECK(says(judged(TaskKind::kSum, [](const Arrays& a) { *a.out = 0, sum(a); }),
             "should have been added to what it held"));  // stores
  CHECK(says(judged(TaskKind::kSum, [](const Arrays& a) { sum(a), *a.out += a.in[7]; }),
             "wrong-element"));  // one twice
  CHECK(says(judged(TaskKind::kSum, [](const Arrays& a) { sum(a), *a.out -= a.in[a.count - 1]; }),
             "wrong-element"));
  CHECK(says(judged(TaskKind::kSum, [](const Arrays& a) { sum(a), a.out[1] = 0; }), "outside-written"));
  CHECK(says(judged(TaskKind::kSum, [](const Arrays& a) { sum(a), a.out[-1] = 0; }), "outside-written"));
  CHECK(says(judged(TaskKind::kSum, [](const Arrays& a) { sum(a), a.in[3] = 0; }), "input-changed"));
  CHECK(says(judged(TaskKind::kSum, stencil, {1, 40}), "outside-written"));
}

TEST_CASE("a histogram") {
  CHECK(says(judged(TaskKind::kHistogram, [](const Arrays& a) { histogram(a), ++a.out[250]; }),
             "was added to out(250)"));
  CHECK(says(judged(TaskKind::kHistogram, [](const Arrays& a) { histogram(a), a.out[251] = 1; }),
             "outside-written"));
  CHECK(says(judged(TaskKind::kHistogram,
                    [](const Arrays& a) {
                      for (std::size_t i = 0; i < a.count; ++i) ++a.out[a.in[i] % 256 % 251];
                    }),
             "wrong-element"));
}

TEST_CASE("a stencil") {
  CHECK(says(judged(TaskKind::kStencil, [](const Arrays&) {}), "out(0) was never written"));
  CHECK(says(judged(TaskKind::kStencil, [](const Arrays& a) { stencil(a), a.out[a.count - 1] -= 1; }),
             "holds"));
  CHECK(says(judged(TaskKind::kStencil,
                    [](const Arrays& a) {
                      for (std::size_t i = 0; i < a.count; ++i) a.out[i] = a.in[i];
                    }),
             "wrong-element"));
}

TEST_CASE("no kind, no task") {
  CHECK(task_of(TaskKind::kTranspose) == nullptr);
  CHECK(task_of(static_cast<TaskKind>(99)) == nullptr);
}

TEST_CASE("the exam: each seat has two wastes at once, none at all, and a kernel twice") {
  std::set<std::string> orders, of_a;
  for (const char* key : {"practice", "autumn"}) {
    for (int seat = 0; seat < 30; ++seat) {
      const std::vector<ExamTable> tables = exam_tables(key, seat);
      REQUIRE(tables.size() == 8);
      std::map<std::string, std::vector<Problem>> kernels;
      std::string order;
      int both = 0, well = 0;
      for (const ExamTable& t : tables) {
        kernels[t.kernel].push_back(t.problem);
        order += t.kernel + " ";
        CHECK(t.problem.rows % 128 == 0);
        CHECK(t.problem.cols % 128 == 0);
      }
      for (const auto& [kernel, problems] : kernels) {
        both += kernel.starts_with("both");
        well += kernel.starts_with("well");
        if (problems.size() == 2) CHECK(problems.front() != problems.back());
      }
      CHECK(kernels.size() == 7);  // one of them twice
      CHECK(both == 1);
      CHECK(well == 1);
      orders.insert(order);
      of_a.insert(tables.front().kernel);
    }
  }
  CHECK(orders.size() >= 59);
  CHECK(of_a.size() >= 10);  // any of the twelve may come first
  CHECK(exam_tables("autumn", 3).front().kernel == exam_tables("autumn", 3).front().kernel);
}

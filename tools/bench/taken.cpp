// Which kernels and which ways of boxes the plans of drawn layouts take: what none takes can go. No GPU is needed.
//
// Arguments: how many layouts, the seed in hexadecimal digits, `searched`. Leaves counts by size of element, and the model's microseconds of all boxes.
// g++ -O2 -w -std=c++20 -rdynamic -I common/run/permute -I . tools/bench/taken.cpp -o taken && ./taken 10000 5eed9
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdio>
#include <map>

#include "tools/bench/layouts.h"

namespace lab::fast {
alignas(128) char tile[1];  // what kernels call their shared memory
}

namespace {

std::map<std::string, std::vector<int>> taken;

void count(const std::string& what, int element) {
  std::vector<int>& of = taken[what];
  of.resize(5), ++of[size_t(std::countr_zero(unsigned(element)))];
}

std::string name_of(const void* kernel) {
  Dl_info found{};
  if (dladdr(kernel, &found) == 0 || found.dli_sname == nullptr) return "?";
  char* const whole = abi::__cxa_demangle(found.dli_sname, nullptr, nullptr, nullptr);
  const std::string name = whole ? whole : found.dli_sname;
  std::free(whole);
  return name.substr(0, name.rfind('('));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace drawn;
  Draw draw(argc > 2 ? std::strtoull(argv[2], nullptr, 16) : 1);
  const Effort effort = argc > 3 ? Effort::Searched : Effort::Quick;
  double boxes = 0;
  std::vector<PlannedLaunch> launches;
  planned = &launches;
  auto *const out = reinterpret_cast<char*>(int64_t(1) << 40), *const in =
                                                                   reinterpret_cast<char*>(int64_t(1) << 41);
  for (int n = argc > 1 ? std::atoi(argv[1]) : 1000; n > 0; --n) {
    Drawn d = draw.layout(Kind(n % kKinds));
    const Layout l = layout_of(out + d.out_from, in + d.in_from, d.dims, d.rank, d.element);
    if (l.count < 2) continue;
    const Plan plan = plan_for(l, effort);
    launches.clear();
    if (launch(l, plan, nullptr) != cudaSuccess || launches.empty())
      return std::printf("no launch of %s\n", d.name.c_str()), 1;
    count(name_of(launches[0].kernel), l.element);
    if (plan.kind != Plan::kBox) continue;
    const Box& box = plan.box.box;
    boxes += std::log(plan.box.cost);
    count(plan.box.shape.halo ? "box: whole sectors" : "box: runs as they are", l.element);
    if (box.skew) count("box: skewed", l.element);
    if (box.parts.d > 1) count("box: several parts of a run", l.element);
    if (box.chunks > 1) count("box: several chunks", l.element);
    if (box.steps > 1) count("box: several steps", l.element);
    if (box.fetches) count("box: ends fetched", l.element);
  }
  std::printf("%8s%8s%8s%8s%8s\n", "1", "2", "4", "8", "16 bytes");
  for (const auto& [what, of] : taken)
    std::printf("%8d%8d%8d%8d%8d  %s\n", of[0], of[1], of[2], of[3], of[4], what.c_str());
  std::printf("sum of the logarithms of what boxes cost: %.2f\n", boxes);
}

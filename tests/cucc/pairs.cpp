// Runs kernels `test(unsigned* out, const unsigned* in, int n)`, each as two compilers made it, and compares
// what they write and what they ask of memory.
//
// Enters: names of PTX files on the command line, two by two. Leaves: a line for each pair that differs; exit
// code 1 if one does, or if many warps split otherwise.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "common/sim/base/path.h"
#include "tests/sim/ptx_run.h"

namespace {

using lab::sim::Path;

// So many programs may have other requests for the same lanes and bytes.
constexpr int kOtherwise = 3, kOtherwisePercent = 5;

std::string text_of(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

lab::sim::PtxRun run(const std::string& ptx) {
  lab::sim::PtxKernel kernel;
  kernel.grid = {2, 1, 1};
  kernel.block = {64, 1, 1};
  kernel.out_words = 1024;
  kernel.n = 64;
  kernel.options.host_threads = 1;
  kernel.options.check_races = kernel.options.check_global_races = kernel.options.check_uninitialised = false;
  std::uint32_t x = 12345;
  for (int i = 0; i < 128; ++i) {
    x = x * 1664525u + 1013904223u;
    kernel.in.push_back(x >> ((x >> 28) * 2));
  }
  return lab::sim::run_module(ptx, kernel);
}

std::string shown(const lab::sim::PathCounters& counters) {
  return std::to_string(counters.requests) + " requests, " + std::to_string(counters.cost) +
         " sectors or wavefronts, " + std::to_string(counters.active_lanes) + " lanes";
}

// Where they differ; "" where they do not. An optimiser drops and repeats loads, unless they are volatile.
std::string difference(const lab::sim::PtxRun& a, const lab::sim::PtxRun& b, bool volatile_loads) {
  if (!a.result.ok() || !b.result.ok())
    return "fault: " + a.fault() + " " + a.message() + " / " + b.fault() + " " + b.message();
  for (std::size_t i = 0; i < a.out.size(); ++i)
    if (a.out[i] != b.out[i])
      return "word " + std::to_string(i) + ": " + std::to_string(a.out[i]) + " / " + std::to_string(b.out[i]);
  if (a.result.output != b.result.output)
    return "printed: " + a.result.output.substr(0, 200) + " / " + b.result.output.substr(0, 200);
  for (const Path path : {Path::GlobalStore, Path::SharedLoad, Path::SharedStore, Path::GlobalLoad}) {
    if (path == Path::GlobalLoad && !volatile_loads) continue;
    const lab::sim::PathCounters &x = a.result.counters[path], &y = b.result.counters[path];
    if (x.bytes != y.bytes || x.active_lanes != y.active_lanes)
      return std::string(lab::sim::info(path).key) + ": " + shown(x) + " / " + shown(y);
  }
  return "";
}

// The same lanes and bytes in other requests: compilers may join the ways of a warp sooner or later.
bool meets_otherwise(const lab::sim::PtxRun& a, const lab::sim::PtxRun& b, bool volatile_loads) {
  const auto differs = [&](Path path) { return a.result.counters[path] != b.result.counters[path]; };
  return differs(Path::GlobalStore) || differs(Path::SharedLoad) || differs(Path::SharedStore) ||
         (volatile_loads && differs(Path::GlobalLoad));
}

}  // namespace

int main(int count, char** paths) {
  int different = 0, otherwise = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string nvrtc = text_of(paths[i]), own = text_of(paths[i + 1]);
    const bool volatile_loads = nvrtc.find("ld.volatile.global") != std::string::npos;
    const lab::sim::PtxRun a = run(nvrtc), b = run(own);
    const std::string what = difference(a, b, volatile_loads);
    otherwise += what.empty() && meets_otherwise(a, b, volatile_loads);
    if (what.empty()) continue;
    std::printf("%s %s: %s\n", paths[i], paths[i + 1], what.c_str());
    ++different;
  }
  const int pairs = (count - 1) / 2;
  std::printf("%d of %d differ; in %d more the warp splits otherwise\n", different, pairs, otherwise);
  return different == 0 && otherwise <= kOtherwise + pairs * kOtherwisePercent / 100 ? 0 : 1;
}

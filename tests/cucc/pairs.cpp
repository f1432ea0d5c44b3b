// Runs kernels `test(unsigned* out, const unsigned* in, int n)`, each as two compilers made it, and compares
// what they write and what they ask of memory.
//
// Enters: names of PTX files on the command line, two by two. Leaves: a line for each pair that differs; exit
// code 1 if one does.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "common/sim/base/path.h"
#include "tests/sim/ptx_run.h"

namespace {

using lab::sim::Path;

std::string text_of(const char* path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

lab::sim::PtxRun run(const char* path) {
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
  return lab::sim::run_module(text_of(path), kernel);
}

// Where they differ; "" where they do not. Loads may be fewer or more: an optimiser drops and repeats them.
std::string difference(const lab::sim::PtxRun& a, const lab::sim::PtxRun& b) {
  if (!a.result.ok() || !b.result.ok())
    return "fault: " + a.fault() + " " + a.message() + " / " + b.fault() + " " + b.message();
  for (std::size_t i = 0; i < a.out.size(); ++i)
    if (a.out[i] != b.out[i])
      return "word " + std::to_string(i) + ": " + std::to_string(a.out[i]) + " / " + std::to_string(b.out[i]);
  for (const Path path : {Path::GlobalStore}) {
    const auto x = lab::sim::profiler_value(a.result.counters, path),
               y = lab::sim::profiler_value(b.result.counters, path);
    if (x != y)
      return std::string(lab::sim::info(path).key) + ": " + std::to_string(x) + " / " + std::to_string(y);
  }
  return "";
}

}  // namespace

int main(int count, char** paths) {
  int different = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string what = difference(run(paths[i]), run(paths[i + 1]));
    if (what.empty()) continue;
    std::printf("%s %s: %s\n", paths[i], paths[i + 1], what.c_str());
    ++different;
  }
  std::printf("%d of %d differ\n", different, (count - 1) / 2);
  return different == 0 ? 0 : 1;
}

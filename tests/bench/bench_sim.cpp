// How fast the simulated GPU is, and what each observer costs: a tiled transpose, on one host thread and on
// all.
//
// Enters: nothing, or a PTX file with an entry `transpose(out, in, rows, cols)` and 32 × 8 blocks. Leaves:
// lane-instructions per second, as ratios to the run without observers. Median of several launches. One host
// thread is measured in processor time, so that a busy machine gives the same figure; all together by the
// clock.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/base/host_memory.h"
#include "common/sim/gpu.h"
#include "common/sim/program/program_data.h"

namespace {

using namespace lab::sim;

struct Setting {
  const char* name;
  bool count, races, global_races, initialised;
  unsigned threads;
};

double median_rate(Memory& memory, const Program& program, DeviceAddress out,
                   std::span<const std::byte> parameters, int side, const Setting& setting) {
  LaunchConfig config;
  config.block = {32, 8, 1};
  config.grid = {static_cast<std::uint32_t>(side / 32), static_cast<std::uint32_t>(side / 32), 1};
  LaunchOptions options;
  options.count = setting.count;
  options.check_races = setting.races;
  options.check_global_races = setting.global_races;
  options.check_uninitialised = setting.initialised;
  options.host_threads = setting.threads;
  std::vector<double> rates;
  for (int repeat = 0; repeat < 15; ++repeat) {
    memory.poison(out);
    const std::clock_t before = std::clock();
    const LaunchResult result = launch(memory, program, config, parameters, options);
    if (!result.ok()) {
      std::fprintf(stderr, "%s\n", result.faults[0].sentence().english().c_str());
      std::exit(1);
    }
    const double processor = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    const double seconds = setting.threads == 1 ? processor : result.seconds;
    rates.push_back(static_cast<double>(result.lane_instructions) / seconds);
  }
  std::nth_element(rates.begin(), rates.begin() + 7, rates.end());
  return rates[7];
}

}  // namespace

int main(int argc, char** argv) {
  lab::keep_freed_memory();
  const std::string path = argc > 1 ? argv[1] : LAB_BENCH_PTX;
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  constexpr int kSide = 1024;
  Memory memory;
  const auto image = load_module(ptx::parse(text.str()), memory);
  const auto program = decode(*image, "transpose");
  const std::size_t bytes = std::size_t{kSide} * kSide * 4;
  const DeviceAddress in = memory.allocate(bytes, Fill::Written, "in");
  const DeviceAddress out = memory.allocate(bytes, Fill::Poison, "out");
  struct {
    std::uint64_t out, in;
    std::int32_t rows, cols;
  } parameters{out, in, kSide, kSide};
  const unsigned all = std::max(1u, std::thread::hardware_concurrency());
  const Setting settings[] = {
      {"no observer", false, false, false, false, 1},    {"counters", true, false, false, false, 1},
      {"shared races", false, true, false, false, 1},    {"races, global too", false, true, true, false, 1},
      {"uninitialised", false, false, false, true, 1},   {"all", true, true, true, true, 1},
      {"all, every thread", true, true, true, true, all}};
  std::printf("%d x %d floats, %s\n\n%-20s %8s %18s %8s\n", kSide, kSide, path.c_str(), "observers",
              "threads", "lane-instr/s (1e9)", "ratio");
  double base = 0;
  for (const Setting& s : settings) {
    const double rate =
        median_rate(memory, *program, out, std::as_bytes(std::span(&parameters, 1)), kSide, s);
    if (base == 0) base = rate;
    std::printf("%-20s %8u %18.2f %8.2f\n", s.name, s.threads, rate / 1e9, rate / base);
  }
  return 0;
}

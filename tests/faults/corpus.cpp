// The kernels of tests/mutants/faults. See corpus.h.
#include "tests/faults/corpus.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
#include <sstream>

#include "common/sim/gpu.h"

namespace lab::test {
namespace {

constexpr std::size_t kWords = 4096;

FaultyKernel read_kernel(const std::filesystem::path& file) {
  FaultyKernel kernel;
  kernel.file = file;
  std::ifstream in(file);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    kernel.text += line + "\n";
    if (line.starts_with("// launch: "))
      std::istringstream(line.substr(11)) >> kernel.blocks >> kernel.threads;
    const std::size_t mark = line.find("// FAULT ");
    if (mark == std::string::npos) continue;
    kernel.lines.insert(number);
    kernel.codes.insert(line.substr(mark + 9));
  }
  return kernel;
}

// One, or two that are launched one after the other.
std::vector<std::string> kernels_of(const std::string& ptx) {
  std::vector<std::string> names{"kernel"};
  if (ptx.find(".entry kernel_then(") != std::string::npos) names.push_back("kernel_then");
  return names;
}

}  // namespace

std::vector<FaultyKernel> read_kernels(const std::filesystem::path& folder) {
  std::vector<FaultyKernel> kernels;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") kernels.push_back(read_kernel(entry.path()));
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const FaultyKernel& a, const FaultyKernel& b) { return a.file < b.file; });
  return kernels;
}

FaultyRun run_kernel(const FaultyKernel& kernel, const std::string& ptx, unsigned host_threads,
                     std::uint64_t check_memory_bytes) {
  using namespace lab::sim;
  FaultyRun run;
  try {
    Memory memory;
    const auto image = load_module(ptx::parse(ptx), memory);
    std::vector<std::uint32_t> words(kWords, 0);
    const DeviceAddress out = memory.allocate(4 * kWords, Fill::Written, "out");
    const DeviceAddress in = memory.allocate(4 * kWords, Fill::Written, "in");
    std::iota(words.begin(), words.end(), 0u);
    memory.write(in, std::as_bytes(std::span(words)));
    struct {
      std::uint64_t out, in;
      std::int32_t n;
    } parameters{out, in, static_cast<std::int32_t>(kernel.blocks * kernel.threads)};
    LaunchConfig config;
    config.grid = {kernel.blocks, 1, 1};
    config.block = {kernel.threads, 1, 1};
    LaunchOptions options;
    options.host_threads = host_threads;
    options.checks_stop = false;
    options.check_memory_bytes = check_memory_bytes;
    const auto bytes = std::as_bytes(std::span(&parameters, 1)).first(20);
    for (const std::string& name : kernels_of(ptx)) {
      LaunchResult result = launch(memory, *decode(*image, name), config, bytes, options);
      for (auto* const list : {&result.faults, &result.findings})
        std::move(list->begin(), list->end(), std::back_inserter(run.found));
      std::move(result.notes.begin(), result.notes.end(), std::back_inserter(run.notes));
      if (!result.faults.empty()) break;
    }
  } catch (const FaultError& error) {
    run.found.push_back(error.fault);
  } catch (const ptx::ParseError& error) {
    run.compile_error = error.what();
  }
  return run;
}

std::string code_and_line(const sim::Fault& fault) {
  return std::string(sim::code(fault.kind)) + " line " + std::to_string(fault.line) + ": " +
         fault.sentence().english();
}

}  // namespace lab::test

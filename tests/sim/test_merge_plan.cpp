// The second column of counters, against ptxas itself.
//
// Enters: tests/golden/merges/*.ptx.gz, what ptxas made of them (merges_sass.csv: accesses by width) and what
// Nsight Compute counted (merges_counters.csv); tools/golden/merges.py writes all three. Leaves: the same
// accesses, the same counters, or a place in a short list of kernels, each with its reason.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "common/sim/analysis/merge_plan.h"
#include "common/sim/gpu.h"
#include "common/sim/observe/counter_observer.h"
#include "common/sim/program/program_data.h"
#include "tests/sim/golden_files.h"

using namespace lab;
using namespace lab::sim;

namespace {

const std::string kGolden = LAB_GOLDEN_DIR;

using Row = std::map<std::string, std::string>;

std::vector<Row> table(const std::string& name) {
  std::ifstream file(kGolden + "/" + name);
  REQUIRE_MESSAGE(file.good(), name);
  const auto cells = [](const std::string& line) {
    std::vector<std::string> list;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) list.push_back(cell);
    return list;
  };
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> head = cells(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> values = cells(line);
    Row row;
    for (std::size_t k = 0; k < values.size(); ++k) row[head[k]] = values[k];
    rows.push_back(std::move(row));
  }
  return rows;
}

struct Family {
  Memory memory;
  std::shared_ptr<ModuleImage> image;
};

// Each family is read once.
Family& family(const std::string& name) {
  static std::map<std::string, std::unique_ptr<Family>> known;
  std::unique_ptr<Family>& one = known[name];
  if (one == nullptr) {
    one = std::make_unique<Family>();
    one->image = load_module(ptx::parse(lab::golden::golden_text("merges/" + name + ".ptx.gz")), one->memory);
  }
  return *one;
}

// "LDS.128" → how many stand in the kernel's text after merging; of shared memory and generic addresses.
using Widths = std::map<std::string, int>;

Widths planned(const Program& program) {
  Widths widths;
  const ProgramData& data = program.data();
  const MergePlan& plan = program.merge_plan();
  for (const Inst& inst : data.code) {
    const std::string text = data.text(inst.pc).full_opcode();
    const bool load = text.starts_with("ld."), store = text.starts_with("st.");
    const bool counts = inst.space == Space::Shared || inst.space == Space::Global;
    if (!(load || store) || !counts) continue;
    const std::string name = std::string(load ? "LD" : "ST") + (inst.space == Space::Shared ? "S." : "G.");
    if (!plan.changes(inst.pc)) {
      ++widths[name + std::to_string(8 * inst.elem_bytes * inst.vector)];
      continue;
    }
    for (const MergedAccess& access : plan.instead(inst.pc, 0))
      ++widths[name + std::to_string(8 * access.bytes)];
  }
  return widths;
}

Widths made_by_ptxas(const std::string& accesses) {
  Widths widths;
  std::istringstream words(accesses);
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("LDS") || name.starts_with("STS") || name.starts_with("LDG") ||
        name.starts_with("STG"))
      widths[name] = std::stoi(word.substr(word.find('=') + 1));
  }
  return widths;
}

// ptxas writes loops out: all accesses in it stand there several times.
bool is_written_out(const Widths& planned, const Widths& made) {
  for (const auto& [name, count] : made) {
    if (!name.starts_with("LDG") && !name.starts_with("STG") && !name.starts_with("STS")) continue;
    const auto found = planned.find(name);
    if (found != planned.end() && count > found->second) return true;
  }
  return false;
}

const std::map<std::string, std::string>& exceptions() {
  static const std::map<std::string, std::string> list{
      {"between_load_arithmetic", "loads before and after the slow path of sinf stay apart"},
      {"function_called", "a function that is not inlined in the PTX is inlined by ptxas"},
  };
  return list;
}

// As tools/golden/merges.py launches it: two blocks, in[i] = i % 97, n = 200.
Counters counted(Family& one, const Program& program, const Dim3& block) {
  constexpr std::size_t kFloats = 1 << 16;
  constexpr std::uint32_t kDynamicBytes = 4096;
  static const std::vector<float> numbers = [] {
    std::vector<float> list(kFloats);
    for (std::size_t k = 0; k < kFloats; ++k) list[k] = static_cast<float>(k % 97);
    return list;
  }();
  const std::uint64_t out = one.memory.allocate(4 * kFloats, Fill::Written, "out");
  const std::uint64_t in = one.memory.allocate(4 * kFloats, Fill::Written, "in");
  one.memory.write(in, std::as_bytes(std::span(numbers)));
  std::vector<std::byte> parameters(20);
  const std::int32_t n = 200;
  std::memcpy(parameters.data(), &out, 8);
  std::memcpy(parameters.data() + 8, &in, 8);
  std::memcpy(parameters.data() + 16, &n, 4);
  LaunchConfig config;
  config.grid = {2, 1, 1};
  config.block = block;
  config.dynamic_shared_bytes = program.name().starts_with("dynamic") ? kDynamicBytes : 0;
  LaunchOptions options;
  options.host_threads = 1;
  options.check_races = options.check_uninitialised = false;  // some store to one place from two threads
  CounterObserver machine(CounterObserver::Of::MachineCode);
  options.observers.push_back(&machine);
  const LaunchResult result = launch(one.memory, program, config, parameters, options);
  REQUIRE_MESSAGE(result.ok(),
                  program.name() << ": " << (result.ok() ? "" : result.faults.front().sentence().english()));
  one.memory.release(out);
  one.memory.release(in);
  return machine.totals();
}

// Kernels whose counters differ from the profiler's, and why.
std::map<std::string, std::string> changed_counters() {
  std::map<std::string, std::string> list = exceptions();
  return list;
}

std::string shown(const Widths& widths) {
  std::string text;
  for (const auto& [name, count] : widths) text += name + "=" + std::to_string(count) + " ";
  return text;
}

}  // namespace

TEST_SUITE("merge plan") {
  TEST_CASE("widths of accesses are those of ptxas") {
    int compared = 0, equal = 0;
    for (const Row& row : table("merges_sass.csv")) {
      const std::string& kernel = row.at("kernel");
      const std::shared_ptr<const Program> program = decode(*family(row.at("family")).image, kernel);
      const Widths ours = planned(*program), theirs = made_by_ptxas(row.at("accesses"));
      if (is_written_out(ours, theirs)) continue;
      const bool loops = theirs.contains("LDS.128") || theirs.contains("LDS.64") || theirs.contains("LDS.32");
      if (loops && kernel.starts_with("loop_")) continue;  // loads alone are written out
      if (kernel.starts_with("pointer_walks")) continue;
      ++compared;
      if (exceptions().contains(kernel)) {
        CHECK_MESSAGE(ours != theirs, kernel << " is no exception any more");
        continue;
      }
      ++equal;
      CHECK_MESSAGE(ours == theirs, kernel << ": planned " << shown(ours) << "| ptxas " << shown(theirs));
    }
    CHECK(compared >= 300);
    CHECK(equal * 100 >= compared * 99);
  }

  TEST_CASE("counters are those of the profiler") {
    const std::map<std::string, std::string> reasons = changed_counters();
    std::map<std::string, std::string> families;
    for (const Row& row : table("merges_sass.csv")) families[row.at("kernel")] = row.at("family");
    int launches = 0, equal = 0;
    for (const Row& row : table("merges_counters.csv")) {
      const std::string& kernel = row.at("kernel");
      Family& one = family(families.at(kernel));
      const std::shared_ptr<const Program> program = decode(*one.image, kernel);
      Dim3 block;
      REQUIRE(std::sscanf(row.at("block").c_str(), "%ux%u", &block.x, &block.y) == 2);
      const Counters c = counted(one, *program, block);
      const std::map<std::string, std::uint64_t> ours{
          {"global_load_requests", c[Path::GlobalLoad].requests},
          {"global_load_sectors", c[Path::GlobalLoad].cost},
          {"global_store_requests", c[Path::GlobalStore].requests},
          {"global_store_sectors", c[Path::GlobalStore].cost},
          {"shared_load_requests", c[Path::SharedLoad].requests - c[Path::SharedMatrixLoad].requests},
          {"shared_load_wavefronts", profiler_value(c, Path::SharedLoad)},
          {"shared_store_requests", c[Path::SharedStore].requests},
          {"shared_store_wavefronts", c[Path::SharedStore].cost}};
      std::string differs;
      for (const auto& [name, value] : ours)
        if (std::to_string(value) != row.at(name))
          differs += name + " " + std::to_string(value) + ", not " + row.at(name) + "; ";
      ++launches;
      equal += differs.empty() ? 1 : 0;
      if (reasons.contains(kernel)) {
        CHECK_MESSAGE(!differs.empty(), kernel << " is no exception any more");
      } else {
        CHECK_MESSAGE(differs.empty(), kernel << ": " << differs);
      }
    }
    MESSAGE("equal: " << equal << " of " << launches);
    CHECK(launches >= 400);
  }
}

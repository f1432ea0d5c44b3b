// Tensor instructions against a GPU: each entry of tools/golden/tensor.py, launched on the simulator,
// must leave the bits that an NVIDIA H200 left (tests/golden/tensor_h200.txt.gz: a hash a case), each of
// tools/golden/wgmma.py those of an H100 (wgmma_h100.txt.gz), and sums of five types their results
// (units.txt.gz).
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <sstream>

#include "common/sim/base/float_bits.h"
#include "common/sim/execute/tensor_sum.h"
#include "common/sim/gpu.h"
#include "tests/golden/tensor_inputs.h"
#include "tests/sim/golden_files.h"

using namespace lab::sim;
using namespace lab::golden;

namespace {

struct TensorEntry {
  std::string file, name;
  std::vector<TensorPart> parts;
};
std::vector<TensorEntry> tensor_entries() {
  std::vector<TensorEntry> entries;
  std::istringstream list(generated_text("tensor.txt"));
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    TensorEntry& entry = entries.emplace_back();
    fields >> entry.file >> entry.name;
    std::string type;
    for (unsigned words; fields >> type >> words;) entry.parts.push_back({type, words});
  }
  return entries;
}

constexpr std::size_t kBytes = std::size_t{kTensorCases} * kTensorLanes * kTensorWords * 4;

struct TensorModule {
  Memory memory;
  std::shared_ptr<ModuleImage> image;
  DeviceAddress in, out;
  explicit TensorModule(const std::string& file)
      : image(load_module(ptx::parse(generated_text(file)), memory)),
        in(memory.allocate(kBytes, Fill::Written, "in")),
        out(memory.allocate(kBytes, Fill::Written, "out")) {}

  LaunchResult run(const TensorEntry& entry, unsigned blocks) {
    const auto program = decode(*image, entry.name);
    const auto words = tensor_input(entry.name, entry.parts);
    memory.write(in, std::as_bytes(std::span(words)));
    memory.fill(out, std::byte{0}, kBytes);
    const std::uint64_t parameters[] = {out, in};
    LaunchConfig config;
    config.grid = {blocks, 1, 1};
    config.block = {kTensorLanes, 1, 1};
    LaunchResult result = launch(memory, *program, config, std::as_bytes(std::span(parameters)), {});
    REQUIRE_MESSAGE(result.ok(), entry.name, ": ",
                    result.faults.empty() ? "" : result.faults[0].sentence().english());
    return result;
  }
  std::vector<unsigned char> results() {
    std::vector<unsigned char> bytes(kBytes);
    memory.read(out, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }
};

// The module of each entry, loaded once.
class TensorModules {
 public:
  TensorModule& of(const TensorEntry& entry) {
    std::unique_ptr<TensorModule>& module = modules_[entry.file];
    if (module == nullptr) module = std::make_unique<TensorModule>(entry.file);
    return *module;
  }

 private:
  std::map<std::string, std::unique_ptr<TensorModule>> modules_;
};

std::map<std::string, std::vector<std::uint64_t>> golden_hashes(const std::string& file) {
  std::map<std::string, std::vector<std::uint64_t>> hashes;
  for (const std::string& line : lines_of(golden_text(file))) {
    std::istringstream fields(line);
    std::string name, hash;
    fields >> name;
    while (fields >> hash) hashes[name].push_back(std::stoull(hash, nullptr, 16));
  }
  return hashes;
}

// "f16.f32 SPREAD a… | b… | c | d": one number of D.
struct Sum {
  std::string kind;
  std::vector<double> a, b;
  double c = 0, d = 0;
};
Sum sum_of(const std::string& line) {
  Sum sum;
  std::istringstream fields(line);
  std::string word;
  fields >> sum.kind >> word;
  for (std::vector<double>* into : {&sum.a, &sum.b}) {
    while (fields >> word && word != "|") into->push_back(std::stod(word));
  }
  fields >> word;
  sum.c = std::stod(word);
  fields >> word >> word;
  sum.d = std::stod(word);
  return sum;
}

std::uint32_t bits_of_f32(double x) { return std::bit_cast<std::uint32_t>(static_cast<float>(x)); }

double computed(const Sum& sum) {
  const bool halves = sum.kind == "f16.f16";
  const std::size_t group = sum.kind == "tf32.f32" ? 4 : sum.a.size();
  std::uint32_t result = halves ? nearest<F16>(sum.c).bits : bits_of_f32(sum.c);
  // Numbers of f16 and bf16 are numbers of f32 too.
  const Element type = sum.kind == "tf32.f32" ? Element::TF32 : Element::F32;
  FactorLine a, b;
  for (std::size_t k = 0; k < sum.a.size(); ++k) {
    a.set(static_cast<int>(k), type, bits_of_f32(sum.a[k]));
    b.set(static_cast<int>(k), type, bits_of_f32(sum.b[k]));
  }
  for (std::size_t k = 0; k < sum.a.size(); k += group)
    result = sum_group(a, b, static_cast<int>(k), static_cast<int>(group), result, halves);
  if (!halves) return std::bit_cast<float>(result);
  return to_float(F16{static_cast<std::uint16_t>(result)});
}

}  // namespace

TEST_CASE("tensor instructions give the bits of an H200") {
  const auto golden = golden_hashes("tensor_h200.txt.gz");
  TensorModules modules;
  std::size_t compared = 0;
  for (const TensorEntry& entry : tensor_entries()) {
    (void)modules.of(entry).run(entry, kTensorCases);
    const std::vector<unsigned char> bytes = modules.of(entry).results();
    const auto found = golden.find(entry.name);
    REQUIRE_MESSAGE(found != golden.end(), entry.name);
    for (std::size_t kind = 0; kind < kTensorCases; ++kind, ++compared) {
      const std::size_t size = kBytes / kTensorCases;
      const bool same = fnv1a(bytes.data() + kind * size, size) == found->second.at(kind);
      CHECK_MESSAGE(same, entry.name, ", case ", kind);
    }
  }
  CHECK(compared == golden.size() * kTensorCases);
  CHECK(golden.size() > 500);
}

TEST_CASE("products of a warpgroup give the bits of an H100, and cost what they cost there") {
  const auto golden = golden_hashes("wgmma_h100.txt.gz");
  std::map<std::string, std::vector<std::uint64_t>> costs;  // requests, wavefronts, bytes of one block
  std::istringstream table(golden_text("wgmma_counters.csv"));
  for (std::string line; std::getline(table, line);) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    for (std::uint64_t value; fields >> value;) costs[name].push_back(value);
  }
  Memory memory;
  const auto image = load_module(ptx::parse(generated_text("wgmma.ptx")), memory);
  const std::size_t result_bytes = std::size_t{kGroupResultWords} * 4;
  const DeviceAddress in = memory.allocate(std::size_t{kTensorCases} * kGroupWords * 4, Fill::Written, "in"),
                      out = memory.allocate(kTensorCases * result_bytes, Fill::Written, "out");
  std::size_t compared = 0;
  std::istringstream list(generated_text("wgmma.txt"));
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string entry, a, b, d;
    unsigned registers = 0;
    fields >> entry >> a >> b >> d >> registers;
    const auto words = group_input(entry, a, b, d, registers);
    memory.write(in, std::as_bytes(std::span(words)));
    const std::uint64_t parameters[] = {out, in};
    LaunchConfig config;
    config.grid = {kTensorCases, 1, 1};
    config.block = {kGroupLanes, 1, 1};
    const auto program = decode(*image, entry);
    const LaunchResult result = launch(memory, *program, config, std::as_bytes(std::span(parameters)), {});
    REQUIRE_MESSAGE(result.ok(), entry, ": ",
                    result.faults.empty() ? "" : result.faults[0].sentence().english());
    const PathCounters& cost = result.counters[Path::SharedProductLoad];
    const std::vector<std::uint64_t> counted = {cost.requests / kTensorCases, cost.cost / kTensorCases,
                                                cost.bytes / kTensorCases};
    CHECK_MESSAGE(costs.at(entry) == counted, entry);
    std::vector<unsigned char> bytes(kTensorCases * result_bytes);
    memory.read(out, std::as_writable_bytes(std::span(bytes)));
    for (std::size_t kind = 0; kind < kTensorCases; ++kind, ++compared) {
      const std::uint64_t hash =
          fnv1a(bytes.data() + kind * result_bytes, std::size_t{registers} * kGroupLanes * 4);
      CHECK_MESSAGE(hash == golden.at(entry).at(kind), entry, ", case ", kind);
    }
  }
  CHECK(compared == golden.size() * kTensorCases);
  CHECK(golden.size() == 170);
}

TEST_CASE("loads and stores of fragments count as on an H200") {
  std::map<std::string, TensorEntry> entries;
  for (TensorEntry& entry : tensor_entries()) entries[entry.name] = entry;
  TensorModules modules;
  std::istringstream table(golden_text("tensor_counters.csv"));
  std::string line;
  std::getline(table, line);
  int rows = 0;
  for (; std::getline(table, line); ++rows) {
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    std::uint64_t wanted[7];
    for (std::uint64_t& value : wanted) fields >> value;
    const TensorEntry& entry = entries.at(name);
    const Counters c = modules.of(entry).run(entry, 1).counters;
    // A profiler's op_ld is without ldmatrix, the ledger's path with it.
    const std::uint64_t plain_loads = c[Path::SharedLoad].cost - c[Path::SharedMatrixLoad].cost;
    const std::uint64_t counted[7] = {c[Path::GlobalLoad].requests,
                                      c[Path::GlobalLoad].cost,
                                      c[Path::GlobalStore].requests,
                                      c[Path::GlobalStore].cost,
                                      plain_loads,
                                      c[Path::SharedMatrixLoad].cost,
                                      c[Path::SharedStore].cost};
    for (int k = 0; k < 7; ++k) CHECK_MESSAGE(counted[k] == wanted[k], name, ", column ", k + 1);
  }
  CHECK(rows > 300);
}

TEST_CASE("single sums of tensor cores, as an H200 gave them") {
  std::map<std::string, int> rows;
  for (const std::string& line : lines_of(golden_text("units.txt.gz"))) {
    const std::string kind = line.substr(0, line.find(' '));
    if (kind != "f16.f32" && kind != "f16.f16" && kind != "bf16.f32" && kind != "tf32.f32") continue;
    const Sum sum = sum_of(line);
    ++rows[kind];
    CHECK_MESSAGE(computed(sum) == sum.d, line);
  }
  for (const char* kind : {"f16.f32", "f16.f16", "bf16.f32", "tf32.f32"}) CHECK(rows[kind] == 144);
}

// Whole kernels against an H200: the bytes that they leave and the counters of Nsight Compute.
//
// Enters: tests/golden/kernels/*.ptx (the compiler's text of the .cu beside it) and kernels.csv
// (tests/golden/README.md). Leaves: for each kernel the same hash and the same counters, or a place in the
// short list of kernels whose accesses ptxas changed, each with its reason.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "common/sim/gpu.h"
#include "common/sim/program/program_data.h"
#include "tests/sim/golden_files.h"
#include "tests/sim/golden_operands.h"

using namespace lab;
using namespace lab::sim;

namespace {

const std::string kAtomWavefronts = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum";
const std::string kLoadWavefronts = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
const std::string kStoreWavefronts = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
const std::string kLoads = "smsp__sass_inst_executed_op_shared_ld.sum";
const std::string kStores = "smsp__sass_inst_executed_op_shared_st.sum";

// A kernel whose machine code does not make the accesses that its PTX names: why, and which counters differ.
struct Change {
  std::string reason;
  std::set<std::string> metrics;
};
const std::map<std::string, Change>& changed_by_ptxas() {
  static const std::map<std::string, Change> list{
      {"histogram_shared",
       {"adding the constant 1 becomes ATOMS.POPC.INC, which serves lanes of one word together",
        {kAtomWavefronts}}},
      {"reduce_atomic",
       {"an atomic on one address for the whole warp is added up in registers first", {kAtomWavefronts}}},
      {"local_array",
       {"the array moves into registers",
        {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
         "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}}},
      {"matmul_tile",
       {"neighbouring 32-bit loads fuse into 64- and 128-bit ones", {kLoads, kLoadWavefronts}}},
      {"reduce_interleaved",
       {"a load of a value that is still in a register is dropped", {kLoads, kLoadWavefronts}}},
      {"scan_blelloch",
       {"loads of values that are still in registers, and stores before them, are dropped",
        {kLoads, kLoadWavefronts, kStores, kStoreWavefronts}}},
      {"shared_stride_two",
       {"two neighbouring 32-bit loads fuse into a 64-bit one", {kLoads, kLoadWavefronts}}},
  };
  return list;
}

struct Argument {
  std::string name, type;
  std::size_t count = 0;
  std::uint64_t modulus = 0;
  std::uint64_t value = 0;  // a number, when count is 0
};

struct GoldenLaunch {
  std::string entry = "k";
  LaunchConfig config;
  std::vector<Argument> arguments;
};

Dim3 dimensions(const std::string& text) {
  Dim3 d;
  REQUIRE(std::sscanf(text.c_str(), "%u,%u,%u", &d.x, &d.y, &d.z) >= 1);
  return d;
}

GoldenLaunch parse_launch(const std::string& source) {
  GoldenLaunch launch;
  std::istringstream words(source.substr(0, source.find('\n')));
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = word.substr(0, equals);
    const std::string value = word.substr(equals + 1);
    if (key == "entry") launch.entry = value;
    if (key == "grid") launch.config.grid = dimensions(value);
    if (key == "block") launch.config.block = dimensions(value);
    if (key == "shared") launch.config.dynamic_shared_bytes = static_cast<std::uint32_t>(std::stoul(value));
    if (key != "args") continue;
    std::istringstream list(value);
    static const std::regex buffer(R"((\w+):(\w+)\[(\d+)\](?:%(\d+))?)");
    for (std::string one; std::getline(list, one, ',');) {
      std::smatch m;
      if (std::regex_match(one, m, buffer)) {
        launch.arguments.push_back({m[1], m[2], std::stoul(m[3]), m[4].matched ? std::stoull(m[4]) : 0, 0});
      } else {
        launch.arguments.push_back({"", "i32", 0, 0, std::stoull(one.substr(one.find(':') + 1))});
      }
    }
  }
  return launch;
}

std::size_t size_of(const std::string& type) {
  static const std::map<std::string, std::size_t> sizes{{"f32", 4}, {"f64", 8}, {"f16", 2}, {"u8", 1},
                                                        {"i16", 2}, {"i32", 4}, {"i64", 8}};
  return sizes.at(type);
}

std::uint64_t fnv1a(std::uint64_t state, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t k = 0; k < size; ++k) state = (state ^ bytes[k]) * 0x100000001b3ull;
  return state;
}
constexpr std::uint64_t kFnvStart = 0xcbf29ce484222325ull;

// A multiple of 1/8 below 128 in magnitude, exactly, as a half.
std::uint16_t half_bits(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // in [0.5, 1)
  const auto mantissa = static_cast<std::uint16_t>((fraction * 2 - 1) * 1024);
  return static_cast<std::uint16_t>((value < 0 ? 0x8000 : 0) | ((exponent - 1 + 15) << 10) | mantissa);
}

std::uint64_t element(const Argument& a, std::uint64_t r) {
  if (a.modulus != 0) return (r >> 20) % a.modulus;
  if (a.type == "f32")
    return std::bit_cast<std::uint32_t>(
        static_cast<float>(static_cast<double>(r >> 40 & 0xffff) / 256.0 - 128.0));
  if (a.type == "f64")
    return std::bit_cast<std::uint64_t>(static_cast<double>(r >> 40 & 0xffff) / 256.0 - 128.0);
  if (a.type == "f16") return half_bits(static_cast<double>(r >> 40 & 0x7ff) / 8.0 - 128.0);
  return r >> 13;
}

std::vector<std::byte> contents(const std::string& kernel, const Argument& a) {
  const std::size_t size = size_of(a.type);
  std::vector<std::byte> bytes(a.count * size);
  if (a.name.starts_with("out") || a.name.starts_with("count")) return bytes;
  golden::Splitmix64 generator(kernel + "/" + a.name);
  for (std::size_t k = 0; k < a.count; ++k) {
    const std::uint64_t value = element(a, generator.next());
    std::memcpy(bytes.data() + k * size, &value, size);
  }
  return bytes;
}

struct Outcome {
  LaunchResult result;
  std::uint64_t hash = kFnvStart;
};

Outcome run_kernel(const std::string& name) {
  const GoldenLaunch golden = parse_launch(golden::golden_text("kernels/" + name + ".cu"));
  Memory memory;
  const auto image = load_module(ptx::parse(golden::golden_text("kernels/" + name + ".ptx.gz")), memory);
  const auto program = decode(*image, golden.entry);
  std::vector<std::byte> parameters;
  const auto push = [&](std::uint64_t value, std::size_t size) {
    while (parameters.size() % size != 0) parameters.push_back(std::byte{0});
    for (std::size_t k = 0; k < size; ++k) parameters.push_back(static_cast<std::byte>(value >> (8 * k)));
  };
  std::vector<std::pair<DeviceAddress, std::size_t>> buffers;
  for (const Argument& a : golden.arguments) {
    if (a.count == 0) {
      push(a.value, 4);
      continue;
    }
    const std::vector<std::byte> bytes = contents(name, a);
    const DeviceAddress at = memory.allocate(bytes.size(), Fill::Written, a.name);
    memory.write(at, bytes);
    buffers.emplace_back(at, bytes.size());
    push(at, 8);
  }
  Outcome outcome;
  outcome.result = launch(memory, *program, golden.config, parameters);
  for (const auto& [at, size] : buffers) {
    std::vector<std::byte> back(size);
    memory.read(at, back);
    outcome.hash = fnv1a(outcome.hash, back.data(), size);
  }
  return outcome;
}

using Row = std::map<std::string, std::string>;

std::vector<Row> read_rows() {
  std::istringstream text(golden::golden_text("kernels.csv"));
  std::vector<Row> rows;
  std::vector<std::string> names;
  for (std::string line; std::getline(text, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::istringstream cells(line);
    std::vector<std::string> values;
    for (std::string cell; std::getline(cells, cell, ',');) values.push_back(cell);
    if (names.empty()) {
      names = values;
      continue;
    }
    Row row;
    for (std::size_t k = 0; k < names.size() && k < values.size(); ++k) row[names[k]] = values[k];
    rows.push_back(std::move(row));
  }
  return rows;
}

// Our counters under the profiler's names.
std::map<std::string, std::uint64_t> named(const Counters& c) {
  return {
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", c[Path::GlobalLoad].requests},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", c[Path::GlobalLoad].cost},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", c[Path::GlobalStore].requests},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", c[Path::GlobalStore].cost},
      {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", c[Path::SharedLoad].cost},
      {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", c[Path::SharedStore].cost},
      {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", c[Path::SharedAtomic].cost},
      {"smsp__sass_inst_executed_op_shared_ld.sum", c[Path::SharedLoad].requests},
      {"smsp__sass_inst_executed_op_shared_st.sum", c[Path::SharedStore].requests},
      {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", c[Path::LocalLoad].requests},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", c[Path::LocalLoad].cost},
      {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", c[Path::LocalStore].requests},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", c[Path::LocalStore].cost},
  };
}

}  // namespace

TEST_CASE("whole kernels leave the bytes and the counters of an H200") {
  const std::vector<Row> rows = read_rows();
  REQUIRE(rows.size() >= 40);
  for (const Row& row : rows) {
    const std::string name = row.at("kernel");
    CAPTURE(name);
    const Outcome outcome = run_kernel(name);
    REQUIRE_MESSAGE(outcome.result.ok(), outcome.result.faults[0].sentence().english());
    char hash[17];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(outcome.hash));
    CHECK(std::string(hash) == row.at("result_fnv1a"));
    const auto changed = changed_by_ptxas().find(name);
    for (const auto& counted : named(outcome.result.counters)) {
      const auto& metric = counted.first;
      const auto& ours = counted.second;
      if (changed != changed_by_ptxas().end() && changed->second.metrics.contains(metric)) {
        // The list stays honest: what does agree has no place in it.
        CHECK_MESSAGE(std::to_string(ours) != row.at(metric), metric, ": ", changed->second.reason);
      } else {
        CHECK_MESSAGE(std::to_string(ours) == row.at(metric), metric);
      }
    }
    // The profiler counts an atomic whose result is used apart from one whose result is not; we add them.
    const auto sum = [&](const std::string& what) {
      return std::stoull(row.at("l1tex__t_" + what + "_pipe_lsu_mem_global_op_atom.sum")) +
             std::stoull(row.at("l1tex__t_" + what + "_pipe_lsu_mem_global_op_red.sum"));
    };
    CHECK(outcome.result.counters[Path::GlobalAtomic].requests == sum("requests"));
    CHECK(outcome.result.counters[Path::GlobalAtomic].cost == sum("sectors"));
  }
}

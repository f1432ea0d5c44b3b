// What a GPU is made of. See gpu_data.h.
#include "common/device/gpu_data.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "common/device/gpu_texts.h"

namespace lab::cudart {
namespace {

template <class T>
T number(const toml::table& table, const char* key) {
  const std::optional<std::int64_t> value = table[key].value<std::int64_t>();
  if (!value) throw std::invalid_argument(std::string("a GPU description lacks `") + key + "`");
  return static_cast<T>(*value);
}

TimeRates time_rates(const toml::table& table) {
  TimeRates rates;
  const auto set = [&](const char* key, double& into) {
    const std::optional<double> value = table[key].value<double>();
    if (!value) throw std::invalid_argument(std::string("[time] of a GPU description lacks `") + key + "`");
    into = *value;
  };
  set("launch_seconds", rates.launch_seconds);
  set("begin_seconds", rates.begin_seconds);
  set("dram_bytes_per_second", rates.dram_bytes);
  set("scattered_penalty", rates.scattered_penalty);
  set("l2_sectors_per_second", rates.l2_sectors);
  set("partial_penalty", rates.partial_penalty);
  set("atomic_seconds", rates.atomic_seconds);
  set("l1_passes_per_second", rates.l1_passes);
  set("warp_instructions_per_second", rates.instructions);
  set("block_start_seconds", rates.block_start_seconds);
  set("block_seconds", rates.block_seconds);
  set("near_wait_seconds", rates.near_wait_seconds);
  set("l2_wait_seconds", rates.l2_wait_seconds);
  set("dram_wait_seconds", rates.dram_wait_seconds);
  set("barrier_seconds", rates.barrier_seconds);
  set("instruction_wait_seconds", rates.instruction_wait_seconds);
  set("sharpness", rates.sharpness);
  return rates;
}

GpuData read(const std::string& key, const char* text) {
  const toml::table file = toml::parse(text);
  const toml::table* mp = file["multiprocessor"].as_table();
  const toml::array* capability = file["compute_capability"].as_array();
  if (mp == nullptr || capability == nullptr || capability->size() != 2) {
    throw std::invalid_argument("data/gpus/" + key + ".toml is not complete");
  }
  GpuData gpu;
  gpu.key = key;
  gpu.name = file["name"].value_or(key);
  gpu.major = static_cast<int>((*capability)[0].value_or(std::int64_t{0}));
  gpu.minor = static_cast<int>((*capability)[1].value_or(std::int64_t{0}));
  gpu.multiprocessors = number<std::uint32_t>(file, "multiprocessors");
  if (const toml::array* gpcs = file["gpc_multiprocessors"].as_array(); gpcs != nullptr) {
    for (const toml::node& gpc : *gpcs) gpu.gpc_multiprocessors.push_back(gpc.value_or(std::uint32_t{0}));
  }
  gpu.clock_mhz = number<std::uint32_t>(file, "clock_mhz");
  gpu.memory_bytes = number<std::uint64_t>(file, "memory_bytes");
  gpu.bandwidth = number<std::uint64_t>(file, "memory_bandwidth_bytes_per_second");
  gpu.bus_bits = number<std::uint32_t>(file, "memory_bus_bits");
  gpu.memory_clock_mhz = number<std::uint32_t>(file, "memory_clock_mhz");
  gpu.l2_bytes = number<std::uint32_t>(file, "l2_bytes");
  gpu.threads_per_multiprocessor = number<std::uint32_t>(*mp, "threads");
  gpu.blocks_per_multiprocessor = number<std::uint32_t>(*mp, "blocks");
  gpu.registers_per_multiprocessor = number<std::uint32_t>(*mp, "registers");
  gpu.shared_bytes = number<std::uint32_t>(*mp, "shared_bytes");
  gpu.shared_bytes_per_block = number<std::uint32_t>(*mp, "shared_bytes_per_block");
  gpu.shared_bytes_reserved = number<std::uint32_t>(*mp, "shared_bytes_reserved_per_block");
  gpu.warp_schedulers = number<std::uint32_t>(*mp, "warp_schedulers");
  if (const toml::table* time = file["time"].as_table(); time != nullptr) {
    gpu.time = time_rates(*time);
    gpu.time_measured = true;
  }
  return gpu;
}

// Memory goes with its bandwidth, the rest with multiprocessors and clock; waits stay what they are.
TimeRates scaled(const GpuData& measured, const GpuData& gpu) {
  TimeRates rates = measured.time;
  const double width =
      double(gpu.multiprocessors) * gpu.clock_mhz / (double(measured.multiprocessors) * measured.clock_mhz);
  rates.dram_bytes *= double(gpu.bandwidth) / double(measured.bandwidth);
  rates.block_start_seconds *= double(measured.clock_mhz) / gpu.clock_mhz;
  for (double* rate : {&rates.l2_sectors, &rates.l1_passes, &rates.instructions}) *rate *= width;
  return rates;
}

}  // namespace

sim::DeviceLimits GpuData::limits() const {
  sim::DeviceLimits limits;
  limits.max_shared_bytes = shared_bytes_per_block;
  limits.multiprocessors = multiprocessors;
  return limits;
}

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (const GpuText& text : kGpuTexts) names.emplace_back(text.name);
  return names;
}

GpuData gpu_named(const std::string& name) {
  std::string known;
  for (const GpuText& text : kGpuTexts) {
    if (name == text.name) {
      GpuData gpu = read(name, text.toml);
      if (!gpu.time_measured) gpu.time = scaled(gpu_named("h200"), gpu);
      return gpu;
    }
    known += (known.empty() ? "" : ", ") + std::string(text.name);
  }
  throw std::invalid_argument("there is no GPU \"" + name + "\"; there are: " + known);
}

GpuData chosen_gpu() {
  const char* wanted = std::getenv("LAB_RUN_GPU");
  try {
    return gpu_named(wanted == nullptr || *wanted == '\0' ? "h200" : wanted);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lab: LAB_RUN_GPU: %s.\n", error.what());
    _exit(2);
  }
}

}  // namespace lab::cudart

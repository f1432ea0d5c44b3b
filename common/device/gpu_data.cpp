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
  if (const toml::table* rates = file["measured"].as_table(); rates != nullptr) {
    gpu.rates = {.dram_bytes = number<double>(*rates, "dram_bytes_per_second"),
                 .store_sectors = number<double>(*rates, "store_sectors_per_second"),
                 .shared_wavefronts = number<double>(*rates, "shared_wavefronts_per_second"),
                 .warp_instructions = number<double>(*rates, "warp_instructions_per_second")};
  }
  return gpu;
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
    if (name == text.name) return read(name, text.toml);
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

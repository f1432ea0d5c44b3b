// What cudaDeviceProp says of a GPU.
#include "common/run/cudart/properties.h"

#include <array>
#include <cstring>
#include <type_traits>

namespace lab::cudart {

template <class Properties>
Properties properties_of(const GpuData& gpu, int device) {
  const sim::DeviceLimits limits = gpu.limits();
  Properties p{};
  std::strncpy(p.name, gpu.name.c_str(), sizeof p.name - 1);
  std::memcpy(p.uuid, "transpose-lab   ", 16);
  if (device != 0) p.uuid[15] = static_cast<char>('0' + device);
  p.pci_bus = device;
  p.total_global_memory = gpu.memory_bytes;
  p.shared_per_block = limits.max_static_shared_bytes;
  p.registers_per_block = p.registers_per_multiprocessor = static_cast<int>(gpu.registers_per_multiprocessor);
  p.warp_size = 32;
  p.memory_pitch = 2147483647;
  p.max_threads_per_block = static_cast<int>(limits.max_threads_per_block);
  const std::array block{limits.max_block.x, limits.max_block.y, limits.max_block.z};
  const std::array grid{limits.max_grid.x, limits.max_grid.y, limits.max_grid.z};
  for (std::size_t k = 0; k < 3; ++k) {
    p.max_threads_dim[k] = static_cast<int>(block[k]);
    p.max_grid_size[k] = static_cast<int>(grid[k]);
  }
  p.total_const_memory = 65536;
  p.major = gpu.major;
  p.minor = gpu.minor;
  p.texture_alignment = p.surface_alignment = 512;
  p.texture_pitch_alignment = 32;
  p.multiprocessors = static_cast<int>(gpu.multiprocessors);
  p.can_map_host_memory = p.concurrent_kernels = p.unified_addressing = p.managed_memory = 1;
  p.concurrent_managed_access = p.compute_preemption = p.can_use_host_pointer = p.cooperative_launch = 1;
  p.stream_priorities = p.global_l1_cache = p.local_l1_cache = p.host_register = p.memory_pools = 1;
  p.async_engines = 3;
  p.memory_bus_width = static_cast<int>(gpu.bus_bits);
  p.l2_cache_bytes = static_cast<int>(gpu.l2_bytes);
  p.max_threads_per_multiprocessor = static_cast<int>(gpu.threads_per_multiprocessor);
  p.max_blocks_per_multiprocessor = static_cast<int>(gpu.blocks_per_multiprocessor);
  p.shared_per_multiprocessor = gpu.shared_bytes;
  p.shared_per_block_optin = gpu.shared_bytes_per_block;
  p.reserved_shared_per_block = gpu.shared_bytes_reserved;
  p.persisting_l2_max_bytes = static_cast<int>(gpu.persisting_l2_bytes());
  p.access_policy_max_window = static_cast<int>(gpu.access_window_bytes());
  p.cluster_launch = gpu.major >= 9 ? 1 : 0;
  if constexpr (std::is_same_v<Properties, DeviceProperties12>) {
    p.clock_khz = static_cast<int>(gpu.clock_mhz * 1000);
    p.memory_clock_khz = static_cast<int>(gpu.memory_clock_mhz * 1000);
    p.device_overlap = 1;
    p.single_to_double_ratio = 2;
  } else {
    // As an NVIDIA H200 says (tests/golden/units.txt.gz); alike from compute capability 7.5 on.
    constexpr int kLargest[] = {131072, 32768, 131072, 65536, 32768, 32768, 131072, 65000, 2097120, 32768,
                                32768,  16384, 16384,  16384, 8192,  8192,  32768,  32768, 32768,   2048,
                                32768,  32768, 2048,   32768, 2046,  32768, 131072, 65536, 16384,   16384,
                                16384,  32768, 2048,   32768, 32768, 2048,  32768,  32768, 2046};
    static_assert(sizeof kLargest == sizeof p.textures_and_surfaces);
    std::memcpy(p.textures_and_surfaces, kLargest, sizeof kLargest);
    p.numa_id = p.host_numa_id = -1;
  }
  return p;
}
template DeviceProperties properties_of(const GpuData&, int);
template DeviceProperties12 properties_of(const GpuData&, int);

}  // namespace lab::cudart

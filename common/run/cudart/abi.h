// The types that cross the boundary between a CUDA program and this library, as the compiler lays them out.
//
// Enters: nothing. Leaves: our own declarations of the runtime API's structs and codes, so that the library
// builds on a machine without a CUDA Toolkit. tests/cudart/abi_layout.cu compares each size and offset with
// the toolkit's headers where they are there. CUDA 12 and 13 agree on all of these but DeviceProperties.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/sim/base/fault.h"

namespace lab::cudart {

using sim::Dim3;  // laid out as dim3

enum class Error : int {
#define LAB_ERROR(code, name, text) name = code,
#include "common/run/cudart/errors.inc"
#undef LAB_ERROR
};

enum class CopyKind : int { HostToHost, HostToDevice, DeviceToHost, DeviceToDevice, Default };
enum class MemoryType : int { Unregistered, Host, Device, Managed };

struct Stream;
struct Event;
struct Function;
struct Pool;
struct Graph;
struct GraphExec;
using StreamHandle = Stream*;  // 0: the legacy default stream, 1: the same by name, 2: the thread's own
using HostFunction = void (*)(void*);
using StreamCallback = void (*)(StreamHandle, Error, void*);

struct PointerAttributes {
  MemoryType type;
  int device;
  void* device_pointer;
  void* host_pointer;
  long reserved[8];
};

struct FunctionAttributes {
  std::size_t shared_bytes, const_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca;
  int max_dynamic_shared_bytes, preferred_carveout;
  int cluster_dim_must_be_set, cluster_width, cluster_height, cluster_depth;
  int cluster_scheduling_policy, non_portable_cluster_size;
  int reserved[16];
};

struct PitchedPointer {
  void* pointer;
  std::size_t pitch_bytes, width, height;
};
struct Extent {
  std::size_t width, height, depth;
};
struct Position {
  std::size_t x, y, z;
};

struct Copy3D {
  void* from_array;
  Position from_position;
  PitchedPointer from;
  void* to_array;
  Position to_position;
  PitchedPointer to;
  Extent extent;
  CopyKind kind;
};
struct CopyPeer3D {
  void* from_array;
  Position from_position;
  PitchedPointer from;
  int from_device;
  void* to_array;
  Position to_position;
  PitchedPointer to;
  int to_device;
  Extent extent;
};

// CUDA_MEMCPY2D, one side, and what its memory is; CUDA_MEMCPY3D has z, a level and a height besides.
enum class CopyMemory : unsigned { Host = 1, Device = 2, Array = 3, Unified = 4 };

struct CopySide2D {
  std::size_t x_bytes, y;
  CopyMemory type;
  void* host;
  void* device;
  void* array;
  std::size_t pitch_bytes;
};
struct Copy2DRequest {
  CopySide2D from, to;
  std::size_t width_bytes, height;
};
struct CopySide3D {
  std::size_t x_bytes, y, z, level;
  CopyMemory type;
  void* host;
  void* device;
  void* array;
  void* reserved;
  std::size_t pitch_bytes, height;
};
struct Copy3DRequest {
  CopySide3D from, to;
  std::size_t width_bytes, height, depth;
};

struct ChannelFormat {
  int x, y, z, w, kind;
};

struct LaunchAttribute {
  int id;
  int padding;
  union {
    char bytes[64];
    int number;
    std::uint32_t dimensions[3];
  } value;
};
inline constexpr int kAttributeCooperative = 2, kAttributeClusterDimension = 4,
                     kAttributeOverlap = 6;  // programmaticStreamSerialization

struct LaunchRequest {
  Dim3 grid, block;
  std::size_t dynamic_shared_bytes;
  StreamHandle stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

// cudaDeviceProp of CUDA 13.
struct DeviceProperties {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_device_node_mask;
  std::size_t total_global_memory, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t memory_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3];
  std::size_t total_const_memory;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int multiprocessors, integrated, can_map_host_memory;
  int textures_and_surfaces[39];  // largest sizes; texture calls are not supported
  std::size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus, pci_device, pci_domain, tcc_driver;
  int async_engines, unified_addressing, memory_bus_width, l2_cache_bytes, persisting_l2_max_bytes;
  int max_threads_per_multiprocessor, stream_priorities, global_l1_cache, local_l1_cache;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_board_group;
  int host_native_atomics, pageable_memory_access, concurrent_managed_access, compute_preemption;
  int can_use_host_pointer, cooperative_launch;
  std::size_t shared_per_block_optin;
  int pageable_uses_host_page_tables, direct_managed_access, max_blocks_per_multiprocessor;
  int access_policy_max_window;
  std::size_t reserved_shared_per_block;
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools;
  int gpu_direct_rdma;
  unsigned gpu_direct_flush;
  int gpu_direct_ordering;
  unsigned pool_handle_types;
  int deferred_mapping, ipc_event, cluster_launch, unified_function_pointers;
  int numa_config, numa_id, mps_enabled, host_numa_id;
  unsigned pci_device_id, pci_subsystem_id;
  int host_numa_multinode;
  int reserved[56];
};

// cudaDeviceProp of CUDA 12: the same with more fields between.
struct DeviceProperties12 {
  char name[256];
  char uuid[16];
  char luid[8];
  unsigned luid_device_node_mask;
  std::size_t total_global_memory, shared_per_block;
  int registers_per_block, warp_size;
  std::size_t memory_pitch;
  int max_threads_per_block, max_threads_dim[3], max_grid_size[3], clock_khz;
  std::size_t total_const_memory;
  int major, minor;
  std::size_t texture_alignment, texture_pitch_alignment;
  int device_overlap, multiprocessors, kernel_timeout, integrated, can_map_host_memory, compute_mode;
  int textures_and_surfaces[40];  // largest sizes; texture calls are not supported
  std::size_t surface_alignment;
  int concurrent_kernels, ecc_enabled, pci_bus, pci_device, pci_domain, tcc_driver;
  int async_engines, unified_addressing, memory_clock_khz, memory_bus_width, l2_cache_bytes,
      persisting_l2_max_bytes;
  int max_threads_per_multiprocessor, stream_priorities, global_l1_cache, local_l1_cache;
  std::size_t shared_per_multiprocessor;
  int registers_per_multiprocessor, managed_memory, multi_gpu_board, multi_gpu_board_group;
  int host_native_atomics, single_to_double_ratio, pageable_memory_access, concurrent_managed_access,
      compute_preemption;
  int can_use_host_pointer, cooperative_launch, cooperative_multi_device;
  std::size_t shared_per_block_optin;
  int pageable_uses_host_page_tables, direct_managed_access, max_blocks_per_multiprocessor;
  int access_policy_max_window;
  std::size_t reserved_shared_per_block;
  int host_register, sparse_arrays, host_register_read_only, timeline_semaphores, memory_pools;
  int gpu_direct_rdma;
  unsigned gpu_direct_flush;
  int gpu_direct_ordering;
  unsigned pool_handle_types;
  int deferred_mapping, ipc_event, cluster_launch, unified_function_pointers;
  int reserved[63];
};

// What the compiler puts beside a program's kernels: where their images lie.
struct FatBinaryWrapper {
  std::uint32_t magic;
  std::uint32_t version;  // 1; 2: linked from several files, `files` then lists their containers
  const void* container;
  void* files;
};
inline constexpr std::uint32_t kWrapperMagic = 0x466243B1;

}  // namespace lab::cudart

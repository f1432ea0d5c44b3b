// What CUDA 12 calls differently, for libcudart.so.12 alone.
//
// Enters: programs built with CUDA 12. Leaves: the struct of that version; calls that have other parameters
// there.
#include <cstring>

#include "common/cudart/allocation.h"
#include "common/cudart/copy.h"
#include "common/cudart/graph.h"
#include "common/cudart/properties.h"

using namespace lab::cudart;

LAB_API Error cudaGetDeviceProperties_v2(DeviceProperties12* properties, int device) {
  return enter(
      [&](Context& c) {
        if (properties == nullptr) throw ApiError{Error::InvalidValue};
        check_device(c, device);
        const DeviceProperties now = properties_of(c.gpu, device);
        DeviceProperties12& then = *properties;
        then = {};
        std::memcpy(then.name, now.name, sizeof then.name);
        std::memcpy(then.uuid, now.uuid, sizeof then.uuid);
        const auto take = [](auto& to, const auto& from) { std::memcpy(&to, &from, sizeof to); };
        take(then.total_global_memory, now.total_global_memory);
        take(then.shared_per_block, now.shared_per_block);
        take(then.registers_per_block, now.registers_per_block);
        take(then.warp_size, now.warp_size);
        take(then.memory_pitch, now.memory_pitch);
        take(then.max_threads_per_block, now.max_threads_per_block);
        take(then.max_threads_dim, now.max_threads_dim);
        take(then.max_grid_size, now.max_grid_size);
        then.clock_khz = static_cast<int>(c.gpu.clock_mhz * 1000);
        take(then.total_const_memory, now.total_const_memory);
        take(then.major, now.major);
        take(then.minor, now.minor);
        take(then.texture_alignment, now.texture_alignment);
        take(then.texture_pitch_alignment, now.texture_pitch_alignment);
        then.device_overlap = 1;
        take(then.multiprocessors, now.multiprocessors);
        take(then.can_map_host_memory, now.can_map_host_memory);
        take(then.surface_alignment, now.surface_alignment);
        take(then.concurrent_kernels, now.concurrent_kernels);
        take(then.async_engines, now.async_engines);
        take(then.unified_addressing, now.unified_addressing);
        then.memory_clock_khz = static_cast<int>(c.gpu.memory_clock_mhz * 1000);
        take(then.memory_bus_width, now.memory_bus_width);
        take(then.l2_cache_bytes, now.l2_cache_bytes);
        take(then.max_threads_per_multiprocessor, now.max_threads_per_multiprocessor);
        take(then.stream_priorities, now.stream_priorities);
        take(then.global_l1_cache, now.global_l1_cache);
        take(then.local_l1_cache, now.local_l1_cache);
        take(then.shared_per_multiprocessor, now.shared_per_multiprocessor);
        take(then.registers_per_multiprocessor, now.registers_per_multiprocessor);
        take(then.managed_memory, now.managed_memory);
        then.single_to_double_ratio = 2;
        take(then.concurrent_managed_access, now.concurrent_managed_access);
        take(then.compute_preemption, now.compute_preemption);
        take(then.can_use_host_pointer, now.can_use_host_pointer);
        take(then.cooperative_launch, now.cooperative_launch);
        take(then.shared_per_block_optin, now.shared_per_block_optin);
        take(then.max_blocks_per_multiprocessor, now.max_blocks_per_multiprocessor);
        take(then.reserved_shared_per_block, now.reserved_shared_per_block);
        take(then.pci_bus, now.pci_bus);
        take(then.host_register, now.host_register);
        take(then.memory_pools, now.memory_pools);
      },
      Asks::Host);
}

LAB_API Error cudaThreadSynchronize() {
  return enter([](Context& c) { wait_for_all(c); });
}

LAB_API Error cudaStreamGetCaptureInfo(StreamHandle stream, int* status, unsigned long long* id) {
  return capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

LAB_API Error cudaStreamUpdateCaptureDependencies(StreamHandle stream, GraphNode* const* after,
                                                  std::size_t count, unsigned flags) {
  return update_capture_dependencies(stream, after, count, flags);
}

LAB_API Error cudaGraphAddNode(GraphNode** node, Graph* graph, GraphNode* const* after, std::size_t count,
                               NodeParameters* parameters) {
  return add_any_node("cudaGraphAddNode", node, graph, after, count, parameters);
}
LAB_API Error cudaGraphAddNode_v2(GraphNode** node, Graph* graph, GraphNode* const* after,
                                  const void* /*edges*/, std::size_t count, NodeParameters* parameters) {
  return add_any_node("cudaGraphAddNode", node, graph, after, count, parameters);
}

LAB_API Error cudaGraphAddDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                       std::size_t count) {
  return change_edges("cudaGraphAddDependencies", graph, from, to, count, true);
}

LAB_API Error cudaGraphRemoveDependencies(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                          std::size_t count) {
  return change_edges("cudaGraphRemoveDependencies", graph, from, to, count, false);
}

LAB_API Error cudaGraphGetEdges(Graph* graph, GraphNode** from, GraphNode** to, std::size_t* count) {
  return edges_of(graph, from, to, nullptr, count);
}

LAB_API Error cudaGraphNodeGetDependencies(GraphNode* node, GraphNode** found, std::size_t* count) {
  return neighbours_of("cudaGraphNodeGetDependencies", node, true, found, nullptr, count);
}

LAB_API Error cudaGraphNodeGetDependentNodes(GraphNode* node, GraphNode** found, std::size_t* count) {
  return neighbours_of("cudaGraphNodeGetDependentNodes", node, false, found, nullptr, count);
}

LAB_API Error cudaGraphAddDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                          const void* /*edges*/, std::size_t count) {
  return change_edges("cudaGraphAddDependencies", graph, from, to, count, true);
}

LAB_API Error cudaGraphRemoveDependencies_v2(Graph* graph, GraphNode* const* from, GraphNode* const* to,
                                             const void* /*edges*/, std::size_t count) {
  return change_edges("cudaGraphRemoveDependencies", graph, from, to, count, false);
}

LAB_API Error cudaGraphGetEdges_v2(Graph* graph, GraphNode** from, GraphNode** to, EdgeData* data,
                                   std::size_t* count) {
  return edges_of(graph, from, to, data, count);
}

LAB_API Error cudaGraphNodeGetDependencies_v2(GraphNode* node, GraphNode** found, EdgeData* data,
                                              std::size_t* count) {
  return neighbours_of("cudaGraphNodeGetDependencies", node, true, found, data, count);
}

LAB_API Error cudaGraphNodeGetDependentNodes_v2(GraphNode* node, GraphNode** found, EdgeData* data,
                                                std::size_t* count) {
  return neighbours_of("cudaGraphNodeGetDependentNodes", node, false, found, data, count);
}

// `failed`: which copy was wrong, if that is known.
LAB_API Error cudaMemcpyBatchAsync(void* const* to, const void* const* from, const std::size_t* size_bytes,
                                   std::size_t count, const BatchAttributes* attributes,
                                   const std::size_t* first_copies, std::size_t attribute_count,
                                   std::size_t* failed, StreamHandle stream) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return submit_batch(stream, {to, from, size_bytes, count, attributes, first_copies, attribute_count});
}

LAB_API Error cudaMemcpy3DBatchAsync(std::size_t count, const BatchCopy3D* list, std::size_t* failed,
                                     unsigned long long flags, StreamHandle stream) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return submit_batch_3d(stream, count, list, flags);
}

LAB_API Error cudaMemAdvise(const void* pointer, std::size_t count, int advice, int device) {
  return advise(pointer, count, advice, place_numbered(device));
}
LAB_API Error cudaMemAdvise_v2(const void* pointer, std::size_t count, int advice, Place place) {
  return advise(pointer, count, advice, place);
}
LAB_API Error cudaMemPrefetchAsync(const void* pointer, std::size_t count, int device, StreamHandle stream) {
  return prefetch(pointer, count, place_numbered(device), stream);
}
LAB_API Error cudaMemPrefetchAsync_v2(const void* pointer, std::size_t count, Place place, unsigned /*flags*/,
                                      StreamHandle stream) {
  return prefetch(pointer, count, place, stream);
}

// What graphs hold besides nodes: conditions and memory.
//
// Enters: graphs and devices. Leaves: handles of conditions; what graphs hold of the memory.

#include "common/run/cudart/driver.h"
#include "common/run/cudart/graph.h"

using namespace lab::cudart;

// The program's handle is where the value lies, which kernels set (cudaGraphSetConditional).
LAB_API Error cudaGraphConditionalHandleCreate(lab::sim::DeviceAddress* handle, Graph* graph, unsigned value,
                                               unsigned flags) {
  return enter(Asks::HostFirst, [&](Context& c) {
    constexpr unsigned kAssignDefault = 1;
    if (handle == nullptr || graph == nullptr || flags > kAssignDefault) throw ApiError{Error::InvalidValue};
    c.reach_gpu();
    *handle = c.memory.allocate(sizeof value, lab::sim::Fill::Written, "a condition of a graph");
    graph->condition_handles.push_back(*handle);
    if (flags == kAssignDefault) graph->conditions.push_back({*handle, value});
  });
}

LAB_API Error cudaDeviceGraphMemTrim(int device) {
  return enter(Asks::Host, [&](Context& c) { check_device(c, device); });
}
// What graphs hold: now and at most, in use and reserved.
LAB_API Error cudaDeviceGetGraphMemAttribute(int device, int attribute, std::uint64_t* value) {
  return enter(Asks::Host, [&](Context& c) {
    constexpr int kLast = 3;
    check_device(c, device);
    if (attribute < 0 || attribute > kLast) throw ApiError{Error::InvalidValue};
    given(value) = 0;
    for (const auto& [at, bytes] : c.graph_memory) *value += bytes;
  });
}
LAB_API Error cudaDeviceSetGraphMemAttribute(int /*device*/, int /*attribute*/, void* value) {
  return enter([&](Context&) { need(value); });
}

// The driver's names.
LAB_ENTRY int cuGraphConditionalHandleCreate(lab::sim::DeviceAddress* handle, Graph* graph,
                                             DriverContext* /*context*/, unsigned value, unsigned flags) {
  return as_driver([&] { return cudaGraphConditionalHandleCreate(handle, graph, value, flags); });
}
LAB_SAME_EARLY(cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim);
LAB_SAME_EARLY(cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute);
LAB_SAME_EARLY(cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute);

// Nodes of graphs that hold no work of a kernel: events, memory, conditions.
//
// Enters: events and sizes. Leaves: nodes; addresses that stand before the graph runs.
#include <span>

#include "common/cudart/driver.h"
#include "common/cudart/graph.h"

using namespace lab::cudart;

// The program's handle is where the value lies, which kernels set (cudaGraphSetConditional).
LAB_API Error cudaGraphConditionalHandleCreate(lab::sim::DeviceAddress* handle, Graph* graph, unsigned value,
                                               unsigned flags) {
  return enter("cudaGraphConditionalHandleCreate", [&](Context& c) {
    constexpr unsigned kAssignDefault = 1;
    if (handle == nullptr || graph == nullptr || flags > kAssignDefault) return Error::InvalidValue;
    *handle = c.memory.allocate(sizeof value, lab::sim::Fill::Written, "a condition of a graph");
    if (flags == kAssignDefault) graph->conditions.push_back({*handle, value});
    return Error::Success;
  });
}

LAB_API Error cudaGraphAddEventRecordNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                          std::size_t count, Event* event) {
  return add_node("cudaGraphAddEventRecordNode", node, graph, after, count, kRecordNode,
                  [&](Context&) { return contents_of(event, true); });
}
LAB_API Error cudaGraphAddEventWaitNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                        std::size_t count, Event* event) {
  return add_node("cudaGraphAddEventWaitNode", node, graph, after, count, kWaitNode,
                  [&](Context&) { return contents_of(event, false); });
}

// --- memory of graphs ---

// The address is fixed when the node is made, and the memory is there from then on.
LAB_API Error cudaGraphAddMemAllocNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                       std::size_t count, AllocNode* alloc) {
  return add_node("cudaGraphAddMemAllocNode", node, graph, after, count, kAllocNode,
                  [&](Context& c) { return contents_of(c, given(alloc)); });
}
LAB_API Error cudaGraphAddMemFreeNode(GraphNode** node, Graph* graph, GraphNode* const* after,
                                      std::size_t count, void* pointer) {
  return add_node("cudaGraphAddMemFreeNode", node, graph, after, count, kFreeNode, [&](Context& c) {
    if (!c.graph_memory.contains(address_of(pointer)))
      throw ApiError{Error::InvalidValue, "the memory that a graph frees must be a graph's."};
    return NodeContents{nothing(), std::make_shared<void*>(pointer)};
  });
}
LAB_API Error cudaDeviceGraphMemTrim(int /*device*/) {
  return enter("cudaDeviceGraphMemTrim", [](Context&) { return Error::Success; });
}
// What graphs hold: now and at most, in use and reserved.
LAB_API Error cudaDeviceGetGraphMemAttribute(int /*device*/, int /*attribute*/, std::uint64_t* value) {
  return enter("cudaDeviceGetGraphMemAttribute", [&](Context& c) {
    need(value);
    *value = 0;
    for (const auto& [at, bytes] : c.graph_memory) *value += bytes;
    return Error::Success;
  });
}
LAB_API Error cudaDeviceSetGraphMemAttribute(int /*device*/, int /*attribute*/, void* value) {
  return enter("cudaDeviceSetGraphMemAttribute", [&](Context&) {
    need(value);
    return Error::Success;
  });
}

// The driver's names.
LAB_ENTRY int cuGraphConditionalHandleCreate(lab::sim::DeviceAddress* handle, Graph* graph,
                                             DriverContext* /*context*/, unsigned value, unsigned flags) {
  return as_driver([&] { return cudaGraphConditionalHandleCreate(handle, graph, value, flags); });
}
LAB_SAME(cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode);
LAB_SAME(cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode);
LAB_SAME(cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode);
LAB_SAME(cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode);
LAB_ENTRY int cuDeviceGraphMemTrim(int device) {
  return as_driver([&] { return cudaDeviceGraphMemTrim(device); }, Needs::Initialised);
}
LAB_ENTRY int cuDeviceGetGraphMemAttribute(int device, int attribute, std::uint64_t* value) {
  return as_driver([&] { return cudaDeviceGetGraphMemAttribute(device, attribute, value); },
                   Needs::Initialised);
}
LAB_ENTRY int cuDeviceSetGraphMemAttribute(int device, int attribute, void* value) {
  return as_driver([&] { return cudaDeviceSetGraphMemAttribute(device, attribute, value); },
                   Needs::Initialised);
}

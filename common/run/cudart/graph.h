// Graphs: nodes that a program adds or a stream records, and what is launched.
#pragma once

#include <vector>

#include "common/run/cudart/streams.h"

namespace lab::cudart {

// The work of a node as it was when the graph was instantiated; a program may give it other parameters.
struct GraphStep {
  const GraphNode* node = nullptr;  // by which the program calls it; it may be gone
  int type = 0;
  Work work;
  std::vector<std::size_t> after{};  // the steps that must be done before
  bool enabled = true;
};
struct GraphExec {
  std::vector<GraphStep> steps;
  std::vector<Condition> conditions;
  HeldObjects objects;
  unsigned long long flags = 0;
  std::shared_ptr<Known> launched =
      std::make_shared<Known>();  // what its last launch comes behind, and itself
};

// cudaGraphExecUpdateResultInfo; the nodes are of the graph that does not fit.
struct UpdateResult {
  enum Kind : int { Success, Failed, TopologyChanged, TypeChanged } kind;
  const GraphNode* node;
  const GraphNode* from;
};

// cudaGraphNodeParams: what kind of node, and its parameters in a union.
struct NodeParameters {
  int type;
  int reserved[3];
  alignas(8) std::byte of_type[29 * 8];
};
// That of a copy.
struct CopyNode {
  int reserved[4];
  Copy3D copy;
};
// The driver's: CUDA_KERNEL_NODE_PARAMS names a CUkernel where it names no function.
struct DriverKernelNode {
  KernelNode node;
  void* kernel;
  void* context;
  [[nodiscard]] KernelNode as_runtime() const {
    KernelNode same = node;
    if (same.function == nullptr) same.function = kernel;
    return same;
  }
};
struct DriverCopyNode {
  int flags, reserved;
  void* context;
  Copy3DRequest request;
};
// cudaMemAllocNodeParams: pool properties, access, bytes; and the address.
struct AllocNode {
  struct {
    int type, handle_types;
    Place place;
    std::byte more[72];
  } pool;
  void* access;
  std::size_t access_count, size_bytes;
  void* pointer;
};

[[nodiscard]] Work nothing();

// --- what nodes of each kind do and show (graph_parameters.cpp); all throw ApiError ---
struct KeptKernel {
  KernelNode node;  // first: what is shown. The arguments are the node's own, as in CUDA
  std::vector<std::vector<std::byte>> values;
  std::vector<void*> pointers;
  std::map<int, LaunchAttribute> attributes;
};
[[nodiscard]] NodeContents contents_of(Context& c, const KernelNode& kernel,
                                       const std::map<int, LaunchAttribute>& attributes = {});
[[nodiscard]] NodeContents contents_of(Context& c, const FillNode& fill);
[[nodiscard]] NodeContents contents_of(Context& c, const HostNode& host);
[[nodiscard]] NodeContents contents_of(Context& c, const Copy3D& copy);
[[nodiscard]] NodeContents contents_of(const Graph& child);
[[nodiscard]] NodeContents contents_of(Event* event, bool records);
[[nodiscard]] NodeContents contents_of(Context& c, AllocNode& alloc);
[[nodiscard]] NodeContents contents_of_free(Context& c, void* pointer);
// The contents of a node of any kind that cudaGraphAddNode makes, save conditional ones.
[[nodiscard]] NodeContents contents_of_any(Context& c, NodeParameters& p);

// What a node comes after is given, and of its graph; throws ApiError.
void check_nodes(const Graph* graph, GraphNode* const* after, std::size_t count);

using Make = std::function<NodeContents(Context&)>;
[[nodiscard]] Error add_node(const char* call, GraphNode** node, Graph* graph, GraphNode* const* after,
                             std::size_t count, int type, const Make& make);
// Other work for a node that was added before; graphs that were instantiated keep what they have.
[[nodiscard]] Error set_node(const char* call, GraphNode* node, int type, const Make& make);
// The same in a graph that was instantiated.
[[nodiscard]] Error set_step(const char* call, GraphExec* graph, const GraphNode* node, int type,
                             const Make& make);
// What a kernel's node holds besides its parameters; null: it is no such node.
[[nodiscard]] KeptKernel* kernel_in(GraphNode* node);
[[nodiscard]] std::map<int, LaunchAttribute> attributes_of(GraphNode* node);
// CUgraphNodeParams as cudaGraphNodeParams: copies are described otherwise, and a kernel has a second name.
[[nodiscard]] NodeParameters as_runtime(const NodeParameters& of_driver);
// The node's parameters as one of its kind.
template <class T>
T& as(NodeParameters& p) {
  return *reinterpret_cast<T*>(p.of_type);
}
// The same graph again, with nodes of its own.
[[nodiscard]] std::unique_ptr<Graph> clone_of(const Graph& graph);
// cudaGraphAddNode, which CUDA 12 and 13 call with other arguments.
[[nodiscard]] Error add_any_node(const char* call, GraphNode** node, Graph* graph, GraphNode* const* after,
                                 std::size_t count, NodeParameters* parameters);
// cudaStreamGetCaptureInfo, likewise: what is null is not asked for.
[[nodiscard]] Error capture_info(StreamHandle stream, int* status, unsigned long long* id, Graph** graph,
                                 GraphNode* const** front, const void** edges, std::size_t* count);
// cudaStreamUpdateCaptureDependencies, likewise.
[[nodiscard]] Error update_capture_dependencies(StreamHandle stream, GraphNode* const* after,
                                                std::size_t count, unsigned flags);
// Edges (graph_edges_api.cpp). CUDA 13 has data for each, which are zero.
struct EdgeData {
  std::byte bytes[8];
};
// In an order that the dependencies allow: of those that may be next, the one that was added first. Throws
// ApiError when they run in a circle.
[[nodiscard]] std::vector<GraphNode*> ordered(const Graph& graph);
[[nodiscard]] std::vector<GraphStep> steps_of(const Graph& graph);
Error run_all(Context& c, Stream& on, const std::vector<GraphStep>& steps);

}  // namespace lab::cudart

// Calls of CUDA 13 without _v2, which CUDA 12 knows by this name beside one without data for edges.
LAB_API lab::cudart::Error cudaGraphAddNode_v2(lab::cudart::GraphNode** node, lab::cudart::Graph* graph,
                                               lab::cudart::GraphNode* const* after, const void* edges,
                                               std::size_t count, lab::cudart::NodeParameters* parameters);
LAB_API lab::cudart::Error cudaGraphAddDependencies_v2(lab::cudart::Graph* graph,
                                                       lab::cudart::GraphNode* const* from,
                                                       lab::cudart::GraphNode* const* to, const void* edges,
                                                       std::size_t count);
LAB_API decltype(cudaGraphAddDependencies_v2) cudaGraphRemoveDependencies_v2;
LAB_API lab::cudart::Error cudaGraphGetEdges_v2(lab::cudart::Graph* graph, lab::cudart::GraphNode** from,
                                                lab::cudart::GraphNode** to, lab::cudart::EdgeData* data,
                                                std::size_t* count);
LAB_API lab::cudart::Error cudaGraphNodeGetDependencies_v2(lab::cudart::GraphNode* node,
                                                           lab::cudart::GraphNode** found,
                                                           lab::cudart::EdgeData* data, std::size_t* count);
LAB_API decltype(cudaGraphNodeGetDependencies_v2) cudaGraphNodeGetDependentNodes_v2;

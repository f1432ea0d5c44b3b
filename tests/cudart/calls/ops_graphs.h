// Graphs: nodes of every kind, edges, what is instantiated and launched.
#pragma once

#include "ops_memory.h"
#include "ops_streams.h"

using ExecFlags = OneOf<0, 0, 0, 1, 8, 2, 99>;

inline void bump(void* counter) { *static_cast<volatile int*>(counter) = 1; }

struct KernelParameters {
  cudaKernelNodeParams p{};
  ForKernel target;
  int v = 3, which;
  void* at;
  void* arguments[2];
  explicit KernelParameters(World& w) : target(w), which(w.draw.below(10)) {
    at = target.value();
    arguments[0] = &at, arguments[1] = &v;
    p.func = reinterpret_cast<void*>(&add);
    p.gridDim = {which == 6 ? 0u : 1u, which == 7 ? 70000u : 1u, 1};
    p.blockDim = {which == 8 ? 1025u : 32u, 1, 1};
    p.sharedMemBytes = which == 9 ? 300000 : which == 5 ? 1024 : 0;
    p.kernelParams = arguments;
    if (which == 4) p.func = reinterpret_cast<void*>(&bump);
  }
  const cudaKernelNodeParams* value() {  // the object may have moved since
    arguments[0] = &at, arguments[1] = &v, p.kernelParams = arguments;
    return &p;
  }
  std::string shown() const { return "k" + std::to_string(which) + target.shown(); }
  std::string kept(World&) const { return ""; }
};
struct FillParameters {
  cudaMemsetParams p{};
  OnDevice target;
  int which;
  explicit FillParameters(World& w) : target(w), which(w.draw.below(7)) {
    p = {target.value(), 64, 1, static_cast<unsigned>(which == 4 ? 3 : which == 5 ? 2 : 4), 16, 1};
    if (which == 6) p.width = 0;
    if (which == 3) p.height = 4;
  }
  const cudaMemsetParams* value() const { return &p; }
  std::string shown() const { return "f" + std::to_string(which) + target.shown(); }
  std::string kept(World&) const { return ""; }
};
struct HostParameters {
  cudaHostNodeParams p{bump, &host_counter};
  explicit HostParameters(World&) {}
  const cudaHostNodeParams* value() const { return &p; }
  std::string shown() const { return "h"; }
  std::string kept(World&) const { return ""; }
};
struct CopyParameters {
  cudaMemcpy3DParms p{};
  Any to, from;
  CopyKind kind;
  Width width;
  explicit CopyParameters(World& w) : to(w), from(w), kind(w), width(w) {
    p = parms_3d(to, from, width.n.n, 4, kind.n.n);
  }
  const cudaMemcpy3DParms* value() const { return &p; }
  std::string shown() const { return "c" + to.shown() + from.shown() + kind.shown() + "w" + width.shown(); }
  std::string kept(World&) const { return ""; }
};
struct LosesNode : Node {
  using Node::Node;
  std::string kept(World& w) const {
    for (cudaGraphNode_t& n : w.nodes)
      if (n == handle) n = nullptr;
    return "";
  }
};
struct LosesGraph : Graph {
  using Graph::Graph;
  std::string kept(World& w) const {
    for (cudaGraph_t& g : w.graphs)
      if (g == handle) g = nullptr;
    w.nodes.fill(nullptr);  // some were its
    return "";
  }
};
struct LosesExec : Exec {
  using Exec::Exec;
  std::string kept(World& w) const {
    for (cudaGraphExec_t& x : w.execs)
      if (x == handle) x = nullptr;
    return "";
  }
};
inline void nodes_of(World& w) {
  const Graph g(w);
  const bool roots = w.draw.one_in(2), takes = w.draw.one_in(2);
  w.say(roots ? "cudaGraphGetRootNodes" : "cudaGraphGetNodes", g.shown() + (takes ? ",array" : ",null"), [&] {
    cudaGraphNode_t found[16] = {};
    size_t count = 16;
    const int code =
        (roots ? cudaGraphGetRootNodes : cudaGraphGetNodes)(g.value(), takes ? found : nullptr, &count);
    return std::to_string(code) + (code == 0 ? ":" + std::to_string(count) : "");
  });
}
inline void edges_of(World& w) {
  const Graph g(w);
  w.say("cudaGraphGetEdges", g.shown(), [&] {
    size_t count = 0;
    const int code = cudaGraphGetEdges(g.value(), nullptr, nullptr, nullptr, &count);
    return std::to_string(code) + (code == 0 ? ":" + std::to_string(count) : "");
  });
}
inline void neighbours_of(World& w) {
  const Node n(w);
  const bool before = w.draw.one_in(2);
  w.say(before ? "cudaGraphNodeGetDependencies" : "cudaGraphNodeGetDependentNodes", n.shown(), [&] {
    size_t count = 0;
    const int code = (before ? cudaGraphNodeGetDependencies : cudaGraphNodeGetDependentNodes)(
        n.value(), nullptr, nullptr, &count);
    return std::to_string(code) + (code == 0 ? ":" + std::to_string(count) : "");
  });
}
inline void change_edges(World& w) {
  const Graph g(w);
  const Node from(w), to(w);
  const bool adds = !w.draw.one_in(3);
  w.say(adds ? "cudaGraphAddDependencies" : "cudaGraphRemoveDependencies",
        g.shown() + "," + from.shown() + "," + to.shown(), [&] {
          const cudaGraphNode_t a = from.value(), b = to.value();
          return std::to_string(
              (adds ? cudaGraphAddDependencies : cudaGraphRemoveDependencies)(g.value(), &a, &b, nullptr, 1));
        });
}
inline void update(World& w) {
  const Exec x(w);
  const Graph g(w);
  w.say("cudaGraphExecUpdate", x.shown() + "," + g.shown(), [&] {
    cudaGraphExecUpdateResultInfo info{};
    const int code = cudaGraphExecUpdate(x.value(), g.value(), &info);
    return std::to_string(code) +
           (g.value() != nullptr && x.value() != nullptr ? ":" + std::to_string(info.result) : "");
  });
}
inline void instantiate_with_parameters(World& w) {
  const Graph g(w);
  MakesExec x(w);
  const ExecFlags flags(w);
  w.say("cudaGraphInstantiateWithParams", x.shown() + "," + g.shown() + "," + flags.shown(), [&] {
    cudaGraphInstantiateParams p{};
    p.flags = static_cast<unsigned long long>(flags.n.n);
    const int code = cudaGraphInstantiateWithParams(&x.result, g.value(), &p);
    if (code == 0) x.kept(w);
    return std::to_string(code) + (g.value() != nullptr ? ":" + std::to_string(p.result_out) : "");
  });
}
struct AllocParameters {
  cudaMemAllocNodeParams p{};
  int which;
  explicit AllocParameters(World& w) : which(w.draw.below(5)) {
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, which == 4 ? 9 : 0};
    p.bytesize = which == 3 ? 0 : 4096;
  }
  cudaMemAllocNodeParams* value() { return &p; }
  std::string shown() const { return "m" + std::to_string(which); }
  std::string kept(World&) const { return ""; }
};
inline void add_any(World& w) {
  const Graph g(w);
  After after(w);
  const AfterCount count(w);
  const int type = w.draw.below(5);
  MakesNode made(w);
  KernelParameters kernel(w);
  FillParameters fill(w);
  w.say("cudaGraphAddNode",
        g.shown() + "," + after.shown() + "," + count.shown() + ",t" + std::to_string(type) + kernel.shown() +
            fill.shown(),
        [&] {
          cudaGraphNodeParams p{};
          p.type = type == 0   ? cudaGraphNodeTypeKernel
                   : type == 1 ? cudaGraphNodeTypeMemset
                   : type == 2 ? cudaGraphNodeTypeEmpty
                   : type == 3 ? cudaGraphNodeTypeHost
                               : static_cast<cudaGraphNodeType>(77);
          if (type == 0) {
            const cudaKernelNodeParams* k = kernel.value();
            p.kernel.func = k->func, p.kernel.gridDim = k->gridDim, p.kernel.blockDim = k->blockDim,
            p.kernel.sharedMemBytes = k->sharedMemBytes, p.kernel.kernelParams = k->kernelParams;
          }
          if (type == 1)
            p.memset.dst = fill.p.dst, p.memset.pitch = fill.p.pitch, p.memset.value = fill.p.value,
            p.memset.elementSize = fill.p.elementSize, p.memset.width = fill.p.width,
            p.memset.height = fill.p.height;
          if (type == 3) p.host.fn = bump, p.host.userData = &host_counter;
          const int code = cudaGraphAddNode(&made.result, g.value(), &after.node, nullptr,
                                            static_cast<size_t>(count.n.n), &p);
          if (code == 0) made.kept(w);
          return std::to_string(code);
        });
}
struct UserObject {
  cudaUserObject_t o;
  explicit UserObject(World& w) : o(w.object) {}
  cudaUserObject_t value() const { return o; }
  std::string shown() const { return "o"; }
  std::string kept(World&) const { return ""; }
};

inline const std::vector<Op> kGraphOps = {
    CALL(cudaGraphCreate, MakesGraph, OneOf<0, 0, 0, 1>) CALL(cudaGraphDestroy, LosesGraph) CALL(
        cudaGraphClone, MakesGraph, Graph) CALL(cudaGraphAddKernelNode, MakesNode, Graph, After, AfterCount,
                                                KernelParameters)
        CALL(cudaGraphAddKernelNode, MakesNode, Graph, After, AfterCount, KernelParameters) CALL(
            cudaGraphAddMemsetNode, MakesNode, Graph, After, AfterCount,
            FillParameters) CALL(cudaGraphAddHostNode, MakesNode, Graph, After, AfterCount, HostParameters)
            CALL(cudaGraphAddEmptyNode, MakesNode, Graph, After, AfterCount) CALL(
                cudaGraphAddChildGraphNode, MakesNode, Graph, After, AfterCount,
                Child) CALL(cudaGraphAddEventRecordNode, MakesNode, Graph, After, AfterCount, Event)
                CALL(cudaGraphAddEventWaitNode, MakesNode, Graph, After, AfterCount, Event)
                    CALL(cudaGraphAddMemcpyNode, MakesNode, Graph, After, AfterCount, CopyParameters) CALL(
                        cudaGraphAddMemcpyNode1D, MakesNode, Graph, After, AfterCount, Any, Any, CopyBytes,
                        CopyKind) CALL(cudaGraphAddMemAllocNode, MakesNode, Graph, After, AfterCount,
                                       AllocParameters)
                        CALL(cudaGraphAddMemFreeNode, MakesNode, Graph, After, AfterCount, OnDevice) CALL(
                            cudaGraphKernelNodeSetParams, Node,
                            KernelParameters) CALL(cudaGraphMemsetNodeSetParams, Node, FillParameters)
                            CALL(cudaGraphHostNodeSetParams, Node, HostParameters) CALL(
                                cudaGraphMemcpyNodeSetParams, Node, CopyParameters)
                                CALL(cudaGraphMemcpyNodeSetParams1D, Node, Any, Any, CopyBytes,
                                     CopyKind) CALL(cudaGraphEventRecordNodeSetEvent, Node,
                                                    Event) CALL(cudaGraphEventWaitNodeSetEvent, Node, Event)
                                    CALL(cudaGraphEventRecordNodeGetEvent, Node, Unseen<cudaEvent_t>) CALL(
                                        cudaGraphKernelNodeGetParams, Node, Unseen<cudaKernelNodeParams>)
                                        CALL(cudaGraphMemsetNodeGetParams, Node, Unseen<cudaMemsetParams>)
                                            CALL(cudaGraphHostNodeGetParams, Node, Unseen<cudaHostNodeParams>)
                                                CALL(cudaGraphMemcpyNodeGetParams, Node,
                                                     Unseen<cudaMemcpy3DParms>)
                                                    CALL(cudaGraphChildGraphNodeGetGraph, Node,
                                                         Unseen<cudaGraph_t>)
                                                        CALL(cudaGraphMemAllocNodeGetParams, Node,
                                                             Unseen<cudaMemAllocNodeParams>)
                                                            CALL(cudaGraphNodeGetType, Node,
                                                                 Out<cudaGraphNodeType>)
                                                                CALL(cudaGraphNodeFindInClone,
                                                                     Unseen<cudaGraphNode_t>, Node, Graph)
                                                                    CALL(cudaGraphDestroyNode, LosesNode)
                                                                        Op{"cudaGraphGetNodes", nodes_of},
    Op{"cudaGraphGetEdges", edges_of},
    Op{"cudaGraphNodeGetDependencies", neighbours_of},
    Op{"cudaGraphAddDependencies", change_edges},
    Op{"cudaGraphAddDependencies", change_edges},
    Op{"cudaGraphAddNode", add_any},
    CALL(cudaGraphInstantiate, MakesExec, Graph, ExecFlags) CALL(cudaGraphInstantiate, MakesExec, Graph, Zero)
        Op{"cudaGraphInstantiateWithParams", instantiate_with_parameters},
    CALL(cudaGraphConditionalHandleCreate, Unseen<cudaGraphConditionalHandle>, Graph, OneOf<0, 1>,
         OneOf<0, 1, 2>) CALL(cudaGraphRetainUserObject, Graph, UserObject, OneOf<1, 1, 0>, OneOf<0, 1, 2>)
        CALL(cudaGraphReleaseUserObject, Graph, UserObject, OneOf<1, 2>)};
inline const std::vector<Op> kExecOps = {
    CALL(cudaGraphLaunch, Exec, Stream) CALL(cudaGraphLaunch, Exec, Stream)
        CALL(cudaGraphUpload, Exec, Stream) CALL(cudaGraphExecDestroy, LosesExec)
            CALL(cudaGraphExecGetFlags, Exec, Out<unsigned long long>)
                CALL(cudaGraphExecKernelNodeSetParams, Exec, Node, KernelParameters)
                    CALL(cudaGraphExecMemsetNodeSetParams, Exec, Node, FillParameters)
                        CALL(cudaGraphExecHostNodeSetParams, Exec, Node, HostParameters)
                            CALL(cudaGraphExecMemcpyNodeSetParams, Exec, Node, CopyParameters) CALL(
                                cudaGraphExecMemcpyNodeSetParams1D, Exec, Node, Any, Any, CopyBytes, CopyKind)
                                CALL(cudaGraphExecChildGraphNodeSetParams, Exec, Node, Graph)
                                    CALL(cudaGraphExecEventRecordNodeSetEvent, Exec, Node, Event)
                                        CALL(cudaGraphExecEventWaitNodeSetEvent, Exec, Node, Event)
                                            CALL(cudaGraphNodeSetEnabled, Exec, Node, OneOf<0, 1>)
                                                CALL(cudaGraphNodeGetEnabled, Exec, Node, Out<unsigned>)
                                                    Op{"cudaGraphExecUpdate", update},
    CALL(cudaDeviceGraphMemTrim, DeviceNumber)
        CALL(cudaDeviceGetGraphMemAttribute, DeviceNumber, OneOf<0, 2, 9>, Unseen<unsigned long long>)};
